import LedgerPlatform

/// Takes one tag apart. It looks for the ends of names and values and copies nothing.
struct TagScan {
  enum Outcome {
    /// The tag ends before this place.
    case done(Int)
    /// More of the file is needed.
    case unfinished
    case wrong(String)
  }

  let bytes: UnsafeRawBufferPointer
  /// Where `<` stands.
  let start: Int

  /// Ranges are counted from `start`.
  func run(_ tag: inout XMLTag) -> Outcome {
    var place = start + 1
    guard place < bytes.count else { return .unfinished }
    let isEnd = bytes[place] == UInt8(ascii: "/")
    if isEnd { place += 1 }
    let name = place
    while place < bytes.count, !endsName(bytes[place]) { place += 1 }
    guard place < bytes.count else { return .unfinished }
    guard place > name else { return .wrong("a tag has no name") }
    tag.name = name - start..<place - start
    if isEnd {
      tag.kind = .end
      while place < bytes.count, isSpace(bytes[place]) { place += 1 }
      guard place < bytes.count else { return .unfinished }
      guard bytes[place] == UInt8(ascii: ">") else { return .wrong("an end tag has attributes") }
      return .done(place + 1)
    }
    return attributes(&tag, from: place)
  }

  private func attributes(_ tag: inout XMLTag, from first: Int) -> Outcome {
    var place = first
    while true {
      while place < bytes.count, isSpace(bytes[place]) { place += 1 }
      guard place < bytes.count else { return .unfinished }
      if bytes[place] == UInt8(ascii: ">") {
        tag.kind = .start
        return .done(place + 1)
      }
      if bytes[place] == UInt8(ascii: "/") {
        guard place + 1 < bytes.count else { return .unfinished }
        guard bytes[place + 1] == UInt8(ascii: ">") else { return .wrong("a '/' ends no tag") }
        tag.kind = .empty
        return .done(place + 2)
      }
      switch attribute(&tag, from: place) {
      case .done(let end): place = end
      case .unfinished: return .unfinished
      case .wrong(let what): return .wrong(what)
      }
    }
  }

  private func attribute(_ tag: inout XMLTag, from first: Int) -> Outcome {
    var place = first
    // Names with spaces in them have been written by the system's oldest versions.
    while place < bytes.count, bytes[place] != UInt8(ascii: "=") {
      let byte = bytes[place]
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"") {
        return .wrong("an attribute has no '='")
      }
      place += 1
    }
    var end = place
    while end > first, isSpace(bytes[end - 1]) { end -= 1 }
    place += 1
    while place < bytes.count, isSpace(bytes[place]) { place += 1 }
    guard place < bytes.count else { return .unfinished }
    let quote = bytes[place]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return .wrong("the value of an attribute stands in no quotes")
    }
    guard let close = find(quote, from: place + 1) else { return .unfinished }
    if let stray = find(UInt8(ascii: "<"), from: place + 1, to: close) {
      return .wrong("a '<' stands in a value, \(stray - start) bytes behind the tag's own")
    }
    tag.attributes.append(
      .init(name: first - start..<end - start, value: place + 1 - start..<close - start))
    return .done(close + 1)
  }

  private func find(_ byte: UInt8, from: Int, to: Int? = nil) -> Int? {
    let end = to ?? bytes.count
    guard from < end, let base = bytes.baseAddress,
      let mark = memchr(base + from, Int32(byte), end - from)
    else { return nil }
    return base.distance(to: mark)
  }

  private func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "<")
  }
}

/// Finds the end of a document type by its brackets, comments and quotes, across pieces.
struct DocumentTypeWalk {
  private enum Place {
    case outside, inside, comment, declaration
    case quoted(UInt8)
    case behind
  }

  private(set) var declaresEntities = false
  private var place = Place.outside
  /// The last bytes, for marks that a piece's end may cut.
  private var recent: [UInt8] = []

  /// - Returns: the place behind the document type's `>`, once it is reached.
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
        place = .behind
      } else if case .declaration = place,
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
      {
        place = .quoted(byte)
      }
    case .comment:
      if ends("-->") { place = .inside }
    case .quoted(let quote):
      if byte == quote { place = .declaration }
    case .behind:
      if byte == UInt8(ascii: ">") { return true }
      if !isSpace(byte) { place = .inside }
    }
    return false
  }

  private func ends(_ mark: String) -> Bool {
    recent.suffix(mark.utf8.count).elementsEqual(mark.utf8)
  }
}

/// The names of the elements that are open, in one piece of memory.
struct OpenElements {
  static let deepest = 64

  var hasClosedRoot = false
  private var names: [UInt8] = []
  private var starts: [Int] = []

  var count: Int { starts.count }

  var innermost: String {
    String(decoding: names[(starts.last ?? 0)...].prefix(60), as: UTF8.self)
  }

  /// - Returns: false when too many are open.
  mutating func open(_ name: ArraySlice<UInt8>) -> Bool {
    guard starts.count < Self.deepest else { return false }
    starts.append(names.count)
    names.append(contentsOf: name)
    return true
  }

  /// - Returns: false when this is not the innermost one.
  mutating func close(_ name: ArraySlice<UInt8>) -> Bool {
    guard let start = starts.last, names[start...].elementsEqual(name) else { return false }
    names.removeSubrange(start...)
    starts.removeLast()
    if starts.isEmpty { hasClosedRoot = true }
    return true
  }
}
