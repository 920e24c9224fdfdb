#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An advisory `flock` on a file that is never removed. Released with its last reference, and by
/// the system when the process dies.
public final class FileLock: Sendable {
  public enum Kind: Sendable { case shared, exclusive }

  private let file: OpenFile

  /// Waits at most `seconds` for the lock.
  ///
  /// - Throws: ``LogError/locked(path:seconds:)`` when somebody holds it longer (exit 75).
  public init(
    _ path: String, _ kind: Kind, waitSeconds: Int = LogFormat.lockWaitSeconds
  ) throws(LogError) {
    let deadline = Self.monotonicNanoseconds() + UInt64(waitSeconds) * 1_000_000_000
    while true {
      let opened = try logErrors { () throws(IOFailure) in
        try OpenFile(path, kind == .shared ? .read : .readWriteOrCreate)
      }
      try Self.acquire(opened, kind, waitSeconds: waitSeconds, until: deadline)
      // A lock on a file that lost its name meanwhile keeps nobody out.
      let isCurrent = try logErrors { () throws(IOFailure) in
        try opened.identity() == OpenFile.identity(of: path)
      }
      guard isCurrent else { continue }
      file = opened
      return
    }
  }

  private static func acquire(
    _ file: OpenFile, _ kind: Kind, waitSeconds: Int, until deadline: UInt64
  ) throws(LogError) {
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    // Short naps at first: most holders need the time of one disk sync.
    var napMicroseconds: UInt32 = 50
    while flock(file.descriptor, operation) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw .io(IOFailure("lock", file.path)) }
      guard monotonicNanoseconds() < deadline else {
        throw .locked(path: file.path, seconds: waitSeconds)
      }
      usleep(napMicroseconds)
      napMicroseconds = min(napMicroseconds * 2, 4_000)
    }
  }

  private static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
