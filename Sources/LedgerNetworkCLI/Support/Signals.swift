import Dispatch
import LedgerPlatform
import Synchronization

/// The signal that asked the program to end; 0 before.
private let ending = Atomic<Int32>(0)
private let endPipe = SignalPipe()
private let wakePipe = SignalPipe()

/// A pipe to which a signal's handler writes: it may do little else (signal-safety(7)).
private struct SignalPipe: Sendable {
  /// Readable once a signal has arrived; -1 if the system has no pipe left.
  let reader: Int32
  private let writer: Int32

  init() {
    (reader, writer) = (try? ChildProcess.pipe()) ?? (-1, -1)
    for end in [reader, writer] where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  func notify() {
    let before = errno
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
    errno = before
  }
}

/// Turns Ctrl-C and SIGTERM into a clean stop; a second one ends the process as usual. A handler
/// rather than a mask: existing threads would not share the mask, and a signal to one of them would
/// end the process.
struct EndSignals {
  init() {
    ending.store(0, ordering: .sequentiallyConsistent)
    // Also makes the pipe before a handler needs it.
    readAll(endPipe.reader)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if ending.exchange(number, ordering: .sequentiallyConsistent) != 0 {
          signal(number, SIG_DFL)
          raise(number)
        }
        endPipe.notify()
      }
    }
  }

  /// Blocks until a signal arrives.
  func wait() {
    var watched = pollfd(fd: endPipe.reader, events: Int16(POLLIN), revents: 0)
    while ending.load(ordering: .sequentiallyConsistent) == 0 { poll(&watched, 1, -1) }
  }

  /// Runs `work` and cancels it when a signal arrives.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await work() }
    let source = readSource(endPipe.reader) { task.cancel() }
    defer { source?.cancel() }
    return try await task.value
  }
}

/// What ends a pause of `sync --watch`: SIGUSR1, and on Linux a change of the network's links, addresses
/// or routes.
struct ExternalWakeUps {
  /// One for each.
  let elements: AsyncStream<Void>
  private let sources: [any DispatchSourceRead]

  init() {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    var descriptors = [wakePipe.reader]
    signal(SIGUSR1) { _ in wakePipe.notify() }
    #if os(Linux)
      if let changes = networkChanges() { descriptors.append(changes) }
    #endif
    elements = stream
    sources = descriptors.compactMap { readSource($0) { continuation.yield() } }
  }

  func cancel() {
    for source in sources { source.cancel() }
  }
}

/// Reads all that a descriptor has, without blocking. Its content does not matter, nor whether some of it was
/// lost.
private func readAll(_ descriptor: Int32) {
  var bytes: UInt64 = 0
  while true {
    let count = read(descriptor, &bytes, MemoryLayout<UInt64>.size)
    guard count > 0 || errno == ENOBUFS || errno == EINTR else { return }
  }
}

/// Calls a function whenever a descriptor that does not block becomes readable.
///
/// - Returns: a source that its owner keeps and cancels; `nil` for no descriptor.
private func readSource(
  _ descriptor: Int32, _ onReadable: @escaping @Sendable () -> Void
) -> (any DispatchSourceRead)? {
  guard descriptor >= 0 else { return nil }
  let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
  source.setEventHandler {
    readAll(descriptor)
    onReadable()
  }
  source.activate()
  return source
}

#if os(Linux)
  /// `struct sockaddr_nl`, which is not in the C library's module.
  private struct NetlinkAddress {
    var family = sa_family_t(AF_NETLINK)
    var padding: UInt16 = 0
    var process: UInt32 = 0
    /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
    var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
  }

  /// A socket on which the kernel reports changes to links, addresses and routes (rtnetlink(7)).
  ///
  /// - Returns: `nil` where such sockets are not available, as in some containers.
  private func networkChanges() -> Int32? {
    #if canImport(Glibc)
      let raw = Int32(SOCK_RAW.rawValue)
    #else
      let raw = SOCK_RAW
    #endif
    // SOCK_CLOEXEC and SOCK_NONBLOCK have the values of open's flags; 0 is NETLINK_ROUTE.
    let descriptor = socket(AF_NETLINK, raw | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return nil }
    var address = NetlinkAddress()
    let size = socklen_t(MemoryLayout<NetlinkAddress>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    if !isBound { close(descriptor) }
    return isBound ? descriptor : nil
  }
#endif
