import LedgerKit

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
