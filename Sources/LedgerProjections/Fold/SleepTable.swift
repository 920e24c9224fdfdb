import LedgerJSON
import LedgerLog
package import LedgerModel

/// A sleep session as it was logged or pulled, or a change to one, in 96 bytes. As with entries,
/// changes are linked to their session and never overwrite it; stages and texts stay in the log.
package struct SleepRecord: ColumnElement {
  package static let placeholder = SleepRecord(LedgerUUID(high: 0, low: 0), seq: 1, flags: 0)

  package var id: LedgerUUID
  /// Seconds since 1970; `.min` in a change that keeps the value.
  var start: Int64 = .min
  var end: Int64 = .min
  /// From the first stage's start to the last one's end; empty without stages.
  private var stagesStart: Int64 = .max
  private var stagesEnd: Int64 = .min
  // In seconds: the sums of stages, or the backend's figures; 0 for none.
  private var timeInBed: UInt32 = 0
  private var totalSleep: UInt32 = 0
  private var awake: UInt32 = 0
  private var rem: UInt32 = 0
  private var core: UInt32 = 0
  private var deep: UInt32 = 0
  package var seq: UInt32
  /// The index of the session: a session's own, or the changed one; `.max` if a change has none.
  var session: UInt32 = .max
  /// In a session, the index of its newest change plus one; in a change, that of the previous change
  /// plus one. 0 for none.
  var link: UInt32 = 0
  /// In a session, the event that bound the backend's id to it; 0 for none.
  var boundBy: UInt32 = 0
  /// Minutes ahead of UTC.
  var startZone: Int16 = 0
  var endZone: Int16 = 0
  var flags: UInt16
  /// Initialized, so that equal records have equal bytes.
  private var padding: UInt16 = 0

  static let isSession: UInt16 = 1
  static let isPulled: UInt16 = 2
  static let deletes: UInt16 = 4
  static let setsNotes: UInt16 = 8
  static let clearsNotes: UInt16 = 16
  static let setsStages: UInt16 = 32
  static let bySync: UInt16 = 64

  init(_ id: LedgerUUID, seq: Int, flags: UInt16) {
    self.id = id
    self.seq = UInt32(seq)
    self.flags = flags
  }

  package func has(_ flag: UInt16) -> Bool { flags & flag != 0 }

  package var isSession: Bool { has(Self.isSession) }
  package var isPulled: Bool { has(Self.isPulled) }
  package var deletes: Bool { has(Self.deletes) }

  mutating func set(start moment: ZonedTimestamp) {
    (start, startZone) = (moment.secondsSince1970, moment.zone.minutes)
  }

  mutating func set(end moment: ZonedTimestamp) {
    (end, endZone) = (moment.secondsSince1970, moment.zone.minutes)
  }

  /// The sums of stages, or the backend's figures.
  var durations: SleepDurations {
    get {
      SleepDurations(
        timeInBed: Int(timeInBed), totalSleep: Int(totalSleep), awake: Int(awake), rem: Int(rem),
        core: Int(core), deep: Int(deep))
    }
    set {
      timeInBed = UInt32(clamping: newValue.timeInBed)
      totalSleep = UInt32(clamping: newValue.totalSleep)
      awake = UInt32(clamping: newValue.awake)
      rem = UInt32(clamping: newValue.rem)
      core = UInt32(clamping: newValue.core)
      deep = UInt32(clamping: newValue.deep)
    }
  }

  /// From the first stage's start to the last one's end; `nil` without stages.
  var stages: Range<Int64>? { stagesStart < stagesEnd ? stagesStart..<stagesEnd : nil }

  mutating func set(_ sums: StageSums) {
    flags |= Self.setsStages
    durations = sums.durations
    (stagesStart, stagesEnd) = (sums.start, sums.end)
  }

  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(seq) && boundBy <= bounds.lastSeq
      && link <= (isSession ? bounds.sleepCount : UInt32(index))
      && (session < bounds.sleepCount || session == .max)
      && Self.isMoment(start, startZone, isRequired: isSession)
      && Self.isMoment(end, endZone, isRequired: isSession)
  }

  private static func isMoment(_ seconds: Int64, _ zone: Int16, isRequired: Bool) -> Bool {
    if seconds == .min { return !isRequired }
    return ZoneOffset(minutes: Int(zone)).flatMap {
      ZonedTimestamp(secondsSince1970: seconds, zone: $0)
    } != nil
  }
}

/// The stages of a session, added up.
struct StageSums {
  private(set) var durations = SleepDurations(timeInBed: 0, totalSleep: 0)
  /// Seconds since 1970.
  private(set) var start = Int64.max
  private(set) var end = Int64.min

  init() {}

  init(_ stages: [SleepStage]) {
    for stage in stages {
      add(stage.stage, stage.start.secondsSince1970, stage.end.secondsSince1970)
    }
  }

  mutating func add(_ stage: SleepStageKind, _ start: Int64, _ end: Int64) {
    durations.add(stage, Int(end - start))
    (self.start, self.end) = (min(self.start, start), max(self.end, end))
  }
}

