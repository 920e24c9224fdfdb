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

// The code of the article "Migrating an existing store"; a test compares them.

/// A measurement of the app's old store, such as a SwiftData model.
struct OldEntry: Sendable {
  /// Its id in the old store, which never changes.
  var id: String
  var metric: Metric
  var quantity: Double
  var moment: Timestamp
  var notes: String?
  /// The backend's id of its row; `nil` if it was never sent.
  var backendID: String?
}

/// Moves an old store into a new, signed-in ledger. Can be repeated after a failure.
///
/// - Returns: false if the backend could not be read completely; nothing was moved then.
func migrate(_ old: [OldEntry], into ledger: Ledger) async throws -> Bool {
  // The entries with a backend id are pulled, and the ledger knows their rows.
  var options = SyncOptions()
  options.configuration.listsAll = true
  guard try await ledger.sync(options: options).pull == .full else { return false }
  try await ledger.append(old.filter { $0.backendID == nil }.compactMap(\.edit))
  return true
}

extension OldEntry {
  fileprivate var edit: Edit? {
    guard let wall = LocalZone.current.localTime(at: moment) else { return nil }
    let logged = ProgressLogged(
      entry: .derived(from: id, at: moment), metric: metric, quantity: quantity, date: wall.date,
      moment: ZonedTime(time: wall.time, zone: wall.zone), notes: notes, source: "old-store",
      sourceID: id)
    return Edit(
      id: .derived(from: id, at: moment), by: .import, change: .logProgress(logged))
  }
}

#if os(iOS)
  import Foundation

  /// The folder shared by the app and its extensions.
  func sharedFolder(of group: String) throws -> String {
    guard
      let container = FileManager.default.containerURL(
        forSecurityApplicationGroupIdentifier: group)
    else { throw CocoaError(.fileNoSuchFile) }
    let folder = container.appending(path: "Diary", directoryHint: .isDirectory)
    // Readable after the first unlock, for a background sync.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
    return folder.path(percentEncoded: false)
  }
#endif
