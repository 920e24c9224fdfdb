import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// What an import asks about before it writes.
@Suite struct ImportReviewTests {
  private func warnings(
    _ quantities: [Double], of metric: Metric = .weight, usual: [Double] = [],
    units: UnitSystem = .metric, date: String = "2026-01-31"
  ) throws -> [String] {
    var result = ImportResult()
    for (index, quantity) in quantities.enumerated() {
      result.entries.append(
        ProgressLogged(
          entry: EntryID(LedgerUUID(high: 0, low: UInt64(index))), metric: metric,
          quantity: quantity, date: day(date)))
    }
    var known = QuantitySample()
    for quantity in usual { known.add(quantity, isDay: true) }
    return try ImportReview(
      result, usual: [metric: known], today: day("2026-11-21"), units: { units }
    ).warnings
  }

  @Test("What is usual for the person is in the ledger, not only in the file")
  func history() throws {
    let usual = [74.5, 75, 75.5, 74.8, 75.2]
    #expect(
      try warnings([0.7, 0.71], usual: usual) == [
        "2 entries are weight a hundred times more or less than usual: 0.7 kg on 2026-01-31, usual is "
          + "75 kg"
      ])
    #expect(
      try warnings([0.7], usual: usual, units: .imperial) == [
        "1 entry is weight a hundred times more or less than usual: 1.5 lb on 2026-01-31, usual is "
          + "165.3 lb"
      ])
    #expect(try warnings([75.1], usual: usual).isEmpty)
  }

  @Test("Pounds that are taken for kilograms are asked about, even after one entry")
  func pounds() throws {
    #expect(
      try warnings([180.2, 80.4, 181], usual: [80.3]) == [
        "2 entries are weight twice as much as usual, as pounds taken for kilograms are: 180.2 kg on "
          + "2026-01-31, usual is 80.3 kg"
      ])
    #expect(try warnings([100, 120], usual: [80.3]).isEmpty)
    #expect(try warnings([180.2]).isEmpty)
  }

  @Test("What 'append' would ask about is asked about at an import, too")
  func range() throws {
    #expect(
      try warnings([8.3, 75, 9], units: .imperial) == [
        "2 entries are weight outside the usual 44.1 lb to 661.4 lb, such as 18.3 lb on 2026-01-31"
      ])
    #expect(
      try warnings([0.22], of: .bodyFatPercentage) == [
        "1 entry is body_fat_percentage outside the usual 2% to 70%, such as 0.22% on 2026-01-31; "
          + "if it is a fraction of 1, write it in per cent, as 22%"
      ])
    #expect(try warnings([20, 300]).isEmpty)
    #expect(try warnings([0, 20], of: .caloriesIn).isEmpty)
    #expect(try warnings([0], of: .bodyFatPercentage).isEmpty)
    #expect(try warnings([0.2], of: .waterLiters).isEmpty)
    #expect(try warnings([18], of: .waterLiters).count == 1)
    // A device counts more than a person enters.
    #expect(try warnings([100_001, 12], of: .steps).isEmpty)
    #expect(try warnings([200_001], of: .steps).count == 1)
  }

  @Test("A person whose quantities are always outside is not asked")
  func ownRange() throws {
    let usual = [15.1, 15.2, 15.3, 15.2, 15.1]
    #expect(try warnings([15.4], usual: usual).isEmpty)
    #expect(try warnings([15.4], usual: Array(usual.dropLast())).count == 1)
  }

  @Test("A day whose entries come to more than usual is asked about")
  func largeDays() throws {
    let quantities = [Double](repeating: 2000, count: 101)
    #expect(
      try warnings(quantities, of: .steps) == [
        "1 day has entries of steps that come to more than the usual 200000, such as 202000 on "
          + "2026-01-31"
      ])
    #expect(try warnings(quantities.dropLast(), of: .steps).isEmpty)
    #expect(try warnings([100, 140], of: .weight).isEmpty)
  }

  @Test("A hundred times the usual quantity is asked about")
  func hundredTimes() throws {
    let usual = [5.0, 5, 5, 5, 5]
    #expect(try warnings([500], of: .distanceKM, usual: usual).count == 1)
    #expect(try warnings([499], of: .distanceKM, usual: usual).isEmpty)
  }

  @Test("Without a history, the file tells what is usual")
  func file() throws {
    #expect(try warnings([75, 75, 75, 75, 0.7])[0].contains("a hundred times"))
    #expect(try warnings([5000, 5000, 5000, 600_000], of: .caloriesIn)[0].contains("outside"))
  }

  @Test("Few steps in an hour are usual, a hundred times as many are not")
  func counted() throws {
    #expect(try warnings([800, 900, 1000, 3, 5, 850], of: .steps).isEmpty)
    #expect(try warnings([100_000], of: .steps, usual: [800, 900, 950, 700, 3]).count == 1)
  }

  @Test("Sums of which some would grow and others shrink are of another zone")
  func shiftedZone() throws {
    var result = ImportResult()
    let id = EntryID(LedgerUUID(high: 0, low: 1))
    result.growths = [
      GrownSum(
        entry: id, metric: .distanceKM, quantity: 9, source: "a", sourceID: "b", known: 8,
        date: day("2026-11-04"))
    ]
    result.knownEntries[.distanceKM] = 2
    func warnings() throws -> [String] {
      try ImportReview(result, usual: [:], today: day("2026-11-21"), units: { .metric }).warnings
    }
    #expect(try warnings().isEmpty)
    result.smallerSums[.distanceKM, default: SmallerSums()].add(day("2026-11-05"))
    #expect(
      try warnings() == [
        "1 of 3 known sums of distance_km would grow, by 13 %; the file may be in another zone than "
          + "the earlier import"
      ])
    // A day that was not over, and a phone that kept less of another one.
    result.knownEntries[.distanceKM] = 3
    #expect(try warnings().isEmpty)
  }

  @Test("A smaller sum of the only known day, with a new day beside it, is of another zone")
  func shiftedDay() throws {
    var result = ImportResult()
    result.knownEntries[.distanceKM] = 1
    result.smallerSums[.distanceKM, default: SmallerSums()].add(day("2026-11-05"))
    func warnings(_ date: String) throws -> [String] {
      var result = result
      result.entries.append(
        ProgressLogged(
          entry: EntryID(LedgerUUID(high: 0, low: 1)), metric: .distanceKM, quantity: 5,
          date: day(date)))
      return try ImportReview(result, usual: [:], today: day("2026-11-21"), units: { .metric })
        .warnings
    }
    for date in ["2026-11-04", "2026-11-06"] {
      #expect(
        try warnings(date) == [
          "1 of 1 known sums of distance_km would be smaller, and 1 day next to them is new; the file may "
            + "be in another zone than the earlier import"
        ])
    }
    #expect(try warnings("2026-11-07").isEmpty)
    // The phone kept less of one day of several.
    result.knownEntries[.distanceKM] = 3
    #expect(try warnings("2026-11-06").isEmpty)
  }

  @Test("Most days of a file far below the usual days are asked about, a few are not")
  func smallDays() throws {
    let usual = [2000, 2100, 2200, 2050, 2150.0]
    let small = try warnings([1.825, 2.11], of: .caloriesIn, usual: usual)
    #expect(small.count == 1)
    #expect(
      small[0].hasPrefix("2 entries are calories_in a hundred times less than usual in a day"))
    #expect(try warnings([1.825, 2000, 1900], of: .caloriesIn, usual: usual).isEmpty)
    #expect(try warnings([90], of: .steps, usual: [9500, 9500, 9500, 9500, 9500]).isEmpty)
    #expect(try warnings([0.07], of: .distanceKM, usual: [8, 8, 8, 8, 8]).count == 1)
    #expect(try warnings([1.825], of: .caloriesIn, usual: [2000, 2100]).isEmpty)
  }

  @Test("Dates more than 120 years ago are asked about")
  func oldDates() throws {
    #expect(
      try warnings([75], date: "1026-01-06") == [
        "1 entry is more than 120 years old, the first of 1026-01-06"
      ])
    #expect(try warnings([75], date: "1950-01-06").isEmpty)
  }

  @Test("A sample of very many quantities is bounded, and still tells the usual")
  func sample() {
    var sample = QuantitySample()
    for number in 0..<100_000 { sample.add(Double(number)) }
    #expect(sample.count == 100_000)
    #expect((45_000...55_000).contains(sample.usual(for: .weight) ?? 0))
  }
}

