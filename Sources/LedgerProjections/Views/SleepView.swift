package import LedgerLog
public import LedgerModel

/// A sleep session with its corrections. Stages and texts stay in the log; `LogView.texts(of:)`
/// reads them.
public struct SleepView: Hashable, Identifiable, Codable, Sendable {
  /// Not known to the backend.
  public var id: EntryID
  /// When it began.
  public var start: ZonedTimestamp
  /// When it ended.
  public var end: ZonedTimestamp
  /// From its stages; of a pulled session as the backend has them, until it is corrected.
  public var durations: SleepDurations
  /// The event whose stages are in force; `nil` for none.
  public var stagesIn: Seq?
  /// The event whose `notes` are in force; `nil` for none.
  public var notesIn: Seq?
  /// The event that logged or pulled it.
  public var seq: Seq
  /// Whether it was pulled from the backend.
  public var isPulled: Bool
  /// The answer that bound the backend's id to it.
  public var boundBy: Seq?
  /// Whether the user deleted it; its events stay in the log.
  public var isDeleted: Bool
  /// The sync status.
  public var status: EntryStatus
  /// `nil` unless it is ``EntryStatus/failed``.
  public var failure: FailureReason?
  /// From the first stage's start to the last one's end, in seconds since 1970.
  var stagesExtent: Range<Int64>?

  /// The day that its sleep counts for: on which it ends, at its own offset.
  public var date: CalendarDate { end.date }
}

/// Sleep sessions, newest first.
public struct SleepPage: Hashable, Codable, Sendable {
  /// Those of this page.
  public var sessions: [SleepView]
  /// The number of all that match.
  public var total: Int
  /// For the next page; `nil` if this is the last page, or empty.
  public var next: SleepCursor?
}

/// A place in the order of sleep sessions, to continue after.
public struct SleepCursor: Hashable, Codable, Sendable {
  private let start: Int64
  private let seq: Seq

  init(_ session: SleepView) { (start, seq) = (session.start.secondsSince1970, session.seq) }

  static func > (left: SleepCursor, right: SleepCursor) -> Bool {
    (left.start, left.seq) > (right.start, right.seq)
  }
}

/// What the log has of a session beyond its ``SleepView``.
public struct SleepTexts: Hashable, Codable, Sendable {
  /// In the order of the log.
  public var stages: [SleepStage] = []
  /// `nil` for none.
  public var notes: String?
  /// Where it was imported from; `nil` for none.
  public var source: String?
  /// Its id at the source; `nil` for none.
  public var sourceID: String?

  /// - Parameter payload: reads an event.
  package init(
    of session: SleepView, _ payload: (Seq) throws(LogError) -> Event.Payload
  ) throws(LogError) {
    switch try payload(session.seq) {
    case .sleepLogged(let data): (source, sourceID) = (data.source, data.sourceID)
    case .sleepPulled(let data): (source, sourceID) = (data.source, data.sourceID)
    default: break
    }
    notes = try session.notesIn.flatMap { seq throws(LogError) in try payload(seq).entryNotes }
    guard let seq = session.stagesIn else { return }
    switch try payload(seq) {
    case .sleepLogged(let data): stages = data.stages
    case .sleepCorrected(let data): stages = data.stages ?? []
    default: break
    }
  }
}

extension LedgerState {
  /// The sessions that exist, deleted ones included, by index in the order of seq.
  package var sessions: [Int] {
    sleep.indices.filter { sleep[$0].isSession && isMade(session: $0) }
  }

  /// Whether the log has no sessions.
  package var hasNoSleep: Bool { sleep.isEmpty }

  /// The session of an entry id; the newest if a foreign log contains it twice.
  package func session(of id: EntryID) -> Int? {
    allSessions(of: id).first(where: isMade(session:))
  }

  /// Undone ones included, newest first.
  package func allSessions(of id: EntryID) -> [Int] {
    sleep.indices.reversed().filter { sleep[$0].isSession && sleep[$0].id == id.uuid }
  }

  /// Whether an id is of a session, even if its logging was undone.
  package func hasSession(_ id: EntryID) -> Bool { !allSessions(of: id).isEmpty }

  /// Sessions whose id begins with these characters.
  package func sessions(withPrefix prefix: String) -> [Int] {
    guard let prefix = IDPrefix(prefix) else { return [] }
    return sessions.filter { prefix.isPrefix(of: sleep[$0].id) }
  }

  /// The ids of all sessions whose logging is not undone.
  package func madeSessionIDs() -> [LedgerUUID] { sessions.map { sleep[$0].id } }

  /// The session that an edit logged or changes; `nil` for other events.
  package func session(ofEdit seq: Int) -> Int? {
    sleepRecord(of: seq).flatMap { sleep[$0].session == .max ? nil : Int(sleep[$0].session) }
  }

