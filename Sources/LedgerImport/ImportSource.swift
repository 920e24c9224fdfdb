import LedgerPlatform
import Synchronization

/// A file, standard input or bytes to import, with a name for messages.
public enum ImportSource: Hashable, Sendable {
  /// A path.
  case file(String)
  /// The process's standard input.
  case standardInput
  /// A file's content, with a name for messages.
  case bytes([UInt8], name: String)
  /// What a pipe contained.
  case copy(TemporaryCopy)

  /// - Parameter path: that of a file, or `-` for standard input.
  package init(path: String) {
    // A zip there has another name for the program that unpacks it.
    self = ["-", "/dev/stdin", "/dev/fd/0"].contains(path) ? .standardInput : .file(path)
  }

  /// A path's last component.
  public var name: String {
    switch self {
    // The name of a pipe is a number there.
    case .file(let path) where path.hasPrefix("/dev/fd/"): path
    case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
    case .standardInput: "standard input"
    case .bytes(_, let name): name
    case .copy(let copy): copy.name
    }
  }
}

/// The content of a pipe in an unnamed temporary file, which can be read several times. It is copied as
/// far as it is read, since a pipe may have no end.
public final class TemporaryCopy: Hashable, Sendable {
  private struct Progress {
    /// `nil` once all is copied.
    var stream: ByteStream?
    var sizeBytes = 0
  }

  let name: String
  private let file: OpenFile
  private let progress: Mutex<Progress>

  init(of stream: sending ByteStream, name: String) throws(ImportError) {
    self.name = name
    file = try temporaryFile { () throws(IOFailure) in try OpenFile.makeTemporary() }
    progress = Mutex(Progress(stream: stream))
  }

  /// `nil` as long as it is not copied to its end.
  fileprivate var sizeBytes: Int? {
    progress.withLock { $0.stream == nil ? $0.sizeBytes : nil }
  }

  /// The bytes from an offset on, which is not past those that were read; empty at the end.
  fileprivate func piece(
    at offsetBytes: Int, bytesAtMost: Int
  ) throws(ImportError) -> [UInt8] {
    try progress.withLock { progress throws(ImportError) in
      let end = min(progress.sizeBytes, offsetBytes + bytesAtMost)
      guard offsetBytes >= end else {
        return try temporaryFile { () throws(IOFailure) in
          try file.wholeRange(offsetBytes..<end)
        }
      }
      guard let stream = progress.stream else { return [] }
      let piece = try stream.next()
      if piece.isEmpty { progress.stream = nil }
      try temporaryFile { () throws(IOFailure) in try file.write(piece, at: progress.sizeBytes) }
      progress.sizeBytes += piece.count
      return piece
    }
  }

  /// Copies the rest.
  func complete() throws(ImportError) {
    var offset = progress.withLock { $0.sizeBytes }
    while case let piece = try piece(at: offset, bytesAtMost: 1), !piece.isEmpty {
      offset += piece.count
    }
  }

  /// The same copy, not just the same content.
  public static func == (left: TemporaryCopy, right: TemporaryCopy) -> Bool { left === right }

  /// Hashes its identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads a source in pieces, since an export may be larger than memory.
final class ByteStream {
  private let descriptor: Int32
  private let path: String
  private let chunkBytes: Int
  private let progress: ((Int) -> Void)?
  private var memory: ArraySlice<UInt8>
  private var copy: TemporaryCopy?
  /// The offset in `copy`.
  private var offsetBytes = 0
  /// The program that writes the bytes; its exit status is checked at the end.
  private var writer: UnzipProcess?
  /// Bytes of the program's output still to skip, and then to return.
  private var skipped = 0
  private var taken = Int.max

