import LedgerPlatform

/// A TCP socket that listens on 127.0.0.1 and nowhere else: the backend holds passwords in the
/// clear and must not be reachable from another machine.
struct ListeningSocket: Sendable {
  let descriptor: Descriptor
  let port: UInt16

  /// Listens on `port`; 0 lets the system choose a free one.
  init(port: UInt16) throws(SystemCallFailure) {
    let raw = socket(AF_INET, ListeningSocket.streamType, 0)
    guard raw >= 0 else { throw .last("socket") }
    descriptor = Descriptor(raw)
    try descriptor.closeOnExec()
    try descriptor.makeNonBlocking()
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
      throw .last("setsockopt")
    }

    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withSockaddr(&address, { bind(raw, $0, length) }) == 0 else { throw .last("bind") }
    guard listen(raw, 512) == 0 else { throw .last("listen") }
    guard withSockaddr(&address, { getsockname(raw, $0, &length) }) == 0 else {
      throw .last("getsockname")
    }
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// The next waiting connection, or nil when there is none left to take (or it went away again).
  func accept() throws(SystemCallFailure) -> Descriptor? {
    while true {
      let raw = acceptPeer(descriptor.raw)
      if raw >= 0 {
        let accepted = Descriptor(raw)
        try prepare(accepted)
        return accepted
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK, ECONNABORTED: return nil
      default: throw .last("accept")
      }
    }
  }

  private func prepare(_ accepted: Descriptor) throws(SystemCallFailure) {
    try accepted.closeOnExec()
    try accepted.makeNonBlocking()
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Answers are written whole, so waiting to fill a packet only costs time. Best effort: a peer
    // that is already gone makes this fail, and reading will say so.
    _ = setsockopt(accepted.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
    #if canImport(Darwin)
      _ = setsockopt(accepted.raw, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
    #endif
  }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif
}

/// A free function, because inside `ListeningSocket` the name `accept` means its own method.
private func acceptPeer(_ raw: Int32) -> Int32 {
  accept(raw, nil, nil)
}

private func withSockaddr<Answer>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Answer
) -> Answer {
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
}
