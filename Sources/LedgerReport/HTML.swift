import LedgerModel

/// Builds markup. ``text(_:in:_:)`` escapes; ``raw(_:)`` is for this module's own markup only.
struct HTML {
  private(set) var markup = ""

  mutating func raw(_ markup: String) { self.markup += markup + "\n" }

  mutating func text(_ text: String, in tag: String, _ attributes: String = "") {
    let opening = attributes.isEmpty ? tag : "\(tag) \(attributes)"
    markup += "<\(opening)>\(HTML.escaped(text))</\(tag)>\n"
  }

  /// Escapes text for an element or a quoted attribute. Characters that would reorder or hide text
  /// are shown as `\u{202E}`.
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy(isPlain) { return text }
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

  /// Whether a byte is a printable ASCII character that is not markup.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      false
    default: (0x20..<0x7F).contains(byte)
    }
  }

  /// A table of text cells; the first column is the row header.
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

/// Numbers in a format that does not depend on the locale.
enum FigureText {
  /// A fixed number of decimals, so that columns align: 1,234.50.
  static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return value.description }
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    // Drop the error of binary arithmetic first, so that half of the last digit is rounded up.
    let scaled = ((value.magnitude * Double(scale) * 1e6).rounded() / 1e6).rounded()
    guard scaled < 9e18 else { return value.description }
    let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: scale)
    var text = grouped(whole)
    if decimals > 0 {
      let digits = String(rest)
      text += "." + String(repeating: "0", count: decimals - digits.count) + digits
    }
    return (value < 0 && scaled > 0 ? "−" : "") + text
  }

  /// `1:05`
  static func clock(hours: Double) -> String {
    let minutes = Int((hours * 60).rounded())
    return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
  }

  /// `12,345`
  static func count(_ value: Int) -> String { grouped(value) }

  /// `1 event`, `12 events`
  static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(grouped(count)) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  private static func grouped(_ value: Int) -> String {
    let digits = String(value)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return result
  }
}

enum DateText {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `3 Mar 2025`
  static func day(_ date: CalendarDate) -> String { "\(dayOfYear(date)) \(year(date))" }

  /// `3 Mar` in the year of another day, else `3 Mar 2025`.
  static func day(_ date: CalendarDate, near other: CalendarDate) -> String {
    date.components.year == other.components.year ? dayOfYear(date) : day(date)
  }

  /// `3 Mar`
  static func dayOfYear(_ date: CalendarDate) -> String {
    let (_, month, day) = date.components
    return "\(day) \(months[month - 1])"
  }

  /// `Mar 2025`
  static func month(_ date: CalendarDate) -> String {
    "\(months[date.components.month - 1]) \(year(date))"
  }

  static func year(_ date: CalendarDate) -> String { String(date.components.year) }

  /// `3 Mar 2025`, or `3 Mar 2025 to 9 Apr 2025`
  static func span(_ first: CalendarDate, _ last: CalendarDate) -> String {
    first == last ? day(first) : "\(day(first)) to \(day(last))"
  }
}
