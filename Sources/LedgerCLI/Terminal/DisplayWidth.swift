/// The columns a text takes on a terminal, for text without control characters.
package func displayWidth(_ text: some StringProtocol) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// A character is one picture, however many scalars draw it.
func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  let isPicture = scalars.contains { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }
  if isPicture { return 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
  // Later parts of a Korean syllable are drawn into its first.
  if (0x1160...0x11FF).contains(scalar.value) { return 0 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: return isWide(scalar.value) ? 2 : 1
  }
}

/// The blocks whose characters are wide or full-width in Unicode's EastAsianWidth, emoji aside.
private let wideBlocks: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
  0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
  0x20000...0x3FFFD,
]

private func isWide(_ value: UInt32) -> Bool {
  wideBlocks.contains { $0.contains(value) }
}

/// The text cut to at most `columns`, with an ellipsis in the last one where it was cut.
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
