import LedgerModel
import LedgerProjections
import LedgerStore

/// What a confirmation can say of a new entry beside the entry: the person's units, and how it
/// compares with earlier ones. Only what the ledger has at hand; appending waits for no fold.
struct LoggedContext {
  let units: UnitSystem
  let trend: String?

  init(_ logged: ProgressLogged, in opened: OpenedLedger, for console: Console) {
    let today = opened.today
    let found = opened.glance(for: console) { state in
      let units = state.profileView().unitSystem ?? .metric
      return (units, LoggedTrend(logged, QuantityText(units: units), today: today).words(state))
    }
    (units, trend) = found ?? (.metric, nil)
  }
}

extension OpenedLedger {
  /// The person's units, as far as the ledger has them at hand.
  func units(for console: Console) -> UnitSystem {
    glance(for: console) { $0.profileView().unitSystem ?? .metric } ?? .metric
  }

  /// The edit is in the log by now, so nothing that goes wrong here may look as if it were not.
  fileprivate func glance<Answer>(
    for console: Console, _ question: (LedgerState) -> Answer
  ) -> Answer? {
    guard !console.json else { return nil }
    let answer = try? ledger.glance(question)
    return answer.flatMap(\.self)
  }
}

/// How a quantity that was just logged compares with earlier ones of its metric.
struct LoggedTrend {
  private let logged: ProgressLogged
  private let quantities: QuantityText
  private let today: CalendarDate

  /// Beyond that, what was is no trend.
  private static let mostDaysBack = 92

  init(_ logged: ProgressLogged, _ quantities: QuantityText, today: CalendarDate) {
    (self.logged, self.quantities, self.today) = (logged, quantities, today)
  }

  func words(_ state: LedgerState) -> String? {
    logged.metric.addsUp ? total(state) : comparison(state)
  }

  /// What adds up is told with the rest of its day.
  private func total(_ state: LedgerState) -> String? {
    let day = state.progress(
      ProgressQuery(metric: logged.metric, from: logged.date, to: logged.date, limit: 100))
    guard (2...100).contains(day.total) else { return nil }
    let sum = day.entries.reduce(0) { $0 + $1.quantity }
    let when = logged.date == today ? "today so far" : "on that day"
    return "\(quantities.words(sum, of: logged.metric)) \(when)"
  }

  /// Anything else is compared with about a week before, or with the last time.
  private func comparison(_ state: LedgerState) -> String? {
    guard
      let earlier = newest(state, from: 13, to: 7) ?? newest(state, from: Self.mostDaysBack, to: 1)
    else { return nil }
    let difference = quantities.difference(
      logged.quantity, above: earlier.quantity, of: logged.metric)
    let how =
      difference == 0
      ? "the same as"
      : quantities.words(difference: difference, of: logged.metric)
        + (difference < 0 ? " less than" : " more than")
    return "\(how) \(when(earlier.date))"
  }

  private func newest(_ state: LedgerState, from: Int, to: Int) -> EntryView? {
    let (first, last) = (logged.date.adding(days: -from), logged.date.adding(days: -to))
    return state.newest(ProgressQuery(metric: logged.metric, from: first, to: last))
  }

  private func when(_ date: CalendarDate) -> String {
    switch (logged.date.daysSince1970 - date.daysSince1970, logged.date == today) {
    case (1, true): "yesterday"
    case (7, true): "a week ago"
    case (7, false): "a week before"
    default: "on \(EntryText.day(date))"
    }
  }
}
