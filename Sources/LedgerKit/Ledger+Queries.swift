public import LedgerLog
public import LedgerModel
public import LedgerProjections
public import LedgerSync

/// What an app asks of a person's progress, of the ledger or of the backend, in the same words.
extension Ledger {
  /// The newest entry of each metric, newest first.
  ///
  /// - Parameters:
  ///   - metric: only this one.
  ///   - limit: how many at most.
  /// - Throws: `LogError`, damage to the log included.
  public func currentProgress(
    _ metric: Metric? = nil, limit: Int = 20
  ) throws(LogError) -> [EntryView] {
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

  /// A page of entries, newest first.
  ///
  /// - Parameters:
  ///   - metric: only this one.
  ///   - from: the first day; `nil` for the first there is.
  ///   - to: the last day, itself included; `nil` for the last there is.
  ///   - page: from 1; page 2 begins where page 1 ended.
  ///   - limit: how many on a page.
  /// - Throws: `LogError`, damage to the log included.
  public func progressHistory(
    _ metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil, page: Int = 1,
    limit: Int = 100
  ) throws(LogError) -> ProgressPage {
    try progress(
      ProgressQuery(
        metric: metric, from: from, to: to, limit: limit,
        offset: HistoryPage.offset(page: page, limit: limit)))
  }

  /// The same page as the backend has it: its own rows, which know nothing of local entries.
  ///
  /// - Parameters:
  ///   - connection: the way to the backend, such as ``connection(trace:)``.
  ///   - metric: only this one.
  ///   - from: the first day; `nil` for the first there is.
  ///   - to: the last day, itself included; `nil` for the last there is.
  ///   - page: from 1; page 2 begins where page 1 ended.
  ///   - limit: 1 to 100.
  /// - Returns: the page; what kept it from being had is the failure.
  public nonisolated func remoteHistory(
    over connection: some BackendConnection, _ metric: Metric? = nil, from: CalendarDate? = nil,
    to: CalendarDate? = nil, page: Int = 1, limit: Int = 100
  ) async -> Result<HistoryPage, HistoryFailure> {
    let limit = min(max(limit, 1), 100)
    return await HistoryPage.fetch(
      over: connection, metric, from: from, to: to,
      offset: HistoryPage.offset(page: page, limit: limit), limit: limit)
  }

  /// The newest row of each metric, as the backend has it.
  ///
  /// - Parameters:
  ///   - connection: the way to the backend, such as ``connection(trace:)``.
  ///   - metric: only this one.
  ///   - limit: how many at most.
  /// - Returns: the rows, newest first; what kept them from being had is the failure.
  public nonisolated func remoteCurrentProgress(
    over connection: some BackendConnection, _ metric: Metric? = nil, limit: Int = 20
  ) async -> Result<[ListedRow], HistoryFailure> {
    var rows: [ListedRow] = []
    for metric in metric.map({ [$0] }) ?? Metric.allCases {
      let answer = await HistoryPage.fetch(
        over: connection, metric, from: nil, to: nil, offset: 0, limit: 1)
      switch answer {
      case .success(let page): rows += page.rows.prefix(1)
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(Array(rows.sorted { $0.moment > $1.moment }.prefix(max(0, limit))))
  }
}