/// Days of a metric that adds up on which another source has entries.
@Suite struct SharedDaysTests {
  private let folder: TemporaryFolder
  private var log = HandWrittenLog.created

  init() throws { folder = try TemporaryFolder() }

  private func entry(_ number: UInt64) -> EntryID { EntryID(LedgerUUID(high: 1, low: number)) }

  private mutating func append(
    _ number: UInt64, _ date: String, _ quantity: Double, source: String?
  ) {
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(number), metric: .steps, quantity: quantity, date: day(date), source: source,
          sourceID: source.map { _ in "csv:steps:\(date)\(number > 100 ? "T08:00:00" : "")" })))
  }

  private func shared(_ rows: [String]) throws -> [SharedDays] {
    let store = LedgerStore(try log.write(to: folder))
    let text = "date,steps\n" + rows.map { $0 + "\n" }.joined()
    return try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_790_000_000_000), today: day("2026-11-21")
    ).run {
      try CSVImport.read(recognizing: source(text), rules: [], context: $0)
    } approve: { _, _ in
      false
    }.found.sharedDays
  }

  @Test("Sums of days and parts of days of one source are two series")
  mutating func series() throws {
    append(1, "2026-01-01", 1000, source: "csv")
    append(101, "2026-01-02", 500, source: "csv")
    append(3, "2026-01-03", 700, source: "csv")
    append(103, "2026-01-03", 300, source: "csv")
    #expect(
      try shared(["2026-01-01 09:00,1", "2026-01-02,2", "2026-01-04,4"]) == [
        SharedDays(
          metric: .steps, origin: "csv (entries with a time)", count: 1,
          firstDay: day("2026-01-02"), quantity: 500),
        SharedDays(
          metric: .steps, origin: "csv (sums of days)", count: 1, firstDay: day("2026-01-01"),
          quantity: 1000),
      ])
    // Those of one day were added up before.
    #expect(try shared(["2026-01-03 09:00,1"]).isEmpty)
    #expect(try shared(["2026-01-02 09:00,1"]).isEmpty)
  }

  @Test("What an import itself has twice is asked about, but not drinks with and without a time")
  func twiceInOneImport() throws {
    func warnings(_ text: String) throws -> [String] {
      let result = try CSVImport.read(recognizing: source(text), rules: [], context: context())
      return try result.entries.sharedDays { () throws(ImportError) in .metric }
    }
    #expect(
      try warnings("date,steps\n2026-01-05,900\n2026-01-05 08:00,500\n2026-01-06,700\n") == [
        "the import has steps of 1 day twice, such as of 2026-01-05 500 from csv (entries with a "
          + "time) and 900 from csv (sums of days); they would be added up"
      ])
    #expect(try warnings("date,steps\n2026-01-05,900\n2026-01-06 08:00,500\n").isEmpty)
    #expect(try warnings("date,water (l)\n2026-01-05,1\n2026-01-05 08:00,0.5\n").isEmpty)
  }

  @Test("Each source is named with its days and its sum of the first, as the entries are now")
  mutating func sources() throws {
    append(1, "2026-01-01", 1000, source: "fitbit")
    append(2, "2026-01-01", 500, source: "fitbit")
    append(3, "2026-01-02", 700, source: "fitbit")
    append(4, "2026-01-01", 300, source: nil)
    append(5, "2026-01-03", 900, source: "csv")
    log.append(
      .progressPulled(
        ProgressPulled(
          entry: entry(6), backendID: BackendID("b")!, metric: .steps, quantity: 400,
          date: day("2026-01-02"))), by: .sync)
    log.append(.progressCorrected(ProgressCorrected(entry: entry(1), quantity: 1100)))
    let rows = ["2026-01-01,1", "2026-01-02,2", "2026-01-03,3", "2026-01-04,4"]
    #expect(
      try shared(rows) == [
        SharedDays(
          metric: .steps, origin: "fitbit", count: 2, firstDay: day("2026-01-01"), quantity: 1600),
        SharedDays(
          metric: .steps, origin: "the backend", count: 1, firstDay: day("2026-01-02"),
          quantity: 400),
        SharedDays(
          metric: .steps, origin: "your own entries", count: 1, firstDay: day("2026-01-01"),
          quantity: 300),
      ])
    #expect(try shared(Array(rows.dropFirst(2))).isEmpty)
  }

  @Test("Deleted and undone entries are none")
  mutating func absent() throws {
    append(1, "2026-01-01", 1000, source: "fitbit")
    append(2, "2026-01-02", 500, source: "fitbit")
    append(3, "2026-01-03", 500, source: "fitbit")
    log.append(.progressDeleted(ProgressDeleted(entry: entry(1))))
    log.append(.editUndone(EditUndone(event: Seq(3))))
    log.append(.progressCorrected(ProgressCorrected(entry: entry(3), quantity: 600)))
    log.append(.editUndone(EditUndone(event: Seq(7))))
    let found = try shared(["2026-01-01,1", "2026-01-02,2", "2026-01-03,3"])
    #expect(found.map(\.firstDay) == [day("2026-01-03")] && found.map(\.quantity) == [500])
  }
}

