/// Makes untrusted text safe to display.
package enum VisibleText {
  /// The text with characters that could control a terminal or a page, or are invisible, escaped
  /// as in `\u{202E}`: control characters, bidirectional marks, characters without width.
  package static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var result = ""
    let scalars = text.unicodeScalars
    var previous: Unicode.Scalar?
    for index in scalars.indices {
      let scalar = scalars[index]
      let after = scalars.index(after: index)
      let next = after < scalars.endIndex ? scalars[after] : nil
      if isHarmless(scalar, after: previous, before: next) {
        result.unicodeScalars.append(scalar)
      } else {
        result += escape(scalar)
      }
      previous = scalar
    }
    return result
  }

  private static func isHarmless(
    _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
  ) -> Bool {
    if scalar.value < 0x300 { return !isControl(scalar) && scalar.value != 0xAD }
    switch scalar.value {
    case 0xFE0E, 0xFE0F:
      // Selects the emoji or text form of the previous character.
      return previous?.properties.isEmoji ?? false
    case 0x200D:
      // Joins emoji; invisible anywhere else.
      return isEmoji(previous) && isEmoji(next)
    default:
      break
    }
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator: return false
    // Annotation marks are invisible in terminals.
    case .format: return !(0xFFF9...0xFFFB).contains(scalar.value)
    default: return true
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    return scalar == "\u{FE0F}" || (scalar.value > 0x2000 && scalar.properties.isEmoji)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
}
