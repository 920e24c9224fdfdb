import LedgerPlatform

/// Files of a vendor's download: in a folder, at any depth, or in a zip.
package struct DownloadFiles {
  /// A file, or a member of a zip.
  struct File {
    /// The folder or zip.
    fileprivate var root: String
    fileprivate var isZipped: Bool
    /// The path inside.
    var path: String
    var name: String { ImportSource.file(path).name }
  }

  private static let deepest = 6
  private static let filesAtMost = 100_000

  /// For messages.
  let name: String
  /// Sorted by path.
  let files: [File]

  /// - Parameter isWanted: whether a file of this path is one of them.
  /// - Returns: `nil` for what is neither a folder nor a zip.
  /// - Throws: ``ImportError`` if the zip or a folder cannot be read.
  init?(_ path: String, where isWanted: (String) -> Bool) throws(ImportError) {
    name = ImportSource.file(path).name
    if ImportSource.file(path).isFolder {
      files = try Self.names(in: path, 0, isWanted).sorted()
        .map { File(root: path, isZipped: false, path: $0) }
    } else if ImportSource.file(path).sizeBytes != nil, try ZippedExport.isZip(path) {
      try ZippedExport.checkIsOpen(path, name)
      files = try ZippedExport.members(of: path, name).map(\.name).filter(isWanted).sorted()
        .map { File(root: path, isZipped: true, path: $0) }
    } else {
      return nil
    }
  }

  /// A single file.
  init(file path: String) {
    name = ImportSource.file(path).name
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    files = [
      File(root: folder.isEmpty ? "." : folder.joined(separator: "/"), isZipped: false, path: name)
    ]
  }

  /// Several downloads as one.
  init(_ parts: [DownloadFiles]) {
    name = parts.map(\.name).joined(separator: ", ")
    files = parts.flatMap(\.files).sorted { $0.path < $1.path }
  }

  private static func names(
    in folder: String, _ depth: Int, _ isWanted: (String) -> Bool
  ) throws(ImportError) -> [String] {
    func reading<Value>(
      _ body: () throws(IOFailure) -> Value
    ) throws(ImportError) -> Value {
      do throws(IOFailure) { return try body() } catch {
        throw ImportError(.unreadable, "\(error)")
      }
    }
    func kind(_ path: String, followsLinks: Bool) throws(ImportError) -> FileStatus.Kind? {
      try reading { () throws(IOFailure) in
        try Folder.status(of: path, followsLinks: followsLinks, on: SystemDisk.shared)?.kind
      }
    }
    var found: [String] = []
    let all = try reading { () throws(IOFailure) in
      try Folder.names(in: folder, on: SystemDisk.shared)
    }
    for name in all {
      let path = "\(folder)/\(name)"
      if isWanted(name) {
        // A link to nothing is reported when it is read; a pipe may never end.
        let kind = try kind(path, followsLinks: true)
        if kind == .file || kind == nil { found.append(name) }
      } else if depth < deepest, found.count < filesAtMost,
        try kind(path, followsLinks: false) == .folder
      {
        found += try names(in: path, depth + 1, isWanted).map { "\(name)/\($0)" }
      }
    }
    return found
  }
}

extension DownloadFiles.File {
  /// The content in pieces.
  ///
  /// - Throws: ``ImportError`` if the file cannot be read, or the zip not be opened; reading throws if
  ///   the zip is damaged or locked by a password.
  func stream(progress: ((Int) -> Void)? = nil) throws(ImportError) -> ByteStream {
    guard isZipped else {
      return try ByteStream(opening: .file("\(root)/\(path)"), progress: progress)
    }
    let zip = ImportSource.file(root).name
    return ByteStream(
      from: try UnzipProcess(
        ["-p", "-P", "none", "--", ZippedExport.operand(root), ZippedExport.pattern(path)],
        file: zip), name: path, progress: progress)
  }

  /// The content, which can be read several times: a member of a zip is unpacked to a temporary file.
  func source() throws(ImportError) -> ImportSource {
    guard isZipped else { return .file("\(root)/\(path)") }
    let copy = try TemporaryCopy(of: stream(), name: name)
    // Damage shows at the end, and each file would keep a process.
    try copy.complete()
    return .copy(copy)
  }
}