/// Entries beyond what is held in memory, in a temporary file.
@Suite struct ImportedEntriesTests {
  private func entry(_ number: Int) -> ProgressLogged {
    var entry = ProgressLogged(
      entry: EntryID(LedgerUUID(high: 7, low: UInt64(number))),
      metric: number % 2 == 0 ? .weight : .steps,
      quantity: Double(number) + 0.5, date: day("2026-01-31").adding(days: number % 300),
      moment: number % 3 == 0
        ? ZonedTime(
          time: ClockTime(secondsSinceMidnight: number % 86_400) ?? .midnight,
          zone: ZoneOffset(minutes: number % 600 - 300) ?? .utc) : nil,
      notes: number % 5 == 0 ? String(repeating: "ä", count: number % 40) : nil,
      source: "csv", sourceID: "id-\(number)")
    if number % 7 == 0 { entry.claimedBackendID = BackendID("row-\(number)") }
    return entry
  }

  @Test("Entries come back as they were, but for those removed and changed")
  func roundTrip() throws {
    let count = 40_000
    var entries = ImportedEntries()
    for number in 0..<count { #expect(entries.append(entry(number)) == number) }
    for number in stride(from: 0, to: count, by: 11) {
      entries.remove(number, entry(number).metric)
      entries.remove(number, entry(number).metric)
    }
    var cursor = entries.cursor()
    while try cursor.next() != nil {
      guard cursor.place % 1000 == 5 || cursor.place == count - 1 else { continue }
      try entries.change(cursor, quantity: -1, dropsNotes: true)
    }
    var expected = (0..<count).filter { $0 % 11 != 0 }.map(entry)
    for (place, entry) in expected.enumerated() {
      let number = Int(entry.entry.uuid.low)
      guard number % 1000 == 5 || number == count - 1 else { continue }
      expected[place].quantity = -1
      expected[place].notes = nil
    }
    #expect(entries.count == expected.count)
    #expect(try entries.all() == expected)
    #expect(entries.count(of: .weight) == expected.count { $0.metric == .weight })
  }

  @Test("The same file gives the same result, however few keys are held in memory")
  func spilledKeys() throws {
    func result(heldKeys: Int) throws -> ImportResult {
      var known: [String: Double] = [:]
      for number in stride(from: 0, to: 300, by: 9) {
        known["csv id-\(number)"] = Double(number % 50)
      }
      var collector = EntryCollector(context(known: known), heldKeys: heldKeys)
      for number in 0..<900 {
        var draft = EntryDraft(
          file: "f", row: number + 2, column: "q", metric: .steps,
          quantity: Double(number % 50), date: day("2026-01-31"), source: "csv",
          sourceID: "id-\(number % 600)")
        if number % 600 < 100 { draft.sameMoment = .sum }
        if number % 600 > 500 { draft.sameMoment = .first }
        collector.add(draft)
      }
      return try collector.finish()
    }
    let (held, spilled) = (try result(heldKeys: 10_000), try result(heldKeys: 7))
    #expect(held.lines == spilled.lines && !held.lines.isEmpty)
    #expect(held.problems == spilled.problems && held.duplicates == spilled.duplicates)
    #expect(held.knownEntries == spilled.knownEntries && held.known > 0)
    #expect(held.growths.map(\.sourceID) == spilled.growths.map(\.sourceID))
    // The rows of 0 to 99 and 600 to 699 are parts of 100 sums, if the ledger has none of them.
    #expect(held.edits.first { $0.sourceID == "id-1" }?.quantity == 2)
  }
}
