import Foundation
import LedgerPlatform

/// One connection, seen from the server.
final class RawPeer {
  private var raw: Int32
  private let record: (String) -> Void

  init(_ raw: Int32, record: @escaping (String) -> Void) {
    self.raw = raw
    self.record = record
    // A client that never sends fails the test instead of hanging it.
    var patience = timeval(tv_sec: time_t(patienceSeconds), tv_usec: 0)
    setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A process that was stopped and goes on finds its waiting interrupted.
  private func receive(_ chunk: inout [UInt8]) -> Int {
    while true {
      let count = recv(raw, &chunk, chunk.count, 0)
      guard count < 0, errno == EINTR else { return count }
    }
  }

  /// Reads one request with the body its length names; `nil` when the client has gone.
  @discardableResult
  func request() -> String? {
    var received: [UInt8] = []
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = text[..<end.lowerBound].lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        if text[end.upperBound...].utf8.count >= length ?? 0 {
          record(text)
          return text
        }
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = receive(&chunk)
      guard count > 0 else { return nil }
      received += chunk[..<count]
    }
  }

  /// Reads so many bytes and looks whether they were a whole request.
  func read(_ count: Int) {
    var left = count
    var received: [UInt8] = []
    while left > 0 {
      var chunk = [UInt8](repeating: 0, count: left)
      let got = receive(&chunk)
      guard got > 0 else { break }
      left -= got
      received += chunk[..<got]
    }
    let text = String(decoding: received, as: UTF8.self)
    if text.contains("\r\n\r\n"), text.hasSuffix("}") { record(text) }
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        sendBytes(raw, UnsafeRawBufferPointer(rebasing: $0[sent...]), flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Closes so that the client sees a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    guard raw >= 0 else { return }
    closeDescriptor(raw)
    raw = -1
  }
}

private func sendBytes(_ raw: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(raw, bytes.baseAddress, bytes.count, flags)
}

private func closeDescriptor(_ raw: Int32) {
  close(raw)
}

/// An answer with its length.
func httpAnswer(_ status: String, _ body: String, headers: String...) -> String {
  let lines = headers.map { $0 + "\r\n" }.joined()
  return "HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
