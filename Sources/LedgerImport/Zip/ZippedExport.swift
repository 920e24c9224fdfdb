#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The zip that the Health app shares, and the file in it that is wanted.
///
/// The folder is always `apple_health_export`; the file is `export.xml`, or that word in the phone's
/// language. Beside it lie `export_cda.xml`, which holds the same for doctors, and folders.
public struct ZippedExport: Hashable, Sendable {
  public let path: String
  /// How much it is unpacked.
  public let unpackedBytes: Int
  /// In messages: `export.xml in export.zip`.
  public let name: String
  /// As the zip has it.
  private let member: String

  /// Whether a file is a zip, by its first bytes and never by its name.
  ///
  /// - Throws: ``ImportError`` when it cannot be opened.
  public static func isZip(_ path: String) throws(ImportError) -> Bool {
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

  /// Looks into the zip for the export.
  ///
  /// - Throws: ``ImportError`` when there is none, or there are several.
  public init(_ path: String) throws(ImportError) {
    let zip = ImportSource.file(path).name
    let members = try Self.members(of: path, zip)
    let exports = Self.exports(among: members)
    guard let only = exports.first, exports.count == 1 else {
      let found = members.prefix(5).map { quoted($0.name) }.joined(separator: ", ")
      throw ImportError(
        .unfit,
        exports.isEmpty
          ? "\(zip) has no export.xml in it, so it is no export of Apple's Health app; it holds "
            + (members.isEmpty ? "nothing" : found)
          : "\(zip) has several files that may be the export ("
            + exports.prefix(5).map { quoted($0.name) }.joined(separator: ", ")
            + "); unpack it and import one of them")
    }
    self.path = path
    unpackedBytes = only.bytes
    member = only.name
    name = "\(ImportSource.file(only.name).name) in \(zip)"
  }

  struct Member: Hashable {
    var name: String
    var bytes: Int
  }

  /// `export.xml` wherever it is, else the only XML file in a folder at most that is not the one for
  /// doctors.
  static func exports(among members: [Member]) -> [Member] {
    let files = members.filter { member in
      let name = member.name.lowercased()
      return name.hasSuffix(".xml") && !name.hasSuffix("_cda.xml") && !name.hasPrefix("__macosx/")
        && name.utf8.count { $0 == UInt8(ascii: "/") } <= 1
    }
    let plain = files.filter { $0.name.lowercased().split(separator: "/").last == "export.xml" }
    return plain.isEmpty ? files : plain
  }

  private static func members(of path: String, _ zip: String) throws(ImportError) -> [Member] {
    let stream = ByteStream(
      from: try UnzipProcess(["-lqq", "--", operand(path)], file: zip), name: zip)
    var listing: [UInt8] = []
    while true {
      let piece = try stream.next()
      if piece.isEmpty { break }
      // Of a zip with a hundred thousand files the export is not among the last.
      if listing.count < 1 << 24 { listing += piece }
    }
    return listing.split(separator: UInt8(ascii: "\n")).compactMap(member(ofLine:))
  }

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
    return Member(name: String(name), bytes: bytes)
  }

  func unzip() throws(ImportError) -> UnzipProcess {
    try UnzipProcess(
      ["-p", "--", Self.operand(path), Self.pattern(member)],
      file: ImportSource.file(path).name)
  }

  /// A path that cannot pass for an option. To `unzip` a file's name is a pattern as well:
  /// `export[1].zip` would be `export1.zip`, if there is one.
  static func operand(_ path: String) -> String {
    let path = path.hasPrefix("-") ? "./" + path : path
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[start...].map { "[*?\\".contains($0) ? "[\($0)]" : "\($0)" }
    return path[..<start] + name.joined()
  }

  /// A member's name is a pattern to `unzip`: what is special is taken for itself, and what a
  /// listing may have mangled for anything.
  static func pattern(_ member: String) -> String {
    var pattern = ""
    for character in member.unicodeScalars {
      if !character.isASCII || character == "?" {
        if pattern.last != "*" { pattern += "*" }
      } else {
        if character == "[" || character == "*" || character == "\\" { pattern += "\\" }
        pattern.unicodeScalars.append(character)
      }
    }
    return pattern
  }
}
