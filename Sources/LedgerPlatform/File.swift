/// A file operation that failed.
public struct IOFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation as a verb, such as `read`, `write` or `sync`.
  public var operation: String
  /// The file or folder.
  public var path: String
  /// The system's `errno`.
  public var errorNumber: Int32

  /// With the current `errno`.
  package init(_ operation: String, _ path: String) {
    self.init(operation, path, errorNumber: errno)
  }

  /// A failure of an operation on a path.
  ///
  /// - Parameters:
  ///   - operation: what failed, such as `open`.
  ///   - path: of what.
  ///   - errorNumber: a value of `errno`.
  public init(_ operation: String, _ path: String, errorNumber: Int32) {
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
  }

  /// Whether the file or folder does not exist.
  public var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

  /// Whether a folder is not empty.
  package var isOccupied: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

  public var description: String {
    "cannot \(operation) \(path): \(SystemError(errorNumber))"
  }
}

/// An open file, closed with its last reference. Interrupted and short calls are completed: a write
/// is whole or an error.
package final class OpenFile: Sendable {
  package enum Access: Sendable {
    case read
    case readWrite
    /// Creates the file with mode 0600; fails if it exists.
    case create
    /// Opens the file, or creates it with mode 0600.
    case readWriteOrCreate

    fileprivate var flags: Int32 {
      switch self {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_EXCL
      case .readWriteOrCreate: O_RDWR | O_CREAT
      }
    }
  }

  package let path: String
  package let disk: any Disk
  package let descriptor: Int32

  /// Opens a regular file. Does not follow a symbolic link at the end of the path, nor block on a
  /// pipe.
  package convenience init(_ path: String, _ access: Access) throws(IOFailure) {
    try self.init(path, access, on: SystemDisk.shared)
  }

  package init(_ path: String, _ access: Access, on disk: any Disk) throws(IOFailure) {
    let flags = access.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    self.path = path
    self.disk = disk
    descriptor = try uninterrupted("open", path) { () throws(SystemError) in
      try disk.open(path, flags: flags)
    }
    guard try status().kind == .file else {
      throw IOFailure("use as a regular file", path, errorNumber: EINVAL)
    }
  }

  deinit { disk.close(descriptor) }

  /// Makes a file in `$TMPDIR`, or in `/tmp`, and unlinks it at once: no other process can open it,
  /// and a crash leaves nothing.
  package static func makeTemporary() throws(IOFailure) -> OpenFile {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let name = "ledger-\(UInt64.random(in: 0 ... .max))"
    let file = try OpenFile("\(folder.isEmpty ? "/tmp" : folder)/\(name)", .create)
    unlink(file.path)
    return file
  }

  package func size() throws(IOFailure) -> Int { try status().size }

  /// Compare it with ``identity(of:on:)`` to see whether a path still names this file.
  package func identity() throws(IOFailure) -> FileIdentity { try status().identity }

  package func status() throws(IOFailure) -> FileStatus {
    try uninterrupted("inspect", path) { () throws(SystemError) in
      try disk.status(of: descriptor)
    }
  }

  /// Reads at most `buffer.count` bytes from `offset`; fewer only at the file's end.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(IOFailure) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try uninterrupted("read", path) { () throws(SystemError) in
        try disk.read(descriptor, into: rest, at: offset + done)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// The bytes of a range, fewer at the file's end.
  package func bytes(in range: Range<Int>) throws(IOFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(IOFailure) in
      try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// All bytes of a range that the file must hold; fewer are an error.
  package func wholeRange(_ range: Range<Int>) throws(IOFailure) -> [UInt8] {
    let bytes = try bytes(in: range)
    guard bytes.count == range.count else { throw IOFailure("read", path, errorNumber: EIO) }
    return bytes
  }

  package func write(_ bytes: [UInt8], at offset: Int) throws(IOFailure) {
    try bytes.withUnsafeBufferPointer { buffer throws(IOFailure) in
      try write(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(IOFailure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try uninterrupted("write", path) { () throws(SystemError) in
        try disk.write(descriptor, rest, at: offset + done)
      }
      // A write of nothing without an error would repeat this loop forever.
      guard count > 0 else { throw IOFailure("write", path, errorNumber: ENOSPC) }
      done += count
    }
    if bytes.count >= Self.largeBytes {
      disk.startWriting(descriptor, offset..<offset + bytes.count)
    }
  }

  /// From this size on the device starts with a write at once. Left to the sync, the writes of a long
  /// copy would come all together, and the syncs of other processes would wait for them.
  private static let largeBytes = 1 << 19

  package func truncate(to size: Int) throws(IOFailure) {
    try uninterrupted("cut", path) { () throws(SystemError) in
      try disk.truncate(descriptor, to: size)
    }
  }

  /// Returns only when the bytes survive a power cut, as far as the system reports the truth.
  package func synchronize() throws(IOFailure) {
    // EINTR is retried because nothing was reported lost; any other failure is final, since the
    // kernel may have dropped the pages it could not write.
    try uninterrupted("sync", path) { () throws(SystemError) in
      try disk.synchronizeData(descriptor)
    }
  }

  /// Data and metadata: for new files, whose very existence must survive.
  package func synchronizeAll() throws(IOFailure) {
    try uninterrupted("sync", path) { () throws(SystemError) in
      try disk.synchronize(descriptor)
    }
    #if canImport(Darwin)
      try synchronize()
    #endif
  }

  /// The identity of what a path names now; `nil` for nothing.
  package static func identity(
    of path: String, on disk: any Disk
  ) throws(IOFailure) -> FileIdentity? {
    try Folder.status(of: path, on: disk)?.identity
  }
}
