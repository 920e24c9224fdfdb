import LedgerPlatform

/// The world around a command, all of it replaceable: streams, terminal, environment, clock.
package struct ConsoleStreams: Sendable {
  package var output: any OutputSink
  package var error: any OutputSink
  package var input: any InputSource
  package var prompter: any Prompter
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  /// The terminal's columns, nil when nobody knows.
  package var columns: @Sendable () -> Int?
  package var environment: @Sendable (String) -> String?
  /// Nanoseconds of a clock that only runs forward.
  package var nanoseconds: @Sendable () -> UInt64

  /// The process's own.
  package static var standard: ConsoleStreams {
    ConsoleStreams(
      output: DescriptorSink(STDOUT_FILENO), error: DescriptorSink(STDERR_FILENO),
      input: StandardInput(), prompter: TerminalPrompter(),
      outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      errorIsTerminal: isatty(STDERR_FILENO) == 1,
      columns: terminalColumns,
      environment: { name in getenv(name).map { String(cString: $0) } },
      nanoseconds: { monotonicNanoseconds() })
  }

  /// Nothing of the outside: output into memory, a given environment, a clock that stands still.
  package static func captured(
    output: MemorySink, error: MemorySink, input: String = "",
    environment: [String: String] = [:]
  ) -> ConsoleStreams {
    ConsoleStreams(
      output: output, error: error, input: MemoryInput(input), prompter: NoPrompter(),
      outputIsTerminal: false, errorIsTerminal: false, columns: { nil },
      environment: { environment[$0] }, nanoseconds: { 0 })
  }
}

@Sendable
private func terminalColumns() -> Int? {
  var size = winsize()
  for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
  }
  return nil
}

func monotonicNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
