import LedgerPlatform

/// The files of a download of Google Takeout that importers read: in a folder of it, at any depth, or
/// in the zip.
package struct TakeoutFiles {
  private static let deepest = 6
  private static let filesAtMost = 100_000

  /// For messages.
  let name: String
  /// Paths inside, sorted.
  let paths: [String]
  private let root: String
  private let isZip: Bool

  /// - Returns: `nil` for something else.
  /// - Throws: ``ImportError`` if the zip or a folder cannot be read.
  package init?(_ path: String) throws(ImportError) {
    root = path
    name = ImportSource.file(path).name
    if ImportSource.file(path).isFolder {
      isZip = false
      paths = try Self.names(in: path, depth: 0).sorted()
    } else {
      guard ImportSource.file(path).sizeBytes != nil, try ZippedExport.isZip(path) else {
        return nil
      }
      isZip = true
      paths = try ZippedExport.members(of: path, name).map(\.name)
        .filter { Self.isWanted($0) }.sorted()
    }
    guard !paths.isEmpty else { return nil }
  }

  private static func isWanted(_ path: String) -> Bool {
    FitbitTakeout.isKnown(fileName(path)) || isFitTable(path) || isProfile(path)
  }

  private static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Google Fit's table of days; in other languages its folder has another name, and the file too.
  static func isFitTable(_ path: String) -> Bool { fileName(path) == "Daily activity metrics.csv" }

  /// Fitbit's profile, with the account's units.
  static func isProfile(_ path: String) -> Bool { fileName(path) == "Profile.csv" }

  private static func names(in folder: String, depth: Int) throws(ImportError) -> [String] {
    var found: [String] = []
    do throws(IOFailure) {
      for name in try Folder.names(in: folder, on: SystemDisk.shared) {
        if isWanted(name) {
          found.append(name)
        } else if depth < deepest, found.count < filesAtMost,
          try Folder.status(of: "\(folder)/\(name)", on: SystemDisk.shared)?.kind == .folder
        {
          do throws(ImportError) {
            found += try names(in: "\(folder)/\(name)", depth: depth + 1).map { "\(name)/\($0)" }
          } catch {
            throw IOFailure("read", "\(folder)/\(name)", errorNumber: EIO)
          }
        }
      }
    } catch {
      throw ImportError(.unreadable, "\(error)")
    }
    return found
  }

  /// The content of a file.
  ///
  /// - Throws: ``ImportError`` if the zip is damaged or locked by a password.
  func source(_ path: String) throws(ImportError) -> ImportSource {
    guard isZip else { return .file("\(root)/\(path)") }
    let stream = ByteStream(
      from: try UnzipProcess(
        ["-p", "-P", "none", "--", ZippedExport.operand(root), ZippedExport.pattern(path)],
        file: name), name: path)
    var bytes: [UInt8] = []
    while case let piece = try stream.next(), !piece.isEmpty { bytes += piece }
    return .bytes(bytes, name: Self.fileName(path))
  }
}
