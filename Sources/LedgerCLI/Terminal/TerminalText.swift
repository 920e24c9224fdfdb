import LedgerJSON
import LedgerModel

/// Text with control characters, bidirectional marks and zero-width characters made visible, such
/// as `\u{202E}`.
package func escapedForTerminal(_ text: String) -> String { VisibleText.escaped(text) }

/// The columns a text takes on a terminal, for text without control characters.
package func displayWidth(_ text: some StringProtocol) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// An emoji takes two columns, however many scalars compose it.
private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  let isPicture = scalars.contains { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }
  if isPicture { return 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
  // Medial and final Hangul jamo combine with the initial one.
  if (0x1160...0x11FF).contains(scalar.value) { return 0 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: return isWide(scalar.value) ? 2 : 1
  }
}

/// Blocks that are wide or full-width in Unicode's EastAsianWidth, without emoji.
private let wideBlocks: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
  0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
  0x20000...0x3FFFD,
]

private func isWide(_ value: UInt32) -> Bool {
  wideBlocks.contains { $0.contains(value) }
}

/// The text cut to at most `columns`, the last one then an ellipsis.
package func truncated(_ text: String, columns: Int) -> String {
  if displayWidth(text) <= columns { return text }
  guard columns > 0 else { return "" }
  var kept = ""
  var used = 1
  for character in text {
    used += displayWidth(character)
    if used > columns { break }
    kept.append(character)
  }
  return kept + "…"
}

/// Breaks one paragraph at spaces into lines of at most `width` columns, where words allow it.
/// Leading spaces are kept; lines after the first begin with `hanging` spaces.
package func wrapped(_ text: String, width: Int, hanging: Int = 0) -> [String] {
  let indent = String(text.prefix { $0 == " " })
  let margin = String(repeating: " ", count: hanging)
  var lines: [String] = []
  var line = indent
  var isFresh = true
  for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
    var space = isFresh ? "" : " "
    for part in parts(of: word, width: width - hanging) {
      if !isFresh && displayWidth(line) + space.count + displayWidth(part) > width {
        lines.append(line)
        line = margin + part
      } else {
        line += space + part
      }
      (isFresh, space) = (false, "")
    }
  }
  return lines + [line]
}

/// A word that is too long for a line, such as an id, breaks after its hyphens.
private func parts(of word: Substring, width: Int) -> [Substring] {
  guard displayWidth(word) > width else { return [word] }
  var parts: [Substring] = []
  var rest = word
  while let hyphen = rest.firstIndex(of: "-") {
    parts.append(rest[...hyphen])
    rest = rest[rest.index(after: hyphen)...]
  }
  return parts + [rest]
}

/// Colours, or none where they are not wanted.
package struct Paint: Sendable, Equatable {
  package enum Style: String, Sendable, CaseIterable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  package let isOn: Bool

  package static let plain = Paint(isOn: false)

  package init(isOn: Bool) {
    self.isOn = isOn
  }

  /// By `--color`; `auto` is on for a capable terminal without `NO_COLOR`.
  init(
    _ color: ConsoleSettings.Color, isTerminal: Bool,
    _ environment: (String) -> String?
  ) {
    switch color {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      let declined = !(environment("NO_COLOR") ?? "").isEmpty
      isOn = isTerminal && !declined && environment("TERM") != "dumb"
    }
  }

  package func apply(_ style: Style?, _ text: String) -> String {
    guard isOn, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  package func bold(_ text: String) -> String { apply(.bold, text) }
  package func dim(_ text: String) -> String { apply(.dim, text) }
  package func red(_ text: String) -> String { apply(.red, text) }
  package func green(_ text: String) -> String { apply(.green, text) }
  package func yellow(_ text: String) -> String { apply(.yellow, text) }
  package func cyan(_ text: String) -> String { apply(.cyan, text) }
}

/// Indented JSON, one member per line.
enum PrettyJSON {
  static func lines(_ value: JSONValue) -> [String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      let members = object.members.map { member in
        (JSONValue.string(member.name).serialized + ": ", member.value)
      }
      return ["{"] + inner(members) + ["}"]
    case .array(let values) where !values.isEmpty:
      return ["["] + inner(values.map { ("", $0) }) + ["]"]
    case .null, .bool, .number, .string, .array, .object: return [value.serialized]
    }
  }

  private static func inner(_ parts: [(name: String, value: JSONValue)]) -> [String] {
    parts.enumerated().flatMap { index, part in
      var lines = lines(part.value)
      lines[0] = part.name + lines[0]
      if index + 1 < parts.count { lines[lines.count - 1] += "," }
      return lines.map { "  " + $0 }
    }
  }
}
