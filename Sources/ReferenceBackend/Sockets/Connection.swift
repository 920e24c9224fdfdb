import LedgerPlatform

/// An accepted connection. Reads and writes end when the peer is late or the server stops.
struct Connection: Sendable {
  let descriptor: Descriptor
  let stop: StopSignal

  /// Waits for bytes and appends them, at least one.
  func receive(
    into buffer: inout [UInt8], timeoutMilliseconds: Int32
  ) throws(HTTPFailure) {
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      try wait(events: POLLIN, milliseconds: timeoutMilliseconds)
      let count = recv(descriptor.raw, &chunk, chunk.count, 0)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
        return
      }
      if count == 0 { throw .closed }
      guard isTransient(errno) else { throw .closed }
    }
  }

  func send(_ bytes: [UInt8], timeoutMilliseconds: Int32 = 30_000) throws(HTTPFailure) {
    #if canImport(Darwin)
      let flags: Int32 = 0  // SO_NOSIGPIPE is set on the socket.
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      try wait(events: POLLOUT, milliseconds: timeoutMilliseconds)
      let count = bytes.withUnsafeBytes { raw in
        sendBytes(descriptor.raw, raw[sent...], flags)
      }
      if count >= 0 {
        sent += count
      } else if !isTransient(errno) {
        throw .closed
      }
    }
  }

  /// Shuts the writing side down, then reads until the peer closes.
  ///
  /// Closing with unread bytes would reset the connection, and the peer could lose the answer just
  /// written (RFC 9112, 9.6).
  func closeGently() {
    shutdown(descriptor.raw, shutdownWrite)
    var discarded = 0
    var buffer: [UInt8] = []
    while discarded < 4 << 20 {
      buffer.removeAll(keepingCapacity: true)
      do {
        try receive(into: &buffer, timeoutMilliseconds: 500)
      } catch {
        return
      }
      discarded += buffer.count
    }
  }

  private func wait(events: Int32, milliseconds: Int32) throws(HTTPFailure) {
    switch stop.wait(for: descriptor, events: events, milliseconds: milliseconds) {
    case .ready: return
    case .timedOut: throw .timedOut
    case .stopped: throw .closed
    }
  }

  private func isTransient(_ code: Int32) -> Bool {
    code == EINTR || code == EAGAIN || code == EWOULDBLOCK
  }
}

/// The C library's `send`, which the method hides.
private func sendBytes(_ raw: Int32, _ bytes: Slice<UnsafeRawBufferPointer>, _ flags: Int32) -> Int
{
  let rebased = UnsafeRawBufferPointer(rebasing: bytes)
  return send(raw, rebased.baseAddress, rebased.count, flags)
}

#if canImport(Glibc)
  private let shutdownWrite = Int32(SHUT_WR)
#else
  private let shutdownWrite = SHUT_WR
#endif
