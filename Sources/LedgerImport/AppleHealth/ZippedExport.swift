import LedgerPlatform

/// The export in a zip that the Health app has made.
///
/// The folder is always `apple_health_export`; the file is `export.xml`, or that word in the
/// phone's language. Next to it is `export_cda.xml`, the same data for doctors.
///
/// `unzip` cannot extract one file with a non-ASCII name reliably: it may list another name than is
/// stored, and a pattern may match other files. So all XML files are unpacked together, by ASCII
/// patterns, and separated by their sizes.
package struct ZippedExport: Sendable {
  package let path: String
  /// The export's uncompressed size.
  package var unpackedBytes: Int { export.member.bytes }
  /// For messages: `export.xml in export.zip`.
  package let name: String
  private let unpacking: Unpacking
  private let export: Unpacking.Part

  /// Whether a file is a zip, by its first bytes.
  ///
  /// - Throws: ``ImportError`` if it cannot be opened.
  package static func isZip(_ path: String) throws(ImportError) -> Bool {
    let file = try openToRead(path)
    defer { close(file) }
    var status = stat()
    if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw ImportError(.unfit, "\(path) is a folder; name the export.zip, or the export.xml in it")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return false }
    var mark: [UInt8] = [0, 0, 0, 0]
    var count = pread(file, &mark, 4, 0)
    while count < 0, errno == EINTR { count = pread(file, &mark, 4, 0) }
    return count == 4 && mark == Array("PK\u{3}\u{4}".utf8)
  }

  /// - Throws: ``ImportError`` if the zip is encrypted.
  static func checkIsOpen(_ path: String, _ zip: String) throws(ImportError) {
    let first = try ByteStream(opening: .file(path), chunkBytes: 4096).next()
    if ForeignFile.isLockedZip(first) { throw ForeignFile.lockedZip(named: zip) }
  }

  /// Finds the export in the zip.
  ///
  /// - Throws: ``ImportError`` if there is none, or several.
  package init(_ path: String) throws(ImportError) {
    let zip = ImportSource.file(path).name
    try Self.checkIsOpen(path, zip)
    let members = try Self.members(of: path, zip)
    if let advice = Self.advice(about: members) {
      throw ImportError(.unfit, "\(zip) \(advice)")
    }
    let unpacking = Unpacking(of: members)
    var exports = unpacking.candidates
    if exports.count > 1 { exports = try Self.healthData(among: unpacking, path, zip) }
    let plain = exports.filter {
      $0.member.name.lowercased().split(separator: "/").last == "export.xml"
    }
    if !plain.isEmpty { exports = plain }
    guard let only = exports.first, exports.count == 1 else {
      let found = members.prefix(5).map { quoted($0.name) }.joined(separator: ", ")
      throw ImportError(
        .unfit,
        exports.isEmpty
          ? "\(zip) has no export.xml in it, so it is not an export of Apple's Health app; it holds "
            + (members.isEmpty ? "nothing" : found)
          : "\(zip) has several files that may be the export ("
            + exports.prefix(5).map { quoted($0.member.name) }.joined(separator: ", ")
            + "); unpack it and import one of them")
    }
    self.path = path
    self.unpacking = unpacking
    export = only
    name = "\(ImportSource.file(only.member.name).name) in \(zip)"
  }

  /// What to do with a zip that another program has made; `nil` if it may be the Health app's.
  private static func advice(about members: [Member]) -> String? {
    let names = members.map(\.name)
    if ["xl/workbook.xml", "content.xml", "META-INF/manifest.xml"].contains(where: names.contains) {
      return ForeignFile.workbook
    }
    func files(_ suffix: String) -> [String] {
      names.filter { $0.lowercased().hasSuffix(suffix) && !$0.hasPrefix("__MACOSX/") }
    }
    func shown(_ names: [String]) -> String {
      names.prefix(3).map(quoted).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }
    guard files(".xml").isEmpty else { return nil }
    let (tables, lists) = (files(".csv"), files(".json"))
    if !tables.isEmpty {
      return "holds CSV files (\(shown(tables))); unpack it and import them"
    }
    guard !lists.isEmpty else { return nil }
    return "holds JSON (\(shown(lists))) and no export of Apple's Health app; if it is the old "
      + "app's, unpack it and import the file as the old app's"
  }

  struct Member: Hashable {
    var name: String
    var bytes: Int
  }

  /// What `unzip` is asked to write, concatenated.
  struct Unpacking {
    struct Part: Hashable {
      var member: Member
      /// The offset in `unzip`'s output.
      var offsetBytes: Int
    }

    /// At most one folder deep, as the export is.
    private(set) var candidates: [Part] = []
    private var patterns: Set<String> = []
    private var excluded: Set<String> = []

    /// All XML files except those for doctors and macOS's metadata.
    init(of members: [Member]) {
      var offset = 0
      for member in members where member.name.lowercased().hasSuffix(".xml") {
        let name = member.name.lowercased()
        if name.hasSuffix("_cda.xml") {
          excluded.insert("*" + member.name.suffix(8))
        } else if name.hasPrefix("__macosx/") {
          excluded.insert(member.name.prefix(9) + "*")
        } else {
          patterns.insert("*" + member.name.suffix(4))
          if name.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= 1 {
            candidates.append(Part(member: member, offsetBytes: offset))
          }
          offset += member.bytes
        }
      }
    }

    /// The arguments after the zip's path.
    var words: [String] {
      patterns.sorted() + (excluded.isEmpty ? [] : ["-x"] + excluded.sorted())
    }
  }

  /// The candidates whose root element is `<HealthData>`.
  private static func healthData(
    among unpacking: Unpacking, _ path: String, _ zip: String
  ) throws(ImportError) -> [Unpacking.Part] {
    let stream = ByteStream(from: try unzip(path, unpacking), name: zip)
    var heads = unpacking.candidates.map { _ in [UInt8]() }
    var offset = 0
    while case let piece = try stream.next(), !piece.isEmpty {
      for (index, part) in unpacking.candidates.enumerated() {
        let head = part.offsetBytes..<part.offsetBytes + min(part.member.bytes, longestHeadBytes)
        let wanted = head.clamped(to: offset..<offset + piece.count)
        heads[index] += piece[wanted.lowerBound - offset..<wanted.upperBound - offset]
      }
      offset += piece.count
    }
    return unpacking.candidates.indices.filter { isHealthData(heads[$0]) }
      .map { unpacking.candidates[$0] }
  }

  /// The document type before the root takes several kilobytes.
  static let longestHeadBytes = 1 << 18

  static func isHealthData(_ head: [UInt8]) -> Bool {
    var tag = XMLTag()
    guard let stream = try? ByteStream(opening: .bytes(head, name: "")) else { return false }
    var reader = XMLReader(stream, name: "")
    return (try? reader.next(&tag)) == true && tag.isNamed("HealthData")
  }

  static func members(of path: String, _ zip: String) throws(ImportError) -> [Member] {
    let stream = ByteStream(
      from: try UnzipProcess(["-lqq", "--", operand(path)], file: zip), name: zip)
    var listing: [UInt8] = []
    while true {
      let piece = try stream.next()
      if piece.isEmpty { break }
      // Bounds memory for a zip with very many files.
      if listing.count < 1 << 24 { listing += piece }
    }
    return listing.split(separator: UInt8(ascii: "\n")).compactMap(member(ofLine:))
  }

  /// 1 TiB: the sizes of all members have a sum.
  private static let largestMemberBytes = 1 << 40

  /// `  123456  2026-11-21 16:33   apple_health_export/export.xml`.
  static func member(ofLine line: ArraySlice<UInt8>) -> Member? {
    var rest = String(decoding: line, as: UTF8.self)[...]
    var words: [Substring] = []
    for _ in 0..<3 {
      rest = rest.drop { $0 == " " }
      words.append(rest.prefix { $0 != " " })
      rest = rest.dropFirst(words.last?.count ?? 0)
    }
    let name = rest.drop { $0 == " " }
    guard let bytes = Int(words[0]), words[1].contains("-"), words[2].contains(":"), !name.isEmpty
    else { return nil }
    // A damaged zip may give any size; unpacking shows the real one.
    return Member(name: String(name), bytes: min(max(bytes, 0), largestMemberBytes))
  }

  func stream(progress: ((Int) -> Void)?) throws(ImportError) -> ByteStream {
    ByteStream(
      from: try Self.unzip(path, unpacking), name: name,
      range: export.offsetBytes..<export.offsetBytes + export.member.bytes, progress: progress)
  }

  private static func unzip(
    _ path: String, _ unpacking: Unpacking
  ) throws(ImportError) -> UnzipProcess {
    // With a password given, unzip does not wait for one on the terminal.
    try UnzipProcess(
      ["-p", "-P", "none", "--", operand(path)] + unpacking.words,
      file: ImportSource.file(path).name)
  }

  /// A path that cannot be taken for an option or, as `unzip` does, for a pattern: `export[1].zip`
  /// would match `export1.zip`.
  static func operand(_ path: String) -> String {
    let path = path.hasPrefix("-") ? "./" + path : path
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return path[..<start] + pattern(String(path[start...]))
  }

  /// The pattern that matches one name only.
  static func pattern(_ name: String) -> String {
    name.map { "[*?\\".contains($0) ? "[\($0)]" : "\($0)" }.joined()
  }
}

