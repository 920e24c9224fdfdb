import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI

@Suite(.serialized) struct DoubtTests {
  @Test("On a terminal the answer decides", arguments: [("y", ExitCode.done, 2), ("n", .usage, 1)])
  func asks(_ answer: String, _ code: ExitCode, _ events: Int) throws {
    let ledger = try LookingLedger()
    let prompter = ScriptedPrompter([answer])
    var streams = ConsoleStreams.captured(output: MemorySink(), error: MemorySink())
    streams.prompter = prompter
    let words = ["append", "steps", "900000", "--ledger", ledger.directory.path]
    #expect(LocalCommands.table.run(words, streams: streams) == code)
    #expect(prompter.questions.count == 1)
    #expect(try LogView.open(ledger.directory).lastLines(9).count == events)
  }

  @Test(
    "A weight far from one of the three months before is asked about on a terminal alone",
    arguments: [
      (["70.8lb", "--date", "2025-01-20"], true), (["101", "--date", "2025-02-01"], true),
      (["60", "--date", "2025-01-20"], false), (["101", "--date", "2025-07-01"], false),
      (["70.8lb", "--date", "2025-01-20", "--yes"], false),
    ])
  func change(_ words: [String], _ isAsked: Bool) throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 71, on: "2025-01-10")
    let words = ["append", "weight"] + words + ["--ledger", ledger.directory.path]
    for isTerminal in [true, false] {
      let prompter = ScriptedPrompter(["n"])
      var streams = ConsoleStreams.captured(output: MemorySink(), error: MemorySink())
      if isTerminal { streams.prompter = prompter }
      let isRefused = isTerminal && isAsked
      #expect(LocalCommands.table.run(words, streams: streams) == (isRefused ? .usage : .done))
      #expect(prompter.questions.count == (isRefused ? 1 : 0))
    }
  }
}
