import LedgerCLI
import LedgerPlatform
import Synchronization
import Testing

/// Gives prepared answers in order.
final class ScriptedPrompter: Prompter {
  private let answers: Mutex<[String]>
  private let asked = Mutex<[String]>([])

  init(_ answers: [String]) {
    self.answers = Mutex(answers)
  }

  var questions: [String] { asked.withLock { $0 } }

  func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
    asked.withLock { $0.append(question) }
    let next = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let next else { throw .ended }
    return next
  }
}

@Suite(.serialized, .blocks) struct PrompterTests {
  @Test("A password is read without echo, which is restored afterwards")
  func hidesAPasswordAndBringsEchoBack() throws {
    let terminal = try FakeTerminal()
    #expect(terminal.echoes)
    let path = terminal.path
    let answer = OwnThread {
      try TerminalPrompter(device: path).answer(to: "Password: ", hidden: true)
    }
    #expect(terminal.shown(until: "Password: ") == "Password: ")
    #expect(!terminal.echoes)
    terminal.type("geheim \u{E4}\n")
    #expect(try answer.value() == "geheim ä")
    #expect(terminal.echoes)
    #expect(terminal.shown(until: "\n") == "\r\n")
  }

  @Test("An answer that is no secret is echoed")
  func showsWhatNeedNotHide() throws {
    let terminal = try FakeTerminal()
    let path = terminal.path
    let answer = OwnThread {
      try TerminalPrompter(device: path).answer(to: "Name: ", hidden: false)
    }
    #expect(terminal.shown(until: "Name: ") == "Name: ")
    terminal.type("Ada\n")
    #expect(try answer.value() == "Ada")
    #expect(terminal.shown(until: "\n") == "Ada\r\n")
  }

  @Test("End of input is no answer")
  func endOfInputIsNoAnswer() throws {
    let terminal = try FakeTerminal()
    let path = terminal.path
    let answer = OwnThread {
      try TerminalPrompter(device: path).answer(to: "? ", hidden: true)
    }
    _ = terminal.shown(until: "? ")
    terminal.type("\u{4}")
    #expect(throws: PromptFailure.ended) { try answer.value() }
    #expect(terminal.echoes)
  }

  /// An ignored signal stands for one that suspends: the process lives on and asks again.
  @Test("An ignored signal during a prompt asks again, and echo is restored")
  func signalBringsEchoBackAndAsksAgain() throws {
    let terminal = try FakeTerminal()
    let path = terminal.path
    let before = signal(SIGHUP, SIG_IGN)
    defer { signal(SIGHUP, before) }
    let answer = OwnThread {
      try TerminalPrompter(device: path).answer(to: "? ", hidden: true)
    }
    #expect(terminal.shown(until: "? ") == "? ")
    kill(getpid(), SIGHUP)
    #expect(terminal.shown(until: "? ") == "\r\n? ")
    #expect(!terminal.echoes)
    terminal.type("late\n")
    #expect(try answer.value() == "late")
    #expect(terminal.echoes)
  }

  @Test("Without a terminal a prompt fails")
  func withoutATerminalThereIsNobody() {
    for device in ["/dev/null", "/no/such/device"] {
      #expect(throws: PromptFailure.noTerminal) {
        try TerminalPrompter(device: device).answer(to: "? ", hidden: true)
      }
    }
  }

  func console(_ prompter: any Prompter) -> Console {
    var streams = ConsoleStreams.captured(output: MemorySink(), error: MemorySink())
    streams.prompter = prompter
    return Console(streams)
  }

  @Test("A question wider than the terminal is broken at words")
  func wideQuestion() throws {
    let prompter = ScriptedPrompter(["y"])
    let words = Array(repeating: "overlaps", count: 12).joined(separator: " ")
    _ = try console(prompter).confirm("\(words)?", instead: "give --yes")
    let lines = try #require(prompter.questions.first).split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 80 && !$0.hasPrefix(" ") })
    #expect(lines.joined(separator: " ") == "\(words)? [y/N] ")
  }

  @Test(
    "Only y and yes confirm",
    arguments: [
      (["y"], true), (["YES"], true), (["n"], false), ([""], false), (["perhaps", "y"], true),
    ])
  func confirms(_ answers: [String], _ expected: Bool) throws {
    let prompter = ScriptedPrompter(answers)
    #expect(try console(prompter).confirm("Erase it?", instead: "give --yes") == expected)
    #expect(prompter.questions.count == answers.count)
    #expect(prompter.questions.first == "Erase it? [y/N] ")
  }

  @Test("Without a terminal the error names the option that answers")
  func saysHowToAnswerWithoutATerminal() {
    #expect(
      throws: CommandFailure(
        .usage, "there is no terminal to ask 'Password:' on; set LEDGER_PASSWORD")
    ) {
      try console(NoPrompter()).askHidden("Password:", instead: "set LEDGER_PASSWORD")
    }
    #expect(
      throws: CommandFailure(.usage, "'E-mail:' was not answered; answer it, or set LEDGER_EMAIL")
    ) {
      try console(ScriptedPrompter([])).ask("E-mail:", instead: "set LEDGER_EMAIL")
    }
  }
}
