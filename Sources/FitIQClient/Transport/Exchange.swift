import LedgerSync
import Synchronization

/// One request in flight: collects the answer's body and resumes the waiting caller exactly once.
/// The first end counts.
final class Exchange: Sendable {
  /// About twenty times a page of a hundred rows.
  private static let maximumBytes = 1 << 20
  /// The least a piece counts as, because the framing of a chunk is received but not visible to
  /// ``receive(_:isBody:)``.
  private static let minimumPieceBytes = 64

  private enum State {
    /// - counted: at least the body's length; see ``minimumPieceBytes``.
    case receiving(body: [UInt8], counted: Int, waiter: CheckedContinuation<WireAnswer, Never>?)
    case ended(WireAnswer)
  }

  private let state = Mutex(State.receiving(body: [], counted: 0, waiter: nil))
  private let wireBytes = Atomic(0)

  func answer() async -> WireAnswer {
    await withCheckedContinuation { waiter in
      let ended = state.withLock { state -> WireAnswer? in
        switch state {
        case .receiving(let body, let counted, _):
          state = .receiving(body: body, counted: counted, waiter: waiter)
          return nil
        case .ended(let answer): return answer
        }
      }
      if let ended { waiter.resume(returning: ended) }
    }
  }

  /// Appends a piece of the body; too large an answer ends the exchange.
  ///
  /// - Parameter isBody: false for what only counts against the limit.
  /// - Returns: false once the exchange has ended.
  @discardableResult
  func receive(_ bytes: some Collection<UInt8>, isBody: Bool = true) -> Bool {
    let fits = state.withLock { state -> Bool? in
      guard case .receiving(var body, var counted, let waiter) = state else { return nil }
      counted += max(bytes.count, Self.minimumPieceBytes)
      guard counted <= Self.maximumBytes else { return false }
      // Drop the state's own reference, or every append copies the whole body.
      state = .receiving(body: [], counted: 0, waiter: nil)
      if isBody { body += bytes }
      state = .receiving(body: body, counted: counted, waiter: waiter)
      return true
    }
    if fits == false { endTooLong() }
    return fits == true
  }

  /// Counts what came over the connection after the headers, the framing of chunks included; too much
  /// ends the exchange.
  func count(onWire bytes: Int) {
    let total = wireBytes.add(bytes, ordering: .relaxed).newValue
    if total > Self.maximumBytes { endTooLong() }
  }

  private func endTooLong() {
    end(.lost(reason: "the answer is longer than \(Self.maximumBytes) bytes"))
  }

  func end(_ answer: WireAnswer) {
    end { _ in answer }
  }

  /// Ends with the answer made from the body received so far.
  func end(_ makeAnswer: (_ body: [UInt8]) -> WireAnswer) {
    let ended = state.withLock { state -> (CheckedContinuation<WireAnswer, Never>?, WireAnswer)? in
      guard case .receiving(let body, _, let waiter) = state else { return nil }
      let answer = makeAnswer(body)
      state = .ended(answer)
      return (waiter, answer)
    }
    if let (waiter, answer) = ended { waiter?.resume(returning: answer) }
  }
}

/// Ends exchanges that exceed the time limit. One task serves all: a timer per exchange would stay
/// with the system until it fires, long after its exchange ended, and thousands would pile up.
final class Deadlines: Sendable {
  private struct Watched {
    var exchange: Exchange
    var end: ContinuousClock.Instant
  }

  private struct State {
    /// In the order of their ends, because all have the same limit.
    var watched: [Watched] = []
    var hasTask = false
  }

  private let seconds: Double
  private let state = Mutex(State())

  init(seconds: Double) {
    self.seconds = seconds
  }

  func watch(_ exchange: Exchange) {
    let needsTask = state.withLock { state in
      state.watched.append(Watched(exchange: exchange, end: .now + .seconds(seconds)))
      defer { state.hasTask = true }
      return !state.hasTask
    }
    if needsTask { Task { await run() } }
  }

  func drop(_ exchange: Exchange) {
    state.withLock { $0.watched.removeAll { $0.exchange === exchange } }
  }

  /// Runs while anything is watched. What is added during a sleep ends later than the sleep.
  private func run() async {
    while let end = nextEnd() {
      try? await Task.sleep(until: end, clock: .continuous)
      for exchange in takeExpired() {
        exchange.end(.lost(reason: "no complete answer within \(seconds) s"))
      }
    }
  }

  private func nextEnd() -> ContinuousClock.Instant? {
    state.withLock { state in
      if state.watched.isEmpty { state.hasTask = false }
      return state.watched.first?.end
    }
  }

  private func takeExpired() -> [Exchange] {
    let now = ContinuousClock.now
    return state.withLock { state in
      let expired = state.watched.prefix { $0.end <= now }.map(\.exchange)
      state.watched.removeFirst(expired.count)
      return expired
    }
  }
}
