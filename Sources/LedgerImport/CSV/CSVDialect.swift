/// How a CSV file is encoded and which byte separates its fields.
struct CSVDialect: Hashable, Sendable {
  enum Encoding: Hashable, Sendable {
    case utf8, utf16LittleEndian, utf16BigEndian, windows1252
  }

  var encoding = Encoding.utf8
  var delimiter = UInt8(ascii: ",")

  /// Those that are tried, the most frequent first.
  static let delimiters = Array(",;\t|".utf8)

  /// Reads the bytes that follow, given the file's first ones. Windows-1252 has no mark: it shows in
  /// bytes that are no UTF-8 (``CSVLayout``).
  static func encoding(ofBeginning bytes: some Collection<UInt8>) -> Encoding {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf8 }
    if bytes.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
    if bytes.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
    // Without a mark: in UTF-16, every second byte of ASCII text is zero.
    let first = Array(bytes.prefix(ForeignFile.neededBytes))
    let pairs = first.count / 2
    guard pairs >= 4 else { return .utf8 }
    let zeros = first.indices.filter { first[$0] == 0 }
    let odd = zeros.count { $0 % 2 == 1 }
    if odd * 10 >= pairs * 9, zeros.count - odd == 0 { return .utf16LittleEndian }
    if odd == 0, zeros.count * 10 >= pairs * 9 { return .utf16BigEndian }
    return .utf8
  }
}

/// Turns pieces of a file into UTF-8.
struct CSVDecoder {
  let encoding: CSVDialect.Encoding
  /// The bytes of an incomplete UTF-16 character.
  private var rest: [UInt8] = []

  init(_ encoding: CSVDialect.Encoding) { self.encoding = encoding }

  /// - Parameter piece: empty at the end of the file.
  mutating func decode(_ piece: [UInt8]) -> [UInt8] {
    switch encoding {
    case .utf8: piece
    case .windows1252: Self.windows1252(piece)
    case .utf16LittleEndian: utf16(piece, low: 0)
    case .utf16BigEndian: utf16(piece, low: 1)
    }
  }

  /// - Parameter low: the place of the low byte in a pair.
  private mutating func utf16(_ piece: [UInt8], low: Int) -> [UInt8] {
    let isEnd = piece.isEmpty
    let bytes = rest + piece
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var end = bytes.count & ~1
    func unit(_ place: Int) -> UInt16 {
      UInt16(bytes[place + low]) | UInt16(bytes[place + 1 - low]) << 8
    }
    // A pair of surrogates stays together.
    if !isEnd, end >= 2, UTF16.isLeadSurrogate(unit(end - 2)) { end -= 2 }
    for place in stride(from: 0, to: end, by: 2) { units.append(unit(place)) }
    rest = isEnd ? [] : Array(bytes[end...])
    // An odd byte at the end is no character.
    if isEnd, end < bytes.count { units.append(0xFFFD) }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func windows1252(_ piece: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(piece.count + piece.count / 8)
    for byte in piece {
      guard byte >= 0x80 else {
        text.append(byte)
        continue
      }
      let code = byte < 0xA0 ? high[Int(byte - 0x80)] : UInt16(byte)
      if let scalar = Unicode.Scalar(code) { text += UTF8.encode(scalar).map(Array.init) ?? [] }
    }
    return text
  }

  /// 0x80 to 0x9F (https://encoding.spec.whatwg.org/index-windows-1252.txt).
  private static let high: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039,
    0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC,
    0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
  ]
}
