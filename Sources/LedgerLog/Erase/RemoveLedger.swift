import LedgerPlatform

extension LedgerDirectory {
  /// Removes a ledger's files, and its folder if nothing else is in it.
  ///
  /// Only what a ledger makes is removed, and only regular files: never a stranger's, and nothing
  /// through a link. The log goes behind `head`, so that whoever is cut off in the middle leaves a
  /// ledger that opens, or none.
  ///
  /// - Returns: what is left, as paths inside the folder; empty when the folder is gone too.
  /// - Throws: ``LogError``; what was not removed by then is still there.
  public func removeLedger() throws(LogError) -> [String] {
    let lock = try FileLock(ledgerLock, .exclusive, on: disk)
    defer { withExtendedLifetime(lock) {} }
    return try logErrors { () throws(IOFailure) in
      for name in try FolderSweep.names(in: quarantine, disk) where FolderSweep.isCopy(name) {
        try removeFile("quarantine/" + name)
      }
      try removeFolder(quarantine)
      let names = try FolderSweep.names(in: path, disk)
      for name in names where Self.isTemporary(name) { try removeFile(name) }
      for name in [
        "credentials.json", "views.snapshot", "head", "events.jsonl", "settings.json",
        "listing.json", "verified", "auth.lock", "sync.lock", "ledger.lock",
      ] { try removeFile(name) }
      try Folder.synchronize(path, on: disk)
      let left = try FolderSweep.names(in: path, disk)
      if left.isEmpty { try removeFolder(path) }
      return left
    }
  }

  /// Whether a file of this name is one in the making.
  package static func isTemporary(_ name: String) -> Bool {
    if name == "views.snapshot.tmp" || name == "events.jsonl.new" { return true }
    return name.hasSuffix(".tmp")
      && ["settings.json.", "credentials.json.", "listing.json.", "verified."].contains {
        name.hasPrefix($0)
      }
  }

  private func removeFile(_ name: String) throws(IOFailure) {
    let path = path + "/" + name
    do throws(SystemError) {
      guard try disk.status(of: path, followsLinks: false).kind == .file else { return }
    } catch {
      let failure = IOFailure("look at", path, errorNumber: error.number)
      if failure.isMissing { return }
      throw failure
    }
    try Folder.remove(path, on: disk)
  }

  /// An empty one; where something is in it, or it is no folder, it stays.
  private func removeFolder(_ path: String) throws(IOFailure) {
    do throws(SystemError) {
      try disk.removeFolder(path)
    } catch {
      let failure = IOFailure("remove", path, errorNumber: error.number)
      guard failure.isMissing || failure.isOccupied else { throw failure }
    }
  }
}
