import LedgerPlatform

/// Reads the tags of an XML file of any length one after the other, in bounded memory.
///
/// As strict as the files that phones have written allow: tags must be nested and the file
/// complete. But a document type is skipped unread, because some are malformed; values may contain
/// control characters, and attribute names spaces. Entity declarations are refused.
struct XMLReader {
  static let tagLimitBytes = 1 << 20
  /// Exports have about ten thousand bytes of it.
  static let documentTypeLimitBytes = 1 << 20

  let name: String
  private let stream: ByteStream
  private var window: [UInt8] = []
  /// The first unread byte of the window.
  private var position = 0
  private var line = 1
  private var elements = OpenElements()
  private var hasRoot = false

  init(_ stream: ByteStream, name: String) {
    self.stream = stream
    self.name = name
  }

  /// The number of open elements.
  var depth: Int { elements.count }

  /// Reads the next tag.
  ///
  /// - Returns: false at the end of a complete file.
  /// - Throws: ``ImportError`` if the file is no XML, is cut off or cannot be read.
  mutating func next(_ tag: inout XMLTag) throws(ImportError) -> Bool {
    if window.isEmpty, !hasRoot { try begin() }
    tag.text.removeAll(keepingCapacity: true)
    while try findTag(&tag) {
      if try skipsMarkup() { continue }
      try readTag(&tag)
      try keepNesting(tag)
      return true
    }
    try checkEnd()
    return false
  }

  // MARK: Where tags are

  /// Advances to the next `<`.
  private mutating func findTag(_ tag: inout XMLTag) throws(ImportError) -> Bool {
    while true {
      let mark = find(UInt8(ascii: "<"), from: position)
      let text = window[position..<(mark ?? window.count)]
      if depth == 0, let stray = text.first(where: { !isSpace($0) }) {
        throw malformed("text outside of the document, from '\(shown(stray))' on")
      }
      let room = XMLTag.textLimitBytes - tag.text.count
      if room > 0 { tag.text.append(contentsOf: text.prefix(room)) }
      consume(to: mark ?? window.count)
      if mark != nil { return true }
      guard try refill() else { return false }
    }
  }

  /// Skips a comment, an instruction, a document type or a `CDATA` section.
  ///
  /// - Returns: whether there was one.
  private mutating func skipsMarkup() throws(ImportError) -> Bool {
    while window.count - position < 9, try refill() {}
    if begins("<?") {
      try checkEncoding()
      try skip(through: "?>")
    } else if begins("<!--") {
      consume(to: position + 4)
      try skip(through: "-->")
    } else if begins("<![CDATA[") {
      try skip(through: "]]>")
    } else if begins("<!DOCTYPE") {
      try skipDocumentType()
    } else if begins("<!") {
      throw malformed("unexpected '<!'")
    } else {
      return false
    }
    return true
  }

  /// Finds only the end: some systems have written malformed document types, and their content is
  /// not needed.
  private mutating func skipDocumentType() throws(ImportError) {
    guard !hasRoot else { throw malformed("a document type inside of the document") }
    var walk = DocumentTypeWalk()
    var read = 0
    while true {
      let end = walk.walk(window[position...])
      if walk.declaresEntities {
        throw ImportError(
          .unfit,
          "\(name), line \(line), declares entities, which no export does and which could make it "
            + "grow or read other files; nothing of it was imported")
      }
      if let end { return consume(to: end) }
      read += window.count - position
      consume(to: window.count)
      guard read < Self.documentTypeLimitBytes else {
        throw malformed("the document type has no end")
      }
      guard try refill() else { throw cutOff("in its document type") }
    }
  }

  private mutating func skip(through end: StaticString) throws(ImportError) {
    let length = end.utf8CodeUnitCount
    while true {
      var start = position
      while let mark = find(end.utf8Start[0], from: start) {
        if holds(end, at: mark) { return consume(to: mark + length) }
        start = mark + 1
      }
      consume(to: max(position, window.count - length + 1))
      guard try refill() else { throw cutOff("in a comment or an instruction") }
    }
  }

