import LedgerPlatform
import Synchronization

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
      // With echo back on, the signal does what it would have done; a person who suspended us
      // and came back is asked again.
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
      throw .failed(reason: systemError(errno))
    }
    guard hidden else {
      try write(question, to: terminal)
      return try readLine(terminal)
    }
    // Echo must come back on every way out:
    // 1. the signals that end or suspend us are only noted while it is off;
    // 2. the line is read, or a signal or an error cuts it short;
    // 3. echo is restored, then the signals mean again what they meant.
    let signals = HeldSignals()
    defer { signals.release() }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
      throw .failed(reason: systemError(errno))
    }
    defer { tcsetattr(terminal, TCSANOW, &before) }
    try write(question, to: terminal)
    let outcome = try readLine(terminal)
    // The person's own line break was not shown either.
    try write("\n", to: terminal)
    return outcome
  }

  /// Wakes up to look for noted signals, since another thread may have received them.
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
      if count < 0 { throw .failed(reason: systemError(errno)) }
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
