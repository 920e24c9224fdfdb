import LedgerPlatform

/// Finds other files in a ledger's folder that contain content to be erased: copies that recovery
/// and repairs moved to `quarantine/`, and files that the ledger did not write.
///
/// The log, the snapshot and their temporary files are skipped: erasing replaces or removes them.
package struct FolderSweep: Sendable {
  /// Copies that the ledger made and can remove, as paths inside its folder.
  package private(set) var copies: [String] = []
  /// Files that the ledger did not write; the user must decide about them.
  package private(set) var foreignFiles: [String] = []
  private let directory: LedgerDirectory
  private let texts: [[UInt8]]
  /// The files that were searched, as they were then.
  private var searched: [String: FileStatus] = [:]

  /// - Parameter texts: the content to search for; empty texts are ignored.
  package init(_ directory: LedgerDirectory, repeating texts: [[UInt8]]) throws(LogError) {
    self.directory = directory
    self.texts = texts.filter { !$0.isEmpty }
    try repeatSearch()
  }

  /// Searches the files that are new or have changed since the last search.
  package mutating func repeatSearch() throws(LogError) {
    do throws(IOFailure) {
      for name in try Folder.names(in: directory.path, on: directory.disk)
      where !LedgerDirectory.isOwn(name) {
        if try hasNewContent(name) { foreignFiles.append(name) }
      }
      for name in try Folder.names(in: directory.quarantine, on: directory.disk) {
        let path = "quarantine/" + name
        guard try hasNewContent(path) else { continue }
        if Self.isCopy(name) { copies.append(path) } else { foreignFiles.append(path) }
      }
    } catch {
      throw .io(error)
    }
  }

  /// Whether a file holds the content and was not found before.
  private mutating func hasNewContent(_ name: String) throws(IOFailure) -> Bool {
    let path = directory.path + "/" + name
    let status = try Folder.status(of: path, on: directory.disk)
    guard let status, status.kind == .file, searched.updateValue(status, forKey: name) != status,
      !copies.contains(name), !foreignFiles.contains(name)
    else { return false }
    do throws(IOFailure) {
      return try Self.file(path, holdsOneOf: texts, directory.disk)
    } catch {
      // Another process removed or renamed it since: every check writes a temporary file.
      if error.isMissing { return false }
      throw error
    }
  }

  /// Removes the copies, durably.
  package func removeCopies() throws(LogError) {
    guard !copies.isEmpty else { return }
    try logErrors { () throws(IOFailure) in
      for name in copies {
        try Folder.remove(directory.path + "/" + name, on: directory.disk)
      }
      try Folder.synchronize(directory.quarantine, on: directory.disk)
    }
  }

  /// Torn tails, and files that a repair moved to `quarantine/`: `NAME-<uuid>`.
  fileprivate static func isCopy(_ name: String) -> Bool {
    if name.hasPrefix("events-"), name.hasSuffix(".torn") { return true }
    return ["events.jsonl", "head", "views.snapshot", "settings.json"].contains {
      name.hasPrefix($0)
    }
  }

  private static func file(
    _ path: String, holdsOneOf texts: [[UInt8]], _ disk: any Disk
  ) throws(IOFailure) -> Bool {
    let file = try OpenFile(path, .read, on: disk)
    let size = try file.size()
    let overlap = (texts.map(\.count).max() ?? 1) - 1
    var offset = 0
    while offset < size {
      let end = min(size, offset + LineWindows.bufferBytes + overlap)
      let bytes = try file.bytes(in: offset..<end)
      if texts.contains(where: { bytes.holds($0) }) { return true }
      if end == size || bytes.count < end - offset { return false }
      offset = end - overlap
    }
    return false
  }
}

extension LedgerDirectory {
  /// Removes a ledger's files, and its folder if that is empty then.
  ///
  /// Removes only regular files that a ledger writes, and follows no links. `head` is removed before
  /// the log, so that an interrupted removal leaves a ledger that opens, or none.
  ///
  /// - Returns: the files left, as paths inside the folder; empty if the folder was removed.
  package func removeLedger() throws(LogError) -> [String] {
    let lock = try FileLock(ledgerLock, .exclusive, on: disk)
    defer { withExtendedLifetime(lock) {} }
    return try logErrors { () throws(IOFailure) in
      for name in try Folder.names(in: quarantine, on: disk) where FolderSweep.isCopy(name) {
        try removeFile("quarantine/" + name)
      }
      try removeFolderIfEmpty(quarantine)
      let names = try Folder.names(in: path, on: disk)
      for name in names where Self.isTemporary(name) { try removeFile(name) }
      for name in Self.fileNames { try removeFile(name) }
      try Folder.synchronize(path, on: disk)
      let left = try Folder.names(in: path, on: disk)
      if left.isEmpty { try removeFolderIfEmpty(path) }
      return left
    }
  }

  /// The names of a ledger's files, in the order in which they are removed with it.
  package static let fileNames = [
    "credentials.json", "views.snapshot", "head", "events.jsonl", "settings.json", "listing.json",
    "verified", "auth.lock", "sync.lock", "ledger.lock",
  ]

  /// Whether an erasure handles a file of this name itself, or it never has content of events.
  fileprivate static func isOwn(_ name: String) -> Bool {
    fileNames.contains(name)
      || ["events.jsonl.new", "views.snapshot.tmp", "quarantine"].contains(name)
  }

  package static func isTemporary(_ name: String) -> Bool {
    if name == "views.snapshot.tmp" || name == "events.jsonl.new" { return true }
    return name.hasSuffix(".tmp")
      && ["settings.json.", "credentials.json.", "listing.json.", "verified."].contains {
        name.hasPrefix($0)
      }
  }

  private func removeFile(_ name: String) throws(IOFailure) {
    let path = path + "/" + name
    if try Folder.status(of: path, on: disk)?.kind == .file { try Folder.remove(path, on: disk) }
  }

  private func removeFolderIfEmpty(_ path: String) throws(IOFailure) {
    do throws(SystemError) {
      try disk.removeFolder(path)
    } catch {
      let failure = IOFailure("remove", path, errorNumber: error.number)
      guard failure.isMissing || failure.isOccupied else { throw failure }
    }
  }
}

extension [UInt8] {
  fileprivate func holds(_ text: [UInt8]) -> Bool {
    guard let first = text.first, count >= text.count else { return false }
    return withUnsafeBufferPointer { bytes in
      text.withUnsafeBufferPointer { text in
        for start in 0...(bytes.count - text.count) where bytes[start] == first {
          if memcmp(bytes.baseAddress! + start, text.baseAddress!, text.count) == 0 { return true }
        }
        return false
      }
    }
  }
}
