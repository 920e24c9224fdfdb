/// Names what a file is that is no text in UTF-8, by its first bytes: what to do about it hangs on
/// what it is.
enum ForeignFile {
  /// How much of a file has to be there to tell, unless it is shorter: however it comes in pieces,
  /// the answer must be the same.
  static let neededBytes = 512

  private static let marks: [(bytes: [UInt8], name: String)] = [
    ([0xFF, 0xFE, 0x00, 0x00], "text in UTF-32"), ([0x00, 0x00, 0xFE, 0xFF], "text in UTF-32"),
    ([0xFF, 0xFE], "text in UTF-16"), ([0xFE, 0xFF], "text in UTF-16"),
    (Array("PK\u{3}\u{4}".utf8), "a zip file (or a spreadsheet such as .xlsx, which is one)"),
    ([0x1F, 0x8B], "a gzip file"), ([0xD0, 0xCF, 0x11, 0xE0], "an old spreadsheet (.xls)"),
    (Array("%PDF".utf8), "a PDF"), (Array("SQLite format".utf8), "a database"),
    (Array("bplist".utf8), "a property list"),
    ([0x89, 0x50, 0x4E, 0x47], "a picture"), ([0xFF, 0xD8, 0xFF], "a picture"),
  ]

  /// - Returns: `nil` for what may be text in UTF-8.
  static func kind(of beginning: some Collection<UInt8>) -> String? {
    if let mark = marks.first(where: { beginning.starts(with: $0.bytes) }) { return mark.name }
    let first = beginning.prefix(neededBytes)
    guard first.contains(0) else { return nil }
    // Every second byte of plain text in UTF-16 is zero.
    let zeros = first.count { $0 == 0 }
    return zeros * 3 > first.count ? "text in UTF-16, or no text" : "no text: it holds NUL bytes"
  }
}
