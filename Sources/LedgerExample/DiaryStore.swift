import LedgerKit
import Observation

/// The state of the app's views, and the user's actions.
@MainActor @Observable
final class DiaryStore {
  /// The newest entries, newest first.
  private(set) var entries: [EntryView] = []
  /// How many edits are pending, in doubt, or need the user.
  private(set) var counts = SyncCounts()
  /// Fields changed both here and elsewhere, to be decided by the user.
  private(set) var conflicts: [ConflictView] = []
  private(set) var isSyncing = false
  /// Whether the last sync found no session: show a login screen.
  private(set) var needsSignIn = false
  /// Whether the last sync stopped for a decision; see `sync(deciding:)`.
  private(set) var needsDecision = false
  /// A message for the user; `nil` if all is well.
  private(set) var message: String?

  let options: SyncOptions
  private let ledger: Ledger
  private let export: @Sendable (HealthExport) async throws -> Void

  /// - Parameter export: writes edits of the user to HealthKit.
  init(
    _ ledger: Ledger, options: SyncOptions = SyncOptions(),
    export: @escaping @Sendable (HealthExport) async throws -> Void = { _ in }
  ) {
    self.ledger = ledger
    self.export = export
    // Ask the user. By default, local changes win.
    var options = options
    options.configuration.conflicts = .open
    self.options = options
  }

  func log(_ metric: Metric, _ quantity: Double, notes: String? = nil) async {
    await attempt {
      let entry = try await ledger.log(metric, quantity, notes: notes)
      try await export(entry.id, isNew: true)
    }
  }

  func correct(_ entry: EntryView, to quantity: Double) async {
    await attempt {
      try await ledger.correct(entry.id, quantity: quantity)
      try await export(entry.id)
    }
  }

  func delete(_ entry: EntryView) async {
    await attempt {
      try await ledger.delete(entry.id)
      try await export(entry.id)
    }
  }

  private func export(_ id: EntryID, isNew: Bool = false) async throws {
    guard let entry = try await ledger.entry(id), let change = HealthExport(entry, isNew: isNew)
    else { return }
    try await export(change)
  }

  /// A decision can be changed by a later one.
  func decide(_ conflict: ConflictView, taking side: ConflictSide) async {
    await attempt { try await ledger.resolve(conflict: conflict.seq, taking: side) }
  }

  /// Follows changes by any process until the task ends.
  func follow() async {
    // Listen first, so that no change is missed.
    let changes = ledger.changes()
    await refresh()
    for await _ in changes { await refresh() }
  }

  /// - Parameter decision: the user's, if the last sync stopped for one.
  func sync(deciding decision: ReplacementPolicy? = nil) async {
    guard !isSyncing else { return }
    isSyncing = true
    defer { isSyncing = false }
    var options = options
    options.configuration.onReplacedAccount = decision
    do {
      note(.success(try await ledger.sync(options: options)))
    } catch {
      note(.failure(error))
    }
    await refresh()
  }

  /// A run has ended, here or in the background.
  func note(_ run: Result<SyncReport, any Error>) {
    switch run {
    case .success(let report):
      needsSignIn = if case .signedOut = report.stop { true } else { false }
      needsDecision =
        switch report.stop {
        case .accountReplaced, .massDeletion, .returnedRows: true
        case .offline, .busy, .rateLimited, .signedOut, .refreshFailed, .cancelled, nil: false
        }
      message = sentence(about: report)
    // The run that finds the session ended reports it; later runs throw.
    case .failure(ClientError.signedOut(let reason)):
      var report = SyncReport()
      report.stop = .signedOut(reason)
      note(.success(report))
    // The app is about to be suspended.
    case .failure(is CancellationError): break
    case .failure(let error): message = "\(error)"
    }
  }

  /// An import from HealthKit has ended.
  func noteImport(_ result: Result<[String: String], any Error>) {
    switch result {
    case .success(let refused) where refused.isEmpty: break
    case .success(let refused):
      message = "Measurements left out: \(refused.count). \(refused.values.sorted()[0])"
    case .failure(let error): message = "\(error)"
    }
  }

  func refresh() async {
    do {
      entries = try await ledger.progress(ProgressQuery(limit: 100)).entries
      counts = try await ledger.syncCounts()
      conflicts = try await ledger.openConflicts()
    } catch {
      message = "\(error)"
    }
  }

  /// Every error of the ledger can be shown as a sentence.
  private func attempt(_ edit: () async throws -> Void) async {
    do {
      message = nil
      try await edit()
    } catch {
      message = "\(error)"
    }
    await refresh()
  }

  private func sentence(about report: SyncReport) -> String? {
    switch report.stop {
    case nil: report.needsUser ? report.messages.first : nil
    case .offline: "No connection. Your entries are kept and will be sent."
    case .rateLimited(let seconds): "The server is busy. Try again in \(seconds) seconds."
    case .signedOut: "Please sign in. Nothing is lost."
    case .accountReplaced: "The account was created again on the server. What shall be done?"
    case .massDeletion(let missing, _):
      "\(missing) entries are missing on the server. Is that right?"
    case .returnedRows(let count): "\(count) deleted entries are on the server again. Right?"
    case .busy, .refreshFailed, .cancelled: nil
    }
  }
}
