/// A file that takes a path only when it is complete: after a crash the path has the old or the new
/// content, if it was synced. Only its owner can read it. It is locked while it is made, so that no other process removes
/// it as a leftover, and removed if it is not committed.
package final class AtomicFile {
  package let file: OpenFile
  /// How much was appended.
  package private(set) var bytes = 0
  private let path: String
  private var isCommitted = false
  private var disk: any Disk { file.disk }

  /// A writer with a temporary file of its own: the last of several to commit wins. Leftovers of crashed
  /// writers are removed first, since they may hold tokens.
  package init(_ path: String, on disk: any Disk) throws(IOFailure) {
    self.path = path
    Self.removeLeftovers(of: path, on: disk)
    do throws(IOFailure) {
      file = try Self.makeTemporary(for: path, on: disk)
    } catch {
      throw IOFailure("write", path, errorNumber: error.errorNumber)
    }
  }

  /// The only writer at a time. The temporary file of a crashed one is used again.
  ///
  /// - Parameters:
  ///   - temporary: the path of the file until it is committed; `nil` for `path` with `.tmp`.
  ///   - waitSeconds: how long to wait for another process that has locked the file.
  /// - Returns: `nil` if another process is writing one.
  package init?(
    onlyWriterOf path: String, temporary: String? = nil, waitSeconds: Int = 0, on disk: any Disk
  ) throws(IOFailure) {
    self.path = path
    file = try OpenFile(temporary ?? path + ".tmp", .readWriteOrCreate, on: disk)
    let deadline = disk.monotonicNanoseconds() + UInt64(waitSeconds) * 1_000_000_000
    // Until it is locked, it may be another process's, and is not removed.
    isCommitted = true
    guard try FileLock.acquire(file, .exclusive, until: deadline),
      // Between opening and locking it may have been renamed to the finished file.
      try file.isNamed
    else { return nil }
    isCommitted = false
    try file.truncate(to: 0)
  }

  deinit {
    if !isCommitted, (try? file.isNamed) == true { try? Folder.remove(file.path, on: disk) }
  }

  package func append(_ more: UnsafeRawBufferPointer) throws(IOFailure) {
    try reporting("write") { () throws(IOFailure) in try file.write(more, at: bytes) }
    bytes += more.count
  }

  package func append(_ more: [UInt8]) throws(IOFailure) {
    try more.withUnsafeBufferPointer { more throws(IOFailure) in
      try append(UnsafeRawBufferPointer(more))
    }
  }

  /// What is appended next replaces what follows these bytes.
  package func rewind(to bytes: Int) { self.bytes = bytes }

  /// Returns only when what was written survives a power cut.
  package func synchronize() throws(IOFailure) {
    try reporting("sync") { () throws(IOFailure) in try file.synchronizeAll() }
  }

  /// Renames it over the old file, durably. Call ``synchronize()`` first.
  package func commit() throws(IOFailure) {
    try rename()
    try reporting("sync") { () throws(IOFailure) in
      try Folder.synchronize(Folder.parent(of: path), on: disk)
    }
  }

  /// Renames it over the old file, which a power cut may restore.
  package func rename() throws(IOFailure) {
    // An erasure removes the temporary name, and another process may then use it for its own file.
    guard try file.isNamed else { throw IOFailure("replace", path, errorNumber: ENOENT) }
    try reporting("replace") { () throws(IOFailure) in
      try Folder.rename(file.path, to: path, on: disk)
    }
    isCommitted = true
  }

  /// Failures name the file to be replaced, not the temporary one.
  private func reporting(
    _ operation: String, _ body: () throws(IOFailure) -> Void
  ) throws(IOFailure) {
    do throws(IOFailure) {
      try body()
    } catch {
      throw IOFailure(operation, path, errorNumber: error.errorNumber)
    }
  }

  // MARK: Whole files

  /// - Parameter isDurable: false for a cache, which a power cut may then leave incomplete.
  package static func replace(
    _ path: String, with bytes: [UInt8], on disk: any Disk = SystemDisk.shared,
    isDurable: Bool = true
  ) throws(IOFailure) {
    let file = try AtomicFile(path, on: disk)
    try file.append(bytes)
    guard isDurable else { return try file.rename() }
    try file.synchronize()
    try file.commit()
  }

  /// The bytes of a file; `nil` when there is none.
  ///
  /// - Parameter mostBytes: what it may have, so that no file fills the memory.
  package static func read(
    _ path: String, on disk: any Disk = SystemDisk.shared, mostBytes: Int = 64 << 20
  ) throws(IOFailure) -> [UInt8]? {
    do throws(IOFailure) {
      let file = try OpenFile(path, .read, on: disk)
      let size = try file.size()
      guard size <= mostBytes else { throw IOFailure("read", path, errorNumber: EFBIG) }
      return try file.bytes(in: 0..<size)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  // MARK: Temporary files

  /// A file removed as a leftover between its creation and its locking is created again.
  private static func makeTemporary(
    for path: String, on disk: any Disk
  ) throws(IOFailure) -> OpenFile {
    for _ in 0..<mostAttempts {
      let name = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
      let file = try OpenFile(name, .create, on: disk)
      do throws(IOFailure) {
        if try file.tryLock(), try file.isNamed { return file }
      } catch {
        try? Folder.remove(name, on: disk)
        throw error
      }
    }
    throw IOFailure("lock", path + ".*.tmp", errorNumber: EAGAIN)
  }

  /// Each failed one means that another process removed a file in the instant before it was locked.
  private static let mostAttempts = 100

  /// Removes temporary files that no process has locked. Failures are ignored; `doctor` reports such
  /// files.
  private static func removeLeftovers(of path: String, on disk: any Disk) {
    let folder = Folder.parent(of: path)
    let start = (path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]) + "."
    guard let names = try? disk.names(in: folder) else { return }
    for name in names where name.hasPrefix(start) && isLeftover(name.dropFirst(start.count)) {
      let leftover = folder + "/" + name
      guard let file = try? OpenFile(leftover, .read, on: disk) else { continue }
      if (try? file.tryLock()) == true { try? Folder.remove(leftover, on: disk) }
    }
  }

  /// Whether a name ends as those of ``makeTemporary(for:on:)``: `<process>.<number>.tmp`.
  private static func isLeftover(_ end: Substring) -> Bool {
    let parts = end.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[2] == "tmp"
      && parts[..<2].allSatisfy { !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }
  }
}

extension OpenFile {
  /// Whether the path still names this file.
  fileprivate var isNamed: Bool {
    get throws(IOFailure) { try identity() == Self.identity(of: path, on: disk) }
  }
}
