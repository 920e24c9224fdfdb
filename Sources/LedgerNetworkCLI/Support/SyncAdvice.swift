import LedgerCLI
import LedgerJSON
import LedgerKit

/// What a person should know after a sync: what was not read, what waits and why, and the command
/// that helps, a sentence each.
struct SyncAdvice {
  let report: SyncReport

  var sentences: [String] {
    let all = [
      deletions, holds, lastingHolds, unreadable, differences, conflicts, suspicions, refusals,
      incompletePull, ending,
    ]
    return all.flatMap(\.self)
  }

  private var deletions: [String] {
    guard let events = report.deletions else { return [] }
    let (first, last) = (events.lowerBound, events.upperBound)
    let range = first == last ? "\(first)" : "\(first)..\(last)"
    return [
      "\(NumberText.count(report.deleted)) deleted at the backend: 'ledger undo \(range)' logs "
        + (first == last ? "it again" : "them again")
    ]
  }

  // MARK: Edits that wait

  private var holds: [String] {
    report.holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      "\(counted(count, "edit")) held: \(reason.cause)"
        + (reason.remedy.map { "; '\($0)' lifts it" } ?? "")
    }
  }

  private var lastingHolds: [String] {
    guard report.lastingHolds > 0 else { return [] }
    let edits = counted(report.lastingHolds, "edit")
    return ["\(edits) held that no edit can lift; 'ledger show sync' says why"]
  }

  private var differences: [String] {
    guard report.differs > 0 else { return [] }
    return [
      "\(counted(report.differs, "edit")) not synced: the backend has other values than were sent"
    ]
  }

  private var conflicts: [String] {
    guard report.openConflicts > 0 else { return [] }
    let subject =
      report.openConflicts == 1
      ? "a conflict waits" : "\(NumberText.count(report.openConflicts)) conflicts wait"
    return [
      "\(subject) for you: 'ledger conflicts' shows what differs, 'ledger resolve SEQ --take "
        + "local|remote' decides"
    ]
  }

  private var suspicions: [String] {
    guard report.suspicions > 0 else { return [] }
    let subject =
      report.suspicions == 1
      ? "a suspected duplicate waits"
      : "\(NumberText.count(report.suspicions)) suspected duplicates wait"
    return [
      "\(subject) for you: 'ledger conflicts' shows what may be there twice, 'ledger resolve SEQ "
        + "--take one|both' decides"
    ]
  }

  private var refusals: [String] {
    let earlier = report.counts.rejected - report.rejected
    guard earlier > 0 else { return [] }
    return [
      "\(counted(earlier, "edit")) refused earlier: 'ledger show sync' names the reason, a correction "
        + "is sent again"
    ]
  }

  // MARK: What was not read

  private static let mostRows = 10

  private var unreadable: [String] {
    var sentences = report.unreadable.prefix(Self.mostRows).map { row in
      let id = row.id.map { " \($0)" } ?? " without an id"
      let value = row.value.map { " \($0.serialized)" } ?? ""
      return "row\(id) of the backend cannot be read: \(row.field)\(value), \(row.reason)"
    }
    let rest = report.unreadable.count - sentences.count
    if rest > 0 { sentences.append("\(counted(rest, "more row")) of the backend cannot be read") }
    return sentences
  }

  private var incompletePull: [String] {
    guard report.pull == .failed, report.stop == nil else { return [] }
    return [
      "the backend was not read completely, so what is new or deleted there may be missing here"
        + (report.mayPass ? "; try again" : "")
    ]
  }

  private var ending: [String] {
    if let stop = report.stop { return [SyncAnswer.sentence(stop)] }
    guard report.inDoubt > 0 else { return [] }
    return [
      "\(counted(report.inDoubt, "edit")) in doubt: the answer was lost, and the next sync finds out "
        + "whether the call arrived"
    ]
  }
}
