import FitIQClient
import LedgerCLI
import LedgerModel
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
    return try SignInWords(Console(streams), isNew: isNew)
  }

  @Test("An email without an address's form is refused, or asked for again, before anything else")
  func emails() throws {
    let error = MemorySink()
    var streams = ConsoleStreams.captured(output: MemorySink(), error: error)
    streams.prompter = ScriptedPrompter(["tom", "tom @x", "tom@example.com"])
    let console = Console(streams)
    let given = try NetworkCommandSpecs.register.parse(["--email", "tom"])
    let address = try BackendAddress("http://localhost:1")
    #expect(throws: UsageError.self) {
      try SignInWords.email(given, console, owner: nil, at: address, doing: "signing in")
    }
    let asked = try NetworkCommandSpecs.register.parse([])
    #expect(
      try SignInWords.email(asked, console, owner: nil, at: address, doing: "signing in")
        == "tom@example.com")
    #expect(error.text.contains("'tom @x' is not an address"))
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
