import LedgerSync
import Synchronization

/// One request on its way: gathers the answer's body, and tells the one who waits, exactly once,
/// what became of it. The first ending counts.
final class Exchange: Sendable {
  /// A backend's page of a hundred rows takes a twentieth of it.
  static let largestBodyBytes = 1 << 20
  /// A piece counts as at least so much: what is around a chunk, its extensions included, is not
  /// seen here, and has to be received all the same.
  private static let leastPieceBytes = 64

  private enum State {
    /// - counted: the length of the body with what its pieces count beyond theirs.
    case gathering(body: [UInt8], counted: Int, waiting: CheckedContinuation<WireAnswer, Never>?)
    case ended(WireAnswer)
  }

  private let state = Mutex(State.gathering(body: [], counted: 0, waiting: nil))

  func answer() async -> WireAnswer {
    await withCheckedContinuation { waiting in
      let ended = state.withLock { state -> WireAnswer? in
        switch state {
        case .gathering(let body, let counted, _):
          state = .gathering(body: body, counted: counted, waiting: waiting)
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
      guard case .gathering(var body, var counted, let waiting) = state else { return true }
      counted += max(bytes.count, Self.leastPieceBytes)
      guard counted <= Self.largestBodyBytes else { return false }
      // Let go of the state's own reference first, or every append copies the whole body.
      state = .gathering(body: [], counted: 0, waiting: nil)
      body += bytes
      state = .gathering(body: body, counted: counted, waiting: waiting)
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
      guard case .gathering(let body, _, let waiting) = state else { return nil }
      let answer = judge(body)
      state = .ended(answer)
      return (waiting, answer)
    }
    if let (waiting, answer) = told { waiting?.resume(returning: answer) }
  }
}
