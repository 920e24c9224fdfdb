import LedgerPlatform
import Synchronization

/// Wakes a thread that waits in `poll`: a pipe that holds one byte while the bell is rung.
final class Bell: Sendable {
  /// Readable while it is rung.
  let reader: Descriptor
  private let writer: Descriptor
  private let isRung = Mutex(false)

  init() throws(SystemCallFailure) {
    (reader, writer) = try Descriptor.pipe()
  }

  /// Once is enough until it is silenced: one byte can never fill the pipe.
  func ring() {
    isRung.withLock { isRung in
      guard !isRung else { return }
      isRung = true
      var byte: UInt8 = 1
      while write(writer.raw, &byte, 1) < 0, errno == EINTR {}
    }
  }

  func silence() {
    isRung.withLock { isRung in
      guard isRung else { return }
      isRung = false
      var byte: UInt8 = 0
      while read(reader.raw, &byte, 1) < 0, errno == EINTR {}
    }
  }
}

extension StopSignal {
  /// Waits until the bell rings, the time is up (-1: never), or the server stops.
  func wait(for bell: Bell, milliseconds: Int32) -> Readiness {
    wait(for: bell.reader, events: Int32(POLLIN), milliseconds: milliseconds)
  }
}
