public import LedgerModel
import LedgerStore

/// An imported session and its present state.
package struct KnownSession: Hashable, Sendable {
  package var entry: EntryID
  package var start: ZonedTimestamp
  package var end: ZonedTimestamp
  /// The time asleep, in seconds, as logged or as corrected by a later import.
  package var asleepSeconds: Int
  /// Whether it was corrected or deleted other than by an import, or pulled from the backend.
  package var isTouched = false

  /// Seconds since 1970.
  var period: Range<Int64> { start.secondsSince1970..<end.secondsSince1970 }
}

/// A session that has more sleep than at an earlier import: the night was not over, or a watch had not
/// sent everything.
public struct GrownSession: Hashable, Sendable {
  /// The session's new period and stages.
  public var correction: SleepCorrected
  /// The session before it.
  var known: KnownSession
  /// Other sessions that are parts of it, and are deleted: their files did not have what was between.
  var parts: [KnownSession] = []
  /// The session's source.
  public var source: String

  /// The sleep before the correction and after it.
  package var asleepSeconds: (before: Int, after: Int) {
    let after = SleepLogged(
      entry: correction.entry, start: correction.start ?? known.start,
      end: correction.end ?? known.end, stages: correction.stages ?? [])
    return (parts.reduce(known.asleepSeconds) { $0 + $1.asleepSeconds }, after.asleepSeconds)
  }
  /// The day that the sleep before is of.
  package var date: CalendarDate { known.end.date }
}

extension Range<Int64> {
  fileprivate func holds(_ other: Range<Int64>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}

extension SleepLogged {
  /// Seconds since 1970.
  var period: Range<Int64> { start.secondsSince1970..<end.secondsSince1970 }

  /// The time asleep in seconds; without stages the whole session.
  package var asleepSeconds: Int {
    stages.isEmpty
      ? Int(end.secondsSince1970 - start.secondsSince1970) : SleepDurations(stages).totalSleep
  }
}

extension ImportResult {
  /// Takes a session of a file: a new one, a known one, or one that has grown since. A session of the
  /// same source at an overlapping time is the same one; one with more sleep than several that lie in it
  /// takes their place.
  ///
  /// - Throws: ``RowFault`` if a ledger does not accept it.
  mutating func take(_ session: SleepLogged, _ context: ImportContext) throws(RowFault) {
    do throws(Refusal) {
      _ = try decide(.logSleep(session), given: NoFacts(), today: context.today)
    } catch {
      throw RowFault("\(error)", kind: "a session that a ledger does not accept")
    }
    let known = context.knownSessions(session)
    guard let first = known.first else {
      sessions.append(session)
      return
    }
    let asleep = known.reduce(0) { $0 + $1.asleepSeconds }
    guard session.asleepSeconds > asleep, !known.contains(where: \.isTouched),
      known.count == 1 || known.allSatisfy({ session.period.holds($0.period) })
    else {
      knownSessions += 1
      return
    }
    grownSessions.append(
      GrownSession(
        correction: SleepCorrected(
          entry: first.entry, start: session.start, end: session.end, stages: session.stages),
        known: first, parts: Array(known.dropFirst()), source: session.source ?? ""))
  }
}

/// The sessions of a log that name a source, by source, id and time.
struct ImportedSessions {
  fileprivate struct Logged {
    var session: KnownSession
    /// The event that logged or pulled it.
    var seq: Int
    /// As the file has it.
    var fileStart: ZonedTimestamp
    /// Whether an import may bring it in again: its logging was undone, sync deleted it, or another session
    /// has taken its place.
    var isGone = false
  }

  fileprivate struct Change {
    enum Kind { case correction, deletion }

    var kind: Kind
    var seq: Int
    var entry: EntryID
    var author: Event.Actor
    var start: ZonedTimestamp?
    var end: ZonedTimestamp?
    var stages: [SleepStage]?
  }

  private struct Name: Hashable {
    var source: String
    var id: String
  }

  private var sessions: [EntryID: Logged] = [:]
  private var changes: [Change] = []
  private var sources: [String: [EntryID]] = [:]
  private var names: [Name: [EntryID]] = [:]

