import LedgerModel

/// An entry that a row asks for.
struct EntryDraft {
  var file: String
  var row: Int
  /// The quantity's column, for messages.
  var column: String
  var metric: Metric
  var quantity: Double
  /// The unit that the file has it in, for messages; `nil` for the metric's own.
  var unit: String?
  var date: CalendarDate
  var time: ClockTime?
  /// The offset that the file gives; `nil` for the ledger's zone.
  var zone: ZoneOffset?
  var notes: String?
  var source: String
  /// Made from the row's content, not its position, so that a file that was renamed, sorted or
  /// exported again still matches.
  var sourceID: String
  /// The id that the row has in another file if there the column of ids is found to identify the person
  /// instead of the row, or the reverse.
  var otherSourceID: String?
  var sameMoment = CSVRules.SameMoment.refuse
  /// Whether a cell of the row says that it is a sum of others.
  var saysTotal = false

  func problem(_ reason: String) -> RowProblem {
    RowProblem(file: file, row: row, reason: reason)
  }

  /// The entry as a ledger accepts it.
  func decided(_ context: ImportContext) throws(Refusal) -> ProgressLogged {
    let entry = ProgressLogged(
      entry: context.makeEntry(), metric: metric, quantity: quantity, date: date,
      moment: time.map { ZonedTime(time: $0, zone: zone ?? context.zone($0, date)) }, notes: notes,
      source: source, sourceID: sourceID)
    guard
      case .progressLogged(let decided) = try decide(
        .logProgress(entry), given: NoFacts(), today: date)
    else { return entry }
    return decided
  }
}
