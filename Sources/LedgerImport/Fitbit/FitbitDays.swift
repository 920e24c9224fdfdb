import LedgerJSON
import LedgerModel

/// The days of a Takeout with sums of both Fitbit and Google Fit, of which one is imported.
///
/// Fitbit's sum is used. Where its files have only a part of a day, as on the day that a user changed to
/// Google Fit, the larger sum is used.
struct FitbitDays {
  let days: SourceDays
  let parts: FitbitParts
  let context: ImportContext

  private struct Day: Hashable {
    var metric: Metric
    var date: CalendarDate
  }

  private static let fitSource = "google-fit"

  /// Leaves out one of two sums of a day.
  func settle(
    _ fitbit: inout ImportResult, and fit: inout ImportResult
  ) throws(ImportError) {
    let ofFit = try daysOfFit(fit.entries, fitbit.entries)
    var cursor = fit.entries.cursor()
    while let entry = try cursor.nextAmount() {
      guard days.has(entry.metric, entry.date),
        !ofFit.contains(Day(metric: entry.metric, date: entry.date))
      else { continue }
      fit.entries.remove(cursor.place, entry.metric)
      fit.skipped.add("Google Fit's \(entry.metric.name)", "Fitbit counted the same day")
    }
    cursor = fitbit.entries.cursor()
    while let entry = try cursor.nextAmount() {
      guard ofFit.contains(Day(metric: entry.metric, date: entry.date)) else { continue }
      fitbit.entries.remove(cursor.place, entry.metric)
      fitbit.skipped.add(
        "Fitbit's \(entry.metric.name)",
        "the files have a part of the day, and Google Fit counted more")
    }
    fit.growths.removeAll { grown in
      let date = grown.sourceID.split(separator: ":").last.flatMap { CalendarDate(String($0)) }
      return date.map {
        days.has(grown.metric, $0) && !ofFit.contains(Day(metric: grown.metric, date: $0))
      } ?? false
    }
  }

  /// The partial days for which Google Fit's sum is larger, if the ledger has no sum of Fitbit's for them.
  private func daysOfFit(
    _ fit: ImportedEntries, _ fitbit: ImportedEntries
  ) throws(ImportError) -> Set<Day> {
    var larger: Set<Day> = []
    for metric in Metric.allCases {
      let id = CSVSourceID(metric, [])
      for date in parts.days(metric) where parts.isPart(metric, date, context) {
        let known = context.knownEntry(Self.fitSource, id.of(date, nil))?.quantity ?? 0
        if known > parts.sum(metric, date) { larger.insert(Day(metric: metric, date: date)) }
      }
    }
    var cursor = fit.cursor()
    while let entry = try cursor.nextAmount() {
      if parts.isPart(entry.metric, entry.date, context),
        entry.quantity > parts.sum(entry.metric, entry.date)
      {
        larger.insert(Day(metric: entry.metric, date: entry.date))
      }
    }
    guard !larger.isEmpty else { return [] }
    var new: [Day: Double] = [:]
    cursor = fitbit.cursor()
    while let entry = try cursor.nextAmount() {
      let day = Day(metric: entry.metric, date: entry.date)
      if larger.contains(day) { new[day, default: 0] += entry.quantity }
    }
    return larger.filter { day in
      let sum = parts.sum(day.metric, day.date)
      return sum > 0 && (sum - (new[day] ?? 0)).magnitude <= 1e-9 * sum
    }
  }
}

/// The sums of days of which a Takeout may have only a part: files are cut at midnight in UTC, and a
/// download comes in several zips.
struct FitbitParts {
  /// The kinds of files of which a day's sum is made.
  private static let kinds: [Metric: [String]] = [
    .steps: ["steps"], .distanceKM: ["distance"], .caloriesOut: ["calories"],
    .activeMinutes: [
      "lightly_active_minutes", "moderately_active_minutes", "very_active_minutes",
    ],
  ]

  /// The days that files of a kind have, in UTC for samples of minutes.
  private var covered: [String: Set<CalendarDate>] = [:]
  private var sums: [Metric: [CalendarDate: Double]] = [:]

  mutating func cover(_ date: CalendarDate, by kind: String) {
    covered[kind, default: []].insert(date)
  }

  mutating func add(_ metric: Metric, _ quantity: Double, on date: CalendarDate) {
    guard Self.kinds[metric] != nil else { return }
    sums[metric, default: [:]][date, default: 0] += quantity
  }

  /// A sentence for each metric with sums of parts that the ledger has otherwise: of two parts of a day
  /// only the larger would stay.
  func warnings(_ context: ImportContext) throws(ImportError) -> [String] {
    var sentences: [String] = []
    for metric in Metric.allCases {
      var differing: [(date: CalendarDate, sum: Double, known: Double)] = []
      for (date, sum) in sums[metric] ?? [:] where isPart(metric, date, context) {
        guard let known = known(metric, date, context), !known.isTouched,
          !isKnown(metric, date, context),
          !isKnown(metric, date.adding(days: -1), context),
          !isKnown(metric, date.adding(days: 1), context)
        else { continue }
        differing.append((date, sum, known.quantity))
      }
      guard let first = differing.min(by: { $0.date < $1.date }) else { continue }
      let words = QuantityWords(units: try context.unitSystem())
      let days = differing.count == 1 ? "1 day" : "\(differing.count) days"
      sentences.append(
        "the import has only a part of the \(metric.name) of \(days), such as \(first.date) with "
          + "\(words.words(first.sum, of: metric)), where the ledger has "
          + "\(words.words(first.known, of: metric)); the larger would stay, not the sum: give all "
          + "zips of a Takeout to one import")
    }
    return sentences
  }

  private func known(
    _ metric: Metric, _ date: CalendarDate, _ context: ImportContext
  ) -> KnownEntry? {
    context.knownEntry(FitbitTakeout.source, FitbitTakeout.sourceID(metric, on: date))
  }

  /// Whether the ledger has the same sum for a day. The sum of a day next to a partial one shows that the
  /// same files were imported before.
  private func isKnown(
    _ metric: Metric, _ date: CalendarDate, _ context: ImportContext
  ) -> Bool {
    guard let sum = sums[metric]?[date], let known = known(metric, date, context) else {
      return false
    }
    return (known.quantity - sum).magnitude <= 1e-9 * max(known.quantity, sum)
  }

  /// The sum of a day; 0 for none.
  fileprivate func sum(_ metric: Metric, _ date: CalendarDate) -> Double {
    sums[metric]?[date] ?? 0
  }

  /// All days that have a sum of the metric.
  fileprivate func days(_ metric: Metric) -> some Sequence<CalendarDate> {
    (sums[metric] ?? [:]).keys
  }

  /// Whether the files may lack a part of the day.
  fileprivate func isPart(
    _ metric: Metric, _ date: CalendarDate, _ context: ImportContext
  ) -> Bool {
    var days = [date]
    if metric != .activeMinutes {
      let lastSecond = ClockTime(secondsSinceMidnight: 86_399) ?? .midnight
      days = [ClockTime.midnight, lastSecond].compactMap { time in
        ZonedTime(time: time, zone: context.zone(time, date)).instant(on: date)
          .localTime(at: .utc)?.date
      }
    }
    return (Self.kinds[metric] ?? []).contains { kind in
      !days.allSatisfy { covered[kind]?.contains($0) == true }
    }
  }
}
