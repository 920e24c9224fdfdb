import LedgerPlatform

/// One open file descriptor, closed when its last owner lets go of it.
///
/// Shared ownership keeps a descriptor number from being reused by the system while another thread
/// still polls it.
final class Descriptor: Sendable {
  let raw: Int32

  init(_ raw: Int32) {
    self.raw = raw
  }

  deinit {
    // Nothing was buffered here, so a failing close loses nothing.
    _ = close(raw)
  }

  /// Both ends of a new pipe.
  static func pipe() throws(SystemCallFailure) -> (reader: Descriptor, writer: Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard openPipe(&ends) == 0 else { throw .last("pipe") }
    let (reader, writer) = (Descriptor(ends[0]), Descriptor(ends[1]))
    try reader.closeOnExec()
    try writer.closeOnExec()
    return (reader, writer)
  }

  /// Keeps the descriptor from child processes: one that held it would keep the peer from ever
  /// seeing it closed.
  func closeOnExec() throws(SystemCallFailure) {
    guard fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 else { throw .last("fcntl") }
  }

  func makeNonBlocking() throws(SystemCallFailure) {
    let flags = fcntl(raw, F_GETFL)
    guard flags >= 0, fcntl(raw, F_SETFL, flags | O_NONBLOCK) == 0 else { throw .last("fcntl") }
  }
}

/// A free function, because inside `Descriptor` the name `pipe` means its own.
private func openPipe(_ ends: inout [Int32]) -> Int32 {
  pipe(&ends)
}