  /// Whether the session exists: an undone logging counts as never made.
  package func isMade(session index: Int) -> Bool {
    edits.state(Int(sleep[index].seq)) != .undone
  }

  /// The event that bound the backend's id to a session.
  package func binding(ofSession index: Int) -> Seq? { Seq(exactly: Int(sleep[index].boundBy)) }

  /// All edits of a session, undone ones included, oldest first.
  package func allEdits(ofSession index: Int) -> [Seq] {
    [Seq(Int(sleep[index].seq))] + changes(ofSession: index).reversed().map { Seq(Int($0.seq)) }
  }

  /// The edits of a session that are not undone, oldest first.
  package func edits(ofSession index: Int) -> [Seq] {
    allEdits(ofSession: index).filter { edits.state($0.number) != .undone }
  }

  /// The events that gave a session its values; `nil` for stages and notes that were never set.
  package func origins(ofSession index: Int) -> (start: Seq, end: Seq, stages: Seq?, notes: Seq?) {
    let layers =
      changes(ofSession: index).filter { edits.state(Int($0.seq)) != .undone } + [sleep[index]]
    func seq(_ sets: (SleepRecord) -> Bool) -> Seq? {
      layers.first(where: sets).map { Seq(Int($0.seq)) }
    }
    let logged = Seq(Int(sleep[index].seq))
    return (
      seq { $0.start != .min } ?? logged, seq { $0.end != .min } ?? logged,
      seq { $0.has(SleepRecord.setsStages) },
      seq { $0.has(SleepRecord.setsNotes | SleepRecord.clearsNotes) }
    )
  }

  /// The event that deleted a session; `nil` if it is not deleted.
  package func deletion(ofSession index: Int) -> Seq? {
    changes(ofSession: index)
      .first { $0.deletes && edits.state(Int($0.seq)) != .undone }.map { Seq(Int($0.seq)) }
  }

  /// Whether only sync, not the user, deleted a session.
  package func isDeletedBySync(session index: Int) -> Bool {
    let deletions = changes(ofSession: index).filter {
      $0.deletes && edits.state(Int($0.seq)) != .undone
    }
    return !deletions.isEmpty && deletions.allSatisfy { $0.has(SleepRecord.bySync) }
  }

  /// Whether a session waits for nothing but edits that are held.
  package func isHeld(_ session: SleepView) -> Bool {
    guard session.status == .pending, let index = self.session(ofEdit: session.seq.number)
    else { return false }
    return !edits(ofSession: index).contains { edits.state($0.number) == .pending }
  }

  /// Sessions with an open edit, oldest first.
  package func sessionsWithOpenEdits() -> [Int] {
    sessions.filter { edits(ofSession: $0).contains { edits.state($0.number).isOpen } }
  }

  /// A session with the changes in force.
  package func session(at index: Int) -> SleepView { session(at: index) { _ in true } }

  /// A session after its edits up to `last`.
  package func session(at index: Int, upTo last: Seq) -> SleepView {
    session(at: index) { $0.seq <= last.number }
  }

  /// A session as it was before an event that changed it, whatever was undone since.
  package func session(at index: Int, before seq: Seq) -> SleepView {
    let last = seq.number - 1
    return session(at: index, undoneUpTo: last) { $0.seq <= last }
  }

  /// A session as the backend is known to have it: with acknowledged edits, deletions left out.
  package func acknowledgedSession(at index: Int) -> SleepView {
    session(at: index) { !$0.deletes && edits.state(Int($0.seq)) == .acknowledged }
  }

  /// Newest first.
  private func changes(ofSession index: Int) -> [SleepRecord] {
    var found: [SleepRecord] = []
    var next = Int(sleep[index].link)
    while next > 0 {
      found.append(sleep[next - 1])
      next = Int(sleep[next - 1].link)
    }
    return found
  }

  private func session(
    at index: Int, undoneUpTo: Int = .max, with counts: (SleepRecord) -> Bool
  ) -> SleepView {
    let session = sleep[index]
    let changes = changes(ofSession: index).filter { change in
      !isUndone(Int(change.seq), upTo: undoneUpTo) && counts(change)
    }
    // Newest first; the session's own values last.
    let layers = changes + [session]
    let start = layers.first { $0.start != .min } ?? session
    let end = layers.first { $0.end != .min } ?? session
    let stages = layers.first { $0.has(SleepRecord.setsStages) }
    let notes = layers.first { $0.has(SleepRecord.setsNotes | SleepRecord.clearsNotes) }
    let length = Int(end.end - start.start)
    var durations = SleepDurations(timeInBed: length, totalSleep: length)
    if let stages, stages.stages != nil {
      durations = stages.durations
      durations.timeInBed = length
    } else if session.isPulled, stages == nil, start.seq == session.seq, end.seq == session.seq {
      durations = session.durations
    }
    let states = allEdits(ofSession: index).map { edits.state($0.number) }
    let status = EntryStatus(ofAll: states)
    return SleepView(
      id: EntryID(session.id), start: Self.moment(start.start, start.startZone),
      end: Self.moment(end.end, end.endZone), durations: durations,
      stagesIn: stages.flatMap { $0.stages == nil ? nil : Seq(Int($0.seq)) },
      notesIn: notes.flatMap { $0.has(SleepRecord.setsNotes) ? Seq(Int($0.seq)) : nil },
      seq: Seq(Int(session.seq)), isPulled: session.isPulled,
      boundBy: Seq(exactly: Int(session.boundBy)), isDeleted: changes.contains(where: \.deletes),
      status: status,
      failure: status == .failed ? (states.contains(.differed) ? .conflict : .rejected) : nil,
      stagesExtent: stages?.stages)
  }

