import Foundation
import LedgerJSON
import Testing

/// Edits that `append` is not to take: docs/bad-input.md, row by row.
@Suite(.blocks) struct BadEditTests {
  /// An entry whose quantity begins at byte 63 and whose notes at byte 95.
  private static func logged(
    _ quantity: String = "75", date: String = "2026-01-02", metric: String = "weight",
    more: String = ""
  ) -> Data {
    Data(
      (#"{"type":"progress.logged","data":{"metric":"\#(metric)","quantity":\#(quantity),"#
        + #""date":"\#(date)"\#(more)}}"#).utf8)
  }

  private static func notes(_ bytes: [UInt8]) -> Data {
    let whole = String(decoding: logged(more: #","notes":"@""#), as: UTF8.self)
    let parts = whole.split(separator: "@")
    return Data(parts[0].utf8) + bytes + Data(parts[1].utf8)
  }

  private static func notes(_ text: String) -> Data { notes(Array(text.utf8)) }

  private static func profile(_ members: String, more: String = "") -> Data {
    Data(#"{"type":"profile.updated","data":{\#(members)}\#(more)}"#.utf8)
  }

  private static func time(_ time: String, zone: String?) -> Data {
    logged(more: #","time":"\#(time)""# + (zone.map { #","zone":"\#($0)""# } ?? ""))
  }

  private static func utf16(_ data: Data) -> Data {
    data.reduce(into: Data([0xFF, 0xFE])) { $0 += [$1, 0] }
  }

  private static let edits: [String: [Data]] = [
    "cut off: `{\"type\":`": [Data(#"{"type":"#.utf8)],
    "a comma too many: `{\"name\":\"A\",}`": [profile(#""name":"A","#)],
    "single quotes": [Data("{'type':1}".utf8)],
    "text after the edit": [logged() + Data(" x".utf8)],
    "a list instead of an object": [Data("[1]".utf8)],
    "no `type`, or one that is not a string": [
      Data("{}".utf8), Data(#"{"type":1,"data":{}}"#.utf8),
    ],
    "a type that only the program writes": [
      Data(#"{"type":"sync.acknowledged","data":{}}"#.utf8)
    ],
    "nothing in `data` that the type knows": [profile(""), profile(#""nme":"A""#)],
    #"a duplicate member, the second spelt `n\u0061me`"#: [
      profile(#""name":"A","n\u0061me":"B""#)
    ],
    "lists nine deep inside `data`": [
      profile(#""x":"# + String(repeating: "[", count: 9) + String(repeating: "]", count: 9))
    ],
    "60,000 times `[`": [Data(repeating: UInt8(ascii: "["), count: 60_000)],
    "notes of 501 characters": [notes(String(repeating: "é", count: 501))],
    "a line of 65,537 bytes and more; its rest is not read": [
      profile(#""name":"A","x":"\#(String(repeating: "x", count: 66_000))""#)
    ],
    "a line whose event is longer than a line of the log may be": [
      profile(#""name":"A","x":"\#(String(repeating: "x", count: 65_400))""#)
    ],
    "`NaN` or `Infinity` as a quantity": [logged("NaN"), logged("Infinity")],
    "`01` or `1.` as a quantity": [logged("01"), logged("1.")],
    "`1e400` or 2^53+1 as a quantity": [logged("1e400"), logged("9007199254740993")],
    "a quantity of 17 digits": [logged("75.123456789012345")],
    "a quantity that is text": [logged(#""75""#)],
    "`-0` kg": [logged("-0"), logged("-0.0")],
    "`-0` steps": [logged("-0", metric: "steps")],
    #"half of a surrogate pair: `\ud800` or `\udc00`"#: [notes(#"\ud800"#), notes(#"\udc00x"#)],
    #"a whole surrogate pair: `\ud83d\ude00`"#: [notes(#"\ud83d\ude00"#)],
    "overlong UTF-8, a surrogate in UTF-8, or one beyond U+10FFFF": [
      notes([0xC0, 0xAF]), notes([0xED, 0xA0, 0x80]), notes([0xF4, 0x90, 0x80, 0x80]),
    ],
    "Latin-1": [notes([0x63, 0x61, 0x66, 0xE9])],
    "a byte order mark, or UTF-16": [Data([0xEF, 0xBB, 0xBF]) + logged(), utf16(logged())],
    "a NUL byte or a tab inside a string": [notes([0]), notes("\t")],
    #"`\u0000` inside a string"#: [notes(#"a\u0000b"#)],
    "lines that end in CR LF": [logged() + Data("\r".utf8)],
    "lines that end in CR alone": [logged() + Data("\r".utf8) + logged()],
    "30 February": [logged(date: "2026-02-30")],
    "29 February of a leap year": [logged(date: "2024-02-29")],
    "year 0": [logged(date: "0000-01-01")],
    "year 10000": [logged(date: "10000-01-01")],
    "24:00": [time("24:00:00", zone: "+00:00")],
    "a leap second": [time("23:59:60", zone: "+00:00")],
    "a time without a zone": [time("23:59:00", zone: nil)],
    "a zone of more than a day": [time("23:59:00", zone: "+25:00")],
    "an id that is not a UUID": [profile(#""name":"A""#, more: #","id":"X""#)],
    "an id of version 4": [
      profile(#""name":"A""#, more: #","id":"01a1fc67-b270-4b15-8579-22c8fd77dd01""#)
    ],
  ]

  @Test("Every bad edit on standard input is refused as its page says")
  func onStandardInput() throws {
    let table = try BadInputTable("input")
    table.expectTried(Array(Self.edits.keys))
    let ledger = try ThreeEvents()
    for (name, inputs) in Self.edits.sorted(by: { $0.key < $1.key }) {
      let row = try table.row(name)
      for input in inputs {
        let before = try ledger.log()
        // A right edit before it and one behind it: all or none.
        let good = Self.profile(#""name":"Ada""#) + Data("\n".utf8)
        let isTaken = row.code == 0
        let result = try ledger.run(
          ["append", "--stdin"], input: isTaken ? input : good + input + Data("\n".utf8) + good)
        #expect(result.code == row.code, "\(name): \(result.error)")
        if isTaken {
          let line = try #require(ledger.lines().last)
          #expect(String(decoding: line, as: UTF8.self).contains(row.answer), "\(name)")
        } else {
          #expect(result.error.hasSuffix("\nhint: nothing was written\n"), "\(name)")
          let said = ledger.sentence(result.error)
          #expect(said.hasPrefix("line 2: "), "\(name)")
          row.expectIs(String(said.dropFirst("line 2: ".count)), "\(name)")
          #expect(try ledger.log() == before, "\(name)")
        }
      }
    }
    #expect(try ledger.run(["verify"]).code == 0)
  }

  @Test("Every bad edit on the command line is refused as its page says")
  func onTheCommandLine() throws {
    let table = try BadInputTable("words after `append`")
    let ledger = try ThreeEvents()
    let before = try ledger.log()
    let broken = "`weight 75 --notes` and a byte FF"
    for (name, row) in table.rows where name != broken {
      let words = name.dropFirst().dropLast().split(separator: " ").map(String.init)
      let result = try ledger.run(["append"] + words)
      #expect(result.code == row.code, "\(name): \(result.error)")
      row.expectIs(ledger.sentence(result.error), "\(name)")
    }
    // Only a shell can say it: the words of this test are text.
    let row = try table.row(broken)
    let script = #"LEDGER_DIR="$1" "$0" append weight --notes "$(printf 'a\377')" 75"#
    let result = try Executable(path: "/bin/sh").run(
      ["-c", script, Executable.ledger.path, ledger.path])
    #expect(result.code == row.code, "\(result.error)")
    row.expectIs(ledger.sentence(result.error), "\(broken)")
    #expect(try ledger.log() == before)
  }

  private static let texts: [String: String] = [
    "ESC `[2J`, which clears the screen": "\u{1B}[2J",
    "U+009B, which equals ESC `[`": "\u{9B}31m",
    "right-to-left override": "\u{202E}gnp.exe",
    "a zero-width space": "zero\u{200B}width",
    "a soft hyphen": "\u{AD}",
    "a line feed": "two\nlines",
    "a line separator": "\u{2028}",
    "NUL": "a\0b",
    "DEL": "\u{7F}",
    "right-to-left letters": "שלום",
    "an emoji joined from several": "👩‍👩‍👧",
  ]

  /// Kept as they came, shown so that they do nothing.
  @Test("Control characters in notes are escaped when shown")
  func notesThatWouldSteerATerminal() throws {
    let table = try BadInputTable("notes")
    table.expectTried(Array(Self.texts.keys))
    let ledger = try ThreeEvents()
    for (name, text) in Self.texts {
      let row = try table.row(name)
      let value = text.unicodeScalars.map(Self.escaped).joined()
      let result = try ledger.run(["append", "--stdin"], input: Self.notes(value))
      #expect(result.code == row.code, "\(name): \(result.error)")
      let shown = try ledger.run(["show", "progress", "--type", "weight", "--limit", "1"])
      let last = shown.output.split(separator: "\n").last.map(String.init) ?? ""
      #expect(last.hasSuffix("  \(row.answer)"), "\(name): \(last)")
      let stored = try StoredLog(ledger.log()).lines.last?.data["notes"]?.string
      #expect(stored == text, "\(name)")
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if (0x20..<0x7F).contains(scalar.value) || scalar.value > 0xFFFF { return String(scalar) }
    let digits = String(scalar.value, radix: 16)
    return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
