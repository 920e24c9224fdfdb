import LedgerPlatform
import Synchronization

/// The requests that a `late` fault holds, and the thread that processes each when it is due. The
/// thread starts with the first one.
final class LateDeliveries: Sendable {
  private struct Held: Sendable {
    let request: HTTPRequest
    let index: Journal.Index
    let due: ContinuousClock.Instant
  }

  private struct State: Sendable {
    /// In the order of their due times, then of arrival.
    var held: [Held] = []
    var timer: (thread: JoinableThread, wakeUp: WakeUp)?
  }

  private let processor: RequestProcessor
  private let state = Mutex(State())
  /// Held during deliveries, so that a caller returns only after those that the thread had begun.
  private let delivering = Mutex(())
  private let cancelling = Mutex(())

  init(_ processor: RequestProcessor) {
    self.processor = processor
  }

  /// The held requests in the order of delivery.
  var entries: [JournalEntry] {
    state.withLock { $0.held }.map { processor.entry($0.index) }
  }

  /// Holds a request.
  ///
  /// - Throws: when the system is out of threads or descriptors; then the request is not held.
  func hold(
    _ request: HTTPRequest, _ index: Journal.Index, milliseconds: Int32, stop: StopSignal
  ) throws(SystemCallFailure) {
    let held = Held(
      request: request, index: index, due: .now + .milliseconds(milliseconds))
    try state.withLock { state throws(SystemCallFailure) in
      let timer = try runningTimer(&state, stop)
      let place = state.held.firstIndex { $0.due > held.due } ?? state.held.endIndex
      state.held.insert(held, at: place)
      timer.set()
    }
  }

  /// Processes all held requests now.
  ///
  /// - Returns: how many there were.
  func deliverAll() -> Int {
    deliver { _ in true }
  }

  /// Drops the held requests and ends the thread. The stop signal must have been raised.
  func cancel() {
    // Under the lock to the end, so that a concurrent caller waits, too.
    cancelling.withLock { _ in
      state.withLock { $0.timer }?.thread.join()
      delivering.withLock { _ in
        state.withLock { $0 = State() }
      }
    }
  }

  private func runningTimer(
    _ state: inout State, _ stop: StopSignal
  ) throws(SystemCallFailure) -> WakeUp {
    if let timer = state.timer { return timer.wakeUp }
    let wakeUp = try WakeUp()
    let thread = try startThread { self.run(wakeUp, stop) }
    state.timer = (thread, wakeUp)
    return wakeUp
  }

  private func run(_ wakeUp: WakeUp, _ stop: StopSignal) {
    while true {
      switch stop.wait(for: wakeUp, milliseconds: millisecondsUntilNext()) {
      case .stopped: return
      case .ready: wakeUp.clear()
      case .timedOut: break
      }
      deliver { $0.due <= .now }
    }
  }

  /// Rounded up, so that nothing is early; -1 when nothing is held.
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
        // After processing: what is no longer held has taken effect.
        state.withLock { state in state.held.removeAll { $0.index == held.index } }
      }
      return due.count
    }
  }
}
