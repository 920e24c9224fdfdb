import LedgerPlatform
import Synchronization

/// Tells every thread of a server to end, once and for good.
///
/// It is the reading end of a pipe whose writing end is closed to stop: every `poll` that watches
/// it wakes at once, so no thread has to be interrupted and no descriptor shut from outside.
final class StopSignal: Sendable {
  let reader: Descriptor
  private let writer: Mutex<Descriptor?>

  init() throws(SystemCallFailure) {
    let ends = try Descriptor.pipe()
    reader = ends.reader
    writer = Mutex(ends.writer)
  }

  func raise() {
    writer.withLock { $0 = nil }
  }

  /// Waits that long, or until the stop; false when stopped.
  func sleep(milliseconds: Int32) -> Bool {
    var watched = [pollfd(fd: reader.raw, events: Int16(POLLIN), revents: 0)]
    while true {
      let count = poll(&watched, 1, milliseconds)
      if count == 0 { return true }
      if count > 0 { return false }
      if errno != EINTR { return false }
    }
  }

  /// Waits until `descriptor` is ready for `events`, the time is up, or the server stops.
  func wait(for descriptor: Descriptor, events: Int32, milliseconds: Int32) -> Readiness {
    var watched = [
      pollfd(fd: reader.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor.raw, events: Int16(events), revents: 0),
    ]
    while true {
      let count = poll(&watched, 2, milliseconds)
      if count == 0 { return .timedOut }
      if count < 0 {
        if errno == EINTR { continue }
        return .stopped
      }
      return watched[0].revents != 0 ? .stopped : .ready
    }
  }

  enum Readiness {
    case ready, timedOut, stopped
  }
}
