import LedgerLog
import LedgerPlatform

/// Makes folders around a ledger, with the umask's permissions.
enum NewFolder {
  /// Makes a folder and its missing parents.
  static func make(_ path: String) throws(LogError) {
    if isFolder(path) { return }
    let above = Folder.parent(of: path)
    if above != path { try make(above) }
    // Another process may make it at the same time.
    guard mkdir(path, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else {
      throw .io(IOFailure("make", path))
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? Folder.exists(path, on: SystemDisk.shared)) == true
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
