import Foundation
import LedgerKit

// The code of the article "Quick start"; a test compares them.

func openDiary(in folder: String) throws -> Ledger {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return try Ledger.open(at: folder + "/.ledger", device: "phone")
}

func logAWeight(in ledger: Ledger) async throws -> EntryID {
  let entry = try await ledger.log(.weight, 75.5, notes: "after the run")
  try await ledger.correct(entry.id, quantity: 75.1)
  return entry.id
}

func logPounds(_ pounds: Double, in ledger: Ledger) async throws {
  try await ledger.log(.weight, Measurement(value: pounds, unit: UnitMass.pounds))
}

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

/// A goal for each day replaces the earlier one of its metric.
func aimFor(_ steps: Double, in ledger: Ledger) async throws -> Double? {
  try await ledger.setGoal(.steps, steps, by: nil)
  return try await ledger.goals().first { $0.metric == .steps }?.remaining
}

/// - Returns: the hours asleep.
func logNight(
  inBed: ClosedRange<Date>, asleep: ClosedRange<Date>, in ledger: Ledger
) async throws -> Double? {
  guard let start = ledger.zoned(Timestamp(inBed.lowerBound)),
    let end = ledger.zoned(Timestamp(inBed.upperBound)),
    let asleepFrom = ledger.zoned(Timestamp(asleep.lowerBound)),
    let awakeFrom = ledger.zoned(Timestamp(asleep.upperBound))
  else { return nil }
  let sleep = SleepStage(.asleep, start: asleepFrom, end: awakeFrom)
  let night = try await ledger.log(sleepFrom: start, to: end, stages: [sleep])
  let sessions = try await ledger.sleep(limit: 7).sessions
  return sessions.first { $0.id == night.id }.map { Double($0.durations.totalSleep) / 3600 }
}

func takeBack(_ entry: EntryView, in ledger: Ledger) async throws {
  try await ledger.undo(entry.seq)
}

func removeForGood(_ entry: EntryView, from ledger: Ledger) async throws {
  try await ledger.erase(entry.seq, reason: "the person asked for it")
}

func newestWeights(in ledger: Ledger) async throws -> [String] {
  let page = try await ledger.progress(ProgressQuery(metric: .weight, limit: 10))
  return page.entries.map { entry in
    "\(entry.date) \(entry.quantity) \(entry.metric.unit) \(entry.status.rawValue)"
  }
}

func pageOfRuns(
  after page: ProgressPage?, in ledger: Ledger
) async throws -> ProgressPage {
  try await ledger.progress(
    ProgressQuery(
      metric: .distanceKM, text: "run", includesNotes: true, limit: 50, after: page?.next))
}

func whyRefused(_ entry: EntryView, in ledger: Ledger) async throws -> String? {
  try await ledger.outbox().first { $0.entry == entry.id && $0.state == .rejected }?.text
}

func signIn(
  to ledger: Ledger, at url: String, apiKey: String, email: String, password: String
) async throws {
  try await ledger.login(
    to: BackendAddress(url), apiKey: Secret(apiKey), email: email, password: password)
}

func bringUpToDate(_ ledger: Ledger) async throws -> String {
  let report = try await ledger.sync()
  switch report.stop {
  case nil: return "\(report.acknowledged) sent, \(report.pulled) received"
  case .offline: return "no connection; \(report.pending) edits wait"
  case .rateLimited(let seconds): return "the backend asks for \(seconds) seconds of patience"
  case .signedOut: return "please sign in again; nothing is lost"
  case .accountReplaced, .massDeletion, .returnedRows:
    return "the backend lost its data, or has old data; see docs/sync.md"
  case .refreshFailed, .cancelled: return "not finished; \(report.pending) edits wait"
  }
}
