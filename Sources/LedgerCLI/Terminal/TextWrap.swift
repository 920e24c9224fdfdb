/// Breaks one paragraph at spaces into lines of at most `width` columns, where words allow it.
/// Leading spaces are kept; lines after the first begin with `hanging` spaces.
package func wrapped(_ text: String, width: Int, hanging: Int = 0) -> [String] {
  let indent = String(text.prefix { $0 == " " })
  let margin = String(repeating: " ", count: hanging)
  var lines: [String] = []
  var line = indent
  var isFresh = true
  for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
    let space = isFresh ? 0 : 1
    if !isFresh && displayWidth(line) + space + displayWidth(word) > width {
      lines.append(line)
      line = margin + word
    } else {
      line += (isFresh ? "" : " ") + word
    }
    isFresh = false
  }
  return lines + [line]
}
