import LedgerPlatform
import Synchronization

/// Standard output of a command whose answer may be longer than the screen: a longer one goes through
/// a pager, a shorter one to the screen.
package final class Pager: OutputSink {
  private enum State {
    /// Output that still fits the screen.
    case collecting([UInt8])
    case running(ChildProcess, writer: Int32)
    case finished
  }

  private struct Output {
    var state = State.collecting([])
    /// Standard error, kept until the pager has ended.
    var errors: [[UInt8]] = []
  }

  private static let longestBytes = 65_536

  private let output = Mutex(Output())
  private let command: String
  private let rows: Int
  private let screen: any OutputSink
  private let errorOutput: any OutputSink

  /// - Parameter command: run by the shell.
  package init(
    command: String, rows: Int, screen: any OutputSink, errorOutput: any OutputSink
  ) {
    (self.command, self.rows, self.screen) = (command, rows, screen)
    self.errorOutput = errorOutput
  }

  /// `nil` where nothing is to be paged: no terminal, or `PAGER` is empty or `cat`.
  convenience init?(for streams: ConsoleStreams) {
    guard streams.outputIsTerminal, streams.environment("TERM") != "dumb",
      let rows = streams.rows()
    else { return nil }
    let command = streams.environment("PAGER") ?? Self.standard
    guard !["", "cat"].contains(command) else { return nil }
    // As git sets it for a bare `less`: quit if it fits, keep colours, do not clear the screen.
    let isBare = command == "less" && streams.environment("LESS") == nil
    self.init(
      command: isBare ? "less -FRX" : command, rows: rows, screen: streams.output,
      errorOutput: streams.error)
  }

  /// A system may be without `less`.
  private static let standard = "if command -v less > /dev/null; then exec less -FRX; fi; exec cat"

  /// The command's streams with this pager in between.
  func streams(_ streams: ConsoleStreams) -> ConsoleStreams {
    var paged = streams
    paged.output = self
    paged.error = Errors(pager: self)
    return paged
  }

  package func write(_ bytes: [UInt8]) throws(OutputFailure) {
    try output.withLock { (output) throws(OutputFailure) in
      switch output.state {
      case .collecting(var kept):
        kept += bytes
        output.state = .collecting(kept)
        let isLong =
          kept.count > Self.longestBytes || kept.count { $0 == UInt8(ascii: "\n") } >= rows
        if isLong { try start(kept, &output) }
      case .running(_, let writer): try DescriptorSink(writer).write(bytes)
      case .finished: try screen.write(bytes)
      }
    }
  }

  private func start(_ kept: [UInt8], _ output: inout Output) throws(OutputFailure) {
    let child: ChildProcess
    let ends: (reader: Int32, writer: Int32)
    do {
      ends = try ChildProcess.pipe()
      defer { close(ends.reader) }
      child = try ChildProcess("sh", ["-c", command], input: .descriptor(ends.reader))
    } catch {
      output.state = .finished
      return try screen.write(kept)
    }
    // Ctrl-C belongs to the pager, which has the terminal; ending it closes the pipe.
    signal(SIGINT, SIG_IGN)
    output.state = .running(child, writer: ends.writer)
    try DescriptorSink(ends.writer).write(kept)
  }

  /// Waits until the pager is closed, then writes what was kept.
  package func finish() throws(OutputFailure) {
    try output.withLock { (output) throws(OutputFailure) in
      let state = output.state
      output.state = .finished
      var failure: OutputFailure?
      switch state {
      case .collecting(let kept):
        do throws(OutputFailure) { try screen.write(kept) } catch { failure = error }
      case .running(let child, let writer):
        close(writer)
        // The shell's codes for a program that cannot be run.
        if [126, 127].contains(child.wait()) {
          failure = .failed(reason: "the pager \(quoted(command)) cannot be run; set PAGER")
        }
        signal(SIGINT, SIG_DFL)
      case .finished: break
      }
      for bytes in output.errors { try? errorOutput.write(bytes) }
      output.errors = []
      if let failure { throw failure }
    }
  }

  /// Standard error meanwhile: progress is drawn at once, all else follows the answer.
  private struct Errors: OutputSink {
    let pager: Pager

    func write(_ bytes: [UInt8]) throws(OutputFailure) {
      try pager.output.withLock { (output) throws(OutputFailure) in
        let isProgress = bytes.first == UInt8(ascii: "\r")
        switch output.state {
        case .collecting where isProgress, .finished: try pager.errorOutput.write(bytes)
        case .running where isProgress: break
        case .collecting, .running: output.errors.append(bytes)
        }
      }
    }
  }
}
