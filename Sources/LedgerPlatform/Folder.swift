/// Acts on folders and on files as wholes.
package enum Folder {
  /// Makes a folder that only its owner can enter.
  ///
  /// - Returns: false when something of that name exists.
  package static func make(_ path: String, on disk: any Disk) throws(IOFailure) -> Bool {
    do throws(SystemError) {
      try disk.makeFolder(path)
      return true
    } catch {
      if error.number == EEXIST { return false }
      throw IOFailure("make", path, errorNumber: error.number)
    }
  }

  /// Whether a path names a folder, through links too.
  ///
  /// - Throws: what the system said where it does not let one look, which is no answer.
  package static func exists(_ path: String, on disk: any Disk) throws(IOFailure) -> Bool {
    do throws(SystemError) {
      return try disk.status(of: path, followsLinks: true).kind == .folder
    } catch {
      let failure = IOFailure("look at", path, errorNumber: error.number)
      if failure.isMissing { return false }
      throw failure
    }
  }

  /// Makes what was created, renamed or removed in a folder survive a power cut.
  package static func synchronize(_ path: String, on disk: any Disk) throws(IOFailure) {
    let descriptor = try uninterrupted("open", path) { () throws(SystemError) in
      try disk.open(path, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { disk.close(descriptor) }
    try uninterrupted("sync", path) { () throws(SystemError) in
      try disk.synchronize(descriptor)
    }
  }

  /// The folder that holds what a path names, trailing slashes left out.
  package static func parent(of path: String) -> String {
    let end = path.lastIndex { $0 != "/" }
    guard let end, let slash = path[...end].lastIndex(of: "/") else {
      return path.hasPrefix("/") ? "/" : "."
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func rename(
    _ path: String, to newPath: String, on disk: any Disk
  ) throws(IOFailure) {
    do throws(SystemError) {
      try disk.rename(path, to: newPath)
    } catch {
      throw IOFailure("make", newPath, errorNumber: error.number)
    }
  }

  package static func remove(_ path: String, on disk: any Disk) throws(IOFailure) {
    do throws(SystemError) {
      try disk.remove(path)
    } catch {
      if error.number != ENOENT { throw IOFailure("remove", path, errorNumber: error.number) }
    }
  }
}
