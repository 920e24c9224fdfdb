import LedgerModel
import Testing

@testable import LedgerImport

/// A file with these lines in it.
func export(_ body: String, me: String = "<Me/>") -> ImportSource {
  source(
    "<HealthData locale=\"de_AT\">\n<ExportDate value=\"\"/>\(me)\n\(body)\n</HealthData>\n",
    name: "export.xml")
}

/// A record of a quantity, on 1 November 2026 between two times.
func record(
  _ type: String, _ value: String, _ unit: String, _ times: (String, String), by name: String = "W",
  day: String = "2026-11-01", zone: String = " +0100"
) -> String {
  "<Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"\(name)\" unit=\"\(unit)\" "
    + "startDate=\"\(day) \(times.0):00\(zone)\" endDate=\"\(day) \(times.1):00\(zone)\" "
    + "value=\"\(value)\"/>\n"
}

func sleep(_ stage: String, _ from: String, _ to: String, by name: String = "W") -> String {
  "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"\(name)\" "
    + "startDate=\"2026-\(from):00 +0100\" endDate=\"2026-\(to):00 +0100\" value=\"\(stage)\"/>\n"
}

func readApple(
  _ source: ImportSource, knownEntries: [String: KnownEntry] = [:], samplesInMemory: Int = 1000
) throws -> ImportResult {
  var context = context()
  context.knownEntry = { _, id in knownEntries[id] }
  return try AppleHealthImport.read(
    ByteStream(opening: source), name: source.name, today: day("2026-11-21"), context: context,
    samplesInMemory: samplesInMemory)
}

/// What a ledger knows once it has taken in all of a result.
func knownEntries(after result: ImportResult) -> [String: KnownEntry] {
  var known: [String: KnownEntry] = [:]
  for edit in result.edits {
    known[edit.sourceID ?? ""] = KnownEntry(entry: edit.entry, quantity: edit.quantity)
  }
  return known
}

@Suite struct AppleHealthTests {
  @Test(
    "Every supported type becomes its metric, in the metric's unit",
    arguments: [
      ("BodyMass", "165", "lb", "weight 2026-11-01 07:00:00 74.84274105"),
      ("BodyMass", "11", "st", "weight 2026-11-01 07:00:00 69.85322498"),
      ("BodyMass", "2600", "oz", "weight 2026-11-01 07:00:00 73.708760125"),
      ("Height", "1.71", "m", "height 2026-11-01 07:00:00 171"),
      ("BodyFatPercentage", "0.183", "%", "body_fat_percentage 2026-11-01 07:00:00 18.3"),
      ("BodyFatPercentage", "18.3", "%", "body_fat_percentage 2026-11-01 07:00:00 18.3"),
      ("BodyMassIndex", "22.1", "count", "bmi 2026-11-01 07:00:00 22.1"),
      ("RestingHeartRate", "55", "count/min", "resting_heart_rate 2026-11-01 07:00:00 55"),
      ("StepCount", "120", "count", "steps 2026-11-01 07:00:00 120"),
      ("DistanceWalkingRunning", "1.5", "mi", "distance_km 2026-11-01 2.41402"),
      ("ActiveEnergyBurned", "12.5", "Cal", "calories_out 2026-11-01 12.5"),
      ("ActiveEnergyBurned", "41.84", "kJ", "calories_out 2026-11-01 10"),
      ("AppleExerciseTime", "0.5", "hr", "active_minutes 2026-11-01 30"),
      ("DietaryWater", "250", "mL", "water_liters 2026-11-01 07:00:00 0.25"),
      ("DietaryEnergyConsumed", "500", "kcal", "calories_in 2026-11-01 07:00:00 500"),
      ("DietaryProtein", "1", "oz", "protein_g 2026-11-01 07:00:00 28.3495"),
      ("DietaryCarbohydrates", "12.5", "g", "carbs_g 2026-11-01 07:00:00 12.5"),
      ("DietaryFatTotal", "900", "mg", "fat_g 2026-11-01 07:00:00 0.9"),
    ])
  func everyTypeBecomesItsMetric(
    _ type: String, _ value: String, _ unit: String, _ line: String
  ) throws {
    let result = try readApple(export(record(type, value, unit, ("07:00", "07:00"))))
    #expect(result.lines == [line])
    #expect(result.problems.isEmpty && result.skipped.lines.isEmpty)
  }

