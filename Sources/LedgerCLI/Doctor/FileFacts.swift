import LedgerLog
import LedgerPlatform

/// What the system says of one file, links not followed.
struct FileFacts: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case regular, folder, link, other }

  var path: String
  var kind: Kind
  /// The nine permission bits and the three above them.
  var mode: UInt32
  var owner: UInt32
  var sizeBytes: Int

  /// The last part of the path.
  var name: String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// As `ls` and `chmod` write it: `0644`.
  static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// - Returns: `nil` when there is nothing of that name.
  static func of(_ path: String) throws(IOFailure) -> FileFacts? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let failure = IOFailure("look at", path)
      if failure.isMissing { return nil }
      throw failure
    }
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    return FileFacts(
      path: path, kind: kind, mode: UInt32(status.st_mode & 0o7777), owner: status.st_uid,
      sizeBytes: Int(status.st_size))
  }

  /// Whether there is nothing of that name for sure.
  static func isMissing(_ path: String) -> Bool {
    do throws(IOFailure) { return try of(path) == nil } catch { return false }
  }

  /// What a folder holds, by name; nothing when it is missing.
  static func inside(_ folder: String) throws(IOFailure) -> [FileFacts] {
    guard let stream = opendir(folder) else {
      let failure = IOFailure("list", folder)
      if failure.isMissing { return [] }
      throw failure
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    var found: [FileFacts] = []
    for name in names.sorted() {
      if let facts = try of(folder + "/" + name) { found.append(facts) }
    }
    return found
  }
}
