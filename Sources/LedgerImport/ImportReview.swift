package import LedgerModel

/// What a person should look at before an import is written: dates and quantities that a wrong
/// reading of a file makes.
package struct ImportReview {
  /// One sentence each, with numbers and an example.
  package private(set) var warnings: [String] = []

  /// The ratio to the user's usual quantity that suggests a wrong unit or decimal mark.
  private static let unusualRatio = 100.0
  /// Ratios of pounds read as kilograms to the usual weight, which may have changed by an eighth.
  private static let poundsRatio = 2.2046 / 1.125...2.2046 * 1.125
  private static let oldestDays = 120 * 366
  /// With fewer entries, nothing is usual.
  private static let usualEntriesAtLeast = 5
  private static let shiftedSumsAtLeast = 10
  /// Devices count more in a day, as of a run through the night, than a person can be expected to enter.
  private static let deviceRatio = 2.0

  /// - Parameters:
  ///   - usual: the quantities in the ledger.
  ///   - today: the day in the ledger's zone.
  ///   - units: those of the person, asked only if a quantity is shown.
  /// - Throws: ``ImportError``; what `units` throws.
  package init(
    _ result: ImportResult, usual: [Metric: QuantitySample], today: CalendarDate,
    units: () throws -> UnitSystem
  ) throws {
    // The zone of a phone may be a day ahead.
    let lastDay = min(today, result.exportedOn ?? today).adding(days: 1)
    var late = UnlikelyDates(today)
    for session in result.sessions where session.end.date > lastDay { late.add(session.end.date) }
    let firstDay = today.adding(days: -Self.oldestDays)
    var early = UnlikelyDates(today)
    var days = SmallDays(usual)
    var sums = DaySums()
    let limits = try Self.limits(result.entries.currentSamples(), usual)
    let ranges = Self.ranges(usual)
    var odd = Findings()
    var outside = Findings()
    let usualWeight = usual[.weight]?.usual(for: .weight)
    var pounds = Findings()
    var newDays: [Metric: Int] = [:]
    var cursor = result.entries.cursor()
    while let entry = try cursor.nextAmount() {
      if entry.date > lastDay { late.add(entry.date) }
      if entry.date < firstDay { early.add(entry.date) }
      days.add(entry)
      sums.add(entry)
      if entry.isDay, !result.smallerSums.isEmpty,
        result.smallerSums[entry.metric]?.isBeside(entry.date) == true
      {
        newDays[entry.metric, default: 0] += 1
      }
      if entry.metric == .weight, let usualWeight, usualWeight > 0,
        Self.poundsRatio.contains(entry.quantity / usualWeight)
      {
        pounds[.weight, default: (entry, 0)].count += 1
      }
      let index = Int(entry.metric.index)
      if let limit = limits[index],
        entry.quantity >= limit * Self.unusualRatio
          || (entry.quantity > 0 && entry.quantity * Self.unusualRatio <= limit
            && !entry.metric.isCounted)
      {
        odd[entry.metric, default: (entry, 0)].count += 1
      } else if let range = ranges[index], entry.quantity != 0, !range.contains(entry.quantity) {
        // Scales write 0 for what they do not measure.
        outside[entry.metric, default: (entry, 0)].count += 1
      }
    }
    let large = sums.finish(beyond: ranges)
    addFutureDates(late, today, result.exportedOn)
    if let first = early.first {
      warnings.append("\(Self.entries(early.count)) more than 120 years old, the first of \(first)")
    }
    if let (first, count) = pounds[.weight], let usualWeight {
      let words = QuantityWords(units: try units())
      warnings.append(
        "\(Self.entries(count)) weight twice as much as usual, as pounds taken for kilograms are: "
          + "\(words.words(first.quantity, of: .weight)) on \(first.date), usual is "
          + words.words(usualWeight, of: .weight))
    }
    for metric in Metric.allCases {
      if let (first, count, usual) = days.unusual(metric) {
        let words = QuantityWords(units: try units())
        warnings.append(
          "\(Self.entries(count)) \(metric.name) a hundred times less than usual in a day: "
            + "\(words.words(first.quantity, of: metric)) on \(first.date), usual is "
            + words.words(usual, of: metric))
      }
      if let (first, count) = odd[metric], let limit = limits[Int(metric.index)] {
        let words = QuantityWords(units: try units())
        warnings.append(
          "\(Self.entries(count)) \(metric.name) a hundred times more or less than usual: "
            + "\(words.words(first.quantity, of: metric)) on \(first.date), usual is "
            + words.words(limit, of: metric) + Self.perCent(first, words))
      }
      if let (first, count) = outside[metric], let range = ranges[Int(metric.index)] {
        let words = QuantityWords(units: try units())
        warnings.append(
          "\(Self.entries(count)) \(metric.name) outside the usual "
            + "\(words.words(range.lowerBound, of: metric)) to "
            + "\(words.words(range.upperBound, of: metric)), such as "
            + "\(words.words(first.quantity, of: metric)) on \(first.date)"
            + Self.perCent(first, words))
      }
      if let (first, count) = large[metric], let range = ranges[Int(metric.index)] {
        let words = QuantityWords(units: try units())
        warnings.append(
          "\(count == 1 ? "1 day has" : "\(count) days have") entries of \(metric.name) that come to more "
            + "than the usual \(words.words(range.upperBound, of: metric)), such as "
            + "\(words.words(first.sum, of: metric)) on \(first.date)")
      }
    }
    addShiftedZone(result, newDays)
    for shared in result.sharedDays {
      let words = QuantityWords(units: try units()).words(shared.quantity, of: shared.metric)
      let days = shared.count == 1 ? "1 day has" : "\(shared.count) days have"
      warnings.append(
        "\(days) \(shared.metric.name) from \(shared.origin) already, such as \(shared.firstDay) with "
          + "\(words); the import adds to \(shared.count == 1 ? "it" : "them")")
    }
  }

  /// What a share of body fat is in per cent; empty for another quantity.
  private static func perCent(
    _ entry: ImportedEntries.Amount, _ words: QuantityWords
  ) -> String {
    let meant = entry.quantity * 100
    guard entry.metric == .bodyFatPercentage, Metric.bodyFatPercentage.usualRange.contains(meant)
    else { return "" }
    return "; if it is a fraction of 1, write it in per cent, as "
      + words.words(meant, of: entry.metric)
  }

  /// The first entry of each metric, and their number.
  private typealias Findings = [Metric: (first: ImportedEntries.Amount, count: Int)]

  /// What can be expected of anyone; `nil` for a metric whose quantities in the ledger are others.
  private static func ranges(_ usual: [Metric: QuantitySample]) -> [ClosedRange<Double>?] {
    Metric.allCases.map { metric in
      let range = metric.usualRange
      if let sample = usual[metric], sample.count >= usualEntriesAtLeast,
        let known = sample.usual(for: metric), !range.contains(known)
      {
        return nil
      }
      switch metric {
      case .steps, .caloriesOut, .distanceKM, .activeMinutes:
        return range.lowerBound...range.upperBound * deviceRatio
      default: return range
      }
    }
  }

  /// What is usual for the person, else in the file.
  private static func limits(
    _ new: [QuantitySample], _ usual: [Metric: QuantitySample]
  ) -> [Double?] {
    Metric.allCases.map { metric in
      let samples = [usual[metric], new[Int(metric.index)]]
      let known = samples.compactMap(\.self).first { $0.count >= usualEntriesAtLeast }
      return known?.usual(for: metric).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  private mutating func addFutureDates(
    _ late: UnlikelyDates, _ today: CalendarDate, _ exportedOn: CalendarDate?
  ) {
    guard let last = late.last else { return }
    let reason =
      late.areBuddhist ? "; years of the Buddhist calendar are 543 larger" : ""
    let limit = exportedOn.flatMap { $0 < today ? "the export, which was made on \($0)" : nil }
    warnings.append(
      "\(Self.entries(late.count)) later than \(limit ?? "tomorrow"), the last of \(last)\(reason)")
  }

  /// In another zone days begin at other moments: many sums differ, and in a short file some grow while
  /// others shrink, or there are new days next to smaller ones. A watch that synced late changes a few
  /// sums and shrinks none.
  ///
  /// - Parameter newDays: the new days next to those whose sums are smaller.
  private mutating func addShiftedZone(_ result: ImportResult, _ newDays: [Metric: Int]) {
    warnings += result.warnings
    let grown = Dictionary(grouping: result.growths, by: \.metric)
    for metric in Metric.allCases {
      let grown = grown[metric] ?? []
      let sums = grown.count + (result.knownEntries[metric] ?? 0)
      let smaller = result.smallerSums[metric]?.count ?? 0
      if grown.isEmpty, let new = newDays[metric], smaller * 2 >= sums {
        warnings.append(
          "\(smaller) of \(sums) known sums of \(metric.name) would be smaller, and "
            + "\(new == 1 ? "1 day next to them is" : "\(new) days next to them are") new; "
            + "the file may be in another zone than the earlier import")
      }
      guard !grown.isEmpty,
        grown.count >= Self.shiftedSumsAtLeast && grown.count * 5 > sums
          || smaller > 0 && (grown.count + smaller) * 2 > sums
      else { continue }
      let (before, after) = grown.reduce((0.0, 0.0)) { ($0.0 + $1.known, $0.1 + $1.quantity) }
      let share = before > 0 ? ", by \(Int(((after / before - 1) * 100).rounded())) %" : ""
      warnings.append(
        "\(grown.count) of \(sums) known sums of \(metric.name) would grow\(share); the file may be in "
          + "another zone than the earlier import")
    }
  }

  private static func entries(_ count: Int) -> String {
    count == 1 ? "1 entry is" : "\(count) entries are"
  }
}

/// Dates that a wrong reading makes, of any number of entries.
private struct UnlikelyDates {
  /// How far the dates of the last hundred years are ahead in the Buddhist calendar.
  private static let buddhistDays = Int32(161_800)...198_328

  private let today: CalendarDate
  private(set) var count = 0
  private(set) var first: CalendarDate?
  private(set) var last: CalendarDate?
  /// Whether all may be of that calendar.
  private(set) var areBuddhist = true

  init(_ today: CalendarDate) { self.today = today }

  mutating func add(_ date: CalendarDate) {
    count += 1
    first = min(first ?? date, date)
    last = max(last ?? date, date)
    if !Self.buddhistDays.contains(date.daysSince1970 - today.daysSince1970) { areBuddhist = false }
  }
}

/// Adds up what an import has of each day in several entries, which alone may be usual.
private struct DaySums {
  struct Day: Hashable {
    var metric: Metric
    var date: CalendarDate
  }

  /// Days beyond this number are not judged, so that memory is bounded.
  private static let mostDays = 200_000

  private var sums: [Day: (sum: Double, count: Int)] = [:]

  mutating func add(_ entry: ImportedEntries.Amount) {
    guard entry.metric.addsUp else { return }
    let day = Day(metric: entry.metric, date: entry.date)
    if sums[day] == nil, sums.count >= Self.mostDays { return }
    sums[day, default: (0, 0)].sum += entry.quantity
    sums[day]?.count += 1
  }

  /// Days of several entries whose sum is beyond the metric's range: the first of them, and how many.
  func finish(
    beyond ranges: [ClosedRange<Double>?]
  ) -> [Metric: (first: (date: CalendarDate, sum: Double), count: Int)] {
    var found: [Metric: (first: (date: CalendarDate, sum: Double), count: Int)] = [:]
    for (day, total) in sums where total.count > 1 {
      guard let range = ranges[Int(day.metric.index)], total.sum > range.upperBound else {
        continue
      }
      var days = found[day.metric] ?? ((day.date, total.sum), 0)
      days.count += 1
      if day.date < days.first.date { days.first = (day.date, total.sum) }
      found[day.metric] = days
    }
    return found
  }
}

/// Finds days whose sums are far below those of the ledger. A few are usual, as of a day without the
/// phone; most of a file are not.
private struct SmallDays {
  private static let ratio = 100.0

  private let usual: [Double?]
  private var totals = [Int](repeating: 0, count: Metric.allCases.count)
  private var small: [Metric: (first: ImportedEntries.Amount, count: Int)] = [:]

  init(_ samples: [Metric: QuantitySample]) {
    // Steps have no other unit and no fraction.
    usual = Metric.allCases.map {
      $0.addsUp && $0 != .steps ? samples[$0]?.usualDay : nil
    }
  }

  mutating func add(_ entry: ImportedEntries.Amount) {
    let index = Int(entry.metric.index)
    guard entry.isDay, entry.quantity > 0, let usual = usual[index] else { return }
    totals[index] += 1
    guard entry.quantity * Self.ratio < usual else { return }
    small[entry.metric, default: (entry, 0)].count += 1
  }

  /// - Returns: `nil` unless they are most days of the metric.
  func unusual(
    _ metric: Metric
  ) -> (first: ImportedEntries.Amount, count: Int, usual: Double)? {
    let index = Int(metric.index)
    guard let (first, count) = small[metric], count * 2 > totals[index], let usual = usual[index]
    else { return nil }
    return (first, count, usual)
  }
}

/// A sample of quantities in bounded memory: all of them, or every second, fourth and so on.
package struct QuantitySample: Sendable {
  private static let atMost = 4096
  private static let daysAtMost = 1000
  private static let daysAtLeast = 5

  private var quantities: [Double] = []
  private var stride = 1
  private(set) var count = 0
  /// Those of whole days.
  private var days: [Double] = []

  mutating func add(_ quantity: Double, isDay: Bool = false) {
    // The first ones suffice to tell what is usual.
    if isDay, quantity > 0, days.count < Self.daysAtMost { days.append(quantity) }
    defer { count += 1 }
    guard count & (stride - 1) == 0 else { return }
    quantities.append(quantity)
    guard quantities.count == Self.atMost else { return }
    quantities = quantities.indices.filter { $0 % 2 == 0 }.map { quantities[$0] }
    stride *= 2
  }

  /// The middle one of the days; `nil` if there are too few.
  fileprivate var usualDay: Double? {
    days.count < Self.daysAtLeast ? nil : days.sorted()[days.count / 2]
  }

  /// What is usual: the middle one; of metrics whose small quantities are as usual as large ones, as an
  /// hour with three steps, a large one.
  func usual(for metric: Metric) -> Double? {
    guard !quantities.isEmpty else { return nil }
    let sorted = quantities.sorted()
    return sorted[
      metric.isCounted ? max(sorted.count / 2, sorted.count * 9 / 10 - 1) : sorted.count / 2]
  }
}

extension Metric {
  fileprivate var isCounted: Bool {
    switch self {
    case .weight, .height, .bmi, .bodyFatPercentage, .restingHeartRate: false
    default: true
    }
  }
}
