import Foundation
import LedgerTestSupport
import Testing

/// A system that does not do what it is asked to: told in one sentence, and nothing is left behind.
@Suite(.blocks) struct RefusingDiskTests {
  /// The system would end a program that lets a file grow beyond what it may, in the midst of it.
  @Test(
    "A failed append leaves the log as it was", arguments: [1, 2, 5, 9])
  func aLogThatMayNotGrowIsCutBack(_ blocks: Int) throws {
    let ledger = try TestLedger()
    let before = try ledger.bytes()
    let bio = String(repeating: "b", count: 200)
    let edit = #"{"type":"profile.updated","data":{"name":"A","bio":"\#(bio)"}}"#
    let result = try Executable(path: "/bin/sh").start(
      ["-c", #"ulimit -f "$1" && "$0" append --stdin"#, Executable.ledger.path, "\(blocks)"],
      // Where there is a place for them, ThreadSanitizer's runtime makes a file, larger than this.
      environment: ["TMPDIR": "/nowhere"],
      input: Data(String(repeating: edit + "\n", count: 40).utf8), in: ledger.folder.path
    ).wait()
    #expect(result.code == 1)
    #expect(result.error == "ledger: cannot write \(ledger.path)/events.jsonl: file too large\n")
    #expect(result.output.isEmpty)
    #expect(try ledger.bytes() == before)
    try ledger.must("verify")
  }

  /// The edit is durable by then, and is not to be given again.
  @Test(
    "A failed write of the answer is distinguished from a failed append",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [["--stdin"], ["steps", "1"]])
  func anAnswerThatCannotBeGivenIsToldApart(_ words: [String]) throws {
    let ledger = try TestLedger()
    let script = #""$0" append "$@" > /dev/full"#
    let result = try Executable(path: "/bin/sh").start(
      ["-c", script, Executable.ledger.path] + words,
      input: Data(#"{"type":"profile.updated","data":{"name":"A"}}"#.utf8), in: ledger.folder.path
    ).wait()
    #expect(result.code == 1)
    let sentences = [
      "ledger: warning: the edits are in the log; only the answer could not be given",
      "ledger: cannot write to standard output: no space left on device; "
        + "what was printed is not complete",
    ]
    #expect(result.error == sentences.joined(separator: "\n") + "\n")
    #expect(try ledger.log().lines.count == 2)
  }

  @Test("A path that the system refuses is an error")
  func whereNobodyCanLookIsNoLedger() throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "n", count: 300)
    let result = try Executable.ledger.run(["--ledger", name, "init"], in: folder.path)
    #expect(result.code == 1)
    #expect(result.error == "ledger: cannot inspect \(name)/events.jsonl: file name too long\n")
  }
}
