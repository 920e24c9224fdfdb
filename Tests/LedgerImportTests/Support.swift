import LedgerJSON
import LedgerModel

@testable import LedgerImport

func source(_ text: String, name: String = "data.csv") -> ImportSource {
  .bytes(Array(text.utf8), name: name)
}

/// A context with ids that count up and the clock of Central European Summer Time.
func context(known: [String: Double] = [:]) -> ImportContext {
  var made: UInt64 = 0
  return ImportContext(
    makeEntry: {
      made += 1
      return EntryID(LedgerUUID(high: 0, low: made))
    },
    zone: { _, _ in ZoneOffset(minutes: 120) ?? .utc },
    known: { source, id in known["\(source) \(id)"] })
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
