import LedgerLog
import LedgerModel

/// The log has grown, by this ledger's own edits, by a sync, or by another process.
public struct LedgerChange: Hashable, Sendable {
  /// The last event that the listener knew of; 0 before the first.
  public var before: Int
  /// The newest event.
  public var seq: Int

  /// A change that grew the log from `before` to `seq`.
  public init(before: Int, seq: Int) {
    self.before = before
    self.seq = seq
  }
}

extension Ledger {
  /// Tells when the log has grown. What happens while a listener is busy is told in one go, so that
  /// a slow listener never falls behind; views are then asked anew.
  ///
  /// It ends when the task that listens is cancelled. No lock is held. The system reports the changes
  /// (inotify, kqueue); where it gives no such watch, the log's head is read four times a second.
  public nonisolated func changes() -> AsyncStream<LedgerChange> {
    let directory = directory
    let wakeSignal = WakeSignal()
    let signals = HeadSignals(directory) { wakeSignal.send(.log) }
    // What is there already is no change.
    let start = Self.headSeq(directory) ?? 0
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = Task {
        var told = start
        var pending: Int?
        while !Task.isCancelled {
          if let seq = Self.headSeq(directory), seq != told {
            let change = LedgerChange(before: pending ?? told, seq: seq)
            told = seq
            // An earlier change that nobody has taken yet is part of this one.
            switch continuation.yield(change) {
            case .dropped(let earlier): pending = earlier.before
            case .enqueued, .terminated: pending = nil
            @unknown default: pending = nil
            }
          }
          _ = await wakeSignal.wait(until: nil)
        }
        signals.stop()
        continuation.finish()
      }
      continuation.onTermination = { _ in watch.cancel() }
    }
  }

  /// By `head`, which is rewritten after every durable write; `nil` while it is missing.
  static func headSeq(_ directory: LedgerDirectory) -> Int? {
    guard let head = try? Head.read(directory) else { return nil }
    return head.seq
  }
}
