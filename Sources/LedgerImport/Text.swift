/// A cell's text for a message, shortened to 60 characters.
func quoted(_ text: String) -> String {
  let shown = text.prefix(60)
  return shown.endIndex == text.endIndex ? "'\(text)'" : "'\(shown)…'"
}

func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

func isDigits(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isDigit) }

func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

extension String {
  var trimmingSpaces: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
