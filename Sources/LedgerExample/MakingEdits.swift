import Foundation
import LedgerKit

// The code of the article "Making edits"; a test compares them.

func logWhatWasTyped(_ text: String, in ledger: Ledger) async throws {
  // `165lb`, `11st 4lb`, `75.5`; throws a `Refusal` for anything else.
  try await ledger.log(.weight, Quantity.parse(text, for: .weight))
}

func introduce(_ name: String, to ledger: Ledger) async throws {
  try await ledger.append(
    .updateProfile(ProfileUpdated(name: name, preferredUnitSystem: .imperial)))
  try await ledger.append(.updatePhysical(PhysicalUpdated(heightCM: 168)))
}

func logARun(on day: CalendarDate, at time: ClockTime, in ledger: Ledger) async throws {
  try await ledger.log(.distanceKM, 5.2, at: .time(day, time))
}

func delete(_ entry: EntryView, from ledger: Ledger) async throws {
  try await ledger.delete(entry.id)
}

func distances(
  from first: CalendarDate, to last: CalendarDate, in ledger: Ledger
) async throws -> [String] {
  try await ledger.days(of: .distanceKM, from: first, to: last).map { "\($0.date) \($0.sum) km" }
}

func stepsSince(_ text: String, in ledger: Ledger) async throws -> Double {
  let first = try CalendarDate(validating: text)
  return try await ledger.days(of: .steps, from: first).reduce(0) { $0 + $1.sum }
}

func correct(_ entry: EntryView, pounds: Double, in ledger: Ledger) async throws {
  try await ledger.correct(entry.id, .weight, Measurement(value: pounds, unit: UnitMass.pounds))
}

/// Without notes, a correction leaves them as they are.
func annotate(_ entry: EntryView, with notes: String, in ledger: Ledger) async throws {
  try await ledger.correct(entry.id, notes: notes.isEmpty ? .clear : .set(notes))
}

/// A goal for each day replaces the earlier one of its metric.
func aimFor(_ steps: Double, in ledger: Ledger) async throws -> Double? {
  try await ledger.setDailyGoal(.steps, steps)
  return try await ledger.goals().first { $0.metric == .steps }?.remaining
}

/// - Returns: the part of the way that is done.
func aimFor(weight: Double, by day: CalendarDate, in ledger: Ledger) async throws -> Double? {
  try await ledger.setGoal(.weight, weight, by: day)
  return try await ledger.goals().first { $0.metric == .weight }?.progress
}

/// - Returns: the hours asleep.
func logNight(
  inBed: ClosedRange<Date>, asleep: ClosedRange<Date>, in ledger: Ledger
) async throws -> Double? {
  guard let start = ledger.zonedTimestamp(of: Timestamp(inBed.lowerBound)),
    let end = ledger.zonedTimestamp(of: Timestamp(inBed.upperBound)),
    let asleepFrom = ledger.zonedTimestamp(of: Timestamp(asleep.lowerBound)),
    let awakeFrom = ledger.zonedTimestamp(of: Timestamp(asleep.upperBound))
  else { return nil }
  let sleep = SleepStage(.asleep, start: asleepFrom, end: awakeFrom)
  let night = try await ledger.log(sleepFrom: start, to: end, stages: [sleep])
  let sessions = try await ledger.sleepSessions(limit: 7).sessions
  return sessions.first { $0.id == night.id }.map { Double($0.durations.totalSleep) / 3600 }
}

func undoAndRedo(in ledger: Ledger) async throws {
  try await ledger.undo()
  try await ledger.redo()
}

func takeBack(_ entry: EntryView, in ledger: Ledger) async throws {
  try await ledger.undo(entry.seq)
}

func removeForGood(_ entry: EntryView, from ledger: Ledger) async throws {
  try await ledger.erase(entry.seq, reason: "the person asked for it")
}

// The code of the article "Handling errors"; a test compares them.

func problem(logging quantity: Double, of metric: Metric, in ledger: Ledger) async throws -> String?
{
  do {
    try await ledger.log(metric, quantity)
    return nil
  } catch let error as EditRefusal {
    switch (error.refusal.reason, error.refusal.limit) {
    case (.outOfRange, .quantity(let range)?):
      return "Between \(range.lowest) and \(range.highest) \(metric.unit), please."
    default: return error.localizedDescription
    }
  } catch let error as LogError where error.code == "locked" {
    return "The ledger is busy. Please try again."
  }
}
