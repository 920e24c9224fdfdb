import LedgerJSON

/// The elements of a JSON list, one at a time, so that a list may be larger than memory: of a file that
/// is a list, or of a member of an object.
struct JSONElements {
  /// The size limit of an element, and of all other members together.
  private static let bytesAtMost = 1 << 22

  private enum State {
    case start
    /// Before a member of the object.
    case member
    /// Before an element.
    case element
    case end
  }

  private let stream: ByteStream
  private let name: String
  private let list: String?
  private var piece: [UInt8]
  private var place = 0
  /// The bytes before the piece.
  private(set) var bytesBefore = 0
  /// The number of list elements begun.
  private var count = 0
  private var state = State.start
  private var isObject = false
  private var hasList = false
  private var others: [UInt8] = []

  /// - Parameters:
  ///   - name: the file's, for messages.
  ///   - beginning: what was read of the stream before.
  ///   - list: the member of an object that is the list; `nil` for a file that must be a list.
  init(_ stream: ByteStream, name: String, beginning: [UInt8] = [], list: String? = nil) {
    (self.stream, self.name, self.list, piece) = (stream, name, list, beginning)
  }

  /// - Returns: `nil` after the last element.
  /// - Throws: ``ImportError`` if the text is no list, or cannot be read.
  mutating func next() throws(ImportError) -> JSONValue? {
    while true {
      switch state {
      case .start: try begin()
      case .member: try takeMember()
      case .element: return try nextElement()
      case .end: return nil
      }
    }
  }

  /// After the last element: the file without the list; `nil` if it is one.
  func rest() throws(ImportError) -> JSONValue? {
    guard !others.isEmpty else { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: others, rules: .wire)
    } catch {
      // Its values were parsed, so that a byte of what is kept would say nothing.
      throw invalid(error.reason.sentence)
    }
  }

  /// Reads the rest of the stream, which throws if its source is damaged.
  func skipRest() throws(ImportError) {
    while case let piece = try stream.next(), !piece.isEmpty {}
  }

  private mutating func begin() throws(ImportError) {
    if try peek() == 0xEF { for byte in [0xEF, 0xBB, 0xBF] as [UInt8] { try expect(byte) } }
    switch try peekPastSpace() {
    case UInt8(ascii: "["): try beginList()
    case UInt8(ascii: "{") where list != nil:
      place += 1
      isObject = true
      others = [UInt8(ascii: "{")]
      state = .member
    default:
      guard list != nil else {
        throw ImportError(.unfit, "\(name) is not a list of samples")
      }
      // Parsing it says what is wrong.
      let start = bytesBefore + place
      while let byte = try peek() {
        try keep([byte])
        place += 1
      }
      _ = try parsed(others, at: start)
      state = .end
    }
  }

  private mutating func beginList() throws(ImportError) {
    place += 1
    state = .element
    if try peekPastSpace() == UInt8(ascii: "]") { try endList() }
  }

  private mutating func nextElement() throws(ImportError) -> JSONValue {
    count += 1
    let (bytes, start) = try token()
    let value = try parsed(bytes, at: start, "element \(count), ")
    if try peek() == UInt8(ascii: ",") { place += 1 } else { try endList() }
    return value
  }

  private mutating func endList() throws(ImportError) {
    try expect(UInt8(ascii: "]"))
    guard isObject else { return try end() }
    try endMember()
  }

  private mutating func takeMember() throws(ImportError) {
    let first = try peekPastSpace()
    if first == UInt8(ascii: "}"), others.count == 1, !hasList { return try endMember() }
    let (key, keyStart) = try token(isName: true)
    try expect(UInt8(ascii: ":"))
    let (byte, name) = (try peekPastSpace(), try parsed(key, at: keyStart).string)
    guard byte != UInt8(ascii: "[") || name != list else {
      guard !hasList else { throw invalid("it has '\(list ?? "")' twice") }
      hasList = true
      return try beginList()
    }
    let (value, start) = try token()
    _ = try parsed(value, at: start)
    try keep((others.count > 1 ? [UInt8(ascii: ",")] : []) + key + [UInt8(ascii: ":")] + value)
    try endMember()
  }

  /// Goes on after a member, at a comma or the object's end.
  private mutating func endMember() throws(ImportError) {
    if try peekPastSpace() == UInt8(ascii: ",") {
      place += 1
      state = .member
    } else {
      try expect(UInt8(ascii: "}"))
      try keep([UInt8(ascii: "}")])
      try end()
    }
  }

  /// Checks that nothing comes after the value.
  private mutating func end() throws(ImportError) {
    state = .end
    guard try peekPastSpace() == nil else { throw invalid("it goes on after its end") }
  }

  /// The bytes up to the comma or bracket after a value, or the colon after a name, and their offset in
  /// the file.
  private mutating func token(
    isName: Bool = false
  ) throws(ImportError) -> (bytes: [UInt8], start: Int) {
    _ = try peekPastSpace()
    let first = bytesBefore + place
    var bytes: [UInt8] = []
    var depth = 0
    var (isText, isEscaped) = (false, false)
    while try peek() != nil {
      let start = place
      scan: while place < piece.count {
        let byte = piece[place]
        if isText {
          if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        } else {
          switch byte {
          case UInt8(ascii: "\""): isText = true
          case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
          case UInt8(ascii: ":") where isName && depth == 0: break scan
          case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
            if depth == 0 { break scan }
            if byte != UInt8(ascii: ",") { depth -= 1 }
          default: break
          }
        }
        place += 1
      }
      bytes += piece[start..<place]
      guard bytes.count <= Self.bytesAtMost else { throw tooLong }
      if place < piece.count { return (bytes, first) }
    }
    throw invalid("it is cut off")
  }

  private mutating func keep(_ bytes: [UInt8]) throws(ImportError) {
    others += bytes
    guard others.count <= Self.bytesAtMost else { throw tooLong }
  }

  private var tooLong: ImportError {
    ImportError(.unfit, "\(name) has a value of more than \(Self.bytesAtMost) bytes")
  }

  /// - Parameters:
  ///   - start: the offset of the bytes in the file.
  ///   - part: what they are, for messages.
  private func parsed(
    _ bytes: [UInt8], at start: Int, _ part: String = ""
  ) throws(ImportError) -> JSONValue {
    guard !bytes.isEmpty else { throw invalid("\(part)a value is missing at byte \(start)") }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes, rules: .wire)
    } catch {
      throw invalid("\(part)\(JSONError(error.reason, at: start + error.offsetBytes))")
    }
  }

  private func invalid(_ sentence: String) -> ImportError {
    ImportError(.unfit, "\(name) is not valid JSON: \(sentence)")
  }

  private mutating func expect(_ byte: UInt8) throws(ImportError) {
    guard try peek() == byte else {
      throw invalid(
        "it has no '\(Character(UnicodeScalar(byte)))' where one must be, at byte "
          + "\(bytesBefore + place)")
    }
    place += 1
  }

  private mutating func peekPastSpace() throws(ImportError) -> UInt8? {
    while let byte = try peek() {
      guard isSpace(byte) else { return byte }
      place += 1
    }
    return nil
  }

  private mutating func peek() throws(ImportError) -> UInt8? {
    if place == piece.count {
      bytesBefore += piece.count
      piece = try stream.next()
      place = 0
    }
    return place < piece.count ? piece[place] : nil
  }
}

extension JSONValue {
  /// For messages: at most 60 characters.
  var shown: String {
    // Written out, a number may have 300 digits.
    if let number, number.magnitude >= 1e15 { return "\(number)" }
    let text = serialized
    return text.count > 60 ? text.prefix(60) + "…" : text
  }
}
