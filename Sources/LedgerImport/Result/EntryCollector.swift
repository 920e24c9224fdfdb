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
