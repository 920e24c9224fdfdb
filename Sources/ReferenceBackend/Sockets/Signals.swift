import LedgerPlatform
import Synchronization

/// Stops all threads of a server permanently.
///
/// It is a pipe whose writing end is closed to stop. Every `poll` that watches the reading end wakes,
/// so no thread has to be interrupted and no descriptor closed under another thread.
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

  /// - Returns: false when the server stopped before the time was up.
  func sleep(milliseconds: Int32) -> Bool {
    var watched = [pollfd(fd: reader.raw, events: Int16(POLLIN), revents: 0)]
    while true {
      let count = poll(&watched, 1, milliseconds)
      if count >= 0 || errno != EINTR { return count == 0 }
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

/// Wakes a thread that waits in `poll`: a pipe that holds one byte while it is set.
final class WakeUp: Sendable {
  /// Readable while it is set.
  let reader: Descriptor
  private let writer: Descriptor
  private let isSet = Mutex(false)

  init() throws(SystemCallFailure) {
    (reader, writer) = try Descriptor.pipe()
  }

  /// Writes at most one byte until it is cleared, which cannot fill the pipe.
  func set() {
    isSet.withLock { isSet in
      guard !isSet else { return }
      isSet = true
      var byte: UInt8 = 1
      while write(writer.raw, &byte, 1) < 0, errno == EINTR {}
    }
  }

  func clear() {
    isSet.withLock { isSet in
      guard isSet else { return }
      isSet = false
      var byte: UInt8 = 0
      while read(reader.raw, &byte, 1) < 0, errno == EINTR {}
    }
  }
}

extension StopSignal {
  /// Waits until it is set, the time is up (-1: no limit), or the server stops.
  func wait(for wakeUp: WakeUp, milliseconds: Int32) -> Readiness {
    wait(for: wakeUp.reader, events: Int32(POLLIN), milliseconds: milliseconds)
  }
}
