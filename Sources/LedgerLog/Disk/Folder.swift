#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Acts on folders and on files as wholes.
enum Folder {
  /// Makes a folder that only its owner can enter.
  ///
  /// - Returns: false when something of that name exists.
  static func make(_ path: String) throws(IOFailure) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw IOFailure("make", path)
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes what was created, renamed or removed in a folder survive a power cut.
  static func synchronize(_ path: String) throws(IOFailure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw IOFailure("open", path) }
    defer { close(descriptor) }
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw IOFailure("sync", path) }
    }
  }

  /// The folder that holds what a path names, trailing slashes left out.
  static func parent(of path: String) -> String {
    let end = path.lastIndex { $0 != "/" }
    guard let end, let slash = path[...end].lastIndex(of: "/") else {
      return path.hasPrefix("/") ? "/" : "."
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func remove(_ path: String) throws(IOFailure) {
    if unlink(path) != 0, errno != ENOENT { throw IOFailure("remove", path) }
  }
}

/// Small private files that are replaced as wholes: settings, credentials.
public enum WholeFile {
  /// Replaces a file so that a crash leaves the old or the new one, never a mixture, and so that
  /// only its owner can read it.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(IOFailure) {
    let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
    let file = try OpenFile(temporary, .create)
    do throws(IOFailure) {
      try file.write(bytes, at: 0)
      try file.synchronizeAll()
      guard rename(temporary, path) == 0 else { throw IOFailure("replace", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try Folder.synchronize(Folder.parent(of: path))
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

  public static func remove(_ path: String) throws(IOFailure) { try Folder.remove(path) }
}
