public import LedgerKit
import Synchronization

/// A manual clock. A pause within a sync takes no time: the clock jumps to its end. A watch rests
/// until the test moves the clock.
public final class TestClock: Sendable {
  fileprivate struct State {
    var now: Timestamp
    var uptime = Duration.zero
    var lastSleeper = 0
    var sleepers: [Int: (deadline: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
  }

  private let state: Mutex<State>
  /// An element for every new sleeper.
  private let rests = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// A clock that starts at this moment.
  public init(_ now: Timestamp) { state = Mutex(State(now: now)) }

  /// The clock's current moment.
  public var now: Timestamp { state.withLock { $0.now } }

  /// The time that has passed since the clock's start; setting the clock back does not change it.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// Moves the clock, and wakes those whose time has come.
  ///
  /// - Parameter duration: to the millisecond; negative to set the clock back.
  public func advance(by duration: Duration) {
    let due = state.withLock { $0.advance(by: duration) }
    for sleeper in due { sleeper.resume() }
  }

  /// Waits until a watch rests, and moves the clock to the end of the shortest rest. Returns early
  /// when its task is canceled.
  public func advanceToNextWakeUp() async {
    while true {
      let due = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
        guard let next = state.sleepers.values.map(\.deadline).min() else { return nil }
        return state.advance(by: next - state.uptime)
      }
      if let due {
        for sleeper in due { sleeper.resume() }
        return
      }
      guard await rests.stream.first(where: { _ in true }) != nil else { return }
    }
  }

  /// Waits until ``uptime`` reaches a time, or the task is canceled.
  func sleep(until deadline: Duration) async {
    let number = state.withLock { state in
      state.lastSleeper += 1
      return state.lastSleeper
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard deadline > state.uptime, !Task.isCancelled else { return true }
          state.sleepers[number] = (deadline, continuation)
          return false
        }
        if isOver { continuation.resume() } else { rests.continuation.yield() }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume()
    }
  }
}

extension TestClock.State {
  /// - Returns: the sleepers whose time has come.
  fileprivate mutating func advance(
    by duration: Duration
  ) -> [CheckedContinuation<Void, Never>] {
    let (seconds, attoseconds) = duration.components
    now.millisecondsSince1970 += seconds * 1000 + attoseconds / 1_000_000_000_000_000
    uptime += max(.zero, duration)
    let due = sleepers.filter { $0.value.deadline <= uptime }
    for number in due.keys { sleepers[number] = nil }
    return due.values.map(\.continuation)
  }
}
