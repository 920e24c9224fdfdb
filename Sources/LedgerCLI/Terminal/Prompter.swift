import LedgerPlatform
import Synchronization

/// Asks the user on the terminal, even if standard input and output are redirected.
package protocol Prompter: Sendable {
  /// One line without its end; `hidden` keeps it off the screen.
  func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String
}

package enum PromptFailure: Error, Equatable, Sendable {
  /// There is no terminal to ask on.
  case noTerminal
  /// End of input instead of an answer.
  case ended
  case failed(reason: String)
}

/// No terminal, as in a scheduled job.
package struct NoPrompter: Prompter {
  package init() {}

  package func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
    throw .noTerminal
  }
}

extension Console {
  /// Asks for a line. `instead` completes the error without a terminal: another way to give the
  /// answer, such as `set LEDGER_EMAIL`.
  package func ask(_ question: String, instead: String) throws(CommandFailure) -> String {
    try required(question, hidden: false, instead)
  }

  /// Asks for a line without echo.
  package func askHidden(_ question: String, instead: String) throws(CommandFailure) -> String {
    try required(question, hidden: true, instead)
  }

  /// Asks for a yes or a no; an empty answer is a no.
  package func confirm(_ question: String, instead: String) throws(CommandFailure) -> Bool {
    try confirm(question, otherwise: noTerminal(for: "\(question) [y/N]", instead))
  }

  /// Asks for a yes or a no; an empty answer is a no.
  ///
  /// - Parameter refusal: thrown without a terminal.
  package func confirm(
    _ question: String, otherwise refusal: CommandFailure
  ) throws(CommandFailure) -> Bool {
    guard let answer = try confirmIfPossible(question) else { throw refusal }
    return answer
  }

  /// Asks for a yes or a no; an empty answer is a no.
  ///
  /// - Returns: `nil` without a terminal.
  package func confirmIfPossible(_ question: String) throws(CommandFailure) -> Bool? {
    while true {
      let asked = try asked("\(question) [y/N]", hidden: false, "give --yes")
      guard let answer = asked else { return nil }
      switch answer.lowercased() {
      case "y", "yes": return true
      case "", "n", "no": return false
      default: continue
      }
    }
  }

  private func noTerminal(for question: String, _ instead: String) -> CommandFailure {
    CommandFailure(
      .usage, "there is no terminal to ask '\(question)' on; \(instead)")
  }

  private func required(
    _ question: String, hidden: Bool, _ instead: String
  ) throws(CommandFailure) -> String {
    guard let answer = try asked(question, hidden: hidden, instead) else {
      throw noTerminal(for: question, instead)
    }
    return answer
  }

  /// - Returns: `nil` without a terminal.
  private func asked(
    _ question: String, hidden: Bool, _ instead: String
  ) throws(CommandFailure) -> String? {
    state.clearBar()
    // A terminal would break a long question within a word.
    let lines = displayWidth(question) < width ? [question] : wrapped(question, width: width)
    do {
      let shown = lines.joined(separator: "\n")
      return try streams.prompter.answer(to: "\(shown) ", hidden: hidden)
    } catch {
      let subject = quoted(question)
      switch error {
      case .noTerminal: return nil
      case .ended:
        throw CommandFailure(.usage, "\(subject) was not answered; answer it, or \(instead)")
      case .failed(let reason):
        throw CommandFailure(.failed, "cannot ask \(subject): \(reason); \(instead)")
      }
    }
  }
}

/// Asks on the controlling terminal.
package struct TerminalPrompter: Prompter {
  private let device: String

  package init(device: String = "/dev/tty") {
    self.device = device
  }

  package func answer(to question: String, hidden: Bool) throws(PromptFailure) -> String {
    let terminal = open(device, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw .noTerminal }
    defer { close(terminal) }
    guard isatty(terminal) == 1 else { throw .noTerminal }
    while true {
      let outcome = try ask(terminal, question, hidden)
      let late = HeldSignals.taken()
      if late != 0 { HeldSignals.deliver(late) }
      switch outcome {
      case .line(let line): return line
      // Echo is on again: deliver the signal. After a suspension, ask again.
      case .interrupted(let signal): HeldSignals.deliver(signal)
      }
    }
  }

  private enum Outcome {
    case line(String)
    case interrupted(Int32)
  }

  private func ask(
    _ terminal: Int32, _ question: String, _ hidden: Bool
  ) throws(PromptFailure) -> Outcome {
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else {
      throw .failed(reason: SystemError(errno).description)
    }
    guard hidden else {
      try write(question, to: terminal)
      return try readLine(terminal)
    }
    // Echo must be restored on every path:
    // 1. signals that would end or suspend the process are only recorded while it is off;
    // 2. the line is read, or a signal or an error interrupts it;
    // 3. echo is restored, then the signal handlers.
    let signals = HeldSignals()
    defer { signals.release() }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
      throw .failed(reason: SystemError(errno).description)
    }
    defer { tcsetattr(terminal, TCSANOW, &before) }
    try write(question, to: terminal)
    let outcome = try readLine(terminal)
    // The typed line break was not echoed.
    try write("\n", to: terminal)
    return outcome
  }

  /// Polls for recorded signals, since another thread may have received them.
  private func readLine(_ terminal: Int32) throws(PromptFailure) -> Outcome {
    var bytes: [UInt8] = []
    while true {
      let signal = HeldSignals.taken()
      if signal != 0 { return .interrupted(signal) }
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      var byte: UInt8 = 0
      let count = read(terminal, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw .failed(reason: SystemError(errno).description) }
      if count == 0 && bytes.isEmpty { throw .ended }
      if count == 0 || byte == UInt8(ascii: "\n") {
        return .line(String(decoding: bytes, as: UTF8.self))
      }
      bytes.append(byte)
    }
  }

  private func write(_ text: String, to terminal: Int32) throws(PromptFailure) {
    do {
      try DescriptorSink(terminal).write(Array(text.utf8))
    } catch {
      throw .failed(reason: error.sentence)
    }
  }
}

/// The last signal recorded; 0 for none.
private let arrived = Atomic<Int32>(0)

/// Until released, records signals that would end or suspend the process.
struct HeldSignals {
  private typealias Handler = @convention(c) (Int32) -> Void

  private static let held = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  private let before: [(signal: Int32, action: sigaction)]

  init() {
    // Initialised here, so that the handler never does.
    arrived.store(0, ordering: .sequentiallyConsistent)
    before = Self.held.map { number in
      var old = sigaction()
      sigaction(number, nil, &old)
      let note: Handler = { arrived.store($0, ordering: .sequentiallyConsistent) }
      signal(number, note)
      return (number, old)
    }
  }

  func release() {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
  }

  /// Ends the hold and raises the signal that arrived.
  func releaseAndDeliver() {
    release()
    let number = Self.taken()
    if number != 0 { Self.deliver(number) }
  }

  static var hasArrived: Bool { arrived.load(ordering: .sequentiallyConsistent) != 0 }

  /// The signal that arrived, once.
  static func taken() -> Int32 {
    arrived.exchange(0, ordering: .sequentiallyConsistent)
  }

  /// Raises a recorded signal. Unblocks it first: threads that run tasks block signals.
  static func deliver(_ number: Int32) {
    var only = sigset_t()
    var before = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(number)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