  // MARK: Tags

  private mutating func readTag(_ tag: inout XMLTag) throws(ImportError) {
    while true {
      tag.attributes.removeAll(keepingCapacity: true)
      let outcome = window.withUnsafeBytes { bytes in
        TagScan(bytes: bytes, start: position).run(&tag)
      }
      switch outcome {
      case .done(let end):
        tag.line = line
        tag.bytes.removeAll(keepingCapacity: true)
        tag.bytes.append(contentsOf: window[position..<end])
        consume(to: end)
        hasRoot = true
        return
      case .unfinished:
        guard window.count - position < Self.tagLimitBytes else {
          throw malformed("a tag has no end within \(Self.tagLimitBytes) bytes")
        }
        guard try refill() else { throw cutOff("in a tag") }
      case .wrong(let what):
        throw malformed(what)
      }
    }
  }

  private mutating func keepNesting(_ tag: XMLTag) throws(ImportError) {
    switch tag.kind {
    case .start, .empty:
      guard depth > 0 || !elements.hasClosedRoot else {
        throw malformed("<\(quotedName(tag))> follows the end of the document")
      }
      if tag.kind == .start {
        guard elements.open(tag.bytes[tag.name]) else {
          throw malformed("elements are nested deeper than \(OpenElements.deepest)")
        }
      } else if depth == 0 {
        elements.hasClosedRoot = true
      }
    case .end:
      guard elements.close(tag.bytes[tag.name]) else {
        throw malformed("</\(quotedName(tag))> does not match the open element")
      }
    }
  }

  private func quotedName(_ tag: XMLTag) -> String { String(tag.nameText.prefix(60)) }

  // MARK: The window

  /// Advances to a place in the window, counting lines.
  private mutating func consume(to end: Int) {
    let start = position
    line += window.withUnsafeBytes { bytes in
      var count = 0
      for index in start..<end where bytes[index] == UInt8(ascii: "\n") { count &+= 1 }
      return count
    }
    position = end
  }

  /// - Returns: false at the end of the file.
  private mutating func refill() throws(ImportError) -> Bool {
    let piece = try stream.next()
    guard !piece.isEmpty else { return false }
    if position == window.count {
      window = piece
    } else {
      window.removeSubrange(..<position)
      window.append(contentsOf: piece)
    }
    position = 0
    return true
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    window.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let mark = memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return base.distance(to: mark)
    }
  }

  private func begins(_ text: StaticString) -> Bool { holds(text, at: position) }

  private func holds(_ text: StaticString, at place: Int) -> Bool {
    window.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, place + text.utf8CodeUnitCount <= bytes.count else {
        return false
      }
      return memcmp(base + place, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
  }
}

