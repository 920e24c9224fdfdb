import LedgerSync
import Synchronization

/// One request on its way: gathers the answer's body, and tells the one who waits, exactly once,
/// what became of it. The first ending counts.
final class Exchange: Sendable {
  /// A backend's page of a hundred rows takes a twentieth of it.
  static let largestBodyBytes = 1 << 20

  private enum State {
    case gathering(body: [UInt8], waiting: CheckedContinuation<WireAnswer, Never>?)
    case ended(WireAnswer)
  }

  private let state = Mutex(State.gathering(body: [], waiting: nil))

  func answer() async -> WireAnswer {
    await withCheckedContinuation { waiting in
      let ended = state.withLock { state -> WireAnswer? in
        switch state {
        case .gathering(let body, _):
          state = .gathering(body: body, waiting: waiting)
          return nil
        case .ended(let answer): return answer
        }
      }
      if let ended { waiting.resume(returning: ended) }
    }
  }

  /// Takes a piece of the body; more than anybody should send ends the exchange.
  func gather(_ bytes: some Collection<UInt8>) {
    let fits = state.withLock { state in
      guard case .gathering(var body, let waiting) = state else { return true }
      guard body.count + bytes.count <= Self.largestBodyBytes else { return false }
      // Let go of the state's own reference first, or every append copies the whole body.
      state = .gathering(body: [], waiting: nil)
      body += bytes
      state = .gathering(body: body, waiting: waiting)
      return true
    }
    if !fits { end(.lost(reason: "the answer is longer than \(Self.largestBodyBytes) bytes")) }
  }

  func end(_ answer: WireAnswer) {
    end { _ in answer }
  }

  /// Ends with what the body so far amounts to.
  func end(_ judge: (_ body: [UInt8]) -> WireAnswer) {
    let told = state.withLock { state -> (CheckedContinuation<WireAnswer, Never>?, WireAnswer)? in
      guard case .gathering(let body, let waiting) = state else { return nil }
      let answer = judge(body)
      state = .ended(answer)
      return (waiting, answer)
    }
    if let (waiting, answer) = told { waiting?.resume(returning: answer) }
  }
}
