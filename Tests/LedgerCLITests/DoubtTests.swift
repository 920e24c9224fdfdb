import LedgerLog
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
}
