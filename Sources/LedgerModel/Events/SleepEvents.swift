package import LedgerJSON

/// A kind of sleep, as the backend names it.
public enum SleepStageKind: String, CaseIterable, Codable, TextualMemberValue {
  /// Not asleep during the session.
  case awake
  /// Asleep, in no more exact stage.
  case asleep
  /// Light sleep.
  case core
  /// Deep sleep.
  case deep
  /// Dream sleep.
  case rem
  /// In bed, asleep or not.
  case inBed = "in_bed"
}

/// A part of a sleep session.
public struct SleepStage: Hashable, Codable, Sendable {
  /// What was measured.
  public var stage: SleepStageKind
  /// The first second.
  public var start: ZonedTimestamp
  /// After the last second.
  public var end: ZonedTimestamp

  /// A stage; it must lie inside its session.
  public init(_ stage: SleepStageKind, start: ZonedTimestamp, end: ZonedTimestamp) {
    (self.stage, self.start, self.end) = (stage, start, end)
  }
}

extension SleepStage: MemberValue {
  package static var expectation: String {
    #"an object with "stage" (\#(SleepStageKind.expectation)), "start" and "end""#
  }

  package init?(json: JSONValue) {
    guard let object = json.object,
      let stage = object["stage"].flatMap(SleepStageKind.init(json:)),
      let start = object["start"].flatMap(ZonedTimestamp.init(json:)),
      let end = object["end"].flatMap(ZonedTimestamp.init(json:))
    else { return nil }
    self.init(stage, start: start, end: end)
  }

  package var json: JSONValue {
    .object(["stage": stage.json, "start": start.json, "end": end.json])
  }
}

extension ZonedTimestamp: TextualMemberValue {
  package static var expectation: String {
    "a moment with whole seconds and an offset, YYYY-MM-DDTHH:MM:SS+HH:MM"
  }
  package init?(text: String) { self.init(text) }
}

/// The time of a session by stage, in seconds.
public struct SleepDurations: Hashable, Codable, Sendable {
  /// From the session's start to its end.
  public var timeInBed: Int
  /// Asleep, core, deep and REM sleep; the whole session if its stages are not known.
  public var totalSleep: Int
  /// 0 if the stages are not known, as for the following ones.
  public var awake = 0
  /// REM sleep.
  public var rem = 0
  /// Core sleep.
  public var core = 0
  /// Deep sleep.
  public var deep = 0

  /// A session without stages counts as sleep from start to end.
  public init(
    timeInBed: Int, totalSleep: Int, awake: Int = 0, rem: Int = 0, core: Int = 0, deep: Int = 0
  ) {
    (self.timeInBed, self.totalSleep) = (timeInBed, totalSleep)
    (self.awake, self.rem, self.core, self.deep) = (awake, rem, core, deep)
  }

  /// The sums of stages; `timeInBed` is 0.
  package init(_ stages: [SleepStage]) {
    self.init(timeInBed: 0, totalSleep: 0)
    for stage in stages {
      add(stage.stage, Int(stage.end.secondsSince1970 - stage.start.secondsSince1970))
    }
  }

  package mutating func add(_ stage: SleepStageKind, _ seconds: Int) {
    switch stage {
    case .awake: awake += seconds
    case .asleep: totalSleep += seconds
    case .core: (core, totalSleep) = (core + seconds, totalSleep + seconds)
    case .deep: (deep, totalSleep) = (deep + seconds, totalSleep + seconds)
    case .rem: (rem, totalSleep) = (rem + seconds, totalSleep + seconds)
    case .inBed: break
    }
  }
}

/// A new sleep session.
public struct SleepLogged: EventData {
  package static var kind: EventKind { .sleepLogged }
  /// The id of the new session, unique among entries and sessions.
  public var entry: EntryID
  /// Going to bed, or falling asleep.
  public var start: ZonedTimestamp
  /// After ``start``, by at most 48 hours.
  public var end: ZonedTimestamp
  /// Inside the session, in any order, without overlaps; empty if not known.
  public var stages: [SleepStage]
  /// At most 500 characters.
  public var notes: String?
  /// Where it was imported from.
  public var source: String?
  /// Its id at the source.
  public var sourceID: String?
  package var unknown = JSONObject()

