import Synchronization

/// The buffers behind a console, shared by its copies.
final class ConsoleState: Sendable {
  private struct State {
    var pending: [UInt8] = []
    /// The first failure; whatever comes later is only its consequence.
    var failure: OutputFailure?
    /// Whether a progress bar stands on the terminal's last line.
    var showsBar = false
  }

  private let state = Mutex(State())
  private let output: any OutputSink
  private let error: any OutputSink
  /// A person at a terminal sees each line at once; a pipe is served in larger pieces.
  private let capacityBytes: Int

  init(_ streams: ConsoleStreams) {
    output = streams.output
    error = streams.error
    capacityBytes = streams.outputIsTerminal ? 0 : 65_536
  }

  func write(_ bytes: some Sequence<UInt8>) throws(OutputFailure) {
    try state.withLock { (state) throws(OutputFailure) in
      if let failure = state.failure { throw failure }
      state.pending.append(contentsOf: bytes)
      if state.pending.count > capacityBytes { try flush(&state) }
    }
  }

  func flush() throws(OutputFailure) {
    try state.withLock { (state) throws(OutputFailure) in
      try flush(&state)
      if let failure = state.failure { throw failure }
    }
  }

  /// Nobody can be told that standard error fails, so its failures end here.
  func writeError(_ text: String) {
    state.withLock { state in
      // What was said before stands before; a failure is kept for the next write to throw.
      try? flush(&state)
      clearBar(&state)
      try? error.write(Array(text.utf8))
    }
  }

  func drawBar(_ text: String) {
    state.withLock { state in
      state.showsBar = true
      try? error.write(Array("\r\(text)\u{1B}[K".utf8))
    }
  }

  func clearBar() {
    state.withLock { clearBar(&$0) }
  }

  private func flush(_ state: inout State) throws(OutputFailure) {
    if state.pending.isEmpty || state.failure != nil { return }
    clearBar(&state)
    do {
      try output.write(state.pending)
      state.pending.removeAll(keepingCapacity: true)
    } catch {
      state.failure = error
      state.pending = []
      throw error
    }
  }

  private func clearBar(_ state: inout State) {
    guard state.showsBar else { return }
    state.showsBar = false
    try? error.write(Array("\r\u{1B}[K".utf8))
  }
}
