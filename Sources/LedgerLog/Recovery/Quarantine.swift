import LedgerModel
package import LedgerPlatform

/// Keeps the bytes that recovery cuts off the log.
enum Quarantine {
  /// Copies a range of the log into a new private file and makes it durable.
  ///
  /// - Returns: the file's name inside `quarantine/`.
  static func keep(
    _ file: OpenFile, _ range: Range<Int>, in directory: LedgerDirectory
  ) throws(IOFailure) -> String {
    // Synced even if the folder exists: its creator may have died before syncing.
    try directory.makeQuarantine()
    try Folder.synchronize(directory.path, on: directory.disk)
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = "events-\(range.lowerBound)-\(unique).torn"
    let copy = try OpenFile(
      directory.quarantine + "/" + name, .create, on: directory.disk)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + LineWindows.bufferBytes)
      try copy.write(try file.wholeRange(offset..<end), at: offset - range.lowerBound)
      offset = end
    }
    try copy.synchronizeAll()
    try Folder.synchronize(directory.quarantine, on: directory.disk)
    return name
  }
}

extension LedgerDirectory {
  /// Makes `quarantine/` unless it exists.
  ///
  /// - Throws: if it is a link: nothing of a ledger is written outside its folder.
  package func makeQuarantine() throws(IOFailure) {
    guard try !Folder.make(quarantine, on: disk) else { return }
    guard try Folder.status(of: quarantine, on: disk)?.kind == .folder else {
      throw IOFailure("use", quarantine, errorNumber: ENOTDIR)
    }
  }
}

/// Cuts bytes off the end of the log durably.
///
/// After a cut that was not synced, a power cut may mix the old bytes with those of the next append
/// into a whole but wrong line, which looks like damage. So nothing is written over a cut before it is
/// durable: a mark on the lock file announces the cut, and the next holder of the lock completes it.
/// A power cut may remove the mark, but then nothing was written over the bytes, and recovery finds
/// them.
struct LogCut {
  let file: OpenFile
  let lock: FileLock

  /// - Throws: the log may or may not be cut; if it may be, the mark is set.
  func perform(to sizeBytes: Int) throws(IOFailure) {
    try lock.mark(true)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    clearMark()
  }

  /// Makes another writer's cut durable; `sizeBytes` is the size of the file.
  func finish(at sizeBytes: Int) throws(IOFailure) {
    // After a failed sync the system may consider the size written. Growing the file by one byte and
    // cutting it again makes the size dirty.
    try file.truncate(to: sizeBytes + 1)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    clearMark()
  }

  /// If the mark remains, the next holder syncs once more than necessary.
  private func clearMark() { try? lock.mark(false) }
}
