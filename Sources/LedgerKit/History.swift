import LedgerLog
public import LedgerModel
public import LedgerProjections
public import LedgerStore

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
