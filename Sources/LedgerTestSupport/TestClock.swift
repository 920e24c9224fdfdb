public import LedgerKit
import Synchronization

/// A manual clock. A pause of a sync takes no time: the clock jumps to its end.
public final class TestClock: Sendable {
  private let moment: Mutex<Timestamp>

  /// A clock that starts at this moment.
  public init(_ now: Timestamp) { moment = Mutex(now) }

  /// The clock's current moment.
  public var now: Timestamp { moment.withLock { $0 } }

  /// Moves the clock.
  ///
  /// - Parameter duration: to the millisecond; negative to set the clock back.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    moment.withLock { $0.millisecondsSince1970 += milliseconds }
  }
}
