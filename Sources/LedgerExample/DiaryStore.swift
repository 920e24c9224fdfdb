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
  /// A message for the user; `nil` if all is well.
  private(set) var message: String?

  private let ledger: Ledger
  private let options: SyncOptions

  init(_ ledger: Ledger, options: SyncOptions = SyncOptions()) {
    self.ledger = ledger
    // Ask the user. By default, local changes win.
    var options = options
    options.configuration.conflicts = .open
    self.options = options
  }

  func log(_ metric: Metric, _ quantity: Double, notes: String? = nil) async {
    await attempt { try await ledger.log(metric, quantity, notes: notes) }
  }

  func correct(_ entry: EntryView, to quantity: Double) async {
    await attempt { try await ledger.correct(entry.id, quantity: quantity) }
  }

  func delete(_ entry: EntryView) async {
    await attempt { try await ledger.delete(entry.id) }
  }

  /// A decision can be changed by a later one.
  func decide(_ conflict: ConflictView, taking side: ConflictSide) async {
    await attempt { try await ledger.resolve(conflict.seq, taking: side) }
  }

  /// Follows changes by any process until the task ends.
  func follow() async {
    // Listen first, so that no change is missed.
    let changes = ledger.changes()
    await refresh()
    for await _ in changes { await refresh() }
  }

  func sync() async {
    guard !isSyncing else { return }
    isSyncing = true
    defer { isSyncing = false }
    await attempt {
      let report = try await run()
      needsSignIn = if case .signedOut = report.stop { true } else { false }
      message = sentence(about: report)
    }
  }

  /// The run that finds the session ended reports it; later runs throw.
  private func run() async throws -> SyncReport {
    do {
      return try await ledger.sync(options: options)
    } catch ClientError.signedOut(let reason) {
      var report = SyncReport()
      report.stop = .signedOut(reason)
      return report
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
    case nil: report.needsUser ? report.remarks.first ?? "Something waits for you." : nil
    case .offline: "No connection. Your entries are kept and will be sent."
    case .rateLimited(let seconds): "The server is busy. Try again in \(seconds) seconds."
    case .signedOut: "Please sign in. Nothing is lost."
    case .accountReplaced: "The account was created again on the server. What shall be done?"
    case .massDeletion(let missing, _):
      "\(missing) entries are missing on the server. Is that right?"
    case .returnedRows(let count): "\(count) deleted entries are on the server again. Right?"
    case .refreshFailed, .cancelled: nil
    }
  }
}
