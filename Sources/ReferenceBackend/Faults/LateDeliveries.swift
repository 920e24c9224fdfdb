import Synchronization

/// The requests that a `late` fault holds back, and the thread that lets each take effect in time.
///
/// The thread starts with the first request held, because most backends never hold one.
final class LateDeliveries: Sendable {
  private struct Held: Sendable {
    let request: HTTPRequest
    let index: Journal.Index
    let due: ContinuousClock.Instant
  }

  private struct State: Sendable {
    /// By when they are due; of equal times the first to arrive leads.
    var held: [Held] = []
    var timer: (thread: PosixThread, bell: Bell)?
  }

  private let processor: RequestProcessor
  private let state = Mutex(State())
  /// Locked while held requests take effect, so that whoever asked for it returns only when also
  /// those are done that the thread had begun on.
  private let delivering = Mutex(())
  private let cancelling = Mutex(())

  init(_ processor: RequestProcessor) {
    self.processor = processor
  }

  /// What is held, in the order in which it will take effect.
  var entries: [JournalEntry] {
    state.withLock { $0.held }.map { processor.entry($0.index) }
  }

  /// Holds the request for so long.
  ///
  /// - Throws: When the system has no thread or descriptor left; then nothing is held.
  func hold(
    _ request: HTTPRequest, _ index: Journal.Index, milliseconds: Int32, stop: StopSignal
  ) throws(SystemCallFailure) {
    let held = Held(
      request: request, index: index, due: .now + .milliseconds(milliseconds))
    try state.withLock { state throws(SystemCallFailure) in
      let timer = try runningTimer(&state, stop)
      let place = state.held.firstIndex { $0.due > held.due } ?? state.held.endIndex
      state.held.insert(held, at: place)
      timer.ring()
    }
  }

  /// Lets all that is held take effect now; how many that were.
  func deliverAll() -> Int {
    deliver { _ in true }
  }

  /// Forgets what is held and ends the thread. The server's stop signal must have been raised.
  func cancel() {
    // Under the lock to the end, so that a second caller returns no earlier than the first.
    cancelling.withLock { _ in
      state.withLock { $0.timer }?.thread.join()
      delivering.withLock { _ in
        state.withLock { $0 = State() }
      }
    }
  }

  /// The bell that wakes the thread, which is started if need be.
  private func runningTimer(
    _ state: inout State, _ stop: StopSignal
  ) throws(SystemCallFailure) -> Bell {
    if let timer = state.timer { return timer.bell }
    let bell = try Bell()
    let thread = try PosixThread.start { self.run(bell, stop) }
    state.timer = (thread, bell)
    return bell
  }

  private func run(_ bell: Bell, _ stop: StopSignal) {
    while true {
      switch stop.wait(for: bell, milliseconds: millisecondsUntilNext()) {
      case .stopped: return
      case .ready: bell.silence()
      case .timedOut: break
      }
      deliver { $0.due <= .now }
    }
  }

  /// Rounded up, so that nothing is early; -1 while nothing is held.
  private func millisecondsUntilNext() -> Int32 {
    guard let due = state.withLock({ $0.held.first?.due }) else { return -1 }
    let left = ContinuousClock.now.duration(to: due)
    return Int32(max(0, (left / .milliseconds(1)).rounded(.up)))
  }

  @discardableResult
  private func deliver(_ isDue: (Held) -> Bool) -> Int {
    delivering.withLock { _ in
      let due = state.withLock { $0.held }.filter(isDue)
      for held in due {
        processor.process(held.request, held.index)
        // Only now: what is no longer held has taken effect.
        state.withLock { state in state.held.removeAll { $0.index == held.index } }
      }
      return due.count
    }
  }
}
