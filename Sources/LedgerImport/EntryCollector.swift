import LedgerJSON
import LedgerModel

/// Collects drafts and decides, once all rows are read, which become entries.
///
/// Rows with the same source id, quantity and notes are one measurement and count once. If quantity
/// or notes differ, all of them are reported and none is imported.
struct EntryCollector {
  var result = ImportResult()
  private var drafts: [EntryDraft] = []
  private var firsts: [String: Int] = [:]
  /// The later drafts that contradict the first one of their source id, by its index.
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
    if first.sameMoment == .sum {
      drafts[index].add(draft)
      return
    }
    if first.sameMoment == .first || first.quantity == draft.quantity, first.notes == draft.notes {
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
      if draft.isSum, let refusal = draft.refusal {
        result.report(draft.problem(refusal))
        continue
      }
      guard let logged = context.known(draft.source, draft.sourceID) else {
        result.edits.append(draft.edit(context.makeEntry(), zone: context.zone))
        continue
      }
      if logged == draft.quantity {
        result.knownEntries[draft.metric, default: 0] += 1
      } else if draft.isSum, let known = context.knownEntry(draft.source, draft.sourceID) {
        take(draft, known)
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

  /// A sum that has grown corrects the entry, unless a person has changed it.
  private mutating func take(_ draft: EntryDraft, _ known: KnownEntry) {
    guard !known.isTouched, draft.quantity > known.quantity else {
      result.knownEntries[draft.metric, default: 0] += 1
      return
    }
    result.growths.append(
      GrownSum(
        entry: known.entry, metric: draft.metric, quantity: draft.quantity, source: draft.source,
        sourceID: draft.sourceID))
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

/// An entry that a row asks for.
struct EntryDraft {
  var file: String
  var row: Int
  /// The quantity's column, for messages.
  var column: String
  var metric: Metric
  var quantity: Double
  var date: CalendarDate
  var time: ClockTime?
  /// The offset that the file gives; `nil` for the ledger's zone.
  var zone: ZoneOffset?
  var notes: String?
  var source: String
  /// Made from the row's content, not its position, so that a file that was renamed, sorted or
  /// exported again still matches.
  var sourceID: String
  var sameMoment = CSVRules.SameMoment.refuse

  func problem(_ reason: String) -> RowProblem {
    RowProblem(file: file, row: row, reason: reason)
  }

  var isSum: Bool { sameMoment == .sum }

  /// Adds another part of the same quantity.
  mutating func add(_ part: EntryDraft) {
    quantity = JSONNumber.writable(quantity + part.quantity) ?? quantity
    if notes != part.notes { notes = nil }
  }

  func edit(
    _ entry: EntryID, zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) -> ProgressLogged {
    ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: date,
      moment: time.map { ZonedTime(time: $0, zone: self.zone ?? zone($0, date)) }, notes: notes,
      source: source, sourceID: sourceID)
  }

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

enum CellQuantity {
  /// - Parameters:
  ///   - text: trimmed and not empty.
  ///   - unit: the column's unit; `nil` for the metric's own.
  static func read(
    _ text: String, unit: String? = nil, for metric: Metric, in column: String
  ) throws(RowFault) -> Double {
    let named = "\(column) is \(quoted(text))"
    guard text.utf8.count <= 64 else { throw RowFault("\(named); that is no number") }
    guard !text.utf8.contains(UInt8(ascii: ",")) else {
      throw RowFault(
        "\(named); a comma can mark decimals or thousands, so write the number with a "
          + "point for decimals and no other mark")
    }
    guard !hasTooManyDigits(text) else {
      throw RowFault("\(named); a ledger keeps at most \(JSONNumber.mostDigits) significant digits")
    }
    do {
      return try Quantity.parse(text + (unit ?? ""), for: metric)
    } catch {
      throw RowFault("\(column): \(error)")
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
