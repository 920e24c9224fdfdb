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
  /// Whether the mark stood when the lock was taken.
  let isMarked: Bool

  /// Waits at most `seconds` for the lock.
  ///
  /// - Throws: ``LogError/locked(path:seconds:)`` when somebody holds it longer (exit 75).
  public convenience init(
    _ path: String, _ kind: Kind, waitSeconds: Int = LogFormat.lockWaitSeconds
  ) throws(LogError) {
    try self.init(path, kind, waitSeconds: waitSeconds, on: SystemDisk.shared)
  }

  package init(
    _ path: String, _ kind: Kind, waitSeconds: Int = LogFormat.lockWaitSeconds,
    on disk: any Disk
  ) throws(LogError) {
    let deadline = disk.monotonicNanoseconds() + UInt64(waitSeconds) * 1_000_000_000
    while true {
      let opened = try logErrors { () throws(IOFailure) in
        try OpenFile(path, kind == .shared ? .read : .readWriteOrCreate, on: disk)
      }
      try Self.acquire(opened, kind, waitSeconds: waitSeconds, until: deadline)
      // A lock on a file that lost its name meanwhile keeps nobody out.
      let (status, current) = try logErrors { () throws(IOFailure) in
        (try opened.status(), try OpenFile.identity(of: path, on: disk))
      }
      guard status.identity == current else { continue }
      file = opened
      isMarked = status.size > 0
      return
    }
  }

  /// A child that is being started has the file open, too, until it runs its program: closing the file
  /// alone would leave it locked until then.
  deinit { try? file.disk.lock(file.descriptor, LOCK_UN) }

  /// Sets or takes away a mark that outlives this process, though not a power cut: the size of the
  /// lock's file, 1 or 0, which needs no room on the disk. For whoever holds the lock exclusively.
  func mark(_ isMarked: Bool) throws(IOFailure) { try file.truncate(to: isMarked ? 1 : 0) }

  private static func acquire(
    _ file: OpenFile, _ kind: Kind, waitSeconds: Int, until deadline: UInt64
  ) throws(LogError) {
    let disk = file.disk
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    // Short naps at first: most holders need the time of one disk sync.
    var napMicroseconds: UInt32 = 50
    while true {
      do throws(IOFailure) {
        try uninterrupted("lock", file.path) { () throws(SystemError) in
          try disk.lock(file.descriptor, operation)
        }
        return
      } catch {
        guard error.errorNumber == EWOULDBLOCK else { throw .io(error) }
      }
      guard disk.monotonicNanoseconds() < deadline else {
        throw .locked(path: file.path, seconds: waitSeconds)
      }
      disk.nap(microseconds: napMicroseconds)
      napMicroseconds = min(napMicroseconds * 2, 4_000)
    }
  }
}

extension OpenFile {
  /// Locks the file itself, for as long as it is open, if nobody else has.
  ///
  /// - Returns: whether it is locked now.
  func locksAlone() throws(IOFailure) -> Bool {
    do throws(IOFailure) {
      try uninterrupted("lock", path) { () throws(SystemError) in
        try disk.lock(descriptor, LOCK_EX | LOCK_NB)
      }
      return true
    } catch {
      guard error.errorNumber == EWOULDBLOCK else { throw error }
      return false
    }
  }
}