  /// - Parameter progress: called with the size of each piece after it was read.
  init(
    opening source: ImportSource, chunkBytes: Int = 1 << 18, progress: ((Int) -> Void)? = nil
  ) throws(ImportError) {
    self.chunkBytes = chunkBytes
    self.progress = progress
    path = source.name
    switch source {
    case .bytes(let bytes, _):
      memory = bytes[...]
      descriptor = -1
    case .copy(let copy):
      memory = []
      self.copy = copy
      descriptor = -1
    case .standardInput:
      memory = []
      descriptor = STDIN_FILENO
    case .file(let path):
      memory = []
      guard !path.utf8.contains(0) else {
        throw ImportError(.unreadable, "a path cannot hold a NUL byte")
      }
      descriptor = try openToRead(path)
    }
  }

  /// Reads a program's output, or a range of it.
  init(
    from writer: UnzipProcess, name: String, range: Range<Int> = 0..<Int.max,
    chunkBytes: Int = 1 << 18, progress: ((Int) -> Void)? = nil
  ) {
    skipped = range.lowerBound
    taken = range.count
    self.chunkBytes = chunkBytes
    self.progress = progress
    self.writer = writer
    path = name
    memory = []
    descriptor = writer.output
  }

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
    writer?.abandon()
  }

  /// The next piece; empty at the end.
  func next() throws(ImportError) -> [UInt8] {
    while true {
      var piece = try nextOfSource()
      guard !piece.isEmpty else { break }
      if writer != nil { cut(&piece) }
      // Output after the range is read too, because the program reports damage only at its end.
      if piece.isEmpty { continue }
      progress?(piece.count)
      return piece
    }
    if let writer {
      self.writer = nil
      try writer.finish()
    }
    return []
  }

  private func cut(_ piece: inout [UInt8]) {
    let before = min(skipped, piece.count)
    skipped -= before
    let count = min(taken, piece.count - before)
    taken -= count
    guard count < piece.count else { return }
    piece = Array(piece[before..<before + count])
  }

  private func nextOfSource() throws(ImportError) -> [UInt8] {
    if let copy { return try next(of: copy) }
    return descriptor < 0 ? nextOfMemory() : try nextOfFile()
  }

  private func next(of copy: TemporaryCopy) throws(ImportError) -> [UInt8] {
    let piece = try copy.piece(at: offsetBytes, bytesAtMost: chunkBytes)
    offsetBytes += piece.count
    return piece
  }

  private func nextOfMemory() -> [UInt8] {
    let piece = memory.prefix(chunkBytes)
    memory = memory.dropFirst(piece.count)
    return Array(piece)
  }

  private func nextOfFile() throws(ImportError) -> [UInt8] {
    var failure: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, count in
      var got = read(descriptor, buffer.baseAddress, buffer.count)
      while got < 0, errno == EINTR { got = read(descriptor, buffer.baseAddress, buffer.count) }
      failure = got < 0 ? errno : 0
      count = max(0, got)
    }
    guard failure == 0 else {
      throw ImportError(.unreadable, "cannot read \(path): \(SystemError(failure))")
    }
    return piece
  }
}

extension ImportSource {
  /// The number of bytes to read; `nil` if unknown, as of a pipe that was not read to its end.
  package var sizeBytes: Int? {
    switch self {
    case .bytes(let bytes, _): return bytes.count
    case .copy(let copy): return copy.sizeBytes
    case .standardInput: return nil
    case .file(let path):
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Int(status.st_size)
    }
  }

  /// Whether it is the path of a folder.
  package var isFolder: Bool {
    guard case .file(let path) = self else { return false }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the path exists, readable or not.
  package var exists: Bool {
    switch self {
    case .file(let path): access(path, F_OK) == 0
    case .standardInput, .bytes, .copy: true
    }
  }
}

extension ImportSource {
  /// The same content in a form that can be read several times: a pipe is copied to an unnamed
  /// temporary file.
  package func rereadable() throws(ImportError) -> ImportSource {
    switch self {
    case .bytes, .copy: return self
    case .file where sizeBytes != nil: return self
    case .file, .standardInput:
      return .copy(try TemporaryCopy(of: ByteStream(opening: self), name: name))
    }
  }