  private static func moment(_ seconds: Int64, _ zone: Int16) -> ZonedTimestamp {
    let zone = ZoneOffset(minutes: Int(zone)) ?? .utc
    return ZonedTimestamp(secondsSince1970: seconds, zone: zone)
      ?? ZonedTimestamp(secondsSince1970: 0, zone: .utc)!
  }

  /// Live sessions that end within these days, newest start first.
  ///
  /// - Parameters:
  ///   - limit: at most this many, after the first `offset`.
  ///   - cursor: ``SleepPage/next`` of the previous page.
  package func sleep(
    from: CalendarDate? = nil, to: CalendarDate? = nil, limit: Int = .max, offset: Int = 0,
    after cursor: SleepCursor? = nil
  ) -> SleepPage {
    let found = sessions.map { session(at: $0) }.filter { session in
      !session.isDeleted && from.map { session.date >= $0 } ?? true
        && to.map { session.date <= $0 } ?? true
    }
    let sorted = found.sorted { SleepCursor($0) > SleepCursor($1) }
    let following = sorted.drop { session in cursor.map { !($0 > SleepCursor(session)) } ?? false }
      .dropFirst(offset)
    let page = following.prefix(limit)
    return SleepPage(
      sessions: Array(page), total: found.count,
      next: page.count < following.count ? page.last.map(SleepCursor.init) : nil)
  }

  /// As ``sleep(from:to:limit:offset:after:)``, of sessions whose notes contain a text, in any case.
  ///
  /// - Parameter view: read only for a text.
  /// - Throws: ``LogError`` for lines that cannot be read.
  package func sleep(
    from: CalendarDate?, to: CalendarDate?, limit: Int, offset: Int, notes text: String?,
    in view: LogView
  ) throws(LogError) -> SleepPage {
    guard let text = text?.lowercased(), !text.isEmpty else {
      return sleep(from: from, to: to, limit: limit, offset: offset)
    }
    var page = sleep(from: from, to: to)
    var found: [SleepView] = []
    for session in page.sessions {
      guard let seq = session.notesIn, let notes = try view.notes(setBy: seq) else { continue }
      if notes.lowercased().contains(text) { found.append(session) }
    }
    page.total = found.count
    page.sessions = Array(found.dropFirst(offset).prefix(limit))
    return page
  }

  /// The facts of a session for `decide`.
  package func session(_ id: EntryID) -> SessionFacts? {
    session(of: id).map(facts(ofSession:))
  }

  package func sessionsByID() -> [EntryID: Int] {
    Dictionary(sessions.map { (EntryID(sleep[$0].id), $0) }) { _, newer in newer }
  }

  package func facts(ofSession index: Int) -> SessionFacts {
    let session = session(at: index)
    return SessionFacts(
      start: session.start, end: session.end, stages: session.stagesExtent,
      isDeleted: session.isDeleted)
  }

  /// Erased sessions that were deleted when or after they were erased, as ``erasedEntries()``.
  package func erasedSessions() -> [ErasedEntry] {
    guard erasures > 0 else { return [] }
    return ErasedEntry.grouped(
      sleep.lazy.compactMap { record in
        self.erasedSession(of: record).map { ($0, Seq(Int(record.seq))) }
      })
  }

  /// The erased session that an edit deletes; `nil` for other edits.
  package func erasedSession(ofEdit seq: Int) -> EntryID? {
    sleepRecord(of: seq).flatMap { erasedSession(of: sleep[$0]) }
  }

  private func erasedSession(of record: SleepRecord) -> EntryID? {
    guard erasures > 0, record.session == .max, record.deletes else { return nil }
    switch edits.state(Int(record.seq)) {
    case .none, .undone: return nil
    case .pending, .inDoubt, .acknowledged, .rejected, .held, .differed: return EntryID(record.id)
    }
  }
}

extension LogView {
  /// Reads a session's stages and texts.
  package func texts(of session: SleepView) throws(LogError) -> SleepTexts {
    try SleepTexts(of: session) { seq throws(LogError) in try line(seq).event().event.payload }
  }
}
