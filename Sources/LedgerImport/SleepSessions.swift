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
    /// Whether an undo took back its logging.
    var isUndone = false
  }

  private var sessions: [EntryID: Logged] = [:]
  /// By the event that logged them.
  private var entries: [Int: EntryID] = [:]
  private var sources: [String: [EntryID]] = [:]

  /// Takes an event of a log, in order.
  mutating func take(_ payload: Event.Payload, by author: Event.Actor, at seq: Int) {
    switch payload {
    case .sleepLogged(let data):
      entries[seq] = data.entry
      let known = KnownSession(
        entry: data.entry, start: data.start, end: data.end, asleepSeconds: data.asleepSeconds)
      add(known, data.source, data.sourceID)
    case .sleepPulled(let data):
      let whole = Double(data.end.secondsSince1970 - data.start.secondsSince1970)
      let known = KnownSession(
        entry: data.entry, start: data.start, end: data.end,
        asleepSeconds: Int(data.totalSleepMinutes.map { $0 * 60 } ?? whole), isTouched: true)
      add(known, data.source, data.sourceID)
    case .sleepCorrected(let data): correct(data, by: author)
    case .sleepDeleted(let data):
      sessions[data.entry]?.session.isTouched = true
      if payload.undone != nil { sessions[data.entry]?.isUndone = true }
    default: return
    }
  }

  /// - Parameter seq: an undone event.
  mutating func takeBack(loggedBy seq: Int) {
    if let entry = entries[seq] { sessions[entry]?.isUndone = true }
  }

  private mutating func add(_ session: KnownSession, _ source: String?, _ sourceID: String?) {
    guard let source, sessions[session.entry] == nil else { return }
    sessions[session.entry] = Logged(session: session, sourceID: sourceID)
    sources[source, default: []].append(session.entry)
  }

  private mutating func correct(_ data: SleepCorrected, by author: Event.Actor) {
    guard var session = sessions[data.entry]?.session else { return }
    session.start = data.start ?? session.start
    session.end = data.end ?? session.end
    if let stages = data.stages {
      session.asleepSeconds = SleepDurations(stages).totalSleep
    }
    if author != .import { session.isTouched = true }
    sessions[data.entry]?.session = session
  }

  /// Sorts the sessions by start, for ``known(_:)``.
  mutating func sort() {
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
