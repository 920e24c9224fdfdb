import Foundation
import LedgerKit

// The code of the article "Verification and repair"; a test compares them.

func checkLog(of ledger: Ledger) async throws -> Damage? {
  var part = try await ledger.verify()
  while !part.isComplete, part.damage == nil {
    try Task.checkCancellation()
    part = try await ledger.verify()
  }
  return part.damage
}

/// - Parameter kept: the ``Checkpoint/text`` of an earlier `ledger.checkpoint()`.
func isContinuation(of kept: String, _ ledger: Ledger) async throws -> Bool {
  let checkpoint = try Checkpoint(Array(kept.utf8))
  return try await ledger.audit(against: .checkpoint(checkpoint)).isOK
}

func repairWhatCanBe(in ledger: Ledger) async throws -> [String] {
  let found = try await ledger.doctor()
  let outcome = try await ledger.repair(found)
  if let failure = outcome.failures.first { throw failure }
  return outcome.findings.filter(\.isOpen).map { "\($0.severity.rawValue): \($0.code)" }
}

func appendOnce(_ edit: Edit, to ledger: Ledger) async throws {
  do {
    try await ledger.append([edit])
  } catch LogError.notKept, LogError.unsettled, LogError.poisoned {
    try await ledger.reopen()
    // With the same id, an edit that was kept is not written again.
    try await ledger.append([edit])
  }
}

func history(of entry: EntryID, in ledger: Ledger) async throws -> [String] {
  guard let explanation = try await ledger.explain(entry) else { return [] }
  return explanation.history.map { line in
    "\(line.recorded.event.at) \(line.recorded.event.type)"
  } + ["now: \(explanation.status.code.rawValue)"]
}

func whoSetTheQuantity(of entry: EntryID, in ledger: Ledger) async throws -> String? {
  let values = try await ledger.blame(entry)?.values ?? []
  return values.first { $0.name == .part(.quantity, of: .weight) }?.recorded?.event.by.rawValue
}

func changes(since moment: Timestamp, in ledger: Ledger) async throws -> [String] {
  let first = try await ledger.lastEvent(notAfter: moment)
  return try await ledger.diff(from: first).entries.map { entry in
    let values = [entry.before, entry.after].map { $0.map { "\($0.entry.quantity)" } ?? "none" }
    return values.joined(separator: " → ")
  }
}

func exportTable(of ledger: Ledger, into folder: String) async throws -> String {
  let file = folder + "/entries.csv"
  let summary = try await ledger.export(.csv, to: file)
  return "\(summary.count) entries in \(file)"
}

func importScale(_ file: String, into ledger: Ledger) async throws -> [String] {
  var mapping = CSVMapping(metric: .weight, quantity: "Weight", date: "Date")
  mapping.unit = "lb"
  let outcome = try await ledger.importFile(.file(file), as: .csv(mapping))
  return outcome.found.problems.map { "\($0)" }
}

extension CSVMapping {
  /// Takes one of the question's values, or what the person typed.
  ///
  /// - Returns: whether a member has the answer; otherwise let the person choose the columns.
  mutating func answer(_ question: ImportQuestion, with value: String) throws -> Bool {
    switch question.field {
    case .dateFormat: dateFormat = try DateFormat(value)
    case .timeFormat: timeFormat = try DateFormat(value)
    case .decimalMark: hasDecimalComma = value == "comma"
    case .unit: unit = value
    case .id: id = value
    case .columns, .source, .days: return false
    }
    return true
  }
}
