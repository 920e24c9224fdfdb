/// What `decide` needs to know about a sleep session.
package struct SessionFacts: Hashable, Sendable {
  package var start: ZonedTimestamp
  package var end: ZonedTimestamp
  /// From the first stage's start to the last one's end, in seconds since 1970; `nil` without stages.
  package var stages: Range<Int64>?
  package var isDeleted: Bool

  package init(
    start: ZonedTimestamp, end: ZonedTimestamp, stages: Range<Int64>?, isDeleted: Bool
  ) {
    self.start = start
    self.end = end
    self.stages = stages
    self.isDeleted = isDeleted
  }
}

extension SessionFacts {
  package init(_ data: SleepLogged) {
    self.init(start: data.start, end: data.end, stages: data.stages.extent, isDeleted: false)
  }

  /// The session after a correction.
  package func corrected(by edit: SleepCorrected) -> SessionFacts {
    SessionFacts(
      start: edit.start ?? start, end: edit.end ?? end,
      stages: edit.stages.map(\.extent) ?? stages, isDeleted: isDeleted)
  }
}

extension [SleepStage] {
  /// From the first start to the last end, in seconds since 1970; `nil` without stages.
  package var extent: Range<Int64>? {
    guard let first = map(\.start.secondsSince1970).min(),
      let last = map(\.end.secondsSince1970).max(), first < last
    else { return nil }
    return first..<last
  }
}

package let longestSessionSeconds: Int64 = 48 * 3600
private let firstDay = CalendarDate(year: 1900, month: 1, day: 1)!

/// - Parameter stages: in any order.
func checkSession(
  _ start: ZonedTimestamp, _ end: ZonedTimestamp, _ stages: [SleepStage]
) throws(Refusal) {
  try checkPeriod(start, end)
  for stage in stages {
    guard stage.start.secondsSince1970 < stage.end.secondsSince1970 else {
      throw Refusal(
        .invalidPeriod, field: "stages", value: stage.start.description,
        "the \(stage.stage.rawValue) stage from \(stage.start) ends at \(stage.end); a stage must "
          + "end after it starts")
    }
    guard start.secondsSince1970 <= stage.start.secondsSince1970,
      stage.end.secondsSince1970 <= end.secondsSince1970
    else {
      throw Refusal(
        .invalidStages, field: "stages", value: stage.start.description,
        "the \(stage.stage.rawValue) stage from \(stage.start) to \(stage.end) is not inside the "
          + "session, from \(start) to \(end)")
    }
  }
  try checkOverlaps(stages)
}

private func checkPeriod(_ start: ZonedTimestamp, _ end: ZonedTimestamp) throws(Refusal) {
  guard start.date >= firstDay else {
    throw Refusal(
      .invalidPeriod, field: "start", value: start.description,
      "the session starts at \(start); it must not be before \(firstDay)")
  }
  let seconds = end.secondsSince1970 - start.secondsSince1970
  guard seconds > 0 else {
    throw Refusal(
      .invalidPeriod, field: "end", value: end.description,
      "the session ends at \(end); it must end after it starts, at \(start)")
  }
  guard seconds <= longestSessionSeconds else {
    throw Refusal(
      .invalidPeriod, field: "end", value: end.description,
      "the session lasts from \(start) to \(end); it may last 48 hours")
  }
}

private func checkOverlaps(_ stages: [SleepStage]) throws(Refusal) {
  let sorted = stages.sorted { $0.start.secondsSince1970 < $1.start.secondsSince1970 }
  for (stage, next) in zip(sorted, sorted.dropFirst())
  where next.start.secondsSince1970 < stage.end.secondsSince1970 {
    throw Refusal(
      .invalidStages, field: "stages", value: next.start.description,
      "the \(next.stage.rawValue) stage from \(next.start) overlaps the "
        + "\(stage.stage.rawValue) stage from \(stage.start) to \(stage.end)")
  }
}

/// Checks a correction against the values that it leaves unchanged.
func check(_ edit: SleepCorrected, of session: SessionFacts) throws(Refusal) {
  let (start, end) = (edit.start ?? session.start, edit.end ?? session.end)
  if let stages = edit.stages { return try checkSession(start, end, stages) }
  guard edit.start != nil || edit.end != nil else { return }
  try checkPeriod(start, end)
  guard let stages = session.stages else { return }
  guard start.secondsSince1970 <= stages.lowerBound, stages.upperBound <= end.secondsSince1970
  else {
    throw Refusal(
      .invalidStages, field: "stages",
      "the session has stages outside \(start) to \(end); correct or clear its stages, too")
  }
}
