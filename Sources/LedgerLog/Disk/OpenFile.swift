#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file descriptor that is closed with its last reference.
public final class OpenFile: LogFile {
  public enum Access: Sendable {
    case read
    case readWrite
    /// Makes the file, 0600, and refuses one that exists.
    case create
    /// Opens the file, or makes it, 0600.
    case readWriteOrCreate
  }

  public let path: String
  let descriptor: Int32

  /// Never follows a link in the last place and never blocks on a pipe: a ledger's file must be a
  /// regular one.
  public init(_ path: String, _ access: Access) throws(IOFailure) {
    let flags: Int32
    switch access {
    case .read: flags = O_RDONLY
    case .readWrite: flags = O_RDWR
    case .create: flags = O_RDWR | O_CREAT | O_EXCL
    case .readWriteOrCreate: flags = O_RDWR | O_CREAT
    }
    var opened: Int32
    repeat {
      opened = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw IOFailure("open", path) }
    self.path = path
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0 else { throw IOFailure("look at", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw IOFailure("use as a regular file", path, errorNumber: EINVAL)
    }
  }

  deinit { close(descriptor) }

  public func size() throws(IOFailure) -> Int { Int(try status().st_size) }

  public func identity() throws(IOFailure) -> FileIdentity { FileIdentity(try status()) }

  private func status() throws(IOFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw IOFailure("look at", path) }
    return status
  }

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(IOFailure) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw IOFailure("read", path)
      }
      done += count
    }
    return done
  }

  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(IOFailure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        throw IOFailure("write", path)
      }
      // A regular file that takes nothing and names no error would keep this loop for ever.
      guard count > 0 else { throw IOFailure("write", path, errorNumber: ENOSPC) }
      done += count
    }
  }

  public func truncate(to size: Int) throws(IOFailure) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      if errno != EINTR { throw IOFailure("cut", path) }
    }
  }

  public func synchronize() throws(IOFailure) {
    // EINTR is retried because nothing was reported lost; any other failure is final, since the
    // kernel may have dropped the pages it could not write.
    while true {
      #if canImport(Darwin)
        let result = fcntl(descriptor, F_FULLFSYNC)
      #else
        let result = fdatasync(descriptor)
      #endif
      if result == 0 { return }
      if errno != EINTR { throw IOFailure("sync", path) }
    }
  }

  /// Data and metadata: for new files, whose very existence must survive.
  func synchronizeAll() throws(IOFailure) {
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw IOFailure("sync", path) }
    }
    #if canImport(Darwin)
      try synchronize()
    #endif
  }

  /// What a path names now; `nil` for nothing.
  static func identity(of path: String) throws(IOFailure) -> FileIdentity? {
    var status = stat()
    if lstat(path, &status) == 0 { return FileIdentity(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw IOFailure("look at", path)
  }
}

extension FileIdentity {
  init(_ status: stat) {
    self.init(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }
}
