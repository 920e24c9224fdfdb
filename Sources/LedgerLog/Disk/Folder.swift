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
  static func make(_ path: String, on disk: any Disk) throws(IOFailure) -> Bool {
    do throws(SystemError) {
      try disk.makeFolder(path)
      return true
    } catch {
      if error.number == EEXIST { return false }
      throw IOFailure("make", path, errorNumber: error.number)
    }
  }

  static func exists(_ path: String, on disk: any Disk) -> Bool {
    do throws(SystemError) {
      return try disk.status(of: path, followsLinks: true).kind == .folder
    } catch {
      return false
    }
  }

  /// Makes what was created, renamed or removed in a folder survive a power cut.
  static func synchronize(_ path: String, on disk: any Disk) throws(IOFailure) {
    let descriptor = try uninterrupted("open", path) { () throws(SystemError) in
      try disk.open(path, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { disk.close(descriptor) }
    try uninterrupted("sync", path) { () throws(SystemError) in
      try disk.synchronize(descriptor)
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

  static func rename(
    _ path: String, to newPath: String, on disk: any Disk
  ) throws(IOFailure) {
    do throws(SystemError) {
      try disk.rename(path, to: newPath)
    } catch {
      throw IOFailure("make", newPath, errorNumber: error.number)
    }
  }

  static func remove(_ path: String, on disk: any Disk) throws(IOFailure) {
    do throws(SystemError) {
      try disk.remove(path)
    } catch {
      if error.number != ENOENT { throw IOFailure("remove", path, errorNumber: error.number) }
    }
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
}
