import LedgerPlatform
import Synchronization

/// Whether SIGUSR1 has come since it was asked last.
private let isWoken = Atomic<Bool>(false)

/// What ends the rest of `sync --watch` from outside: SIGUSR1, and on Linux a change of the network's
/// links, addresses or routes.
final class ExternalWakeUps: Sendable {
  #if os(Linux)
    private let network = NetworkChanges()
  #endif

  init() {
    isWoken.store(false, ordering: .sequentiallyConsistent)
    signal(SIGUSR1) { _ in isWoken.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Whether anything has come since the last call. It does not block.
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
  /// A socket that the kernel tells of changes to links, addresses and routes (rtnetlink(7)).
  private final class NetworkChanges: Sendable {
    private let socketDescriptor: Int32

    /// `struct sockaddr_nl`, whose header is not in the C library's module.
    private struct Address {
      var family = sa_family_t(AF_NETLINK)
      var padding: UInt16 = 0
      var process: UInt32 = 0
      /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
      var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }

    /// - Returns: `nil` where the system gives no such socket, as in some containers.
    init?() {
      #if canImport(Glibc)
        let raw = Int32(SOCK_RAW.rawValue)
      #else
        let raw = SOCK_RAW
      #endif
      // SOCK_CLOEXEC and SOCK_NONBLOCK are the flags of open; 0 is NETLINK_ROUTE.
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

    /// Whether there were messages. What they say does not matter, nor that some were lost.
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
