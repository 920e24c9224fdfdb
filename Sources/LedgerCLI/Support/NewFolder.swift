import LedgerLog
import LedgerPlatform

/// Makes folders around a ledger, with the umask's permissions.
enum NewFolder {
  /// Makes a folder and its missing parents.
  static func make(_ path: String) throws(LogError) {
    if isFolder(path) { return }
    let above = parent(of: path)
    if above != path { try make(above) }
    // Another process may make it at the same time.
    guard mkdir(path, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else {
      throw .io(IOFailure("make", path))
    }
  }

  /// `.` for a bare name, `/` for the root.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    let parent = path[..<slash].reversed().drop { $0 == "/" }.reversed()
    return parent.isEmpty ? "/" : String(parent)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

enum HostName {
  /// This machine's name.
  static var current: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0, buffer[0] != 0 else { return "unnamed" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
