#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file in the making that takes another's place once it is complete, for derived files too large
/// to be built in memory: a crash leaves the old one or the new one, and a half-made one that the
/// next maker uses again.
public final class ReplacementFile {
  public let file: OpenFile
  private let temporary: String
  private let path: String
  private let disk: any Disk
  private var isCommitted = false

  /// - Returns: `nil` when somebody else is making one.
  package init?(_ path: String, on disk: any Disk) throws(IOFailure) {
    self.path = path
    self.disk = disk
    temporary = path + ".tmp"
    file = try OpenFile(temporary, .readWriteOrCreate, on: disk)
    guard try file.locksAlone(),
      // Between opening and locking its name may have gone to the finished file.
      try file.identity() == OpenFile.identity(of: temporary, on: disk)
    else {
      isCommitted = true
      return nil
    }
    try file.truncate(to: 0)
  }

  deinit {
    // Not finished, so it is removed.
    if !isCommitted, (try? isNamed) == true { try? Folder.remove(temporary, on: disk) }
  }

  /// Whether the temporary name is still this file's. An erasure removes the name, and another process
  /// may then use it for its own file.
  private var isNamed: Bool {
    get throws(IOFailure) {
      try file.identity() == OpenFile.identity(of: temporary, on: disk)
    }
  }

  /// Returns only when what was written survives a power cut.
  public func synchronize() throws(IOFailure) { try file.synchronizeAll() }

  /// Takes the other's place.
  public func commit() throws(IOFailure) {
    guard try isNamed else { throw IOFailure("replace", path, errorNumber: ENOENT) }
    try Folder.rename(temporary, to: path, on: disk)
    isCommitted = true
    try Folder.synchronize(Folder.parent(of: path), on: disk)
  }
}

extension LogView {
  /// Whether the log's path still names the file that this view reads.
  package func isCurrent() throws(LogError) -> Bool {
    try logErrors { () throws(IOFailure) in
      try file.identity() == OpenFile.identity(of: directory.events, on: directory.disk)
    }
  }
}

extension LedgerDirectory {
  /// Which file `views.snapshot` is now.
  package var snapshotIdentity: FileIdentity? {
    let identity: FileIdentity?? = try? OpenFile.identity(of: snapshot, on: disk)
    return identity ?? nil
  }

  /// Removes `views.snapshot` if it is still this file. The caller holds the log's lock exclusively.
  ///
  /// - Returns: false if it was already gone, or another file has replaced it.
  @discardableResult
  package func removeSnapshot(_ identity: FileIdentity?) throws(IOFailure) -> Bool {
    let current = try OpenFile.identity(of: snapshot, on: disk)
    guard let current, current == identity else { return false }
    try Folder.remove(snapshot, on: disk)
    return true
  }
}
