import LedgerPlatform
import Testing

/// A peer that sends whatever bytes it likes and reads what comes back.
final class RawPeer {
  private let raw: Int32
  private var received: [UInt8] = []

  init(port: UInt16) throws {
    #if canImport(Glibc)
      raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      raw = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    try #require(raw >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(raw, $0, size) }
    }
    try #require(outcome == 0)
    // A server that never answers fails the test instead of hanging it.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(raw)
  }

  func send(_ text: String) {
    send(Array(text.utf8))
  }

  /// Sends as much as the server takes: it may refuse and close before the end.
  func send(_ bytes: [UInt8]) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        sendBytes(raw, UnsafeRawBufferPointer(rebasing: buffer[sent...]), flags)
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Everything until the server closes.
  func readToEnd() -> String {
    while readMore() {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Everything up to and including `end`; what is left when the server closes before.
  func read(through end: String) -> String {
    let wanted = Array(end.utf8)
    while true {
      let starts = received.indices.dropLast(max(0, wanted.count - 1))
      if let start = starts.first(where: { received[$0...].starts(with: wanted) }) {
        let text = String(decoding: received[..<(start + wanted.count)], as: UTF8.self)
        received.removeFirst(start + wanted.count)
        return text
      }
      guard readMore() else { return readToEnd() }
    }
  }

  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = recv(raw, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    received += chunk[..<count]
    return true
  }
}

private func sendBytes(_ raw: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(raw, bytes.baseAddress, bytes.count, flags)
}
