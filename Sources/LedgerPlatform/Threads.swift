import Synchronization

/// System threads for blocking work, which must not run on the cooperative pool. Dispatch would make
/// `ledger` start more slowly.
package enum Threads {
  package static var available: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs `work` for 0..<count concurrently and waits for all. Where no thread can be started, it runs
  /// on the caller's.
  package static func run(_ count: Int, _ work: @escaping @Sendable (_ index: Int) -> Void) {
    var threads: [JoinableThread] = []
    for index in 1..<max(count, 1) {
      if let thread = start({ work(index) }) { threads.append(thread) } else { work(index) }
    }
    if count > 0 { work(0) }
    for thread in threads { thread.join() }
  }

  /// Begins `work` on a new thread. If none can be started, it runs when it is waited for.
  package static func begin<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) -> BackgroundWork<Value> {
    let result = BackgroundWork<Value>.Box()
    return BackgroundWork(thread: start { result.set(work()) }, result: result, work: work)
  }

  /// Starts a thread that must be joined.
  ///
  /// - Returns: `nil` if none can be started.
  package static func start(_ body: @escaping @Sendable () -> Void) -> JoinableThread? {
    let job = Unmanaged.passRetained(Job(body))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    guard pthread_create(&thread, nil, runJob, job.toOpaque()) == 0 else {
      job.release()
      return nil
    }
    return JoinableThread(thread)
  }

  /// Starts a thread that is not waited for.
  ///
  /// - Returns: false when the system gives none.
  package static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = start(body) else { return false }
    thread.detach()
    return true
  }
}

/// A running thread, to be joined or detached exactly once.
package struct JoinableThread: Sendable {
  /// The handle as a number, because it is an opaque pointer on some systems.
  private let handle: UInt

  #if canImport(Glibc)
    fileprivate init(_ thread: pthread_t) { handle = thread }
    private var thread: pthread_t { handle }
  #else
    fileprivate init?(_ thread: pthread_t?) {
      guard let thread else { return nil }
      handle = UInt(bitPattern: thread)
    }
    private var thread: pthread_t { pthread_t(bitPattern: handle)! }
  #endif

  package func join() { pthread_join(thread, nil) }

  fileprivate func detach() { pthread_detach(thread) }
}

/// Work that was begun on another thread.
package struct BackgroundWork<Value: Sendable>: Sendable {
  fileprivate final class Box: Sendable {
    private let value = Mutex<Value?>(nil)

    func set(_ new: Value) { value.withLock { $0 = new } }
    func get() -> Value? { value.withLock { $0 } }
  }

  fileprivate let thread: JoinableThread?
  fileprivate let result: Box
  fileprivate let work: @Sendable () -> Value

  /// Waits for the result. Call it once.
  package func wait() -> Value {
    thread?.join()
    return result.get() ?? work()
  }
}

private final class Job: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

#if canImport(Darwin)
  private func runJob(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
#else
  private func runJob(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
    return nil
  }
#endif
