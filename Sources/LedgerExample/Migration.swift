import LedgerKit

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
