import LedgerLog
import LedgerPlatform

/// A file that replaces an existing one only when it is complete; after an error, the old one
/// remains.
final class OutputFile {
  /// As given by the user.
  let path: String
  var bytes: Int { file.bytes }
  private let target: String
  private let file: AtomicFile

  /// - Parameter ledger: its own files are never overwritten.
  /// - Throws: a failure with exit code 2 for an unusable name, or with 1 if the system refuses.
  init(_ path: String, outside ledger: LedgerDirectory) throws {
    self.path = path
    target = try Self.target(path)
    let folder = Folder.parent(of: target)
    if Self.isSame(folder, ledger.path) || Self.isSame(folder, ledger.quarantine) {
      throw CommandFailure(
        .usage, "\(path) would lie among the ledger's own files",
        hint: "choose a place outside of \(ledger.path)")
    }
    do throws(IOFailure) {
      file = try AtomicFile(target, on: ledger.disk)
    } catch {
      var status = stat()
      guard error.errorNumber != ENOENT || stat(folder, &status) == 0 else {
        throw CommandFailure(
          .failed, "cannot write \(path): there is no folder \(folder)", code: "io")
      }
      throw LogError.io(IOFailure(error.operation, path, errorNumber: error.errorNumber))
    }
  }

  func write(_ more: UnsafeRawBufferPointer) throws(LogError) {
    try reporting { () throws(IOFailure) in try file.append(more) }
  }

  func write(_ bytes: [UInt8]) throws(LogError) {
    try reporting { () throws(IOFailure) in try file.append(bytes) }
  }

  func write(_ text: String) throws(LogError) { try write(Array(text.utf8)) }

  /// Renames the file to its path. Afterwards it survives a power failure.
  func commit() throws(LogError) {
    try reporting { () throws(IOFailure) in
      try file.synchronize()
      try file.commit()
    }
  }

  /// Failures name the user's path, which may be a link to the file.
  private func reporting(_ body: () throws(IOFailure) -> Void) throws(LogError) {
    do throws(IOFailure) {
      try body()
    } catch {
      throw .io(IOFailure(error.operation, path, errorNumber: error.errorNumber))
    }
  }

  /// Its `file:` URL; `nil` before ``commit()``.
  var url: String? {
    guard let whole = realpath(target, nil) else { return nil }
    defer { free(whole) }
    return "file://" + PercentEncoding.encode(String(cString: whole).utf8, keeping: "/")
  }

  /// The path after following links, so that a link stays a link.
  private static func target(_ path: String) throws -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if path.isEmpty || path.hasSuffix("/") { throw folder(path) }
      return path
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw folder(path)
    case S_IFREG: break
    default:
      throw CommandFailure(
        .usage, "\(path) is not a regular file; name another, or '-' for standard output")
    }
    guard let resolved = realpath(path, nil) else { throw LogError.io(IOFailure("inspect", path)) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func folder(_ path: String) -> CommandFailure {
    CommandFailure(
      .usage, path.isEmpty ? "-o names no file" : "\(path) is a folder; name a file in it",
      hint: path.isEmpty ? nil : "-o \(LedgerLocation.joined(path, "NAME"))")
  }

  /// An option that needs a file, where the output would go to standard output.
  static func needed(by option: String) -> CommandFailure {
    CommandFailure(.usage, "\(option) needs a file to write; name one with -o FILE")
  }

  private static func isSame(_ first: String, _ second: String) -> Bool {
    let places = [first, second].map { path in
      try? SystemDisk.shared.status(of: path, followsLinks: true).identity
    }
    return places[0] != nil && places[0] == places[1]
  }
}

extension OptionSpec {
  static func output(_ standard: String) -> OptionSpec {
    .value(
      "output", "FILE", short: "o",
      "the file to write, replaced if it is there; - is standard output (default: \(standard))")
  }
}

enum SizeText {
  /// `512 bytes`, `48 kB`, `1.2 MB`, in powers of a thousand.
  static func bytes(_ count: Int) -> String {
    if count < 1000 { return counted(count, "byte") }
    if count < 1_000_000 { return "\(NumberText.count((count + 500) / 1000)) kB" }
    return "\(NumberText.decimal(Double(count) / 1e6, decimals: 1, grouped: true)) MB"
  }
}
