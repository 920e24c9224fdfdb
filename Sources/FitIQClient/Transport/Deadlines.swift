import LedgerSync
import Synchronization

/// Ends exchanges whose time is up. One sleeper serves all of them: a timer an exchange would stay
/// with the system until it goes off, long after its exchange is over, and thousands would gather.
final class Deadlines: Sendable {
  private struct Waiting {
    var exchange: Exchange
    var end: ContinuousClock.Instant
  }

  private struct State {
    /// The one that ends first in front: all are given the same time.
    var waiting: [Waiting] = []
    var hasSleeper = false
  }

  let seconds: Double
  private let state = Mutex(State())

  init(seconds: Double) {
    self.seconds = seconds
  }

  func watch(_ exchange: Exchange) {
    let needsSleeper = state.withLock { state in
      state.waiting.append(Waiting(exchange: exchange, end: .now + .seconds(seconds)))
      defer { state.hasSleeper = true }
      return !state.hasSleeper
    }
    if needsSleeper { Task { await sleep() } }
  }

  func drop(_ exchange: Exchange) {
    state.withLock { $0.waiting.removeAll { $0.exchange === exchange } }
  }

  /// Until nothing is left to watch. Who comes while it sleeps ends later than what it sleeps for.
  private func sleep() async {
    while let end = nextEnd() {
      try? await Task.sleep(until: end, clock: .continuous)
      for exchange in takeExpired() {
        exchange.end(.lost(reason: "no whole answer within \(seconds) s"))
      }
    }
  }

  private func nextEnd() -> ContinuousClock.Instant? {
    state.withLock { state in
      if state.waiting.isEmpty { state.hasSleeper = false }
      return state.waiting.first?.end
    }
  }

  private func takeExpired() -> [Exchange] {
    let now = ContinuousClock.now
    return state.withLock { state in
      let expired = state.waiting.prefix { $0.end <= now }.map(\.exchange)
      state.waiting.removeFirst(expired.count)
      return expired
    }
  }
}