extension SleepRecord {
  init(_ data: SleepLogged, seq: Int) {
    self.init(data.entry.uuid, seq: seq, flags: Self.isSession)
    set(start: data.start)
    set(end: data.end)
    if !data.stages.isEmpty { set(StageSums(data.stages)) }
    if data.notes != nil { flags |= Self.setsNotes }
  }

  init(_ data: SleepPulled, seq: Int) {
    self.init(data.entry.uuid, seq: seq, flags: Self.isSession | Self.isPulled)
    set(start: data.start)
    set(end: data.end)
    durations = data.durations
    if data.notes != nil { flags |= Self.setsNotes }
  }

  init(_ data: SleepCorrected, seq: Int, bySync: Bool) {
    self.init(data.entry.uuid, seq: seq, flags: bySync ? Self.bySync : 0)
    if let moment = data.start { set(start: moment) }
    if let moment = data.end { set(end: moment) }
    if let stages = data.stages { set(StageSums(stages)) }
    switch data.notes {
    case nil: break
    case .set: flags |= Self.setsNotes
    case .clear: flags |= Self.clearsNotes
    }
  }

  init(_ data: SleepDeleted, seq: Int, bySync: Bool) {
    self.init(data.entry.uuid, seq: seq, flags: Self.deletes | (bySync ? Self.bySync : 0))
  }
}

extension SleepPulled {
  /// The backend's minutes in seconds; missing ones are those of a session without stages.
  var durations: SleepDurations {
    func seconds(_ minutes: Double?) -> Int? {
      minutes.flatMap { Int(exactly: ($0 * 60).rounded()) }
    }
    let length = Int(end.secondsSince1970 - start.secondsSince1970)
    return SleepDurations(
      timeInBed: seconds(timeInBedMinutes) ?? length,
      totalSleep: seconds(totalSleepMinutes) ?? length, awake: seconds(awakeMinutes) ?? 0,
      rem: seconds(remMinutes) ?? 0, core: seconds(coreMinutes) ?? 0,
      deep: seconds(deepMinutes) ?? 0)
  }
}

// MARK: Folding

extension LedgerState {
  /// Appends the sessions and changes of the next batch, links them and begins their edits.
  ///
  /// - Parameter firstErasure: see ``firstErasure(upTo:)``.
  mutating func takeSleep(_ records: inout [SleepRecord], firstErasure: Int?) {
    guard !records.isEmpty else { return }
    let first = sleep.count
    let hasChanges = records.contains { !$0.isSession }
    sleep.take(&records)
    // A change belongs to the newest earlier session with its id, as with entries.
    var newest: [LedgerUUID: Int] = [:]
    for index in hasChanges ? 0..<sleep.count : first..<sleep.count {
      let record = sleep[index]
      if record.isSession { newest[record.id] = index }
      if index >= first { begin(record, at: index, newest[record.id], firstErasure) }
    }
  }

  private mutating func begin(
    _ record: SleepRecord, at index: Int, _ session: Int?, _ firstErasure: Int?
  ) {
    let seq = Int(record.seq)
    guard let session else {
      mentions.add(0, by: seq)
      // As with entries: this edit deletes what the backend has of an erased session.
      if record.deletes, !record.has(SleepRecord.bySync), let firstErasure, seq > firstErasure {
        edits.begin(seq, as: .pending, row: nil)
      }
      return
    }
    sleep[index].session = UInt32(session)
    if record.isSession {
      if record.isPulled { sleep[index].boundBy = record.seq }
    } else {
      sleep[index].link = sleep[session].link
      sleep[session].link = UInt32(index + 1)
    }
    let isFromBackend = record.isPulled || record.has(SleepRecord.bySync)
    edits.begin(seq, as: isFromBackend ? .acknowledged : .pending, row: nil)
  }

  /// Binds a backend id to a session.
  mutating func bind(session index: Int, by seq: UInt32) {
    guard sleep[index].boundBy != seq else { return }
    if profile.conflicts.hasOpenOfEntries {
      profile.closeConflicts(of: EntryID(sleep[index].id), by: Seq(Int(seq)))
    }
    sleep[index].boundBy = seq
  }

  /// The account was created again: see ``replaceAccount(_:at:)``.
  mutating func replaceAccountOfSleep(at seq: Seq) {
    for index in sleep.indices where sleep[index].isSession && Int(sleep[index].seq) < seq.number {
      if Int(sleep[index].boundBy) < seq.number, sleep[index].boundBy != 0 {
        sleep[index].boundBy = 0
      }
      let all = allEdits(ofSession: index).filter { $0 < seq }
      let isDeleted = all.contains { edit in
        sleepRecord(of: edit.number).map { sleep[$0].deletes } == true
          && edits.state(edit.number) != .undone
      }
      guard isMade(session: index), !isDeleted else { continue }
      for edit in all where edits.state(edit.number).isRestarted {
        edits.restart(edit.number, .pending, by: seq.number)
      }
    }
  }

