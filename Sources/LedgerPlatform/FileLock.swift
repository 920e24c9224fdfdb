/// An advisory `flock` on a file. Released with its last reference, and by
/// the system when the process dies.
package final class FileLock: Sendable {
  package enum Kind: Sendable { case shared, exclusive }

  /// Why a lock was not acquired.
  package enum Failure: Error {
    case io(IOFailure)
    /// Another process held the lock for the whole time.
    case busy
  }

  private let file: OpenFile
  /// Whether the mark was set when the lock was acquired.
  package let isMarked: Bool

  /// Waits at most `waitSeconds` for the lock.
  package init(
    locking path: String, _ kind: Kind, waitSeconds: Int, on disk: any Disk
  ) throws(Failure) {
    let deadline = disk.monotonicNanoseconds() + UInt64(waitSeconds) * 1_000_000_000
    while true {
      do throws(IOFailure) {
        let opened = try OpenFile(path, kind == .shared ? .read : .readWriteOrCreate, on: disk)
        if try Self.acquire(opened, kind, until: deadline) {
          // The path may name another file by now; a lock on the old one would exclude no process.
          let status = try opened.status()
          guard try status.identity == OpenFile.identity(of: path, on: disk) else { continue }
          file = opened
          isMarked = status.size > 0
          return
        }
      } catch {
        throw .io(error)
      }
      throw .busy
    }
  }

  /// Unlocks explicitly: a child process that has not yet called `exec` shares the open file, and
  /// closing it here alone would leave it locked.
  deinit { try? file.disk.lock(file.descriptor, LOCK_UN) }

  /// Sets or clears a mark that outlives the process, but not a power cut: the size of the lock
  /// file, 1 or 0, which needs no disk space. The caller holds the lock exclusively.
  package func mark(_ isMarked: Bool) throws(IOFailure) {
    try file.truncate(to: isMarked ? 1 : 0)
  }

  /// - Returns: false when the deadline has passed.
  static func acquire(
    _ file: OpenFile, _ kind: Kind, until deadline: UInt64
  ) throws(IOFailure) -> Bool {
    // Most holders need the time of one disk sync, so the first waits are short.
    var napMicroseconds: UInt32 = 50
    while !(try file.tryLock(kind)) {
      guard file.disk.monotonicNanoseconds() < deadline else { return false }
      file.disk.nap(microseconds: napMicroseconds)
      napMicroseconds = min(napMicroseconds * 2, 4_000)
    }
    return true
  }
}

extension OpenFile {
  /// Locks the file itself, for as long as it is open.
  ///
  /// - Returns: false when another process holds a conflicting lock.
  package func tryLock(_ kind: FileLock.Kind = .exclusive) throws(IOFailure) -> Bool {
    do throws(IOFailure) {
      try uninterrupted("lock", path) { () throws(SystemError) in
        try disk.lock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB)
      }
      return true
    } catch {
      guard error.errorNumber == EWOULDBLOCK else { throw error }
      return false
    }
  }
}
