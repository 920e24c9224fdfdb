import LedgerJSON
import LedgerModel

@testable import LedgerImport

func source(_ text: String, name: String = "data.csv") -> ImportSource {
  .bytes(Array(text.utf8), name: name)
}

/// A context with ids that count up and the clock of Central European Summer Time.
func context(
  known: [String: Double] = [:], units: UnitSystem = .metric, offsetMinutes: Int = 120
) -> ImportContext {
  var made: UInt64 = 0
  var context = ImportContext(
    makeEntry: {
      made += 1
      return EntryID(LedgerUUID(high: 0, low: made))
    },
    zone: { _, _ in ZoneOffset(minutes: offsetMinutes) ?? .utc },
    index: { () throws(ImportError) in index(of: known) },
    known: { source, id in known["\(source) \(id)"] })
  context.unitSystem = { () throws(ImportError) in units }
  return context
}

/// The entries of a ledger that has these quantities, by source and source id.
func index(of known: [String: Double]) -> KnownEntries {
  let logged = known.enumerated().map { order, entry in
    let words = entry.key.split(separator: " ", maxSplits: 1)
    let name = SourceName(source: String(words[0]), id: String(words[1]))
    return KnownEntries.Logged(
      id: name.id, origin: name.origin,
      entry: LedgerUUID(high: 1, low: UInt64(order)), quantity: entry.value, order: order)
  }
  return KnownEntries(
    SortedRecords(held: logged.sorted(by: KnownEntries.Logged.isBefore)), changes: [:])
}

/// What a ledger knows once it has taken in all of a result.
func known(after result: ImportResult) -> [String: Double] {
  var known: [String: Double] = [:]
  for edit in result.edits {
    known["\(edit.source ?? "") \(edit.sourceID ?? "")"] = edit.quantity
  }
  return known
}

func day(_ text: String) -> CalendarDate { CalendarDate(text) ?? .first }

extension ProgressLogged {
  /// As a line that a test can compare: `steps 2016-04-12 01:00:00 160`.
  var line: String {
    let moment = moment.map { " \($0.time)" } ?? ""
    return "\(metric.name) \(date)\(moment) \(JSONNumber.text(quantity))"
  }
}

extension ImportResult {
  var lines: [String] { edits.map(\.line) }
  /// Start, end and seconds asleep of each session.
  var nights: [String] { sessions.map { "\($0.start) \($0.end) \($0.asleepSeconds)" } }
  var problemRows: [Int] { problems.map(\.row) }
}
