public import LedgerKit
import Synchronization

/// A clock that stands still until it is told otherwise. A pause of a sync takes no time: the clock
/// jumps to its end.
public final class TestClock: Sendable {
  private let moment: Mutex<Timestamp>

  /// A clock that shows this moment.
  public init(_ now: Timestamp) { moment = Mutex(now) }

  /// What it shows.
  public var now: Timestamp { moment.withLock { $0 } }

  /// Lets time pass.
  ///
  /// - Parameter duration: to the millisecond; negative to set the clock back, as people do.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    moment.withLock { $0.millisecondsSince1970 += milliseconds }
  }
}
