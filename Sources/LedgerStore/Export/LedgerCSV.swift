import LedgerJSON
package import LedgerModel

/// The table that `ledger export csv` writes and `ledger import csv` reads back without loss
/// (docs/cli.md).
package enum LedgerCSV {
  package static let columns = [
    "entry", "metric", "quantity", "unit", "date", "time", "zone", "notes", "source", "source_id",
  ]
  /// The columns of tables by versions without sources.
  package static let columnsWithoutSource = Array(columns.dropLast(2))
  /// The `source` of entries imported from such a table that name none.
  package static let source = "ledger"

  // MARK: Writing

  package static var header: String { columns.joined(separator: ",") + lineEnd }

  /// An entry as a row with its line end (RFC 4180).
  package static func row(
    _ entry: EntryID, _ metric: Metric, _ quantity: Double, _ date: CalendarDate,
    _ moment: ZonedTime?, notes: String?, source: String? = nil, sourceID: String? = nil
  ) -> String {
    // None of these needs quotes.
    let plain =
      "\(entry),\(metric.name),\(JSONNumber.text(quantity)),\(metric.unit),\(date),"
      + (moment.map { "\($0.time),\($0.zone)" } ?? ",")
    let texts = [notes, source, sourceID].map { $0.map { field(guarded($0)) } ?? "" }
    return plain + "," + texts.joined(separator: ",") + lineEnd
  }

  private static let lineEnd = "\r\n"

  private static func field(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
      default: false
      }
    }
    guard needsQuotes || text.isEmpty else { return text }
    // By scalars: a combining mark after a quote would form one character with it.
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  // MARK: Formulas

  /// Prefixes an apostrophe to text that a spreadsheet could run as a formula, including text that
  /// already has apostrophes before one, so that ``unguarded(_:)`` restores it exactly.
  package static func guarded(_ text: String) -> String {
    looksLikeFormula(text) ? "'" + text : text
  }

  package static func unguarded(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "'"), looksLikeFormula(text) else { return text }
    return String(text.unicodeScalars.dropFirst())
  }

  /// Some spreadsheets skip spaces and control characters, NUL and line feeds included, before a
  /// formula. Leading apostrophes are ignored.
  private static func looksLikeFormula(_ text: String) -> Bool {
    let bytes = text.utf8.drop { $0 == UInt8(ascii: "'") }
    if let first = bytes.first, first == UInt8(ascii: "\t") || first == UInt8(ascii: "\r") {
      return true
    }
    switch bytes.first(where: { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "'") }) {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
    default: return false
    }
  }
}
