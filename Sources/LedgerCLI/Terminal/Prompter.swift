import Synchronization

/// Asks the person, wherever standard input and output lead.
package protocol Prompter: Sendable {
  /// One line without its end; `hidden` keeps it off the screen.
  func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String
}

package enum PromptFailure: Error, Equatable, Sendable {
  /// There is nobody to ask.
  case noTerminal
  /// The person closed the line instead of answering.
  case ended
  case failed(reason: String)
}

/// Nobody is there, as in a pipe or a scheduled job.
package struct NoPrompter: Prompter {
  package init() {}

  package func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
    throw .noTerminal
  }
}

/// Gives prepared answers in order, for tests.
package final class ScriptedPrompter: Prompter {
  private let answers: Mutex<[String]>
  private let asked = Mutex<[String]>([])

  package init(_ answers: [String]) {
    self.answers = Mutex(answers)
  }

  package var questions: [String] { asked.withLock { $0 } }

  package func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
    asked.withLock { $0.append(question) }
    let next = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let next else { throw .ended }
    return next
  }
}

extension Console {
  /// Asks for a line. `instead` completes the error where nobody can be asked: it says how to
  /// give the answer without a terminal, such as `set LEDGER_EMAIL`.
  package func ask(_ question: String, instead: String) throws(CommandFailure) -> String {
    try asked(question, hidden: false, instead)
  }

  /// Asks for a line that nobody may read off the screen.
  package func askHidden(_ question: String, instead: String) throws(CommandFailure) -> String {
    try asked(question, hidden: true, instead)
  }

  /// Asks for a yes or a no; an empty answer is a no.
  package func confirm(_ question: String, instead: String) throws(CommandFailure) -> Bool {
    while true {
      switch try asked("\(question) [y/N]", hidden: false, instead).lowercased() {
      case "y", "yes": return true
      case "", "n", "no": return false
      default: continue
      }
    }
  }

  private func asked(
    _ question: String, hidden: Bool, _ instead: String
  ) throws(CommandFailure) -> String {
    state.clearBar()
    do {
      return try streams.prompter.answer(to: "\(question) ", hidden: hidden)
    } catch {
      let subject = quoted(question)
      switch error {
      case .noTerminal:
        throw CommandFailure(.usage, "there is no terminal to ask \(subject) on; \(instead)")
      case .ended:
        throw CommandFailure(.usage, "\(subject) was not answered; answer it, or \(instead)")
      case .failed(let reason):
        throw CommandFailure(.failed, "cannot ask \(subject): \(reason); \(instead)")
      }
    }
  }
}
