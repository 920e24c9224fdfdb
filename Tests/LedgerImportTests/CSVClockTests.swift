import LedgerModel
import Testing

@testable import LedgerImport

/// Local times at which clocks are changed.
@Suite struct CSVClockTests {
  private func read(_ rows: [String]) throws -> ImportResult {
    var context = context()
    // Clocks went from 2:00 to 3:00 on 29 March, and back from 3:00 to 2:00 on 25 October.
    context.zone = { time, date in
      let hour = Int(time.secondsSinceMidnight) / 3600
      let (month, day) = (date.components.month, date.components.day)
      let isLater = (month, day, hour) >= (3, 29, 3) && (month, day, hour) < (10, 25, 3)
      return ZoneOffset(minutes: isLater ? 120 : 60)!
    }
    return try CSVImport.read(
      recognizing: source(rows.joined(separator: "\n")), rules: VendorRules.all(),
      adjust: { $0 }, context: context)
  }

  @Test("Times that clocks skipped are kept, and counted in a note")
  func skippedTimes() throws {
    let result = try read([
      "Date,Time,Weight (kg),Steps", "2026-03-29,01:59,70,1", "2026-03-29,02:00,71,2",
      "2026-03-29,02:59,72,3", "2026-03-29,03:00,73,4", "2026-03-28,02:30,75,6",
    ])
    #expect(result.edits.count == 10 && result.problems.isEmpty)
    #expect(
      result.notes == [
        "data.csv: 2 rows have a time that clocks skipped as they were put forward, such as 2026-03-29 "
          + "02:00:00 in row 3; it is kept as written, and the times may be of another zone"
      ])
  }

  @Test("Times that came twice are the first, and counted in a note")
  func repeatedTimes() throws {
    let result = try read([
      "Date,Time,Weight (kg),Steps", "2026-10-25,01:59,70,1", "2026-10-25,02:00,71,2",
      "2026-10-25,02:59,72,3", "2026-10-25,03:00,73,4", "2026-10-24,02:30,75,6",
    ])
    #expect(result.edits.count == 10 && result.problems.isEmpty)
    #expect(
      result.notes == [
        "data.csv: 2 rows have a time that came twice as clocks were put back, such as 2026-10-25 "
          + "02:00:00 in row 3; it is read as the first, +02:00, and a column 'Offset' could say which "
          + "one it is"
      ])
  }

  @Test("Offsets tell rows apart whose time came twice, and the problem advises to add them")
  func bothTimes() throws {
    let rows = ["Date,Time,Weight (kg)", "2026-10-25,02:30,74", "2026-10-25,02:30,75"]
    let twice = try read(rows)
    #expect(twice.problemRows == [2, 3])
    let advice = "give each row its offset, +02:00 or +01:00, in a column 'Offset'"
    #expect(twice.problems.allSatisfy { $0.reason.hasSuffix(advice) && $0.question == nil })
    let apart = try read(zip(rows, ["Offset", "+02:00", "+01:00"]).map { "\($0),\($1)" })
    #expect(apart.edits.count == 2 && apart.problems.isEmpty && apart.notes.isEmpty)
    let other = try read([rows[0], "2026-10-25,03:30,74", "2026-10-25,03:30,75"])
    #expect(other.problems.count == 2 && other.problems.allSatisfy { $0.question != nil })
  }

  @Test("Only rows without an offset are advised to add one, in a column that is read")
  func adviceOnOffsets() throws {
    let header = "Date,Time,Offset,Weight (kg)"
    for offset in ["+02:00", "+01:00", "-05:00"] {
      let result = try read([
        header, "2026-10-25,02:30,\(offset),74", "2026-10-25,02:30,\(offset),75",
      ])
      #expect(
        result.problems.count == 2
          && result.problems.allSatisfy { !$0.reason.contains("twice") && $0.question != nil })
    }
    let partly = try read([header, "2026-10-25,02:30,,74", "2026-10-25,02:30,,75"])
    #expect(partly.problems.allSatisfy { $0.reason.hasSuffix("in the column 'Offset'") })
    #expect(partly.notes.contains { $0.contains("and the column 'Offset' could say") })
    let garmin = try read([
      "Time,Weight,Skeletal Muscle Mass", "\" Oct 25, 2026\"", "2:30 AM,79.0 kg,28.3 kg",
      "2:30 AM,79.8 kg,28.3 kg",
    ])
    #expect(garmin.problems.count == 2, "\(garmin.problems)")
    #expect(garmin.problems.allSatisfy { !$0.reason.contains("twice") })
    #expect(garmin.notes.contains { $0.hasSuffix("it is read as the first, +02:00") })
  }

  @Test("An hour before midnight that comes twice is noticed, too")
  func beforeMidnight() throws {
    var context = context()
    // As in Chile, where clocks went from midnight back to 23:00 of 4 April.
    context.zone = { _, date in
      ZoneOffset(minutes: (date.components.month, date.components.day) < (4, 5) ? -180 : -240)!
    }
    let result = try CSVImport.read(
      recognizing: source(
        "Date,Time,Weight (kg)\n2026-04-04,22:59,73\n2026-04-04,23:30,74\n2026-04-05,00:00,75\n"),
      rules: VendorRules.all(), adjust: { $0 }, context: context)
    #expect(result.notes.count == 1, "\(result.notes)")
    #expect(result.notes.first?.contains("1 row has a time that came twice") == true)
  }
}
