/// Operations on folders and on whole files.
package enum Folder {
  /// Creates a folder with mode 0700.
  ///
  /// - Returns: false if the name is taken.
  package static func make(_ path: String, on disk: any Disk) throws(IOFailure) -> Bool {
    do throws(SystemError) {
      try disk.makeFolder(path)
      return true
    } catch {
      if error.number == EEXIST { return false }
      throw IOFailure("make", path, errorNumber: error.number)
    }
  }

  /// Whether a path names a folder; follows links.
  ///
  /// - Throws: if the system does not allow the question.
  package static func exists(_ path: String, on disk: any Disk) throws(IOFailure) -> Bool {
    try status(of: path, followsLinks: true, on: disk)?.kind == .folder
  }

  /// What a path names; `nil` for nothing.
  package static func status(
    of path: String, followsLinks: Bool = false, on disk: any Disk
  ) throws(IOFailure) -> FileStatus? {
    do throws(SystemError) {
      return try disk.status(of: path, followsLinks: followsLinks)
    } catch {
      let failure = IOFailure("inspect", path, errorNumber: error.number)
      if failure.isMissing { return nil }
      throw failure
    }
  }

  /// The names in a folder, sorted; empty if there is no such folder.
  package static func names(in folder: String, on disk: any Disk) throws(IOFailure) -> [String] {
    do throws(IOFailure) {
      return try uninterrupted("list", folder) { () throws(SystemError) in
        try disk.names(in: folder)
      }.sorted()
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }

  /// Makes creations, renames and removals in a folder durable.
  package static func synchronize(_ path: String, on disk: any Disk) throws(IOFailure) {
    let descriptor = try uninterrupted("open", path) { () throws(SystemError) in
      try disk.open(path, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { disk.close(descriptor) }
    try uninterrupted("sync", path) { () throws(SystemError) in
      try disk.synchronize(descriptor)
    }
  }

  /// The parent folder of a path, without trailing slashes.
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