  /// A new session; `entry` must not be in the ledger.
  public init(
    entry: EntryID, start: ZonedTimestamp, end: ZonedTimestamp, stages: [SleepStage] = [],
    notes: String? = nil, source: String? = nil, sourceID: String? = nil
  ) {
    self.entry = entry
    self.start = start
    self.end = end
    self.stages = stages
    self.notes = notes
    self.source = source
    self.sourceID = sourceID
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    start = try members.required("start")
    end = try members.required("end")
    stages = try members.optional("stages") ?? []
    notes = try members.optional("notes")
    source = try members.optional("source")
    sourceID = try members.optional("source_id")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("start", start)
    members.put("end", end)
    members.put("stages", stages.isEmpty ? nil : stages)
    members.put("notes", notes)
    members.put("source", source)
    members.put("source_id", sourceID)
  }
}

/// Changes to a session; `nil` leaves a value unchanged.
public struct SleepCorrected: EventData {
  package static var kind: EventKind { .sleepCorrected }
  /// The session to correct.
  public var entry: EntryID
  /// The new start.
  public var start: ZonedTimestamp?
  /// The new end.
  public var end: ZonedTimestamp?
  /// All stages; empty removes them.
  public var stages: [SleepStage]?
  /// At most 500 characters.
  public var notes: FieldChange<String>?
  package var unknown = JSONObject()

  /// At least one change must be given.
  public init(
    entry: EntryID, start: ZonedTimestamp? = nil, end: ZonedTimestamp? = nil,
    stages: [SleepStage]? = nil, notes: FieldChange<String>? = nil
  ) {
    self.entry = entry
    self.start = start
    self.end = end
    self.stages = stages
    self.notes = notes
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    start = try members.optional("start")
    end = try members.optional("end")
    stages = try members.optional("stages")
    notes = try members.change("notes")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("start", start)
    members.put("end", end)
    members.put("stages", stages)
    members.put("notes", change: notes)
  }
}

/// Deletes a session; its events stay in the log.
public struct SleepDeleted: EventData {
  package static var kind: EventKind { .sleepDeleted }
  /// The session to delete.
  public var entry: EntryID
  /// Why, as the user stated; kept in the log.
  public var reason: String?
  package var unknown = JSONObject()

  /// The deletion of a session.
  public init(entry: EntryID, reason: String? = nil) {
    self.entry = entry
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    reason = try members.optional("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("reason", reason)
  }
}

/// A session at the backend that became a new session here. The backend does not return stages, only
/// the minutes by stage.
package struct SleepPulled: EventData {
  package static var kind: EventKind { .sleepPulled }
  package var entry: EntryID
  package var backendID: BackendID
  package var start: ZonedTimestamp
  package var end: ZonedTimestamp
  /// The backend's minutes; `nil` for those that it did not return.
  package var timeInBedMinutes: Double?
  package var totalSleepMinutes: Double?
  package var awakeMinutes: Double?
  package var remMinutes: Double?
  package var coreMinutes: Double?
  package var deepMinutes: Double?
  package var source: String?
  package var sourceID: String?
  package var notes: String?
  package var unknown = JSONObject()

  package init(
    entry: EntryID, backendID: BackendID, start: ZonedTimestamp, end: ZonedTimestamp,
    source: String? = nil, sourceID: String? = nil, notes: String? = nil
  ) {
    self.entry = entry
    self.backendID = backendID
    self.start = start
    self.end = end
    self.source = source
    self.sourceID = sourceID
    self.notes = notes
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    backendID = try members.required("backend_id")
    start = try members.required("start")
    end = try members.required("end")
    timeInBedMinutes = try members.optional("time_in_bed_minutes")
    totalSleepMinutes = try members.optional("total_sleep_minutes")
    awakeMinutes = try members.optional("awake_minutes")
    remMinutes = try members.optional("rem_minutes")
    coreMinutes = try members.optional("core_minutes")
    deepMinutes = try members.optional("deep_minutes")
    source = try members.optional("source")
    sourceID = try members.optional("source_id")
    notes = try members.optional("notes")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("start", start)
    members.put("end", end)
    members.put("time_in_bed_minutes", timeInBedMinutes)
    members.put("total_sleep_minutes", totalSleepMinutes)
    members.put("awake_minutes", awakeMinutes)
    members.put("rem_minutes", remMinutes)
    members.put("core_minutes", coreMinutes)
    members.put("deep_minutes", deepMinutes)
    members.put("source", source)
    members.put("source_id", sourceID)
    members.put("notes", notes)
  }
}
