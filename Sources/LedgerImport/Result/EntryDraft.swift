import LedgerJSON
import LedgerModel

/// An entry that a row asks for, before it is known whether the ledger wants it.
struct EntryDraft {
  var file: String
  var row: Int
  /// The column that the quantity stands in, for messages.
  var column: String
  var metric: Metric
  var quantity: Double
  var date: CalendarDate
  var time: ClockTime?
  var notes: String?
  var source: String
  /// What the row is called at its source. It is made of what the row says and never of where it
  /// stands, so that a file that was renamed, sorted or exported anew finds its entries again.
  var sourceID: String

  func problem(_ reason: String) -> RowProblem {
    RowProblem(file: file, row: row, reason: reason)
  }

  func edit(
    _ entry: EntryID, zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) -> ProgressLogged {
    ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: date,
      moment: time.map { ZonedTime(time: $0, zone: zone($0, date)) }, notes: notes,
      source: source, sourceID: sourceID)
  }

  /// Why the ledger's rules would refuse it, in their own words.
  var refusal: String? {
    let nobody = EntryID(LedgerUUID(high: 0, low: 0))
    let edit = edit(nobody) { _, _ in .utc }
    do {
      _ = try decide(.logProgress(edit), given: NoFacts(), today: date)
      return nil
    } catch {
      return "\(column): \(error)"
    }
  }
}

/// A cell's text for a message: enough to find it, however long it is.
func quoted(_ text: String) -> String {
  let shown = text.prefix(60)
  return shown.endIndex == text.endIndex ? "'\(text)'" : "'\(shown)…'"
}
