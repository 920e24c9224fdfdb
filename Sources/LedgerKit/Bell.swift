import Synchronization

/// Ends a pause early. What rings while nobody waits is kept for the next wait.
final class Bell: Sendable {
  /// Who has rung.
  struct Ring: OptionSet, Sendable {
    let rawValue: UInt8
    /// The log may have grown.
    static let log = Ring(rawValue: 1)
    /// The app has called ``Ledger/wake()``.
    static let app = Ring(rawValue: 2)
  }

  private struct State {
    var rung: Ring = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring(_ ring: Ring) {
    let waiter = state.withLock { state in
      state.rung.formUnion(ring)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Forgets what has rung.
  func clear() { state.withLock { $0.rung = [] } }

  /// One waiter at a time.
  ///
  /// - Parameter deadline: `nil` to wait for as long as nothing rings.
  /// - Returns: who has rung since the last wait; empty when the time is up, when the task is
  ///   cancelled, and sometimes for no reason.
  func wait(until deadline: ContinuousClock.Instant?) async -> Ring {
    let alarm = deadline.map { deadline in
      Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        // A cancelled alarm belongs to a wait that is over.
        if !Task.isCancelled { ring([]) }
      }
    }
    defer { alarm?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isOver =
            !state.rung.isEmpty || Task.isCancelled || deadline.map { $0 <= .now } ?? false
          if !isOver { state.waiter = continuation }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      ring([])
    }
    return state.withLock { state in
      defer { state.rung = [] }
      return state.rung
    }
  }
}

/// The bells of all watches that are running on one ledger.
final class Bells: Sendable {
  private let bells = Mutex<[ObjectIdentifier: Bell]>([:])

  func add(_ bell: Bell) { bells.withLock { $0[ObjectIdentifier(bell)] = bell } }

  func remove(_ bell: Bell) { bells.withLock { $0[ObjectIdentifier(bell)] = nil } }

  func ring(_ ring: Bell.Ring) {
    for bell in bells.withLock({ Array($0.values) }) { bell.ring(ring) }
  }
}
