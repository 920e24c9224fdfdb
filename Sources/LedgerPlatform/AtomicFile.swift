/// Small private files that are replaced as a whole: settings, credentials.
public enum AtomicFile {
  /// Replaces a file atomically: after a crash it has the old or the new content. Only its owner
  /// can read it.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(IOFailure) {
    let (temporary, file) = try makeTemporary(for: path)
    // The temporary file stays locked until it is renamed.
    defer { withExtendedLifetime(file) {} }
    do throws(IOFailure) {
      try file.write(bytes, at: 0)
      try file.synchronizeAll()
      guard rename(temporary, path) == 0 else { throw IOFailure("replace", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try synchronizeName(of: path)
  }

  /// Makes a rename to this path durable.
  public static func synchronizeName(of path: String) throws(IOFailure) {
    try Folder.synchronize(Folder.parent(of: path), on: SystemDisk.shared)
  }

  /// The bytes of a file; `nil` when there is none.
  public static func read(_ path: String) throws(IOFailure) -> [UInt8]? {
    do {
      let file = try OpenFile(path, .read)
      return try file.bytes(in: 0..<(try file.size()))
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  public static func remove(_ path: String) throws(IOFailure) {
    try Folder.remove(path, on: SystemDisk.shared)
  }

  // MARK: Temporary files

  /// Creates a file with mode 0600 in the folder of the one that it will replace. It is locked while it
  /// is open, so that no other process removes it as a leftover. A file removed between its creation
  /// and its locking is created again. Leftovers of crashed writers are removed first, since they may
  /// hold tokens.
  public static func makeTemporary(
    for path: String
  ) throws(IOFailure) -> (path: String, file: OpenFile) {
    removeLeftovers(of: path)
    let disk = SystemDisk.shared
    while true {
      let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
      let file = try OpenFile(temporary, .create)
      do throws(IOFailure) {
        if try file.tryLock(),
          try file.identity() == OpenFile.identity(of: temporary, on: disk)
        {
          return (temporary, file)
        }
      } catch {
        unlink(temporary)
        throw error
      }
    }
  }

  /// Removes temporary files that no process has locked. Failures are ignored; `doctor` reports such
  /// files.
  private static func removeLeftovers(of path: String) {
    let folder = Folder.parent(of: path)
    let start = (path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]) + "."
    guard let names = try? SystemDisk.shared.names(in: folder) else { return }
    for name in names where name.hasPrefix(start) && isLeftover(name.dropFirst(start.count)) {
      let leftover = folder + "/" + name
      guard let file = try? OpenFile(leftover, .read) else { continue }
      if (try? file.tryLock()) == true { unlink(leftover) }
    }
  }

  /// Whether a name ends as those of ``makeTemporary(for:)``: `<process>.<number>.tmp`.
  private static func isLeftover(_ end: Substring) -> Bool {
    let parts = end.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[2] == "tmp"
      && parts[..<2].allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
  }
}

/// Replaces a derived file that is too large to be built in memory. A crash leaves the old or the new
/// file, and possibly a partial temporary one, which the next writer reuses.
public final class ReplacementFile {
  public let file: OpenFile
  private let temporary: String
  private let path: String
  private let disk: any Disk
  private var isCommitted = false

  /// - Parameters:
  ///   - temporary: the path of the file until it is finished; `nil` for `path` with `.tmp`.
  ///   - waitSeconds: how long to wait for another process that has locked the file.
  /// - Returns: `nil` if another process is writing one.
  package init?(
    _ path: String, temporary: String? = nil, waitSeconds: Int = 0, on disk: any Disk
  ) throws(IOFailure) {
    self.path = path
    self.disk = disk
    self.temporary = temporary ?? path + ".tmp"
    file = try OpenFile(self.temporary, .readWriteOrCreate, on: disk)
    let deadline = disk.monotonicNanoseconds() + UInt64(waitSeconds) * 1_000_000_000
    guard try FileLock.acquire(file, .exclusive, until: deadline),
      // Between opening and locking it may have been renamed to the finished file.
      try file.identity() == OpenFile.identity(of: self.temporary, on: disk)
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

  /// Renames it over the old file, durably.
  public func commit() throws(IOFailure) {
    try rename()
    try Folder.synchronize(Folder.parent(of: path), on: disk)
  }

  /// Renames it over the old file, which a power cut may restore.
  package func rename() throws(IOFailure) {
    guard try isNamed else { throw IOFailure("replace", path, errorNumber: ENOENT) }
    try Folder.rename(temporary, to: path, on: disk)
    isCommitted = true
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