  /// As ``rereadable()``, having read all of it once.
  func rereadable(
    _ check: ([UInt8]) throws(ImportError) -> Void
  ) throws(ImportError) -> ImportSource {
    let source = try rereadable()
    let stream = try ByteStream(opening: source)
    while case let piece = try stream.next(), !piece.isEmpty { try check(piece) }
    return source
  }
}

/// Opens a file or pipe. A device such as `/dev/zero` has no end; a terminal has one.
func openToRead(_ path: String) throws(ImportError) -> Int32 {
  var descriptor = open(path, O_RDONLY | O_CLOEXEC)
  while descriptor < 0, errno == EINTR { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else {
    throw ImportError(.unreadable, "cannot open \(path): \(SystemError(errno))")
  }
  var status = stat()
  if fstat(descriptor, &status) == 0, [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT),
    isatty(descriptor) == 0, path != "/dev/null"
  {
    close(descriptor)
    throw ImportError(.unfit, "\(path) is a device, not a file")
  }
  return descriptor
}

/// Recognizes files that are not UTF-8 text by their first bytes, for specific advice.
enum ForeignFile {
  /// Bytes needed for an answer, unless the file is shorter: it must not depend on how the input
  /// arrives in pieces.
  static let neededBytes = 512

  private struct Mark {
    var bytes: [UInt8]
    var name: String
    /// What to do instead.
    var advice = spreadsheetAdvice
  }

  private static let spreadsheetAdvice =
    "open it in a spreadsheet and save the file as CSV in UTF-8"
  private static let textAdvice = "save it as text in UTF-8"
  private static let exportAdvice = "export the data as CSV in UTF-8 from the program that has it"

  private static let marks = [
    Mark(bytes: [0xFF, 0xFE, 0x00, 0x00], name: "text in UTF-32", advice: textAdvice),
    Mark(bytes: [0x00, 0x00, 0xFE, 0xFF], name: "text in UTF-32", advice: textAdvice),
    Mark(bytes: [0xFF, 0xFE], name: "text in UTF-16", advice: textAdvice),
    Mark(bytes: [0xFE, 0xFF], name: "text in UTF-16", advice: textAdvice),
    Mark(bytes: zip, name: "a zip file (or a spreadsheet such as .xlsx, which is one)"),
    Mark(
      bytes: Array("PK\u{5}\u{6}".utf8), name: "an empty zip file",
      advice: "export or download it again"),
    Mark(bytes: gzip, name: "a gzip file", advice: "unpack it with gunzip first"),
    Mark(bytes: [0xD0, 0xCF, 0x11, 0xE0], name: "an old spreadsheet (.xls)"),
    Mark(bytes: Array("%PDF".utf8), name: "a PDF", advice: exportAdvice),
    Mark(
      bytes: Array("{\\rtf".utf8), name: "a formatted document (RTF)",
      advice: "save it as plain text in UTF-8"),
    Mark(bytes: Array("SQLite format".utf8), name: "a database", advice: exportAdvice),
    Mark(bytes: Array("bplist".utf8), name: "a property list", advice: exportAdvice),
    Mark(bytes: [0x89, 0x50, 0x4E, 0x47], name: "a picture", advice: pictureAdvice),
    Mark(bytes: [0xFF, 0xD8, 0xFF], name: "a picture", advice: pictureAdvice),
  ]
  private static let pictureAdvice = "import the table that it was made from"

  /// Why a file is not a table, and what to do instead.
  ///
  /// - Returns: `nil` if it may be UTF-8 text.
  static func refusal(
    of beginning: some Collection<UInt8>, named name: String
  ) -> ImportError? {
    guard let mark = mark(of: beginning) else { return nil }
    if isLockedZip(beginning) { return lockedZip(named: name) }
    if isWorkbook(beginning) {
      return ImportError(.unfit, "\(name) \(workbook)")
    }
    let advice =
      name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz")
      ? "unpack it with tar; a backup of a ledger is unpacked into a ledger's folder, not imported"
      : mark.advice
    return ImportError(.unfit, "\(name) is \(mark.name); \(advice)")
  }

  /// What a workbook is and what to do, after its name.
  static let workbook =
    "is a workbook of a spreadsheet; save its sheet as CSV in UTF-8 and import that"

  /// Whether the first members of a zip are those of a workbook: `.xlsx` or `.ods`.
  private static func isWorkbook(_ beginning: some Collection<UInt8>) -> Bool {
    guard isZip(beginning) else { return false }
    let text = String(decoding: beginning.prefix(neededBytes), as: UTF8.self)
    return ["[Content_Types].xml", "xl/", "opendocument.spreadsheet"].contains { text.contains($0) }
  }

  static func lockedZip(named name: String) -> ImportError {
    ImportError(
      .unfit,
      "\(name) is an encrypted zip; unpack it with its password, and import what is in it")
  }

  /// Whether the first file in a zip is encrypted; folders before it are not.
  static func isLockedZip(_ beginning: some Collection<UInt8>) -> Bool {
    var rest = Array(beginning)[...]
    while rest.count >= 30, isZip(rest) {
      let header = Array(rest.prefix(30))
      if header[6] & 1 == 1 { return true }
      // A size that follows the content is not in the header.
      guard header[6] & 8 == 0, header[18..<22].allSatisfy({ $0 == 0 }) else { return false }
      let lengths = [26, 28].map { Int(header[$0]) + Int(header[$0 + 1]) * 256 }
      rest = rest.dropFirst(30 + lengths[0] + lengths[1])
    }
    return false
  }

  private static let gzip: [UInt8] = [0x1F, 0x8B]
  private static let zip = Array("PK\u{3}\u{4}".utf8)

  static func isZip(_ beginning: some Collection<UInt8>) -> Bool { beginning.starts(with: zip) }

  /// - Returns: `nil` if it may be UTF-8 text.
  static func kind(of beginning: some Collection<UInt8>) -> String? { mark(of: beginning)?.name }

  private static func mark(of beginning: some Collection<UInt8>) -> Mark? {
    if let mark = marks.first(where: { beginning.starts(with: $0.bytes) }) { return mark }
    let first = beginning.prefix(neededBytes)
    if let page = page(first) { return page }
    guard first.contains(0) else { return nil }
    // In UTF-16, every second byte of ASCII text is zero.
    let zeros = first.count { $0 == 0 }
    return zeros * 3 > first.count
      ? Mark(bytes: [], name: "text in UTF-16, or not text", advice: textAdvice)
      : Mark(bytes: [], name: "not text: it holds NUL bytes")
  }

  /// - Returns: `nil` for what is no HTML.
  private static func page(_ first: some Collection<UInt8>) -> Mark? {
    let text = String(decoding: first, as: UTF8.self)
    guard isPage(text) else { return nil }
    guard text.contains("<title>Ledger report") else {
      return Mark(bytes: [], name: "a web page (HTML)", advice: exportAdvice)
    }
    return Mark(
      bytes: [], name: "a report of a ledger, a page to read and no backup",
      advice: "import what an export of the ledger wrote, or put a backup of its folder in place")
  }

  /// Whether a file with this beginning is HTML.
  static func isPage(_ beginning: String) -> Bool {
    var text = beginning[...]
    while true {
      text = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
      // Either may precede what tells.
      let end = text.hasPrefix("<!--") ? "-->" : text.hasPrefix("<?xml") ? "?>" : nil
      guard let end, let range = text.firstRange(of: end) else { break }
      text = text[range.upperBound...]
    }
    let tag = text.prefix(16).lowercased()
    return ["<!doctype html", "<html", "<table>", "<table "].contains { tag.hasPrefix($0) }
  }
}
