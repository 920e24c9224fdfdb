import LedgerPlatform
import Synchronization

/// Where standard input comes from.
package protocol InputSource: Sendable {
  /// The next bytes, as many as are at hand; none at the end.
  func read() throws(CommandFailure) -> [UInt8]
}

extension InputSource {
  package func readAll() throws(CommandFailure) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let part = try read()
      if part.isEmpty { return all }
      all += part
    }
  }
}

/// The process's own standard input.
package struct StandardInput: InputSource {
  package init() {}

  package func read() throws(CommandFailure) -> [UInt8] {
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
        count = readOnce(buffer)
        filled = max(count, 0)
      }
      if count >= 0 { return bytes }
      if errno == EAGAIN || errno == EWOULDBLOCK {
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw CommandFailure(.failed, "cannot read standard input: \(systemError(errno))")
      }
    }
  }

  private func readOnce(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
      return Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      return Musl.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    #else
      return Darwin.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    #endif
  }
}

/// Input that was there from the start.
package final class MemoryInput: InputSource {
  private let rest: Mutex<[UInt8]>

  package init(_ text: String = "") {
    rest = Mutex(Array(text.utf8))
  }

  package func read() -> [UInt8] {
    rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
  }
}
