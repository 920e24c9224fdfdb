import LedgerPlatform

/// A thread of the system's own, because a connection blocks and the concurrency pool must not.
struct PosixThread: Sendable {
  // As a number, because a thread's handle is an opaque pointer on some systems; it is only joined.
  private let handle: UInt

  /// Runs `body` on a new thread, which must be joined.
  static func start(
    _ body: @escaping @Sendable () -> Void
  ) throws(SystemCallFailure) -> PosixThread {
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Glibc)
      var handle = pthread_t()
    #else
      var handle: pthread_t?
    #endif
    let code = pthread_create(&handle, nil, runBox, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw SystemCallFailure(call: "pthread_create", code: code)
    }
    #if canImport(Glibc)
      return PosixThread(handle: handle)
    #else
      guard let handle else { throw SystemCallFailure(call: "pthread_create", code: EAGAIN) }
      return PosixThread(handle: UInt(bitPattern: handle))
    #endif
  }

  func join() {
    #if canImport(Glibc)
      pthread_join(handle, nil)
    #else
      if let thread = pthread_t(bitPattern: handle) { pthread_join(thread, nil) }
    #endif
  }
}

private final class Box: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

#if canImport(Darwin)
  private func runBox(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
    return nil
  }
#else
  private func runBox(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
    return nil
  }
#endif
