import LedgerCLI
import Synchronization
import Testing

@testable import LedgerNetworkCLI

@Suite struct SignInWordsTests {
  /// Gives prepared answers in order.
  private final class ScriptedPrompter: Prompter {
    private let left: Mutex<[String]>

    init(_ answers: [String]) { left = Mutex(answers) }

    func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
      let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let next else { throw .ended }
      return next
    }
  }

  private func words(
    _ answers: [String], isNew: Bool, _ error: MemorySink = MemorySink()
  ) throws -> SignInWords {
    var streams = ConsoleStreams.captured(output: MemorySink(), error: error)
    streams.prompter = ScriptedPrompter(answers)
    let arguments = try NetworkCommandSpecs.register.parse(["--email", "a@example.com"])
    return try SignInWords(arguments, Console(streams), isNew: isNew)
  }

  @Test("A new password is asked for until it is typed twice alike")
  func twice() throws {
    let error = MemorySink()
    let words = try words(["one", "two", "three", "three", "key"], isNew: true, error)
    #expect(words.password == "three")
    #expect(error.text.contains("the two passwords differ"))
  }

  @Test("A known password is asked for once")
  func once() throws {
    #expect(try words(["one", "key"], isNew: false).password == "one")
  }
}
