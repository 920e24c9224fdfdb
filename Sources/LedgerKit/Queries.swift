import LedgerLog
public import LedgerModel
public import LedgerProjections
import LedgerStore
public import LedgerSync

/// Views of the ledger and of the backend.
extension Ledger {
  /// The profile, with the sync status of each field.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func profile() throws -> ProfileView { try state().profileView() }

  /// Entries, newest first.
  ///
  /// For the next page, set ``ProgressQuery/cursor`` to ``ProgressPage/next``.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func progress(_ query: ProgressQuery = ProgressQuery()) throws -> ProgressPage {
    let state = try state()
    guard query.readsLog else { return state.progress(query) }
    return try state.progress(query, in: local.view())
  }

  /// The current day, by the ledger's clock and time zone.
  public nonisolated var today: CalendarDate { environment.zone.today(at: environment.now()) }

  /// The goals in force, in the order of the metrics, and how far they are today.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func goals() throws -> [GoalView] {
    try state().goals(today: today)
  }

  /// An entry by its id, even if it is deleted (``EntryView/isDeleted``).
  ///
  /// - Returns: `nil` for an unknown id, or an entry whose logging was undone.
  /// - Throws: `LogError`, including damage to the log.
  public func entry(_ id: EntryID) throws -> EntryView? {
    let state = try state()
    return state.row(of: id).map(state.entry(at:))
  }

  /// An imported entry by where it came from (``ProgressLogged/source``, ``ProgressLogged/sourceID``).
  ///
  /// Reads the whole log. Where the entry's id is derived (`EntryID.derived(from:at:)`),
  /// ``entry(_:)`` is faster.
  ///
  /// - Returns: the newest such entry; a deleted one only if all are deleted.
  /// - Throws: `LogError`, including damage to the log.
  public func entry(source: String, sourceID: String) throws -> EntryView? {
    let state = try state()
    let logged = try local.view().entries(source: source, sourceID: sourceID)
    let entries = logged.reversed().compactMap { state.row(of: $0).map(state.entry(at:)) }
    return entries.first { !$0.isDeleted } ?? entries.first
  }

  /// Sums, extremes and means by day and metric, oldest day first.
  ///
  /// - Parameters:
  ///   - metric: only this metric.
  ///   - from: the first day; `nil` for no limit.
  ///   - to: the last day, inclusive; `nil` for no limit.
  /// - Throws: `LogError`, including damage to the log.
  public func days(
    of metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil
  ) throws -> [DayGroup] {
    try state().days(metric: metric, from: from, to: to)
  }

  /// The number of edits by sync status.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func syncCounts() throws -> SyncCounts { try state().syncCounts() }

  /// The edits that the backend has not accepted, by subject, with the reasons: what `ledger show
  /// sync` shows.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func outbox() throws -> [Outbox.Item] {
    let state = try state()
    return try Outbox(state, in: local.view()).items
  }

  /// The notes of an entry, read from the log.
  ///
  /// - Returns: `nil` for an entry without notes.
  /// - Throws: `LogError`.
  public func notes(of entry: EntryView) throws -> String? {
    guard let seq = entry.notesIn else { return nil }
    return try local.view().notes(in: seq)
  }

  /// The newest entry of each metric, newest first.
  ///
  /// - Parameters:
  ///   - metric: only this metric.
  ///   - limit: the most entries.
  /// - Throws: `LogError`, including damage to the log.
  public func currentProgress(
    of metric: Metric? = nil, limit: Int = 20
  ) throws -> [EntryView] {
    let state = try state()
    let metrics = metric.map { [$0] } ?? Metric.allCases
    let newest = metrics.compactMap { metric in
      state.progress(ProgressQuery(metric: metric, limit: 1)).entries.first
    }
    let sorted = newest.sorted { left, right in
      (left.date, left.moment?.time ?? .midnight, left.seq)
        > (right.date, right.moment?.time ?? .midnight, right.seq)
    }
    return Array(sorted.prefix(max(0, limit)))
  }

  /// A page of the backend's own rows, without unsent local entries.
  ///
  /// - Parameters:
  ///   - metric: only this metric.
  ///   - from: the first day; `nil` for no limit.
  ///   - to: the last day, inclusive; `nil` for no limit.
  ///   - page: from 1.
  ///   - limit: 1 to 100.
  ///   - connection: the connection to the backend, such as ``connection(trace:)``.
  /// - Throws: ``HistoryFailure`` if the backend cannot be reached or its answer cannot be read.
  public nonisolated func remoteHistory(
    of metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil, page: Int = 1,
    limit: Int = 100, over connection: some BackendConnection
  ) async throws -> HistoryPage {
    let limit = min(max(limit, 1), 100)
    return try await HistoryPage.fetch(
      over: connection, metric, from: from, to: to,
      offset: HistoryPage.offset(page: page, limit: limit), limit: limit)
  }

  /// The backend's newest row of each metric.
  ///
  /// - Parameters:
  ///   - metric: only this metric.
  ///   - limit: the most entries.
  ///   - connection: the connection to the backend, such as ``connection(trace:)``.
  /// - Returns: the rows, newest first.
  /// - Throws: ``HistoryFailure`` if the backend cannot be reached or its answer cannot be read.
  public nonisolated func remoteCurrentProgress(
    of metric: Metric? = nil, limit: Int = 20, over connection: some BackendConnection
  ) async throws -> [ListedRow] {
    var rows: [ListedRow] = []
    for metric in metric.map({ [$0] }) ?? Metric.allCases {
      let page = try await HistoryPage.fetch(
        over: connection, metric, from: nil, to: nil, offset: 0, limit: 1)
      rows += page.rows.prefix(1)
    }
    return Array(rows.sorted { $0.moment > $1.moment }.prefix(max(0, limit)))
  }
}

extension ListedRow: Identifiable {
  /// What was measured.
  public var metric: Metric { key.metric }
  /// In ``Metric/unit``.
  public var quantity: Double { key.quantity }
  /// Without the space around them; empty for none.
  public var notes: String { key.notes }
}
