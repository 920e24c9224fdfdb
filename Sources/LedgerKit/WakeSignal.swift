import Synchronization

/// Ends a pause early. A signal that comes while nothing waits is kept for the next wait.
final class WakeSignal: Sendable {
  /// Where a signal comes from.
  struct Source: OptionSet, Sendable {
    let rawValue: UInt8
    /// The log may have grown.
    static let log = Source(rawValue: 1)
    /// The app has called ``Ledger/wake()``.
    static let app = Source(rawValue: 2)
  }

  private struct State {
    var sources: Source = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// - Parameter source: empty to end the wait without a reason.
  func send(_ source: Source) {
    let waiter = state.withLock { state in
      state.sources.formUnion(source)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Drops the signals that have come since the last wait.
  func clear() { state.withLock { $0.sources = [] } }

  /// Waits for a signal. One waiter at a time.
  ///
  /// - Parameter deadline: `nil` to wait without a limit.
  /// - Returns: what has come since the last wait; empty when the time is up, when the task is
  ///   cancelled, and sometimes without a reason.
  func wait(until deadline: ContinuousClock.Instant?) async -> Source {
    let alarm = deadline.map { deadline in
      Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        // A cancelled alarm belongs to a wait that is over.
        if !Task.isCancelled { send([]) }
      }
    }
    defer { alarm?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isOver =
            !state.sources.isEmpty || Task.isCancelled || deadline.map { $0 <= .now } ?? false
          if !isOver { state.waiter = continuation }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      send([])
    }
    return state.withLock { state in
      defer { state.sources = [] }
      return state.sources
    }
  }
}

/// The signals of all watches that are running on one ledger.
final class WakeSignalSet: Sendable {
  private let signals = Mutex<[ObjectIdentifier: WakeSignal]>([:])

  func add(_ signal: WakeSignal) { signals.withLock { $0[ObjectIdentifier(signal)] = signal } }

  func remove(_ signal: WakeSignal) { signals.withLock { $0[ObjectIdentifier(signal)] = nil } }

  func send(_ source: WakeSignal.Source) {
    for signal in signals.withLock({ Array($0.values) }) { signal.send(source) }
  }
}
