import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A few threads for one stretch of work, without Dispatch: `ledger` starts faster for not loading
/// it.
package enum Threads {
  package static var available: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs `work` for 0..<count at the same time and waits for all.
  package static func run(_ count: Int, _ work: @escaping @Sendable (_ index: Int) -> Void) {
    var threads: [pthread_t] = []
    for index in 1..<max(count, 1) {
      // No thread to be had: the work is done here instead.
      if let thread = start({ work(index) }) { threads.append(thread) } else { work(index) }
    }
    if count > 0 { work(0) }
    for thread in threads { pthread_join(thread, nil) }
  }

  /// Begins `work` on a thread of its own; without one to be had, it is done when it is waited for.
  static func begin<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Begun<Value> {
    let result = Begun<Value>.Box()
    return Begun(thread: start { result.set(work()) }, result: result, work: work)
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let job = Unmanaged.passRetained(Job(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    guard pthread_create(&thread, nil, runJob, job.toOpaque()) == 0 else {
      job.release()
      return nil
    }
    return thread
  }
}

/// Work that was begun on another thread.
struct Begun<Value: Sendable> {
  final class Box: Sendable {
    private let value = Mutex<Value?>(nil)

    func set(_ new: Value) { value.withLock { $0 = new } }
    func take() -> Value? { value.withLock { $0 } }
  }

  fileprivate let thread: pthread_t?
  fileprivate let result: Box
  fileprivate let work: @Sendable () -> Value

  /// Waits for what comes of it; to be asked once.
  func wait() -> Value {
    if let thread { pthread_join(thread, nil) }
    return result.take() ?? work()
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