  /// The index of the record of an event; `nil` if it has none.
  func sleepRecord(of seq: Int) -> Int? {
    guard !sleep.isEmpty else { return nil }
    let index = sleep.partitioningIndex { $0.seq >= seq }
    return index < sleep.count && sleep[index].seq == seq ? index : nil
  }
}

extension EditState {
  /// Whether an account that was created again needs the edit sent again.
  var isRestarted: Bool {
    switch self {
    case .acknowledged, .inDoubt, .differed: true
    case .none, .pending, .rejected, .held, .undone: false
    }
  }
}

/// The fast reader for `sleep.logged` with its members in the order of docs/log-format.md. `nil` means
/// an unusual form; the reference reader decides.
struct SleepScanner: Sendable {
  /// The day read last.
  private var dayText: (first: UInt64, rest: UInt64) = (0, .max)
  private var day: Int64 = 0

  /// Reads from the object's opening brace over its closing one.
  mutating func logged(_ bytes: RawSpan, at position: inout Int, seq: Int) -> SleepRecord? {
    guard bytes.uncheckedStep(over: #"{"entry":""#, at: &position),
      let id = FieldScanner.uuid(bytes, &position),
      let start = moment(#","start":""#, bytes, &position),
      let end = moment(#","end":""#, bytes, &position)
    else { return nil }
    var record = SleepRecord(id, seq: seq, flags: SleepRecord.isSession)
    (record.start, record.startZone) = start
    (record.end, record.endZone) = end
    if bytes.uncheckedStep(over: #","stages":["#, at: &position) {
      guard let sums = stages(bytes, &position) else { return nil }
      record.set(sums)
    }
    if bytes.uncheckedStep(over: #","notes":""#, at: &position) {
      guard FastText.skip(bytes, at: &position) else { return nil }
      record.flags |= SleepRecord.setsNotes
    }
    guard Self.mayHave(#","source":""#, bytes, &position),
      Self.mayHave(#","source_id":""#, bytes, &position),
      FieldScanner.isEnd(bytes, &position)
    else { return nil }
    return record
  }

  /// One or more stages, up to and including the closing bracket.
  private mutating func stages(_ bytes: RawSpan, _ position: inout Int) -> StageSums? {
    var sums = StageSums()
    while true {
      guard bytes.uncheckedStep(over: #"{"stage":""#, at: &position),
        let stage = Self.stage(bytes, &position),
        let start = moment(#","start":""#, bytes, &position),
        let end = moment(#","end":""#, bytes, &position),
        FieldScanner.isEnd(bytes, &position)
      else { return nil }
      sums.add(stage, start.seconds, end.seconds)
      let next = bytes.uncheckedByte(position)
      position &+= 1
      if next == UInt8(ascii: "]") { return sums }
      guard next == UInt8(ascii: ",") else { return nil }
    }
  }

  private static func stage(_ bytes: RawSpan, _ position: inout Int) -> SleepStageKind? {
    if bytes.uncheckedStep(over: #"core""#, at: &position) { return .core }
    if bytes.uncheckedStep(over: #"deep""#, at: &position) { return .deep }
    if bytes.uncheckedStep(over: #"rem""#, at: &position) { return .rem }
    if bytes.uncheckedStep(over: #"awake""#, at: &position) { return .awake }
    if bytes.uncheckedStep(over: #"asleep""#, at: &position) { return .asleep }
    if bytes.uncheckedStep(over: #"in_bed""#, at: &position) { return .inBed }
    return nil
  }

  /// A member with the text `YYYY-MM-DDTHH:MM:SS+HH:MM`, as seconds since 1970 and minutes.
  private mutating func moment(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> (seconds: Int64, zone: Int16)? {
    guard bytes.uncheckedStep(over: name, at: &position),
      bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "T"),
      bytes.uncheckedByte(position &+ 25) == UInt8(ascii: "\""),
      knowsDay(bytes, position)
    else { return nil }
    let time = FastNumber.clock(bytes.uncheckedWord(position &+ 11))
    let zone = FastNumber.zone(bytes.uncheckedWord(position &+ 19))
    guard time.faults == 0, zone.faults == 0 else { return nil }
    position &+= 26
    let local = day &* 86_400 &+ Int64(truncatingIfNeeded: time.seconds)
    return (local &- zone.minutes &* 60, Int16(truncatingIfNeeded: zone.minutes))
  }

  private mutating func knowsDay(_ bytes: RawSpan, _ position: Int) -> Bool {
    let text = (bytes.uncheckedWord(position), bytes.uncheckedPair(position &+ 8))
    if text == dayText { return true }
    guard let read = FieldScanner.readDay(bytes, at: position) else { return false }
    (dayText, day) = (text, Int64(read))
    return true
  }

  private static func mayHave(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    !bytes.uncheckedStep(over: name, at: &position) || FastText.skip(bytes, at: &position)
  }
}
