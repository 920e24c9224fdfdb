/// Small private files that are replaced as wholes: settings, credentials.
public enum AtomicFile {
  /// Replaces a file so that a crash leaves the old or the new one, never a mixture, and so that
  /// only its owner can read it.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(IOFailure) {
    let (temporary, file) = try makeTemporary(for: path)
    // Locked until it has its name.
    defer { withExtendedLifetime(file) {} }
    do throws(IOFailure) {
      try file.write(bytes, at: 0)
      try file.synchronizeAll()
      guard rename(temporary, path) == 0 else { throw IOFailure("replace", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try keepName(of: path)
  }

  /// Makes a file's name survive a power cut.
  public static func keepName(of path: String) throws(IOFailure) {
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

  // MARK: Halves

  /// A new file beside the one that it is to replace, 0600 and locked for as long as it is open, so
  /// that nobody takes it for a leftover. Between its making and its locking somebody may: then
  /// another one is made. What writers left who died in the middle goes before: half a file of
  /// credentials holds tokens.
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

  /// Removes what nobody has locked. A file that cannot be looked at, or not be removed, is nobody's
  /// concern here: `doctor` tells of it.
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

  /// `<process>.<number>.tmp`: anything else is somebody else's.
  private static func isLeftover(_ end: Substring) -> Bool {
    let parts = end.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[2] == "tmp"
      && parts[..<2].allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
  }
}

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
    guard try file.tryLock(),
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

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
