import LedgerPlatform

/// Cuts bytes off the log's end so that they never come back.
///
/// A cut that is not synced leaves its bytes on the platter, and a power cut may mix them with those
/// of the next append into a whole but wrong line, which no ledger can tell from damage. So nothing
/// is written over a cut before it is durable: a mark beside the lock says that one is on its way, and
/// whoever holds the lock next finishes it first. A power cut may take the mark with it, which is
/// no loss: then nothing has been written over the bytes, and recovery finds them.
struct LogCut {
  let file: OpenFile
  let lock: FileLock

  /// - Throws: the log may be cut or not, and the mark stands if it may be.
  func perform(to sizeBytes: Int) throws(IOFailure) {
    try lock.mark(true)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    takeMarkAway()
  }

  /// Makes a cut durable that somebody else left: the log ends where it shall.
  func finish(at sizeBytes: Int) throws(IOFailure) {
    // After a sync that failed the system may take the log's size for written. One byte more and
    // fewer makes it news again.
    try file.truncate(to: sizeBytes + 1)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    takeMarkAway()
  }

  /// Where it stays, the next holder syncs once for nothing.
  private func takeMarkAway() { try? lock.mark(false) }
}