extension XMLReader {
  private mutating func begin() throws(ImportError) {
    guard try refill() else {
      throw ImportError(.unfit, "\(name) is empty; it should be the export.xml of an export")
    }
    while window.count < ForeignFile.neededBytes, try refill() {}
    if window.starts(with: Array("PK\u{3}\u{4}".utf8)) {
      throw ImportError(
        .unfit, "\(name) is a zip; give the zip's own name, or the export.xml in it")
    }
    if let kind = ForeignFile.kind(of: window) {
      throw ImportError(.unfit, "\(name) is \(kind); give the export.xml, in UTF-8")
    }
    if window.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Refuses an encoding other than UTF-8, which would be misread.
  private mutating func checkEncoding() throws(ImportError) {
    guard begins("<?xml") else { return }
    while window.count - position < 200, try refill() {}
    let declaration = String(decoding: window[position...].prefix(200), as: UTF8.self)
      .prefix { $0 != ">" }.lowercased()
    guard let start = declaration.range(of: "encoding=") else { return }
    let encoding = declaration[start...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
    guard encoding != "utf-8", encoding != "us-ascii" else { return }
    throw ImportError(
      .unfit, "\(name) says that its encoding is '\(encoding)'; save it in UTF-8")
  }

  private func checkEnd() throws(ImportError) {
    guard hasRoot else { throw malformed("it has no elements") }
    if depth > 0 { throw cutOff("inside of <\(elements.innermost)>") }
  }

  func malformed(_ what: String) -> ImportError {
    ImportError(
      .unfit, "\(name), line \(line), is not valid XML: \(what); nothing was imported")
  }

  private func cutOff(_ place: String) -> ImportError {
    ImportError(
      .unfit,
      "\(name) ends in the middle, on line \(line), \(place): it was cut off, and its last sums "
        + "would be wrong, so nothing was imported; copy it or export it again")
  }

  private func shown(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7F ? String(UnicodeScalar(byte)) : "byte \(byte)"
  }
}

extension String {
  /// The index after the first occurrence.
  fileprivate func range(of part: String) -> Index? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}

/// Finds the end of a document type across pieces, by brackets, comments and quotes.
private struct DocumentTypeWalk {
  private enum Place {
    case outside, inside, comment, declaration
    case quoted(UInt8)
    case afterSubset
  }

  private(set) var declaresEntities = false
  private var place = Place.outside
  /// The last bytes, for markers split between two pieces.
  private var recent: [UInt8] = []

  /// - Returns: the index after the document type's `>`, once it is reached.
  mutating func walk(_ bytes: ArraySlice<UInt8>) -> Int? {
    for index in bytes.indices {
      let byte = bytes[index]
      recent.append(byte)
      if recent.count > 8 { recent.removeFirst() }
      if take(byte) { return index + 1 }
    }
    return nil
  }

  /// - Returns: whether this byte is the end.
  private mutating func take(_ byte: UInt8) -> Bool {
    switch place {
    case .outside:
      if byte == UInt8(ascii: "[") { place = .inside }
      return byte == UInt8(ascii: ">")
    case .inside, .declaration:
      if ends("<!--") {
        place = .comment
      } else if ends("<!ENTITY") {
        declaresEntities = true
      } else if byte == UInt8(ascii: "<") {
        place = .declaration
      } else if byte == UInt8(ascii: ">") {
        place = .inside
      } else if byte == UInt8(ascii: "]") {
        place = .afterSubset
      } else if case .declaration = place,
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
      {
        place = .quoted(byte)
      }
    case .comment:
      if ends("-->") { place = .inside }
    case .quoted(let quote):
      if byte == quote { place = .declaration }
    case .afterSubset:
      if byte == UInt8(ascii: ">") { return true }
      if !isSpace(byte) { place = .inside }
    }
    return false
  }

  private func ends(_ mark: String) -> Bool {
    recent.suffix(mark.utf8.count).elementsEqual(mark.utf8)
  }
}

/// The stack of open elements' names, in one buffer.
struct OpenElements {
  static let deepest = 64

  var hasClosedRoot = false
  private var names: [UInt8] = []
  private var starts: [Int] = []

  var count: Int { starts.count }

  var innermost: String {
    String(decoding: names[(starts.last ?? 0)...].prefix(60), as: UTF8.self)
  }

  /// - Returns: false if too many are open.
  mutating func open(_ name: ArraySlice<UInt8>) -> Bool {
    guard starts.count < Self.deepest else { return false }
    starts.append(names.count)
    names.append(contentsOf: name)
    return true
  }

  /// - Returns: false if this is not the innermost element.
  mutating func close(_ name: ArraySlice<UInt8>) -> Bool {
    guard let start = starts.last, names[start...].elementsEqual(name) else { return false }
    names.removeSubrange(start...)
    starts.removeLast()
    if starts.isEmpty { hasClosedRoot = true }
    return true
  }
}
