import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Sleep sessions.
extension Ledger {
  /// Logs a sleep session.
  ///
  /// - Parameters:
  ///   - start: in bed, or asleep; ``zonedTimestamp(of:)`` gives an instant its offset.
  ///   - end: after `start`, by at most 48 hours.
  ///   - stages: inside the session, in any order, without overlaps; empty if not known.
  ///   - notes: at most 500 characters.
  ///   - source: where it was imported from.
  ///   - sourceID: its id there, which the backend uses to recognize it.
  /// - Returns: the new session's id, for corrections and deletion, and the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func log(
    sleepFrom start: ZonedTimestamp, to end: ZonedTimestamp, stages: [SleepStage] = [],
    notes: String? = nil, source: String? = nil, sourceID: String? = nil
  ) async throws -> LoggedEntry {
    var generator = generator()
    let entry = EntryID.make(at: moment(), using: &generator)
    let logged = SleepLogged(
      entry: entry, start: start, end: end, stages: stages, notes: notes, source: source,
      sourceID: sourceID)
    let seq = try await append([Edit(change: .logSleep(logged), hasFreshEntry: true)])[0]
    return LoggedEntry(id: entry, seq: seq)
  }

  /// Corrects a sleep session; the first values stay in the log. The backend cannot change a session
  /// that it has: the correction is then held.
  ///
  /// - Parameters:
  ///   - session: the session's id.
  ///   - start: `nil` leaves it unchanged.
  ///   - end: `nil` leaves it unchanged.
  ///   - stages: all stages; empty removes them, `nil` leaves them unchanged.
  ///   - notes: `nil` leaves them unchanged.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted session as well; `LogError`.
  @discardableResult
  public func correct(
    sleep session: EntryID, start: ZonedTimestamp? = nil, end: ZonedTimestamp? = nil,
    stages: [SleepStage]? = nil, notes: FieldChange<String>? = nil
  ) async throws -> Seq {
    try await append(
      .correctSleep(
        SleepCorrected(entry: session, start: start, end: end, stages: stages, notes: notes)))
  }

  /// Deletes a sleep session; its events stay in the log. The backend keeps a session that it has.
  ///
  /// - Parameters:
  ///   - session: the session's id.
  ///   - reason: kept in the log.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted session as well; `LogError`.
  @discardableResult
  public func delete(sleep session: EntryID, reason: String? = nil) async throws -> Seq {
    try await append(.deleteSleep(SleepDeleted(entry: session, reason: reason)))
  }

  /// Sleep sessions that are not deleted, newest first.
  ///
  /// - Parameters:
  ///   - from: the first day on which a session ends; `nil` for no limit.
  ///   - to: the last day, inclusive; `nil` for no limit.
  ///   - limit: the most sessions.
  ///   - cursor: ``SleepPage/next`` of the previous page; `nil` for the first page. Whatever is logged
  ///     meanwhile, no session is shown twice.
  /// - Throws: `LogError`, including damage to the log.
  public func sleepSessions(
    from: CalendarDate? = nil, to: CalendarDate? = nil, limit: Int = .max,
    after cursor: SleepCursor? = nil
  ) throws -> SleepPage {
    try state().sleep(from: from, to: to, limit: max(0, limit), after: cursor)
  }

  /// The stages, notes and source of a session, read from the log.
  ///
  /// - Throws: `LogError`.
  public func texts(of session: SleepView) throws -> SleepTexts {
    try local.view().texts(of: session)
  }

  /// An instant with the offset that was in force in the ledger's time zone.
  ///
  /// - Returns: `nil` outside the years 1 to 9999.
  public nonisolated func zonedTimestamp(of instant: Timestamp) -> ZonedTimestamp? {
    let seconds = Double(instant.millisecondsSince1970) / 1000
    return ZonedTimestamp(
      secondsSince1970: Int64(seconds.rounded(.down)), zone: environment.zone.offset(at: instant))
  }
}
