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
