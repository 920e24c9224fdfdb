import LedgerJSON
import LedgerModel

/// Gathers drafts and decides what becomes of each, once all rows are read.
///
/// Two rows with one source id: the same quantity and notes are one measurement written twice,
/// counted once; anything else is a contradiction that no rule here can settle, so all of them are
/// left out.
struct EntryCollector {
  var result = ImportResult()
  private var drafts: [EntryDraft] = []
  private var firsts: [String: Int] = [:]
  /// By the draft that came first: the others that contradict it.
  private var contradictions: [Int: [EntryDraft]] = [:]

  mutating func add(_ draft: EntryDraft) {
    if let refusal = draft.refusal {
      result.report(draft.problem(refusal))
      return
    }
    guard let index = firsts[draft.sourceID] else {
      firsts[draft.sourceID] = drafts.count
      drafts.append(draft)
      return
    }
    let first = drafts[index]
    if first.quantity == draft.quantity, first.notes == draft.notes {
      result.reportDuplicate(
        draft.problem(
          "the same \(draft.metric.name) of the same moment as in row \(first.row); counted once"))
    } else {
      contradictions[index, default: []].append(draft)
    }
  }

  consuming func finish(_ context: ImportContext) -> ImportResult {
    for (index, draft) in drafts.enumerated() {
      if let others = contradictions[index] {
        reportContradiction([draft] + others)
        continue
      }
      guard let logged = context.known(draft.source, draft.sourceID) else {
        result.edits.append(draft.edit(context.makeEntry(), zone: context.zone))
        continue
      }
      if logged == draft.quantity {
        result.knownEntries[draft.metric, default: 0] += 1
      } else {
        result.report(
          draft.problem(
            "\(draft.column) is \(JSONNumber.text(draft.quantity)), but the ledger logged "
              + "\(JSONNumber.text(logged)) for this moment; correct the entry if that is wrong"))
      }
    }
    result.problems.sort()
    result.duplicates.sort()
    return result
  }

  private mutating func reportContradiction(_ drafts: [EntryDraft]) {
    let rows = drafts.prefix(5).map { "\($0.row)" }.joined(separator: ", ")
    let more = drafts.count > 5 ? " and \(drafts.count - 5) more" : ""
    for draft in drafts {
      let moment = draft.time.map { "\(draft.date) \($0)" } ?? "\(draft.date)"
      result.report(
        draft.problem(
          "rows \(rows)\(more) give \(draft.metric.name) of \(moment) different values; "
            + "this one says \(JSONNumber.text(draft.quantity))"))
    }
  }
}

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
    let none = EntryID(LedgerUUID(high: 0, low: 0))
    let edit = edit(none) { _, _ in .utc }
    do {
      _ = try decide(.logProgress(edit), given: NoFacts(), today: date)
      return nil
    } catch {
      return "\(column): \(error)"
    }
  }
}

/// Reads the quantity in a cell, or says why it is none.
enum CellQuantity {
  /// - Parameters:
  ///   - text: the cell without the spaces around it, not empty.
  ///   - unit: what the column is in, when that is not the metric's own unit.
  static func read(
    _ text: String, unit: String? = nil, for metric: Metric, in column: String
  ) throws(RowFault) -> Double {
    let named = "\(column) is \(quoted(text))"
    guard text.utf8.count <= 64 else { throw RowFault(sentence: "\(named); that is no number") }
    guard !text.utf8.contains(UInt8(ascii: ",")) else {
      throw RowFault(
        sentence: "\(named); a comma can mark decimals or thousands, so write the number with a "
          + "point for decimals and no other mark")
    }
    guard !hasTooManyDigits(text) else {
      throw RowFault(
        sentence: "\(named); a ledger keeps at most \(JSONNumber.mostDigits) significant digits")
    }
    do {
      return try Quantity.parse(text + (unit ?? ""), for: metric)
    } catch {
      throw RowFault(sentence: "\(column): \(error)")
    }
  }

  private static func hasTooManyDigits(_ text: String) -> Bool {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text, rules: .log)
      return false
    } catch {
      return error.reason == .tooManyDigits
    }
  }
}
