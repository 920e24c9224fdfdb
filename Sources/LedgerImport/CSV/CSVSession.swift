import LedgerModel

/// A session as a row states it: a period, and how much of it was sleep.
struct CSVSession {
  var start: CSVInstant
  var end: CSVInstant
  /// `nil` for the whole period.
  var asleepSeconds: Int?

  /// What the source id of a session begins with if a column has the id.
  static let columnIDPrefix = "csv:sleep:id:"

  /// Rounding to minutes makes a night shorter than its sleep.
  private static let roundingSeconds = 60

  /// Whether a person can have slept so: a night of one day at most, and no more sleep than that.
  func isPlausible(_ zone: (ClockTime, CalendarDate) -> ZoneOffset) -> Bool {
    guard let start = Self.moment(start, zone), let end = Self.moment(end, zone) else {
      return false
    }
    let length = Int(end.secondsSince1970 - start.secondsSince1970)
    return (1...86_400).contains(length)
      && asleepSeconds ?? length <= length + Self.roundingSeconds
  }

  /// The session. A file does not say when in the period the person slept, so that sleep comes first
  /// and time in bed makes up the rest.
  ///
  /// - Parameters:
  ///   - hours: the row's time asleep, with source and notes.
  ///   - id: the session's id in the file; empty for none.
  func session(
    of hours: EntryDraft, entry: EntryID, id: String,
    zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) throws(RowFault) -> SleepLogged {
    guard let start = Self.moment(start, zone), let end = Self.moment(end, zone) else {
      throw RowFault("the start or end of the session has no time", kind: "no time")
    }
    let length = Int(end.secondsSince1970 - start.secondsSince1970)
    let asleepSeconds = asleepSeconds ?? length
    guard asleepSeconds <= length + Self.roundingSeconds || length <= 0 else {
      throw RowFault(
        "\(hours.column) is longer than the session, from \(start) to \(end)",
        kind: "more sleep than the session is long")
    }
    var session = SleepLogged(
      entry: entry, start: start, end: end, notes: hours.notes, source: hours.source,
      sourceID: id.isEmpty
        ? "csv:sleep:\(Self.key(self.start, start))/\(Self.key(self.end, end))"
        : Self.columnIDPrefix + id)
    if asleepSeconds < length, asleepSeconds >= 0,
      let waking = ZonedTimestamp(
        secondsSince1970: start.secondsSince1970 + Int64(asleepSeconds), zone: start.zone)
    {
      if asleepSeconds > 0 { session.stages = [SleepStage(.asleep, start: start, end: waking)] }
      session.stages.append(SleepStage(.inBed, start: waking, end: end))
    }
    return session
  }

  private static func moment(
    _ read: CSVInstant, _ zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) -> ZonedTimestamp? {
    read.time.map { time in
      ZonedTimestamp(
        read.date, ZonedTime(time: time, zone: read.zone ?? zone(time, read.date)))
    }
  }

  /// The same in every zone of the ledger.
  private static func key(_ read: CSVInstant, _ moment: ZonedTimestamp) -> String {
    read.isInstant
      ? moment.timestamp.rfc3339Seconds : "\(moment.date)T\(moment.moment.time)"
  }
}
