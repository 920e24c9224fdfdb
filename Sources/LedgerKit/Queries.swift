import LedgerLog
public import LedgerModel
public import LedgerProjections
public import LedgerStore
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

  /// The number of edits by sync status. A former row of a corrected entry that is yet to be deleted at the
  /// backend counts as a pending one, as in ``outbox()``.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func syncCounts() throws -> SyncCounts {
    try state().syncCounts(local.view().boundID)
  }

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

/// Where values come from: the history of an event, the origin of values, and changes over time. Wording
/// is the app's; `ledger explain`, `blame` and `diff` print the same data.
extension Ledger {
  /// The history and the sync status of the edit, entry, conflict or call that an event belongs to.
  ///
  /// - Parameter seq: any event.
  /// - Throws: `LogError.noSuchEvent`; other `LogError`s, including damage to the log.
  public func explain(_ seq: Seq) throws -> Explanation {
    let state = try state()
    guard seq.number <= state.position.seq else { throw LogError.noSuchEvent(seq) }
    return try Explanation(of: seq, state, in: local.view())
  }

  /// The history and the sync status of an entry.
  ///
  /// - Returns: `nil` if there is no such entry.
  /// - Throws: `LogError`, including damage to the log.
  public func explain(_ entry: EntryID) throws -> Explanation? {
    let state = try state()
    guard let row = state.row(of: entry) else { return nil }
    return try Explanation(of: state.entry(at: row).seq, state, in: local.view())
  }

  /// The event that set each profile field, and its sync status.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func blame(
    _ fields: [ProfileField] = ProfileField.allCases
  ) throws -> Blame {
    try Blame(.fields(fields), state(), in: local.view())
  }

  /// The event that set each value of an entry, and its sync status.
  ///
  /// - Returns: `nil` if there is no such entry.
  /// - Throws: `LogError`, including damage to the log.
  public func blame(_ entry: EntryID) throws -> Blame? {
    let state = try state()
    guard let row = state.row(of: entry) else { return nil }
    return try Blame(.entry(row: row), state, in: local.view())
  }

  /// What changed between two events. Reads the log from its beginning.
  ///
  /// - Parameters:
  ///   - first: the earlier event; `nil` for the empty ledger. See ``lastEvent(notAfter:)``.
  ///   - last: the later event; `nil` for the newest.
  ///   - limit: the most entries of each kind of change; the newest are kept.
  /// - Throws: `LogError.noSuchEvent`, also if `first` is later than `last`; other `LogError`s, including
  ///   damage to the log.
  public func diff(
    from first: Seq?, to last: Seq? = nil, limit: Int = 100
  ) throws -> LedgerComparison {
    let view = try local.view()
    let end = if let last { try view.line(last) } else { try view.lastLine() }
    let start = try first.map { seq throws(LogError) in try view.line(seq) }
    if let start, let end, start.seq > end.seq { throw LogError.noSuchEvent(Seq(start.seq)) }
    return try LedgerComparison(
      LedgerMoment(after: start), LedgerMoment(after: end),
      of: FoldedLog(view, keepsSnapshot: false), in: view, keeping: limit)
  }

  /// The last event recorded up to a moment, by its device's clock.
  ///
  /// - Returns: `nil` if all are later.
  /// - Throws: `LogError`, including damage to the log.
  public func lastEvent(notAfter moment: Timestamp) throws -> Seq? {
    let view = try local.view()
    return try view.lastSeq(notAfter: moment, in: view.lineBlocks(), upToBreak: false)
  }
}