  @Test("Steps are summed by the hour, distances by the day")
  func stepsAddUpByTheHourAndDistanceByTheDay() throws {
    let result = try readApple(
      export(
        record("StepCount", "100", "count", ("10:00", "10:09"))
          + record("StepCount", "50", "count", ("10:50", "11:10"))
          + record("StepCount", "7", "count", ("11:10", "11:20"))
          + record("DistanceWalkingRunning", "0.1", "km", ("10:00", "10:09"))
          + record("DistanceWalkingRunning", "0.2", "km", ("22:00", "22:09"))))
    #expect(
      result.lines == [
        "steps 2026-11-01 10:00:00 150", "steps 2026-11-01 11:00:00 7",
        "distance_km 2026-11-01 0.3",
      ])
    #expect(
      result.edits.map(\.sourceID) == [
        "apple-health:steps:2026-11-01T09:00:00Z", "apple-health:steps:2026-11-01T10:00:00Z",
        "apple-health:distance_km:2026-11-01",
      ])
    #expect(result.edits.map { $0.moment?.zone.description } == ["+01:00", "+01:00", nil])
  }

  @Test("Days and hours are those of the record's own offset")
  func daysAreThoseOfTheFileInEveryZone() throws {
    let result = try readApple(
      export(
        record("StepCount", "5", "count", ("23:40", "23:50"), zone: " -0330")
          + record("DistanceWalkingRunning", "1", "km", ("00:10", "00:20"), zone: " +1400")))
    #expect(
      result.lines == ["steps 2026-11-01 23:00:00 5", "distance_km 2026-11-01 1"])
    #expect(result.edits.first?.moment?.zone.description == "-03:30")
  }

  @Test("Time that several sources counted is counted once, by the best source")
  func whatOneSourceCountedTheOtherDoesNot() throws {
    let result = try readApple(
      export(
        record("StepCount", "500", "count", ("10:00", "10:10"), by: "Anna’s iPhone")
          + record("StepCount", "600", "count", ("10:00", "10:10"), by: "Anna’s Apple Watch")
          // The phone alone, then both for half of its time.
          + record("StepCount", "100", "count", ("10:20", "10:30"), by: "Anna’s iPhone")
          + record("StepCount", "80", "count", ("10:40", "10:50"), by: "Anna’s iPhone")
          + record("StepCount", "30", "count", ("10:45", "10:55"), by: "Anna’s Apple Watch")
          + record("StepCount", "9", "count", ("10:00", "10:30"), by: "An app")))
    // The watch: 630; the phone: 100 and a half of 80; the app: a third of 9, between 10:10 and 10:20.
    #expect(result.lines == ["steps 2026-11-01 10:00:00 773"])
    #expect(
      result.skipped.lines.map { "\($0.count) \($0.reason)" } == [
        "2 \(AppleAggregator.partlyCoveredReason)", "1 \(AppleAggregator.coveredReason)",
      ])
  }

  @Test("The device attribute ranks a watch before a phone")
  func theDeviceTellsWatchFromPhone() throws {
    let phone = "device=\"&lt;&lt;HKDevice: 0x1&gt;, name:iPhone, model:iPhone&gt;\""
    let watch = "device=\"&lt;&lt;HKDevice: 0x2&gt;, name:Apple Watch, model:Watch&gt;\""
    let one = record("StepCount", "500", "count", ("10:00", "10:10"), by: "A")
    let other = record("StepCount", "600", "count", ("10:00", "10:10"), by: "B")
    let result = try readApple(
      export(
        one.replacing("<Record", with: "<Record \(phone)")
          + other.replacing("<Record", with: "<Record \(watch)")))
    #expect(result.lines == ["steps 2026-11-01 10:00:00 600"])
  }

  @Test("Repeated records count once")
  func repeatedRecordsCountOnce() throws {
    let weight = record("BodyMass", "75", "kg", ("07:00", "07:00"))
    let steps = record("StepCount", "100", "count", ("10:00", "10:09"))
    let result = try readApple(
      export(weight + steps + "<Correlation type=\"x\">\(weight)</Correlation>" + steps + steps))
    #expect(result.lines == ["weight 2026-11-01 07:00:00 75", "steps 2026-11-01 10:00:00 100"])
    #expect(result.skipped.lines.reduce(0) { $0 + $1.count } == 3)
  }

  @Test("Foods of one moment are summed to one meal")
  func foodsOfOneMealAddUp() throws {
    let result = try readApple(
      export(
        record("DietaryEnergyConsumed", "200", "kcal", ("12:00", "12:00"))
          + record("DietaryEnergyConsumed", "300", "kcal", ("12:00", "12:00"))
          + record("DietaryEnergyConsumed", "100", "kcal", ("18:00", "18:00"))))
    #expect(
      result.lines == [
        "calories_in 2026-11-01 12:00:00 500", "calories_in 2026-11-01 18:00:00 100",
      ])
  }

  @Test("Records without a metric are counted by type and reason")
  func othersAreCountedByTypeAndReason() throws {
    let result = try readApple(
      export(
        record("HeartRate", "70", "count/min", ("07:00", "07:00"))
          + record("HeartRate", "71", "count/min", ("07:01", "07:01"))
          + record("Newest", "71", "x", ("07:01", "07:01")) + "<Workout/><ActivitySummary/>"))
    #expect(result.lines.isEmpty && result.problems.isEmpty)
    #expect(
      result.skipped.lines.map { "\($0.count) \($0.type): \($0.reason)" } == [
        "2 HeartRate: the ledger has no metric for it",
        "1 ActivitySummary: only records are read",
        "1 Newest: the ledger has no metric for it", "1 Workout: only records are read",
      ])
  }
}
