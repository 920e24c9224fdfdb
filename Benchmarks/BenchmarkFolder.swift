import LedgerPlatform

/// A temporary folder for the logs, under `TMPDIR`, whose disk determines the cost of an append.
/// Without Foundation, unlike the tests' `TemporaryFolder`, because benchmarks measure start-up and
/// memory.
struct BenchmarkFolder {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/ledger-benchmarks-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(description: "no folder can be made in \(parent); set TMPDIR to one that can")
    }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// Ignores errors, which do not affect the measurements.
  func remove() { Self.remove(path) }

  static func remove(_ path: String) {
    for name in names(in: path) { remove(path + "/" + name) }
    if unlink(path) != 0 { rmdir(path) }
  }

  /// Empty if the path is not a folder.
  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// An error message.
struct Failure: Error, CustomStringConvertible {
  var description: String
}
