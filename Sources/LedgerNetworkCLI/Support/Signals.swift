import LedgerPlatform
import Synchronization

/// The signal that arrived; 0 before.
private let arrived = Atomic<Int32>(0)

/// Turns Ctrl-C and SIGTERM into a clean stop; a second one ends the process as usual. A handler
/// rather than a mask: existing threads would not share the mask, and a signal to one of them would
/// end the process.
struct EndSignals {
  private let onPoll: @Sendable () -> Void

  /// - Parameter onPoll: called twenty times a second during ``run(_:)``.
  init(onPoll: @escaping @Sendable () -> Void = {}) {
    self.onPoll = onPoll
    arrived.store(0, ordering: .sequentiallyConsistent)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if arrived.exchange(number, ordering: .sequentiallyConsistent) != 0 {
          signal(number, SIG_DFL)
          raise(number)
        }
      }
    }
  }

  private static var hasArrived: Bool { arrived.load(ordering: .sequentiallyConsistent) != 0 }

  func wait() {
    while !Self.hasArrived { usleep(20_000) }
  }

  /// Runs `work` and cancels it when a signal arrives.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await work() }
    let poll = Task { [onPoll] in
      while !Task.isCancelled, !Self.hasArrived {
        onPoll()
        try? await Task.sleep(for: .milliseconds(50))
      }
      if Self.hasArrived { task.cancel() }
    }
    defer { poll.cancel() }
    return try await task.value
  }
}

/// Whether SIGUSR1 arrived since the last query.
private let isWoken = Atomic<Bool>(false)

/// Ends a pause of `sync --watch`: SIGUSR1, and on Linux a change of the network's links, addresses or
/// routes.
final class ExternalWakeUps: Sendable {
  #if os(Linux)
    private let network = NetworkChanges()
  #endif

  init() {
    isWoken.store(false, ordering: .sequentiallyConsistent)
    signal(SIGUSR1) { _ in isWoken.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Whether anything arrived since the last call. Does not block.
  func taken() -> Bool {
    let isSignalled = isWoken.exchange(false, ordering: .sequentiallyConsistent)
    #if os(Linux)
      return network?.taken() == true || isSignalled
    #else
      return isSignalled
    #endif
  }
}

#if os(Linux)
  /// A socket on which the kernel reports changes to links, addresses and routes (rtnetlink(7)).
  private final class NetworkChanges: Sendable {
    private let socketDescriptor: Int32

    /// `struct sockaddr_nl`, which is not in the C library's module.
    private struct Address {
      var family = sa_family_t(AF_NETLINK)
      var padding: UInt16 = 0
      var process: UInt32 = 0
      /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
      var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }

    /// - Returns: `nil` where such sockets are not available, as in some containers.
    init?() {
      #if canImport(Glibc)
        let raw = Int32(SOCK_RAW.rawValue)
      #else
        let raw = SOCK_RAW
      #endif
      // SOCK_CLOEXEC and SOCK_NONBLOCK have the values of open's flags; 0 is NETLINK_ROUTE.
      socketDescriptor = socket(AF_NETLINK, raw | O_CLOEXEC | O_NONBLOCK, 0)
      guard socketDescriptor >= 0 else { return nil }
      var address = Address()
      let size = socklen_t(MemoryLayout<Address>.size)
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socketDescriptor, $0, size) == 0
        }
      }
      guard isBound else {
        close(socketDescriptor)
        return nil
      }
    }

    deinit { close(socketDescriptor) }

    /// Whether there were messages. Their content does not matter, nor whether some were lost.
    func taken() -> Bool {
      var isTaken = false
      var message: UInt64 = 0
      while true {
        let count = recv(socketDescriptor, &message, MemoryLayout<UInt64>.size, 0)
        guard count > 0 || errno == ENOBUFS || errno == EINTR else { return isTaken }
        if count > 0 || errno == ENOBUFS { isTaken = true }
      }
    }
  }
#endif
