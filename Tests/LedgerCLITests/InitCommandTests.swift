import Foundation
import LedgerCLI
import LedgerTestSupport
import Testing

@Suite struct InitCommandTests {
  @Test("On a terminal a ledger inside another one's folder is asked about", arguments: ["n", "y"])
  func insideAnother(_ answer: String) throws {
    let folder = try TemporaryFolder()
    let prompter = ScriptedPrompter([answer])
    func make(_ path: String) -> ExitCode {
      var streams = ConsoleStreams.captured(output: MemorySink(), error: MemorySink())
      streams.prompter = prompter
      return LocalCommands.table.run(["init", folder.path + path], streams: streams)
    }
    #expect(make("") == .done)
    #expect(prompter.questions.isEmpty)
    #expect(make("/inside/it") == (answer == "y" ? .done : .usage))
    #expect(prompter.questions.count == 1)
    let made = FileManager.default.fileExists(atPath: folder.path + "/inside/it/.ledger")
    #expect(made == (answer == "y"))
  }
}
