import LedgerModel
import LedgerProjections

/// Words for sleep sessions.
enum SleepText {
  /// `slept 2026-11-22 23:10 to 2026-11-23 07:02 +01:00, 7 h 52 min`, or `7 h 10 min asleep of 7 h 52 min`
  static func logged(
    _ start: ZonedTimestamp, _ end: ZonedTimestamp, _ stages: [SleepStage]
  ) -> String {
    let whole = Int(end.secondsSince1970 - start.secondsSince1970)
    let asleep = stages.isEmpty ? whole : SleepDurations(stages).totalSleep
    return "slept \(period(start, end)), "
      + (asleep == whole ? "" : "\(duration(asleep)) asleep of ") + duration(whole)
      + (stages.isEmpty ? "" : ", \(counted(stages.count, "stage"))")
  }

  /// `2026-11-22 23:10 to 2026-11-23 07:02 +01:00`; both offsets where they differ.
  static func period(_ start: ZonedTimestamp, _ end: ZonedTimestamp) -> String {
    let first = start.zone == end.zone ? minute(start) : "\(minute(start)) \(start.zone)"
    return "\(first) to \(minute(end)) \(end.zone)"
  }

  static func minute(_ moment: ZonedTimestamp) -> String {
    let time = moment.moment.time
    let text = time.secondsSinceMidnight % 60 == 0 ? "\(time)".dropLast(3) : "\(time)"[...]
    return "\(moment.date) \(text)"
  }

  /// - Parameter before: the session before the correction; `nil` to show what it set alone.
  static func corrected(_ data: SleepCorrected, _ before: SleepView? = nil) -> String {
    func moment(_ name: String, _ moment: ZonedTimestamp?, _ old: ZonedTimestamp?) -> String? {
      guard let moment else { return nil }
      let changed = old.flatMap { $0 == moment ? nil : $0 }
      let from = changed.map { "\(minute($0)) → " } ?? ""
      return "\(name) \(from)\(minute(moment)) \(moment.zone)"
    }
    let parts = [
      moment("start", data.start, before?.start), moment("end", data.end, before?.end),
    ].compactMap(\.self)
    return "corrected a sleep session: " + (parts + texts(data)).joined(separator: ", ")
  }

  /// What a correction sets besides the times.
  static func texts(_ data: SleepCorrected) -> [String] {
    var parts: [String] = []
    if let stages = data.stages {
      parts.append(stages.isEmpty ? "no stages" : counted(stages.count, "stage"))
    }
    switch data.notes {
    case nil: break
    case .clear: parts.append("no notes")
    case .set(let text): parts.append("notes “\(text)”")
    }
    return parts
  }

  /// Says what counts where the stages leave a part of the session out; `nil` where they cover it, and
  /// without stages.
  static func partialStages(
    _ start: ZonedTimestamp, _ end: ZonedTimestamp, _ stages: [SleepStage]
  ) -> String? {
    let covered = stages.reduce(0) { $0 + $1.end.secondsSince1970 - $1.start.secondsSince1970 }
    let left = Int(end.secondsSince1970 - start.secondsSince1970 - covered)
    guard !stages.isEmpty, left > 0 else { return nil }
    return "\(duration(SleepDurations(stages).totalSleep)) count as sleep: \(duration(left)) of "
      + "the session have no stage"
  }

  /// `7 h 52 min`
  static func duration(_ seconds: Int) -> String {
    let minutes = (seconds + 30) / 60
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
