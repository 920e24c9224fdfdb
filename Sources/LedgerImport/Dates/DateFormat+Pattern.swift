extension DateFormat {
  /// The parts of a pattern, in its order.
  static func parse(_ pattern: String) throws(ImportError) -> [Part] {
    var parts: [Part] = []
    var rest = Array(pattern.utf8)[...]
    guard !rest.isEmpty, rest.count <= 100 else {
      throw ImportError(.unfit, "a date pattern has 1 to 100 characters, such as yyyy-MM-dd")
    }
    while let byte = rest.first {
      guard byte != UInt8(ascii: "'") else {
        throw ImportError(
          .unfit, "the pattern '\(pattern)' has a quote; T stands for itself without one")
      }
      guard isLetter(byte), byte != UInt8(ascii: "T") else {
        parts.append(.literal(byte))
        rest.removeFirst()
        continue
      }
      let run = rest.prefix { $0 == byte }
      rest.removeFirst(run.count)
      guard let part = part(byte, run.count) else {
        let letters = String(decoding: run, as: UTF8.self)
        throw ImportError(
          .unfit,
          "the pattern '\(pattern)' has '\(letters)'; it may hold yyyy, M, d, H, h with a, m and "
            + "s, all but yyyy and a once or twice")
      }
      parts.append(part)
    }
    return parts
  }

  private static func part(_ letter: UInt8, _ count: Int) -> Part? {
    if letter == UInt8(ascii: "y") { return count == 4 ? .number(.year, digits: 4...4) : nil }
    if letter == UInt8(ascii: "a") { return count == 1 ? .halfOfDay : nil }
    guard count <= 2, let field = field(letter) else { return nil }
    return .number(field, digits: count...2)
  }

  private static func field(_ letter: UInt8) -> Field? {
    switch letter {
    case UInt8(ascii: "M"): .month
    case UInt8(ascii: "d"): .day
    case UInt8(ascii: "H"): .hour24
    case UInt8(ascii: "h"): .hour12
    case UInt8(ascii: "m"): .minute
    case UInt8(ascii: "s"): .second
    default: nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