  /// Takes an event of a log, in order.
  mutating func take(_ payload: Event.Payload, _ edit: EditHistory.Edit, at seq: Int) {
    switch payload {
    case .sleepLogged(let data):
      let known = KnownSession(
        entry: data.entry, start: data.start, end: data.end, asleepSeconds: data.asleepSeconds)
      add(known, data.source, data.sourceID, at: seq)
    case .sleepPulled(let data):
      let whole = Double(data.end.secondsSince1970 - data.start.secondsSince1970)
      let known = KnownSession(
        entry: data.entry, start: data.start, end: data.end,
        asleepSeconds: Int(data.totalSleepMinutes.map { $0 * 60 } ?? whole), isTouched: true)
      add(known, data.source, data.sourceID, at: seq)
    // What takes back an earlier edit is no change of its own.
    case .sleepCorrected(let data) where edit.undoes == nil:
      changes.append(
        Change(
          kind: .correction, seq: seq, entry: data.entry, author: edit.author, start: data.start,
          end: data.end, stages: data.stages))
    case .sleepDeleted(let data) where edit.undoes == nil:
      changes.append(
        Change(kind: .deletion, seq: seq, entry: data.entry, author: edit.author))
    default: return
    }
  }

  private mutating func add(
    _ session: KnownSession, _ source: String?, _ sourceID: String?, at seq: Int
  ) {
    guard let source, sessions[session.entry] == nil else { return }
    sessions[session.entry] = Logged(session: session, seq: seq, fileStart: session.start)
    sources[source, default: []].append(session.entry)
    if let sourceID { names[Name(source: source, id: sourceID), default: []].append(session.entry) }
  }

  var hasChanges: Bool { !changes.isEmpty }

  /// Applies the changes that count, and sorts the sessions by start, for ``known(_:)``. What a person
  /// changed stays so in its copies.
  ///
  /// - Parameter copies: in the order in which they were logged.
  mutating func finish(
    without undone: EditHistory.Undone, copies: [(original: EntryID, copy: EntryID)] = []
  ) {
    for change in changes where !undone.events.contains(change.seq) {
      sessions[change.entry]?.apply(change)
    }
    for (original, copy) in copies where sessions[original]?.session.isTouched == true {
      sessions[copy]?.session.isTouched = true
    }
    for (entry, logged) in sessions
    where undone.events.contains(logged.seq) || undone.replaced.contains(entry) {
      sessions[entry]?.isGone = true
    }
    for (source, entries) in sources {
      sources[source] = entries.sorted { start($0) < start($1) }
    }
  }

  /// A session that counts.
  func session(_ entry: EntryID) -> KnownSession? {
    sessions[entry].flatMap { $0.isGone ? nil : $0.session }
  }

  private func start(_ entry: EntryID) -> Int64 {
    sessions[entry]?.session.period.lowerBound ?? .max
  }

  /// The sessions of the same source that overlap this one, or have its source id: a person may have moved
  /// them, or a file without offsets be read in another zone.
  func known(_ session: SleepLogged) -> [KnownSession] {
    guard let source = session.source, let entries = sources[source] else { return [] }
    let period = session.period
    // A session lasts 48 hours at most, so an overlapping one begins within this time before.
    let reach = period.lowerBound - 48 * 3600
    var near: [EntryID] = []
    for entry in entries[entries.partitioningIndex { start($0) >= reach }...] {
      guard start(entry) < period.upperBound else { break }
      if sessions[entry]?.session.period.overlaps(period) == true { near.append(entry) }
    }
    let named = session.sourceID.flatMap { names[Name(source: source, id: $0)] } ?? []
    return (named.filter { !near.contains($0) && isNamed($0, session) } + near)
      .compactMap { self.session($0) }
  }

  /// Whether an equal id names one session: that of a column may be of the person.
  private func isNamed(_ entry: EntryID, _ session: SleepLogged) -> Bool {
    guard session.sourceID?.hasPrefix(CSVSession.columnIDPrefix) == true,
      let start = sessions[entry]?.fileStart
    else { return true }
    return start.secondsSince1970 == session.start.secondsSince1970
      || (start.date, start.moment.time) == (session.start.date, session.start.moment.time)
  }
}

extension ImportedSessions.Logged {
  fileprivate mutating func apply(_ change: ImportedSessions.Change) {
    switch (change.kind, change.author) {
    case (.correction, let author):
      session.start = change.start ?? session.start
      session.end = change.end ?? session.end
      if let stages = change.stages {
        session.asleepSeconds =
          stages.isEmpty
          ? Int(session.period.upperBound - session.period.lowerBound)
          : SleepDurations(stages).totalSleep
      }
      if author == .import { fileStart = session.start } else { session.isTouched = true }
    // The backend no longer had it, or the import has a longer one.
    case (.deletion, .sync), (.deletion, .import): isGone = true
    case (.deletion, .user), (.deletion, .system): session.isTouched = true
    }
  }
}
