import LedgerJSON
import LedgerModel

/// A sleep log in Fitbit's JSON: a start, a duration and levels, in local time without an offset.
///
/// `levels.shortData` has wakings of at most three minutes, which lie over the levels of `data`.
struct FitbitSleep {
  private let object: JSONObject
  private let start: ZonedTimestamp
  /// The local time of the start as if in UTC, from which the levels are counted.
  private let wallSeconds: Int64

  private static let stages: [String: SleepStageKind] = [
    "wake": .awake, "light": .core, "deep": .deep, "rem": .rem,
    // Logs without stages.
    "awake": .awake, "restless": .awake, "asleep": .asleep,
  ]

  init(
    _ value: JSONValue, zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) throws(RowFault) {
    guard let object = value.object, let text = object["startTime"]?.string,
      let (date, time) = Self.wall(text)
    else { throw RowFault("it has no startTime", kind: "no startTime") }
    self.object = object
    start = ZonedTimestamp(date, ZonedTime(time: time, zone: zone(time, date)))
    wallSeconds = Self.seconds(date, time)
  }

  func session(entry: EntryID) throws(RowFault) -> SleepLogged {
    guard let length = lengthSeconds, let end = moment(length) else {
      throw RowFault("it has no duration or endTime", kind: "no duration")
    }
    var session = SleepLogged(entry: entry, start: start, end: end, source: "fitbit")
    session.sourceID =
      object["logId"]?.integer.map { "takeout:sleep:\($0)" }
      ?? "takeout:sleep:\(start.date)T\(start.moment.time)"
    session.stages = stages(within: length)
    return session
  }

  private var lengthSeconds: Int64? {
    if let milliseconds = object["duration"]?.integer { return Int64(milliseconds / 1000) }
    guard let text = object["endTime"]?.string, let (date, time) = Self.wall(text) else {
      return nil
    }
    return Self.seconds(date, time) - wallSeconds
  }

  private func stages(within length: Int64) -> [SleepStage] {
    let levels = object["levels"]?.object
    var covered = TimeSpans()
    var stages: [SleepStage] = []
    for list in ["shortData", "data"] {
      for value in levels?[list]?.array ?? [] {
        guard let (stage, from, to) = level(value) else { continue }
        for free in covered.gaps(max(from, 0), min(to, length)) {
          guard let start = moment(free.start), let end = moment(free.end) else { continue }
          stages.append(SleepStage(stage, start: start, end: end))
        }
        covered.add(from, to)
      }
    }
    return stages.sorted { $0.start.secondsSince1970 < $1.start.secondsSince1970 }
  }

  /// A level, in seconds after the start.
  private func level(_ value: JSONValue) -> (stage: SleepStageKind, from: Int64, to: Int64)? {
    guard let object = value.object, let name = object["level"]?.string,
      let stage = Self.stages[name], let text = object["dateTime"]?.string,
      let (date, time) = Self.wall(text), let seconds = object["seconds"]?.integer
    else { return nil }
    let from = Self.seconds(date, time) - wallSeconds
    return (stage, from, from + Int64(min(max(seconds, 0), 172_800)))
  }

  private func moment(_ seconds: Int64) -> ZonedTimestamp? {
    ZonedTimestamp(secondsSince1970: start.secondsSince1970 + seconds, zone: start.zone)
  }

  private static func wall(_ text: String) -> (CalendarDate, ClockTime)? {
    guard let written = WrittenDate(text), let date = written.date(.monthFirst) else { return nil }
    return written.time.map { (date, $0) }
  }

  private static func seconds(_ date: CalendarDate, _ time: ClockTime) -> Int64 {
    Int64(date.daysSince1970) * 86_400 + Int64(time.secondsSinceMidnight)
  }
}
