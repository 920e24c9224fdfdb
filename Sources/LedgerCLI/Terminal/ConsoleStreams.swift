package import LedgerModel
import LedgerPlatform
import Synchronization

/// A command's environment, replaceable in tests: streams, terminal, variables, clock.
package struct ConsoleStreams: Sendable {
  package var output: any OutputSink
  package var error: any OutputSink
  package var input: any InputSource
  package var prompter: any Prompter
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  /// The terminal's columns, nil if unknown.
  package var columns: @Sendable () -> Int?
  /// The terminal's rows, nil if unknown.
  package var rows: @Sendable () -> Int?
  package var environment: @Sendable (String) -> String?
  /// Nanoseconds of a monotonic clock.
  package var nanoseconds: @Sendable () -> UInt64
  package var now: @Sendable () -> Timestamp = { LocalZone.now() }
  /// The zone of all ledgers; `nil` for that of each one's settings, of `TZ` or of the system.
  package var zone: LocalZone?

  /// The process's own.
  package static var standard: ConsoleStreams {
    ConsoleStreams(
      output: DescriptorSink(STDOUT_FILENO), error: DescriptorSink(STDERR_FILENO),
      input: StandardInput(), prompter: TerminalPrompter(),
      outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      errorIsTerminal: isatty(STDERR_FILENO) == 1,
      columns: { terminalSize()?.columns }, rows: { terminalSize()?.rows },
      environment: { name in getenv(name).map { String(cString: $0) } },
      nanoseconds: { SystemDisk.shared.monotonicNanoseconds() })
  }

  /// Isolated: output into memory, a given environment, a fixed clock.
  package static func captured(
    output: MemorySink, error: MemorySink, input: String = "",
    environment: [String: String] = [:]
  ) -> ConsoleStreams {
    ConsoleStreams(
      output: output, error: error, input: MemoryInput(input), prompter: NoPrompter(),
      outputIsTerminal: false, errorIsTerminal: false, columns: { nil }, rows: { nil },
      environment: { environment[$0] }, nanoseconds: { 0 })
  }
}

private func terminalSize() -> (columns: Int, rows: Int)? {
  var size = winsize()
  for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return (Int(size.ws_col), max(1, Int(size.ws_row)))
    }
  }
  return nil
}

/// Where bytes go: a descriptor, or memory in tests and for commands run by another command.
package protocol OutputSink: Sendable {
  /// Writes everything or throws.
  func write(_ bytes: [UInt8]) throws(OutputFailure)
}

package enum OutputFailure: ReportableError, Equatable {
  /// The reader closed the pipe, as `head` does: not an error.
  case readerGone
  case failed(reason: String)

  package var exitCode: ExitCode {
    switch self {
    case .readerGone: .done
    case .failed: .failed
    }
  }

  package var sentence: String {
    switch self {
    case .readerGone: "the reader closed the output"
    case .failed(let reason):
      "cannot write to standard output: \(reason); what was printed is not complete"
    }
  }
}

package final class MemorySink: OutputSink {
  private let collected = Mutex<[UInt8]>([])

  package init() {}

  package func write(_ bytes: [UInt8]) {
    collected.withLock { $0 += bytes }
  }

  package var bytes: [UInt8] { collected.withLock { $0 } }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Writes to a file descriptor that it does not own.
package struct DescriptorSink: OutputSink {
  private let descriptor: Int32

  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  package func write(_ bytes: [UInt8]) throws(OutputFailure) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { writeOnce(descriptor, .init(rebasing: $0[offset...])) }
      if count >= 0 {
        // A pipe or a full disk may take less than it was given.
        offset += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        // Another process that shares the terminal made it non-blocking.
        waitUntilWritable()
      } else if errno == EPIPE {
        throw .readerGone
      } else if errno != EINTR {
        throw .failed(reason: SystemError(errno).description)
      }
    }
  }

  private func waitUntilWritable() {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waiting, 1, -1)
  }
}

package protocol InputSource: Sendable {
  /// The next available bytes; empty at the end.
  func read() throws(CommandFailure) -> [UInt8]
}

package struct StandardInput: InputSource {
  package init() {}

  package func read() throws(CommandFailure) -> [UInt8] {
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
        count = readOnce(buffer)
        filled = max(count, 0)
      }
      if count >= 0 { return bytes }
      if errno == EAGAIN || errno == EWOULDBLOCK {
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw CommandFailure(.failed, "cannot read standard input: \(SystemError(errno))")
      }
    }
  }
}

// Outside the types, whose own methods have the names of the system calls.

private func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func readOnce(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
  read(STDIN_FILENO, buffer.baseAddress, buffer.count)
}

package final class MemoryInput: InputSource {
  private let rest: Mutex<[UInt8]>

  package init(_ text: String = "") {
    rest = Mutex(Array(text.utf8))
  }

  package func read() -> [UInt8] {
    rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
  }
}
