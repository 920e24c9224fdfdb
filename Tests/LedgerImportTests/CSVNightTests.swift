import LedgerModel
import Testing

@testable import LedgerImport

/// Tables with the start and the end of nights, and no vendor's rules.
@Suite struct CSVNightTests {
  private func read(_ text: String, known: [String: Double] = [:]) throws -> ImportResult {
    try CSVImport.read(
      recognizing: source(text), rules: VendorRules.all(), context: context(known: known))
  }

  @Test(
    "A row with a start, an end and time asleep is a session",
    arguments: [
      "Start,End,Sleep (min)", "Bedtime Start,Bedtime End,Sleep (min)",
      "Bedtime,Wake up,Sleep (min)", "Sleep start,Sleep end,Sleep (min)",
      "Went to bed,Woke up,Sleep (min)", "Schlafenszeit,Aufwachzeit,Schlaf (min)",
    ])
  func sessions(header: String) throws {
    let result = try read(
      """
      \(header)
      2026-11-23 23:10,2026-11-24 06:45,430
      2026-11-24 23:40,2026-11-25 07:05,400
      """)
    #expect(
      result.nights == [
        "2026-11-23T23:10:00+02:00 2026-11-24T06:45:00+02:00 25800",
        "2026-11-24T23:40:00+02:00 2026-11-25T07:05:00+02:00 24000",
      ])
    #expect(result.lines.isEmpty && result.problems.isEmpty)
    #expect(!result.notes.contains { $0.contains("nothing is read") })
  }

  @Test(
    "A start and an end that say they are of sleep are a session without its hours",
    arguments: [
      "Sleep start,Sleep end", "Bedtime,Wake up", "Sleep from,Sleep to",
      "Schlafenszeit,Aufwachzeit",
    ])
  func withoutHours(header: String) throws {
    let result = try read("\(header)\n2026-11-23 23:10,2026-11-24 06:45\n")
    #expect(result.nights == ["2026-11-23T23:10:00+02:00 2026-11-24T06:45:00+02:00 27300"])
    #expect(result.sessions.allSatisfy { $0.stages.isEmpty } && result.lines.isEmpty)
    let again = try read("Date,\(header)\n2026-11-24,2026-11-23 23:10,2026-11-24 06:45\n")
    #expect(again.nights == result.nights)
    let beside = try read(
      "Date,\(header),Weight (kg)\n2026-11-24,2026-11-23 23:10,2026-11-24 06:45,80\n2026-11-25,,,81\n"
    )
    #expect(beside.nights == result.nights && beside.problems.isEmpty)
    #expect(beside.lines == ["weight 2026-11-24 80", "weight 2026-11-25 81"])
    #expect(!beside.notes.contains { $0.contains("nothing is read") })
  }

  @Test("Times without a day are no session, and reported if nothing else is read from the row")
  func timesAlone() throws {
    let alone = try read("Date,Bedtime,Wake up\n2026-11-24,23:10,06:45\n")
    #expect(alone.nights.isEmpty && alone.problemRows == [2])
    #expect(alone.problems.first?.reason.contains("must be a day and a time") == true)
    let beside = try read("Date,Bedtime,Wake up,Sleep (h)\n2026-11-24,23:10,06:45,7\n")
    #expect(beside.lines == ["sleep_hours 2026-11-24 7"] && beside.problems.isEmpty)
    let weight = try read("Date,Bedtime,Wake up,Weight (kg)\n2026-11-24,23:10,06:45,80\n")
    #expect(weight.lines == ["weight 2026-11-24 80"] && weight.problems.isEmpty)
    for result in [alone, beside, weight] {
      #expect(result.notes.contains { $0.contains("nothing is read from 'Bedtime', 'Wake up'") })
    }
  }

  @Test(
    "Half a night, and what is no moment, is a problem beside other metrics as well",
    arguments: [
      ("2026-13-45 23:10,2026-11-26 06:45", "Bedtime is '2026-13-45 23:10', which is not a day of"),
      (",2026-11-26 06:45", "Bedtime is empty"), ("2026-11-25 23:10,", "Wake up is empty"),
      ("2026-11-25 23:10,2026-11-99 06:00", "Wake up is '2026-11-99 06:00', which is not a day of"),
      ("23:10,2026-11-26 06:45", "Bedtime is '23:10'; without a column of hours it must be a day"),
    ])
  func halfNights(_ cells: String, _ reason: String) throws {
    for (header, end) in [("", ""), (",Weight (kg)", ",80")] {
      let result = try read("Date,Bedtime,Wake up\(header)\n2026-11-26,\(cells)\(end)\n")
      #expect(result.problems.count == 1 && result.nights.isEmpty)
      #expect(result.problems.first?.reason.hasPrefix(reason) == true, "\(result.problems)")
      #expect(result.lines == (end.isEmpty ? [] : ["weight 2026-11-26 80"]))
    }
  }

  @Test("Times without a day beside nights that are read are counted in a note")
  func someTimesAlone() throws {
    let result = try read(
      """
      Date,Bedtime,Wake up,Steps
      2026-11-24,23:10,06:45,80
      2026-11-25,2026-11-24 23:10,2026-11-25 06:45,81
      2026-11-26,,,82
      """)
    #expect(result.nights.count == 1 && result.lines.count == 3 && result.problems.isEmpty)
    #expect(
      result.notes.contains(
        "data.csv: nothing is read from 'Bedtime', 'Wake up' in 1 row, whose times have no day"),
      "\(result.notes)")
  }

  @Test("A start of sleep that two columns have is refused")
  func repeatedBedtime() {
    let error = #expect(throws: ImportError.self) {
      try read("Date,Bedtime,Bedtime,Wake up\n2026-11-24,1,2,3\n")
    }
    #expect(error?.description.contains("has 'Bedtime' twice") == true)
  }

  @Test("A start and an end of nothing named are refused with names that say sleep")
  func unnamedPeriods() {
    let error = #expect(throws: ImportError.self) {
      try read("Start,End\n2026-11-23 23:10,2026-11-24 06:45\n")
    }
    #expect(error?.description.contains("'Sleep start' and 'Sleep end'") == true)
    let named = #expect(throws: ImportError.self) {
      try read("Bedtime,Wake up,Resting HR\n2026-11-23 23:10,2026-11-24 06:45,55\n")
    }
    #expect(named?.description.contains("'Sleep start'") == false)
  }

  @Test("A bedtime is the date of a night alone, and only without another date")
  func bedtimes() throws {
    #expect(throws: ImportError.self) { try read("Bedtime,Mood\n2026-01-02 00:30,7\n") }
    let result = try read(
      "Timestamp,Bedtime,Weight (kg)\n2026-01-05 07:00,2026-01-04 22:00,80\n")
    #expect(result.lines.count == 1 && result.lines[0].contains("2026-01-05"), "\(result.lines)")
  }

  @Test("Hours of a night between two days are those of the second")
  func days() throws {
    let result = try read("Start,End,Sleep (h)\n2026-11-23,2026-11-24,7\n2026-11-25,2026-11-25,2\n")
    #expect(result.lines == ["sleep_hours 2026-11-24 7", "sleep_hours 2026-11-25 2"])
    #expect(result.nights.isEmpty)
  }

  @Test(
    "What is no session stays hours: an end without a day, and more sleep than the night is long",
    arguments: [
      ("2026-11-23 23:10,06:45,7", "sleep_hours 2026-11-23 23:10:00 7"),
      ("2026-11-23 23:10,2026-11-24 06:00,8", "sleep_hours 2026-11-24 8"),
    ])
  func hours(row: String, line: String) throws {
    let result = try read("Start,End,Sleep (h)\n\(row)\n")
    #expect(result.lines == [line] && result.nights.isEmpty && result.problems.isEmpty)
  }

  @Test("A night that an earlier import logged as hours is known")
  func knownHours() throws {
    let result = try read(
      "Start,End,Sleep (h)\n2026-11-23 23:10,2026-11-24 06:45,7\n",
      known: ["csv csv:sleep_hours:2026-11-23T23:10:00": 7])
    #expect(result.nights.isEmpty && result.lines.isEmpty && result.known == 1)
  }
}
