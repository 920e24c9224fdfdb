package import LedgerJSON
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

  package static var header: String { columns.joined(separator: ",") + "\r\n" }

  /// Appends an entry as a row with its line end (RFC 4180).
  package static func write(
    _ entry: EntryID, _ metric: Metric, _ quantity: Double, _ date: CalendarDate,
    _ moment: ZonedTime?, notes: String? = nil, source: String? = nil, sourceID: String? = nil,
    into table: inout ByteSink
  ) {
    // None of these needs quotes.
    let comma = UInt8(ascii: ",")
    entry.appendText(to: &table)
    table.append(comma)
    table.append(plain: metric.name)
    table.append(comma)
    JSONNumber.write(quantity, into: &table)
    table.append(comma)
    table.append(plain: metric.unit)
    table.append(comma)
    date.appendText(to: &table)
    table.append(comma)
    moment?.time.appendText(to: &table)
    table.append(comma)
    moment?.zone.appendText(to: &table)
    table.append(comma)
    if let notes { write(guarded(notes), into: &table) }
    table.append(comma)
    if let source { write(guarded(source), into: &table) }
    table.append(comma)
    if let sourceID { write(guarded(sourceID), into: &table) }
    table.append("\r\n")
  }

  private static func write(_ text: String, into table: inout ByteSink) {
    var text = text
    text.withUTF8 { bytes in
      let needsQuotes = bytes.contains { byte in
        switch byte {
        case UInt8(ascii: ","), quote, UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
      }
      guard needsQuotes || bytes.isEmpty else {
        return table.append(UnsafeRawBufferPointer(bytes))
      }
      table.append(quote)
      for byte in bytes {
        if byte == quote { table.append(quote) }
        table.append(byte)
      }
      table.append(quote)
    }
  }

  private static let quote = UInt8(ascii: "\"")

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
  /// formula, and take full-width signs for the usual ones. Leading apostrophes are ignored.
  private static func looksLikeFormula(_ text: String) -> Bool {
    if let first = text.utf8.first, isLetterOrDigit(first) { return false }
    let shown = text.unicodeScalars.drop { $0 == "'" }
    if let first = shown.first, first == "\t" || first == "\r" { return true }
    guard let first = shown.first(where: { $0 != "'" && !isBlank($0) }) else { return false }
    return "=+-@＝＋－＠".unicodeScalars.contains(first)
  }

  /// Nearly all texts begin with one.
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return scalar.value <= 0x20 || scalar.value == 0x7F }
    return scalar.properties.isWhitespace
      || [.control, .format].contains(scalar.properties.generalCategory)
  }
}
