/// BCP 47 (RFC 5646, section 2.1), the shape of a tag: language, script, region, variants,
/// extensions, private use. Whether the subtags are registered is not asked.
enum LanguageTag {
  static func isWellFormed(_ tag: String) -> Bool {
    let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { Array($0) }
    guard tag.utf8.count <= 100, parts.allSatisfy({ (1...8).contains($0.count) }),
      parts.allSatisfy({ $0.allSatisfy(isAlphanumeric) })
    else { return false }
    var rest = parts[...]
    if isSingleton(rest.first, "x") { return rest.count > 1 }
    guard let language = rest.popFirst(), (2...8).contains(language.count), isLetters(language)
    else { return false }
    if language.count <= 3 { dropExtendedLanguages(&rest) }
    if let script = rest.first, script.count == 4, isLetters(script) { rest.removeFirst() }
    if let region = rest.first, isRegion(region) { rest.removeFirst() }
    while let variant = rest.first, isVariant(variant) { rest.removeFirst() }
    return areExtensions(rest)
  }

  private static func dropExtendedLanguages(_ rest: inout ArraySlice<[UInt8]>) {
    var left = 3
    while left > 0, let part = rest.first, part.count == 3, isLetters(part) {
      rest.removeFirst()
      left -= 1
    }
  }

  /// Each extension is a single letter or digit and at least one longer part; `x` takes the rest.
  private static func areExtensions(_ parts: ArraySlice<[UInt8]>) -> Bool {
    var rest = parts
    while let singleton = rest.popFirst() {
      guard singleton.count == 1, !rest.isEmpty else { return false }
      if isSingleton(singleton, "x") { return true }
      guard let first = rest.first, first.count >= 2 else { return false }
      while let part = rest.first, part.count >= 2 { rest.removeFirst() }
    }
    return true
  }

  private static func isRegion(_ part: [UInt8]) -> Bool {
    (part.count == 2 && isLetters(part)) || (part.count == 3 && part.allSatisfy(isDigit))
  }

  private static func isVariant(_ part: [UInt8]) -> Bool {
    part.count >= 5 || (part.count == 4 && isDigit(part[0]))
  }

  private static func isSingleton(_ part: [UInt8]?, _ letter: Character) -> Bool {
    part?.count == 1 && part?.first.map { $0 | 0x20 } == letter.asciiValue
  }

  private static func isLetters(_ part: [UInt8]) -> Bool {
    part.allSatisfy { isAlphanumeric($0) && !isDigit($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
