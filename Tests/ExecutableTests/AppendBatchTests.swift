import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `append --stdin`: all of it or nothing, and what was known is not written again.
@Suite(.blocks) struct AppendBatchTests {
  let ledger: TestLedger
  let entry = "01a1fc67-b270-7b15-8579-22c8fd77dd00"
  let id = "01a1fc67-b270-7b15-8579-22c8fd77dd01"

  init() throws { ledger = try TestLedger() }

  private var logging: String {
    #"{"type":"progress.logged","data":{"entry":"\#(entry)","metric":"weight","quantity":80,"#
      + #""date":"2026-01-02"},"id":"\#(id)"}"#
  }

  @Test("Every line of standard input is appended")
  func appendsEveryLine() throws {
    let input =
      logging + "\n\n \t\r\n" + #" {"type":"progress.corrected","data":{"entry":"\#(entry)","#
      + #""quantity":81}} "# + "\r\n"
      + #"{"data":{"metric":"steps","quantity":1,"date":"2026-01-02"},"type":"progress.logged"}"#
    let result = try ledger.run("append", "--stdin", "--json", input: input)
    #expect(result.code == 0, "\(result.error)")
    #expect(try ledger.bytes().suffix(result.output.utf8.count) == Data(result.output.utf8))
    let log = try ledger.log()
    log.expectIntact()
    #expect(
      log.lines.dropFirst().map(\.type)
        == ["progress.logged", "progress.corrected", "progress.logged"])
    #expect(log.lines[1].object["id"]?.string == id)
    // An entry that was not given is made.
    #expect(log.lines[3].data["entry"]?.string?.utf8.count == 36)
  }

  @Test("An edit whose id is known is not appended again")
  func anIdIsWrittenOnce() throws {
    let first = try ledger.run("append", "--stdin", "--json", input: logging)
    let before = try ledger.bytes()
    let again = try ledger.run("append", "--stdin", "--json", input: logging)
    #expect(again.code == 0)
    #expect(again.output == first.output)
    #expect(again.error == "event 2 has this id already; it was not written again\n")
    #expect(try ledger.bytes() == before)
    let name = #"{"type":"profile.updated","data":{"name":"A"}}"#
    let mixed = try ledger.run(
      "append", "--stdin", "--json", input: "\(name)\n\(logging)\n\(name)\n")
    let lines = try ledger.log().lines.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(mixed.output == [lines[2], lines[1], lines[3]].map { $0 + "\n" }.joined())
  }

  @Test("An id repeated within a batch is refused")
  func anIdStandsOnceInABatch() throws {
    try ledger.expectRefusal(
      ["append", "--stdin"], 2, "line 3: id \(id) appears twice in this batch",
      input: "\(logging)\n\n\(logging)\n")
  }

  @Test("Empty input appends nothing and succeeds")
  func nothingIsNoFailure() throws {
    let before = try ledger.bytes()
    let result = try ledger.run("append", "--stdin", input: "\n \n")
    #expect(result.code == 0)
    #expect(result.output == "✓ nothing to append\n")
    #expect(try ledger.run("append", "--stdin", "--json").output.isEmpty)
    #expect(try ledger.bytes() == before)
  }

  @Test(
    "One bad line refuses the whole batch",
    arguments: [
      ("{", 2, "the JSON ends too early at byte 1"),
      ("[1]", 2, "an edit is an object with 'type' and 'data'"),
      (#"{"type":"progress.logged"}"#, 2, "an edit needs 'data', an object"),
      (
        #"{"type":"profile.updated","data":{"name":"A"},"by":"sync"}"#, 2,
        "'by' is not a member of an edit; it has type, data and optionally id"
      ),
      (
        #"{"type":"profile.updated","data":{"name":"a","name":"b"}}"#, 2,
        "duplicate member in an object at byte 45"
      ),
      (
        #"{"type":"progress.deleted","data":{"entry":"01a1fc67-b270-7b15-8579-22c8fd77dd01"}}"#, 4,
        "there is no entry 01a1fc67-b270-7b15-8579-22c8fd77dd01"
      ),
      (
        #"{"type":"progress.logged","data":{"metric":"weight","quantity":900,"date":"2026-01-02"}}"#,
        2, "quantity is 900 kg; weight must be more than 0 and less than 500 kg"
      ),
      (
        #"{"type":"profile.updated","data":{"name":"A","undoes":3}}"#, 2,
        "'undoes' is 3; it must be the number of an earlier event"
      ),
      (
        #"{"type":"profile.updated","data":{"name":"A","undoes":"2"}}"#, 2,
        #"'undoes' is "2"; it must be the number of an earlier event"#
      ),
      (
        #"{"type":"profile.updated","data":{"name":"A"},"id":"X"}"#, 2,
        #"'id' is "X"; it must be a UUID in lower case"#
      ),
      (
        #"{"type":"profile.updated","data":{"name":"A"},"#
          + #""id":"01a1fc67-b270-4b15-8579-22c8fd77dd01"}"#,
        2, "'id' is '01a1fc67-b270-4b15-8579-22c8fd77dd01'; it must be a version 7 UUID"
      ),
    ] as [(String, Int32, String)])
  func oneBadLineRefusesAll(_ line: String, _ code: Int32, _ sentence: String) throws {
    let good = #"{"type":"profile.updated","data":{"name":"A"}}"#
    try ledger.expectRefusal(
      ["append", "--stdin"], code, "line 3: \(sentence)", input: "\n\(good)\n\(line)\n\(good)\n")
  }

  @Test("Input that is not UTF-8 is refused")
  func bytesThatAreNoTextAreRefused() throws {
    let before = try ledger.bytes()
    let input =
      Data(#"{"type":"profile.updated","data":{"name":""#.utf8) + [0xFF] + Data("\"}}".utf8)
    let result = try Executable.ledger.start(
      ["append", "--stdin"], input: input, in: ledger.folder.path
    ).wait()
    #expect(result.code == 2)
    #expect(result.error.hasPrefix("ledger: line 1: invalid UTF-8 at byte 42\n"))
    #expect(try ledger.bytes() == before)
  }

  private func line(ofBytes count: Int) -> String {
    let parts = (#"{"type":"profile.updated","data":{"name":"A","x":""#, #""}}"#)
    let filling = count - parts.0.utf8.count - parts.1.utf8.count
    return parts.0 + String(repeating: "x", count: filling) + parts.1
  }

  @Test("A line that no event can hold is named")
  func aLineThatIsTooLongIsNamed() throws {
    try ledger.expectRefusal(
      ["append", "--stdin"], 2, "line 2: it is longer than 65536 bytes",
      input: "\(line(ofBytes: 1000))\n\(line(ofBytes: 65_537))\n")
    // The line is short enough, the event around it is not.
    let before = try ledger.bytes()
    let result = try ledger.run(
      "append", "--stdin", input: "\(line(ofBytes: 1000))\n\(line(ofBytes: 65_536))")
    #expect(result.code == 2)
    #expect(result.error.hasPrefix("ledger: line 2: the event takes 65"), "\(result.error)")
    #expect(try ledger.bytes() == before)
  }

  @Test("The rest of a line that is too long is not read", .timeLimit(.minutes(10)))
  func anEndlessLine() throws {
    let result = try Executable(path: "/bin/sh").run(
      ["-c", #"yes x | tr -d '\n' | "$0" append --stdin"#, Executable.ledger.path],
      environment: ["PATH": "/usr/bin:/bin"], in: ledger.folder.path)
    #expect(result.code == 2)
    #expect(result.error.hasPrefix("ledger: line 1: it is longer than 65536 bytes\n"))
  }
}

/// Words of an edit that are nearly right.
@Suite(.blocks) struct AppendBatchWordTests {
  @Test(
    "The nearest word is named",
    arguments: [
      (#"{"type":"progress.loged","data":{}}"#, "progress.logged"),
      (#"{"type":"progress.logged","data":{"metric":"wieght","quantity":3}}"#, "weight"),
      (#"{"type":"profile.updated","data":{"preferred_unit_system":"imperal"}}"#, "imperial"),
      (#"{"type":"physical.updated","data":{"biological_sex":"femal"}}"#, "female"),
    ])
  func nearest(_ line: String, _ meant: String) throws {
    let ledger = try TestLedger()
    let result = try ledger.run("append", "--stdin", input: line + "\n")
    #expect(result.code == 2)
    #expect(result.error.hasSuffix("hint: nothing was written; did you mean '\(meant)'?\n"))
  }

  @Test("Nothing is guessed where the words are right")
  func noGuess() throws {
    let result = try TestLedger().run(
      "append", "--stdin",
      input: #"{"type":"progress.logged","data":{"metric":"weight","quantity":-3}}"# + "\n")
    #expect(result.code == 2)
    #expect(result.error.hasSuffix("hint: nothing was written\n"))
  }
}
