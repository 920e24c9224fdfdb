/// One word of the command line by its shape alone, before anyone asks which options exist.
///
/// Shapes are told by Unicode scalars and not by characters, because a combining mark behind a
/// dash or an equals sign would hide it in one character.
enum ArgumentWord: Equatable {
  case plain
  /// `--name` or `--name=value`; the name may be empty, as in `--=x`.
  case long(name: String, value: String?)
  /// `-n`, `-n20` or `-ab`, without the dash.
  case short(String)
  /// `--`: everything behind it is an argument.
  case endOfOptions

  init(_ text: String) {
    let scalars = text.unicodeScalars
    guard scalars.first == "-", scalars.count > 1 else {
      // A lone dash is standard input.
      self = .plain
      return
    }
    let rest = scalars.dropFirst()
    guard rest.first == "-" else {
      self = Self.beginsNumber(rest) ? .plain : .short(String(rest))
      return
    }
    let body = rest.dropFirst()
    if body.isEmpty {
      self = .endOfOptions
    } else if let equals = body.firstIndex(of: "=") {
      let value = String(body[body.index(after: equals)...])
      self = .long(name: String(body[..<equals]), value: value)
    } else {
      self = .long(name: String(body), value: nil)
    }
  }

  /// `-3`, `-.5` and `-3mi` are quantities: the rules refuse them in better words than a parser.
  private static func beginsNumber(_ rest: Substring.UnicodeScalarView) -> Bool {
    let digits: ClosedRange<Unicode.Scalar> = "0"..."9"
    let first = rest.first.map(digits.contains) ?? false
    let second = rest.dropFirst().first.map(digits.contains) ?? false
    return first || (rest.first == "." && second)
  }
}

/// `—json` is what some keyboards make of `--json`.
func optionBehindLongDash(_ text: String) -> String? {
  guard let first = text.unicodeScalars.first, first == "—" || first == "–" else { return nil }
  return String(text.unicodeScalars.dropFirst())
}
