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
  private var isCommitted = false

  /// - Returns: `nil` when somebody else is making one.
  public init?(_ path: String) throws(IOFailure) {
    self.path = path
    temporary = path + ".tmp"
    file = try OpenFile(temporary, .readWriteOrCreate)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      isCommitted = true
      return nil
    }
    // Between opening and locking its name may have gone to the finished file.
    guard try file.identity() == OpenFile.identity(of: temporary) else {
      isCommitted = true
      return nil
    }
    try file.truncate(to: 0)
  }

  deinit {
    // Half-made: nobody is to find it.
    if !isCommitted { unlink(temporary) }
  }

  /// Returns only when what was written survives a power cut.
  public func synchronize() throws(IOFailure) { try file.synchronizeAll() }

  /// Takes the other's place.
  public func commit() throws(IOFailure) {
    guard rename(temporary, path) == 0 else { throw IOFailure("replace", path) }
    isCommitted = true
    try Folder.synchronize(Folder.parent(of: path))
  }
}

extension LogView {
  /// Whether the log's path still names the file that this view reads.
  package func isCurrent() throws(LogError) -> Bool {
    try logErrors { () throws(IOFailure) in
      try file.identity() == OpenFile.identity(of: directory.events)
    }
  }
}
