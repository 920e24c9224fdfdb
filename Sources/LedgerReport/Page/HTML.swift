import LedgerModel

/// Markup in the making. Text goes in by ``text(_:)`` alone, which leaves nothing of it to be
/// markup; what goes in by ``raw(_:)`` is this room's own.
struct HTML {
  private(set) var markup = ""

  mutating func raw(_ markup: String) { self.markup += markup + "\n" }

  mutating func raw(_ other: HTML) { markup += other.markup }

  mutating func text(_ text: String, in tag: String, _ attributes: String = "") {
    let opening = attributes.isEmpty ? tag : "\(tag) \(attributes)"
    markup += "<\(opening)>\(HTML.escaped(text))</\(tag)>\n"
  }

  /// Text as it may stand in an element or in a quoted attribute: nothing of it is markup, and
  /// what would reorder or hide text is shown as `\u{202E}`.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in VisibleText.escaped(text).unicodeScalars {
      switch byte {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(byte)
      }
    }
    return result
  }

  /// A table of figures. Cells are text; the first column names its row.
  mutating func table(caption: String, head: [String], rows: [[String]]) {
    raw("<table class=\"figures\">")
    text(caption, in: "caption")
    raw("<thead><tr>")
    for cell in head { text(cell, in: "th", "scope=\"col\"") }
    raw("</tr></thead><tbody>")
    for row in rows {
      let cells = row.enumerated().map { index, cell in
        index == 0
          ? "<th scope=\"row\">\(HTML.escaped(cell))</th>" : "<td>\(HTML.escaped(cell))</td>"
      }
      raw("<tr>\(cells.joined())</tr>")
    }
    raw("</tbody></table>")
  }
}
