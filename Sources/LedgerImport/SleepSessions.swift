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
  /// The session's source.
  public var source: String

  /// The sleep before the correction and after it.
  package var asleepSeconds: (before: Int, after: Int) {
    let after = SleepLogged(
      entry: correction.entry, start: correction.start ?? known.start,
      end: correction.end ?? known.end, stages: correction.stages ?? [])
    return (known.asleepSeconds, after.asleepSeconds)
  }
  /// The day that the sleep before is of.
  package var date: CalendarDate { known.end.date }
}

extension SleepLogged {
  /// The time asleep in seconds; without stages the whole session.
  var asleepSeconds: Int {
    stages.isEmpty
      ? Int(end.secondsSince1970 - start.secondsSince1970) : SleepDurations(stages).totalSleep
  }
}

extension ImportResult {
  /// Takes a session of a file: a new one, a known one, or one that has grown since. A session of the
  /// same source at an overlapping time is the same one.
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
    guard known.count == 1, !first.isTouched, session.asleepSeconds > asleep else {
      knownSessions += 1
      return
    }
    grownSessions.append(
      GrownSession(
        correction: SleepCorrected(
          entry: first.entry, start: session.start, end: session.end, stages: session.stages),
        known: first, source: session.source ?? ""))
  }
}

/// The sessions of a log that name a source, by source and time.
struct ImportedSessions {
  private struct Logged {
    var session: KnownSession
    var sourceID: String?
    /// The event that logged or pulled it.
    var seq: Int
    /// Whether an undo took back its logging.
    var isUndone = false
  }

  /// A correction or deletion.
  private struct Change {
    var seq: Int
    var entry: EntryID
    var start: ZonedTimestamp?
    var end: ZonedTimestamp?
    var asleepSeconds: Int?
    var touches = false
    var isUndoing = false
  }

  private var sessions: [EntryID: Logged] = [:]
  private var changes: [Change] = []
  private var sources: [String: [EntryID]] = [:]

  /// Takes an event of a log, in order.
  mutating func take(_ payload: Event.Payload, by author: Event.Actor, at seq: Int) {
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
    case .sleepCorrected(let data):
      changes.append(
        Change(
          seq: seq, entry: data.entry, start: data.start, end: data.end,
          asleepSeconds: data.stages.map { SleepDurations($0).totalSleep },
          touches: author != .import))
    case .sleepDeleted(let data):
      changes.append(
        Change(
          seq: seq, entry: data.entry, touches: true, isUndoing: payload.undone != nil))
    default: return
    }
  }

  private mutating func add(
    _ session: KnownSession, _ source: String?, _ sourceID: String?, at seq: Int
  ) {
    guard let source, sessions[session.entry] == nil else { return }
    sessions[session.entry] = Logged(session: session, sourceID: sourceID, seq: seq)
    sources[source, default: []].append(session.entry)
  }

  /// Applies the changes, and sorts the sessions by start, for ``known(_:)``.
  ///
  /// - Parameter undone: the events that count as never made.
  mutating func finish(without undone: Set<Int>) {
    for (entry, logged) in sessions where undone.contains(logged.seq) {
      sessions[entry]?.isUndone = true
    }
    for change in changes where !undone.contains(change.seq) {
      guard var logged = sessions[change.entry] else { continue }
      logged.session.start = change.start ?? logged.session.start
      logged.session.end = change.end ?? logged.session.end
      logged.session.asleepSeconds = change.asleepSeconds ?? logged.session.asleepSeconds
      if change.touches { logged.session.isTouched = true }
      if change.isUndoing { logged.isUndone = true }
      sessions[change.entry] = logged
    }
    for (source, entries) in sources {
      sources[source] = entries.sorted { start($0) < start($1) }
    }
  }

  func session(_ entry: EntryID) -> KnownSession? { sessions[entry]?.session }

  private func start(_ entry: EntryID) -> Int64 {
    sessions[entry]?.session.period.lowerBound ?? .max
  }

  /// The sessions of the same source that overlap this one, or have its source id.
  func known(_ session: SleepLogged) -> [KnownSession] {
    guard let source = session.source, let entries = sources[source] else { return [] }
    let period = session.start.secondsSince1970..<session.end.secondsSince1970
    // A session lasts 48 hours at most, so an overlapping one begins within this time before.
    let reach = period.lowerBound - 48 * 3600
    var found: [KnownSession] = []
    for entry in entries[entries.partitioningIndex { start($0) >= reach }...] {
      guard start(entry) < period.upperBound, let logged = sessions[entry] else { break }
      let isNamed = session.sourceID != nil && logged.sourceID == session.sourceID
      if !logged.isUndone, isNamed || logged.session.period.overlaps(period) {
        found.append(logged.session)
      }
    }
    return found
  }
}
