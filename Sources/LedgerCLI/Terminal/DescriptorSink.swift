import LedgerPlatform

/// Writes to a file descriptor that somebody else opened and will close.
package struct DescriptorSink: OutputSink {
  private let descriptor: Int32

  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  package func write(_ bytes: [UInt8]) throws(OutputFailure) {
    var offset = 0
    while offset < bytes.count {
      let count = writeOnce(bytes, from: offset)
      if count >= 0 {
        // A pipe or a full disk may take less than it was given.
        offset += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        // Somebody who shares our terminal made it non-blocking; wait as if they had not.
        waitUntilWritable()
      } else if errno == EPIPE {
        throw .readerGone
      } else if errno != EINTR {
        throw .failed(reason: systemError(errno))
      }
    }
  }

  private func writeOnce(_ bytes: [UInt8], from offset: Int) -> Int {
    bytes.withUnsafeBytes { buffer in
      let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
      #if canImport(Glibc)
        return Glibc.write(descriptor, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
        return Musl.write(descriptor, rest.baseAddress, rest.count)
      #else
        return Darwin.write(descriptor, rest.baseAddress, rest.count)
      #endif
    }
  }

  private func waitUntilWritable() {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waiting, 1, -1)
  }
}

/// The system's words for an error number.
func systemError(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
