import LedgerKit

/// A measurement in HealthKit.
struct HealthSample: Hashable, Sendable {
  /// The UUID of the sample, or the id of the entry that it is to be written for.
  var id: String
  var metric: Metric
  var quantity: Double
  /// Milliseconds since 1970.
  var moment: Timestamp
  /// Whether this app wrote it, on this device or on another.
  var isOwn = false
}

/// What has changed in HealthKit since the last import.
struct HealthChanges: Sendable {
  var added: [HealthSample] = []
  /// The UUIDs of deleted samples, imported or not.
  var deleted: [String] = []
}

/// Brings changes of HealthKit into the ledger: each sample once, and none that this app wrote.
struct HealthFeed: Sendable {
  let ledger: Ledger

  /// Records what the ledger accepts, in one durable write.
  ///
  /// - Returns: why samples were refused, by UUID.
  func apply(_ changes: HealthChanges) async throws -> [String: String] {
    let edits = changes.edits
    var refused: [String: String] = [:]
    // The first import may be long.
    let outcomes = try await ExpiringActivity.system.run(reason: "Importing measurements") {
      try await ledger.append(edits, onRefusal: .skip)
    }
    for (edit, outcome) in zip(edits, outcomes) {
      // A deletion is refused if there is no entry, such as for a sample of this app.
      guard let refusal = outcome.refusal, case .logProgress(let sample) = edit.change,
        let id = sample.sourceID
      else { continue }
      refused[id] = "\(refusal)"
    }
    return refused
  }
}

extension HealthFeed {
  /// Answers a call of an observer query.
  ///
  /// - Parameters:
  ///   - error: from HealthKit.
  ///   - importing: reads the changes and applies them.
  ///   - onImport: called with the reasons for refused samples, or an error.
  ///   - completion: called in any case, when the import has ended: after three calls without it, HealthKit
  ///     wakes the app no more.
  static func answer(
    _ error: (any Error)?, importing: () async throws -> [String: String],
    onImport: (Result<[String: String], any Error>) -> Void, completion: () -> Void
  ) async {
    defer { completion() }
    do {
      if let error { throw error }
      onImport(.success(try await importing()))
    } catch {
      onImport(.failure(error))
    }
  }
}

extension HealthChanges {
  var edits: [Edit] {
    added.filter { !$0.isOwn }.compactMap(\.logging) + deleted.map(Self.deleting)
  }

  private static func deleting(_ id: String) -> Edit {
    Edit(
      id: .derived(from: "\(id) deleted"), by: .import,
      change: .deleteProgress(ProgressDeleted(entry: .derived(from: id))))
  }
}

extension HealthSample {
  fileprivate var logging: Edit? {
    guard let wall = LocalZone.current.localTime(at: moment) else { return nil }
    let logged = ProgressLogged(
      entry: .derived(from: id), metric: metric, quantity: quantity, date: wall.date,
      moment: ZonedTime(time: wall.time, zone: wall.zone), source: "healthkit", sourceID: id)
    return Edit(id: .derived(from: id), by: .import, change: .logProgress(logged))
  }
}

/// What to do in HealthKit after the user's edit of a weight in this app.
enum HealthExport: Hashable, Sendable {
  case save(HealthSample)
  /// Only if this app has written a sample for the entry: the sample of an imported entry belongs to
  /// another app.
  case replace(HealthSample)
  /// As for `replace`.
  case delete(id: String)

  /// - Parameter isNew: whether the entry has just been logged.
  /// - Returns: `nil` for another metric.
  init?(_ entry: EntryView, isNew: Bool) {
    guard entry.metric == .weight else { return nil }
    let sample = HealthSample(
      id: "\(entry.id)", metric: entry.metric, quantity: entry.quantity, moment: Timestamp(entry),
      isOwn: true)
    self =
      switch (entry.isDeleted, isNew) {
      case (true, _): .delete(id: sample.id)
      case (false, true): .save(sample)
      case (false, false): .replace(sample)
      }
  }
}
