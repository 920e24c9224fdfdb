#if os(Linux)
  import CProcess
#endif

/// The system calls that the log makes, one method each, so that tests can simulate a disk.
/// Interrupted and short calls are returned as they are: the caller handles them.
package protocol Disk: AnyObject, Sendable {
  /// - Parameter flags: those of `open(2)`; a new file has mode 0600.
  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32
  func close(_ descriptor: Int32)
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus
  func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus
  /// - Returns: 0 at the file's end.
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  /// Starts writing these bytes to the device, usually without waiting for it. Only a hint.
  func startWriting(_ descriptor: Int32, _ range: Range<Int>)
  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError)
  /// As `fdatasync(2)`: the bytes and the size.
  func synchronizeData(_ descriptor: Int32) throws(SystemError)
  /// As `fsync(2)`: data and metadata of a file, or the names in a folder.
  func synchronize(_ descriptor: Int32) throws(SystemError)
  /// Creates a folder with mode 0700.
  func makeFolder(_ path: String) throws(SystemError)
  func rename(_ path: String, to newPath: String) throws(SystemError)
  func remove(_ path: String) throws(SystemError)
  /// Removes an empty folder.
  func removeFolder(_ path: String) throws(SystemError)
  /// The names in a folder without `.` and `..`, in no particular order.
  func names(in folder: String) throws(SystemError) -> [String]
  /// - Parameter operation: that of `flock(2)`.
  func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError)

  /// A monotonic clock, and a pause, for waiting for a lock.
  func monotonicNanoseconds() -> UInt64
  func nap(microseconds: UInt32)
}

/// A value of `errno`.
package struct SystemError: Error, Hashable, CustomStringConvertible, Sendable {
  package var number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The system's own words within a sentence, as "no such file or directory".
  package var description: String {
    let words = strerror(number).map { String(cString: $0) } ?? "error \(number)"
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}

package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case file, folder, link, other }

  package var kind: Kind
  package var size: Int
  package var identity: FileIdentity
  /// When the content was last modified, in nanoseconds since 1970, as precise as the file system.
  package var modifiedNanoseconds: Int64 = 0
  /// The permissions, setuid, setgid and sticky bits.
  package var mode: UInt32 = 0
  package var owner: UInt32 = 0
  package var group: UInt32 = 0

  package init(kind: Kind, size: Int, identity: FileIdentity) {
    self.kind = kind
    self.size = size
    self.identity = identity
  }
}

/// Identifies a file for as long as it exists.
public struct FileIdentity: Hashable, Sendable {
  /// The file system's number.
  public var device: UInt64
  /// The file's number there.
  public var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// Repeats a call while signals interrupt it; any other error becomes an ``IOFailure``.
package func uninterrupted<Result>(
  _ operation: String, _ path: String, _ call: () throws(SystemError) -> Result
) throws(IOFailure) -> Result {
  while true {
    do throws(SystemError) {
      return try call()
    } catch {
      if error.number != EINTR { throw IOFailure(operation, path, errorNumber: error.number) }
    }
  }
}

/// The files of this machine.
package final class SystemDisk: Disk {
  package static let shared = SystemDisk()

  private init() {}

  package func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    try Self.checked(systemOpen(path, flags, 0o600))
  }

  package func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try Self.checked(fstat(descriptor, &status))
    return FileStatus(status)
  }

  package func status(
    of path: String, followsLinks: Bool
  ) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try Self.checked(followsLinks ? stat(path, &status) : lstat(path, &status))
    return FileStatus(status)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try Self.checked(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try Self.checked(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  package func startWriting(_ descriptor: Int32, _ range: Range<Int>) {
    #if os(Linux)
      _ = cprocess_start_writing(descriptor, Int64(range.lowerBound), Int64(range.count))
    #endif
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    _ = try Self.checked(ftruncate(descriptor, off_t(size)))
  }

  package func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) == -1 else { return }
      // Network volumes do not have it.
      guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { throw SystemError(errno) }
      _ = try Self.checked(fsync(descriptor))
    #else
      _ = try Self.checked(fdatasync(descriptor))
    #endif
  }

  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    _ = try Self.checked(fsync(descriptor))
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    _ = try Self.checked(mkdir(path, 0o700))
  }

  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    _ = try Self.checked(systemRename(path, newPath))
  }

  package func remove(_ path: String) throws(SystemError) {
    _ = try Self.checked(unlink(path))
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    _ = try Self.checked(rmdir(path))
  }

  package func names(in folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw SystemError(errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // `readdir` returns nil at the end and on an error; only an error sets `errno`.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw SystemError(errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  package func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError) {
    _ = try Self.checked(flock(descriptor, operation))
  }

  package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  package func nap(microseconds: UInt32) { usleep(microseconds) }

  private static func checked<Value: SignedInteger>(_ value: Value) throws(SystemError) -> Value {
    guard value >= 0 else { throw SystemError(errno) }
    return value
  }
}

// Inside the class its own methods hide the C library's functions of the same names.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }

extension FileStatus {
  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    self.init(
      kind: kind, size: Int(status.st_size),
      identity: FileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino)))
    modifiedNanoseconds = Int64(modified.tv_sec) * 1_000_000_000 + Int64(modified.tv_nsec)
    mode = UInt32(status.st_mode & 0o7777)
    (owner, group) = (status.st_uid, status.st_gid)
  }
}
