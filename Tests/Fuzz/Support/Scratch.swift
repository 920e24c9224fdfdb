import LedgerLog
import LedgerPlatform

/// A ledger's folder for all inputs of a run, in memory where there is any. `Tests/Fuzz/run` gives
/// its place and removes it: a program that was ended by a find cannot.
enum Scratch {
  static let ledger: LedgerDirectory = {
    let base = getenv("FUZZ_SCRATCH").map { String(cString: $0) } ?? "/tmp"
    let path = "\(base)/ledger-\(getpid())"
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { fatalError("cannot make \(path)") }
    return LedgerDirectory(path)
  }()

  /// Puts a file there, or takes it away.
  static func put(_ bytes: [UInt8]?, at path: String) {
    unlink(path)
    guard let bytes else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
      fatalError("cannot write \(path)")
    }
    close(descriptor)
  }

  static func get(_ path: String) -> [UInt8]? { (try? AtomicFile.read(path)) ?? nil }

  /// All that was set aside, and clears it away.
  static func takeQuarantine() -> [[UInt8]] {
    var found: [[UInt8]] = []
    guard let folder = opendir(ledger.quarantine) else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix(".") else { continue }
      let path = "\(ledger.quarantine)/\(name)"
      if let bytes = get(path) { found.append(bytes) }
      unlink(path)
    }
    return found
  }
}
