import Foundation
import LedgerKit

// The code of the articles "Quick start" and "Syncing a ledger"; a test compares them.

func openDiary(in folder: String) async throws -> Ledger {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return try await Ledger.open(at: folder + "/.ledger", device: "phone")
}

func logAWeight(in ledger: Ledger) async throws -> EntryID {
  let entry = try await ledger.log(.weight, 75.5, notes: "after the run")
  try await ledger.correct(entry.id, quantity: 75.1)
  return entry.id
}

func logPounds(_ pounds: Double, in ledger: Ledger) async throws {
  try await ledger.log(.weight, Measurement(value: pounds, unit: UnitMass.pounds))
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
  try await ledger.signIn(
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
  case .busy, .refreshFailed, .cancelled: return "not finished; \(report.pending) edits wait"
  }
}

// The code of the article "Queries"; a test compares them.

func allWeights(in ledger: Ledger) async throws -> [EntryView] {
  var query = ProgressQuery(metric: .weight, limit: 100)
  var entries: [EntryView] = []
  repeat {
    let page = try await ledger.progress(query)
    entries += page.entries
    query.cursor = page.next
  } while query.cursor != nil
  return entries
}

func unsentNotes(about text: String, in ledger: Ledger) async throws -> [String] {
  var query = ProgressQuery(limit: 50)
  query.statuses = [.pending, .failed]
  query.text = text
  query.includesNotes = true
  let page = try await ledger.progress(query)
  return page.entries.compactMap { page.notes[$0.id] }
}

func stepsByDay(from first: CalendarDate, in ledger: Ledger) async throws -> [(
  date: CalendarDate, steps: Double
)] {
  try await ledger.days(of: .steps, from: first).map { ($0.date, $0.sum) }
}

func stepsOfTheLastWeek(in ledger: Ledger) async throws -> Double {
  let today = ledger.today
  let days = try await ledger.days(of: .steps, from: today.adding(days: -6), to: today)
  return days.reduce(0) { $0 + $1.sum }
}

/// The mean weight of each month, and the change since the month before.
func weightByMonth(in ledger: Ledger) async throws -> [(
  from: CalendarDate, mean: Double, change: Double?
)] {
  let days = try await ledger.days(of: .weight)
  return PeriodGroup.groups(of: days, by: .month).map { month in
    (month.days.lowerBound, month.total.mean, month.before.map { month.typical - $0 })
  }
}

func whatWaits(in ledger: Ledger) async throws -> [String] {
  try await ledger.outbox().map { item in
    let hold = item.state == .held ? item.text.flatMap(HoldReason.init) : nil
    return "\(item.state.rawValue): \(hold?.cause ?? item.text ?? "it is sent by the next sync")"
  }
}

// The code of the article "Observing a ledger"; a test compares them.

func followWeights(
  in ledger: Ledger, _ show: @Sendable ([EntryView]) async -> Void
) async throws {
  let weights = ledger.values { try await $0.progress(ProgressQuery(metric: .weight)) }
  for try await page in weights { await show(page.entries) }
}

func followSync(in ledger: Ledger, _ show: @Sendable (String) async -> Void) async {
  for await event in ledger.syncEvents() {
    switch event {
    case .progress(let progress): await show("\(progress.done) of \(progress.total)")
    case .conflicts(let count): await show("\(count) differences found")
    case .ended(let report): await show("\(report.pending) edits wait")
    case .failed(let error): await show("\(error)")
    case .began, .acknowledged, .rejected, .pulled, .suspicions: break
    }
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  struct WeightList: View {
    @State private var weights: LedgerQueryModel<ProgressPage>

    init(of ledger: Ledger) {
      let model = LedgerQueryModel(ledger) { try await $0.progress(ProgressQuery(metric: .weight)) }
      _weights = State(initialValue: model)
    }

    var body: some View {
      List(weights.value?.entries ?? [], id: \.id) { entry in Text("\(entry.quantity) kg") }
        .task { await weights.follow() }
    }
  }
#endif
