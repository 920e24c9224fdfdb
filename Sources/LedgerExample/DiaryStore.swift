import LedgerKit
import Observation

/// What the app's views show, and what a person can do there.
@MainActor @Observable
final class DiaryStore {
  /// The newest entries, newest first.
  private(set) var entries: [EntryView] = []
  /// How many edits wait, are in doubt, or need a person.
  private(set) var counts = SyncCounts()
  /// Fields that were changed here and elsewhere, and wait for a decision.
  private(set) var conflicts: [ConflictView] = []
  private(set) var isSyncing = false
  /// Whether the last sync found nobody signed in: what a login screen hangs on.
  private(set) var needsSignIn = false
  /// One sentence for the person; `nil` when all is well.
  private(set) var message: String?

  private let ledger: Ledger
  private let options: SyncOptions

  init(_ ledger: Ledger, options: SyncOptions = SyncOptions()) {
    self.ledger = ledger
    // The person is asked. Unless it is said, what was changed here wins and nobody is.
    var options = options
    options.wishes.conflicts = .open
    self.options = options
  }

  func log(_ metric: Metric, _ quantity: Double, notes: String? = nil) async {
    await attempt { try await ledger.log(metric, quantity, notes: notes) }
  }

  func correct(_ entry: EntryView, to quantity: Double) async {
    await attempt {
      try await ledger.append(
        .correctProgress(ProgressCorrected(entry: entry.id, quantity: quantity)))
    }
  }

  func delete(_ entry: EntryView) async {
    await attempt { try await ledger.append(.deleteProgress(ProgressDeleted(entry: entry.id))) }
  }

  /// Made again the other way, a decision counts anew.
  func decide(_ conflict: ConflictView, taking side: ConflictSide) async {
    await attempt { try await ledger.resolve(conflict.seq, taking: side) }
  }

  /// Follows the ledger, whoever writes to it, for as long as the task lives.
  func follow() async {
    // Listened to first, so that nothing can fall between the two.
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

  /// The run that finds the session over reports it; those after it cannot begin, and throw.
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

  /// Every error of the ledger is one sentence that can be shown.
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
    case nil: report.needsPerson ? report.remarks.first ?? "Something waits for you." : nil
    case .offline: "No connection. Your entries are kept and will be sent."
    case .rateLimited(let seconds): "The server is busy. Try again in \(seconds) seconds."
    case .signedOut: "Please sign in. Nothing is lost."
    case .accountReplaced: "The account was created again on the server. What shall be done?"
    case .massDeletion(let missing, _): "\(missing) entries are gone on the server. Is that right?"
    case .returnedRows(let count): "\(count) deleted entries are on the server again. Right?"
    case .refreshFailed, .cancelled: nil
    }
  }
}