final class UnzipProcess {
  /// The reading end of the pipe that it writes to; the caller closes it.
  let output: Int32
  private let process: ChildProcess
  private let file: String
  private var hasEnded = false

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - file: the zip, for messages.
  init(_ arguments: [String], file: String) throws(ImportError) {
    let pipe: (reader: Int32, writer: Int32)
    do throws(SystemError) {
      pipe = try ChildProcess.pipe()
    } catch {
      throw ImportError(
        .unreadable, "cannot make a pipe for unzip: \(error)")
    }
    defer { close(pipe.writer) }
    // Default options in the environment would change what the arguments mean.
    for variable in ["UNZIP", "UNZIPOPT", "ZIPINFO"] { unsetenv(variable) }
    do throws(SystemError) {
      process = try ChildProcess(
        "unzip", arguments, input: .null, output: .descriptor(pipe.writer), error: .null)
    } catch {
      close(pipe.reader)
      throw ImportError(
        .unreadable,
        error.number == ENOENT
          ? "\(file) is a zip, and the program unzip, which would open it, is not installed; "
            + "install it (apt install unzip), or unpack the file and import its export.xml"
          : "cannot run unzip: \(error); unpack \(file) and import its "
            + "export.xml")
    }
    output = pipe.reader
    self.file = file
  }

  /// Waits for it to end.
  ///
  /// - Throws: ``ImportError`` unless it has unpacked the whole file.
  func finish() throws(ImportError) {
    let status = wait()
    // 1 is a warning: everything was written.
    guard status != 0, status != 1 else { return }
    if status == 5 || status == 82 { throw ForeignFile.lockedZip(named: file) }
    let what: String =
      switch status {
      case 9: "is not a complete zip: it was cut off, or is something else"
      case 11: "has no such file in it"
      case 81: "is packed in a way that unzip does not know"
      case 126, 127: "cannot be opened: unzip does not run"
      default: "is damaged (unzip says \(status))"
      }
    throw ImportError(
      .unfit,
      "\(file) \(what); nothing was imported. Copy it or export it again, or unpack it and import "
        + "what is in it")
  }

  /// Ends it early if it still runs.
  func abandon() {
    guard !hasEnded else { return }
    process.send(signal: SIGTERM)
    _ = wait()
  }

  private func wait() -> Int32 {
    guard !hasEnded else { return 0 }
    hasEnded = true
    return process.wait()
  }
}
