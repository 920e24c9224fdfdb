import LedgerModel
import Testing

@testable import LedgerCLI

/// Words for days and moments, with the clock held still. The zone belongs to the process, so what
/// hangs on one runs in a process of its own.
@Suite(.serialized) struct TimeWordsTests {
  @Test(
    "Words for days, counted from Friday, 31 January 2025",
    arguments: [
      ("today", "2025-01-31"), ("Yesterday", "2025-01-30"), ("-3d", "2025-01-28"),
      ("-2w", "2025-01-17"), ("3 days ago", "2025-01-28"), ("a day ago", "2025-01-30"),
      ("2 weeks ago", "2025-01-17"), ("one week ago", "2025-01-24"), ("1 month ago", "2024-12-31"),
      ("2 months ago", "2024-11-30"), ("23 months ago", "2023-02-28"), ("a year ago", "2024-01-31"),
      ("last friday", "2025-01-24"), ("last thursday", "2025-01-30"), ("last sat", "2025-01-25"),
      ("last  Monday", "2025-01-27"), ("99999 years ago", "0001-01-01"),
      ("0 days ago", "2025-01-31"), ("tomorrow", "2025-02-01"),
      ("in 3 months", "2025-04-30"), ("in a week", "2025-02-07"), ("in 99999 years", "9999-12-31"),
      ("day before yesterday", "2025-01-29"), ("3 nov", "2024-11-03"), ("Nov 3", "2024-11-03"),
      ("31 January", "2025-01-31"), ("1. feb", "2024-02-01"), ("29 feb", "2024-02-29"),
      ("nov 3, 2026", "2026-11-03"), ("3 sept 2020", "2020-09-03"),
      ("Thu 19 Nov 2026", "2026-11-19"), ("friday, nov 20, 2026", "2026-11-20"),
    ])
  func days(_ text: String, _ expected: String) throws {
    let today = try #require(CalendarDate("2025-01-31"))
    #expect(try MomentOptions.day(text).date(today: today).description == expected)
  }

  @Test(
    "The day of a term is the next one",
    arguments: [
      ("1 mar", "2025-03-01"), ("31 jan", "2025-01-31"), ("30 jan", "2026-01-30"),
      ("29 feb", "2028-02-29"), ("1 mar 2024", "2024-03-01"),
    ])
  func terms(_ text: String, _ expected: String) throws {
    let today = try #require(CalendarDate("2025-01-31"))
    #expect(try MomentOptions.day(text).date(ahead: today).description == expected)
  }

  @Test(
    "Times of day are of 24 hours, or of 12 with am or pm",
    arguments: [
      ("7:30", "07:30:00"), ("07:30:15", "07:30:15"), ("7am", "07:00:00"), ("7:30PM", "19:30:00"),
      ("7:30 pm", "19:30:00"), ("12am", "00:00:00"), ("12:59 am", "00:59:00"),
      ("12pm", "12:00:00"), ("11:59:59pm", "23:59:59"),
    ])
  func times(_ text: String, _ expected: String) throws {
    #expect(try MomentOptions.time(text).description == expected)
  }

  @Test(
    "A period or a month is refused, with the day it begins on",
    arguments: [
      ("last month", "2024-12-01"), ("this month", "2025-01-01"), ("last week", "2025-01-20"),
      ("this week", "2025-01-27"), ("last year", "2024-01-01"), ("last 30 days", "30 days ago"),
      ("march", "1 march"), ("Nov", "1 november"),
    ])
  func periods(_ text: String, _ meant: String) throws {
    let today = try #require(CalendarDate("2025-01-31"))
    #expect(NamedDay.problem(with: text, today: today) == .meant([meant]))
  }

  @Test(
    "A day that its month does not have is refused with the days it has",
    arguments: [
      ("2026-02-30", "February 2026 has 28 days"), ("2024-02-30", "February 2024 has 29 days"),
      ("2026/4/31", "April 2026 has 30 days"), ("2026-13-01", "a year has 12 months"),
      ("2026-01-00", "January 2026 has 31 days"), ("31.2.2026", "February 2026 has 28 days"),
    ])
  func impossibleDays(_ text: String, _ reason: String) {
    #expect(NamedDay.problem(with: text) == .impossible(reason))
    #expect(throws: UsageError.badValue(option: "--date", value: text, why: .impossible(reason))) {
      try MomentOptions.day(text)
    }
  }

  @Test(
    "Other times are refused, with the one that is probably meant",
    arguments: [
      ("0730", ["07:30"]), ("730", ["07:30"]), ("07.30", ["07:30"]), ("7h30", ["07:30"]),
      ("7.30am", ["07:30"]), ("730pm", ["19:30"]), ("6:50 a.m.", ["06:50"]), ("18 Uhr", ["18:00"]),
      ("7", ["07:00"]), ("noon", ["12:00"]), ("midnight", ["00:00"]), ("13pm", []), ("0am", []),
      ("am", []), ("25", []), ("2460", []), ("-7", []), ("7.", []), ("", []), ("12345", []),
    ])
  func wrongTimes(_ text: String, _ meant: [String]) {
    #expect {
      try MomentOptions.time(text)
    } throws: { error in
      guard case UsageError.badValue("--time", text, let why) = error else { return false }
      return if case .meant(let near) = why { near == meant } else { meant.isEmpty }
    }
  }

  @Test("Words for days mean local days far east of London")
  func onTheFarSideOfTheDateLine() async {
    await #expect(processExitsWith: .success) {
      // Noon in London is two in the morning of the next day on Kiritimati.
      expect(
        in: "Pacific/Kiritimati", now: "2025-01-31T12:00:00.250Z",
        [
          ("today", "2025-01-31T10:00:00.000Z", "2025-02-01T09:59:59.999Z"),
          ("yesterday", "2025-01-30T10:00:00.000Z", "2025-01-31T09:59:59.999Z"),
          ("last saturday", "2025-01-24T10:00:00.000Z", "2025-01-25T09:59:59.999Z"),
          ("yesterday 08:00", "2025-01-30T18:00:00.000Z", "2025-01-30T18:00:00.000Z"),
          ("-1d", "2025-01-30T12:00:00.250Z", "2025-01-30T12:00:00.250Z"),
          ("2 weeks ago", "2025-01-17T12:00:00.250Z", "2025-01-17T12:00:00.250Z"),
        ])
    }
  }

  @Test("Words for days mean local days far west of London")
  func onTheNearSideOfIt() async {
    await #expect(processExitsWith: .success) {
      expect(
        in: "Etc/GMT+12", now: "2025-01-31T11:59:59.999Z",
        [
          ("today", "2025-01-30T12:00:00.000Z", "2025-01-31T11:59:59.999Z"),
          ("yesterday", "2025-01-29T12:00:00.000Z", "2025-01-30T11:59:59.999Z"),
          ("last monday 7:30", "2025-01-27T19:30:00.000Z", "2025-01-27T19:30:00.000Z"),
          ("-90min", "2025-01-31T10:29:59.999Z", "2025-01-31T10:29:59.999Z"),
        ])
    }
  }

  @Test("A change of the clocks moves hours, and never the time of day")
  func changesOfTheClocks() async {
    await #expect(processExitsWith: .success) {
      // On 9 March 2025 two o'clock became three in St. John's: 09:30 there is 12:00 UTC from then
      // on, and was 13:00 before.
      expect(
        in: "America/St_Johns", now: "2025-03-09T12:00:00.000Z",
        [
          ("-1d", "2025-03-08T13:00:00.000Z", "2025-03-08T13:00:00.000Z"),
          ("1 day ago", "2025-03-08T13:00:00.000Z", "2025-03-08T13:00:00.000Z"),
          ("-24h", "2025-03-08T12:00:00.000Z", "2025-03-08T12:00:00.000Z"),
          ("today", "2025-03-09T03:30:00.000Z", "2025-03-10T02:29:59.999Z"),
          ("yesterday", "2025-03-08T03:30:00.000Z", "2025-03-09T03:29:59.999Z"),
          // Skipped: it takes the offset from before the change.
          ("today 02:30", "2025-03-09T06:00:00.000Z", "2025-03-09T06:00:00.000Z"),
          ("4 months ago", "2024-11-09T13:00:00.000Z", "2024-11-09T13:00:00.000Z"),
        ])
      // On 2 November 2025 two o'clock became one again, and the first of the two is meant.
      expect(
        in: "America/St_Johns", now: "2025-11-03T05:00:00.000Z",
        [
          ("yesterday", "2025-11-02T02:30:00.000Z", "2025-11-03T03:29:59.999Z"),
          ("-1d", "2025-11-02T04:00:00.000Z", "2025-11-02T04:00:00.000Z"),
          ("-24h", "2025-11-02T05:00:00.000Z", "2025-11-02T05:00:00.000Z"),
        ])
    }
  }

  @Test("What begins with a dash is the option's value all the same")
  func dashes() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, on: "2025-01-30")
    for words in [
      ["show", "days", "--from", "-2w"], ["show", "progress", "--to", "-3d"],
      ["log", "--since", "-12h"], ["log", "--until", "-3d"], ["show", "profile", "--at", "-1d"],
      ["log", "--since=-3d"], ["replay", "--until", "now"], ["log", "--since", "2 weeks ago"],
    ] {
      let answer = ledger.run(words)
      #expect(answer.code == .done, "\(words): \(answer.error)")
    }
  }

  @Test("An invalid moment is refused with examples")
  func nonsenseIsToldWithExamples() throws {
    let ledger = try LookingLedger()
    #expect(
      ledger.run("log", "--from", "soon").error
        == "ledger: '--from' takes an event's number or a time such as 2025-01-31, "
        + "2025-01-31T08:00, yesterday, -3d or '2 weeks ago', not 'soon'\n")
    #expect(
      ledger.run("show", "days", "--from", "3 moons ago").error
        == "ledger: '--from' takes a day of the calendar such as 2026-11-21, '3 nov', yesterday, "
        + "-3d, '2 weeks ago' or 'last monday', not '3 moons ago'\n")
  }
}

/// What a word means in a zone: where it begins, and where it ends.
private func expect(in zone: String, now: String, _ cases: [(String, String, String)]) {
  #expect(LocalZone.use(named: zone))
  guard let now = Timestamp(now) else {
    Issue.record("\(now) is no moment")
    return
  }
  let words = MomentParser(now: now, zone: .current)
  for (text, first, last) in cases {
    for (edge, expected) in [(Moment.Edge.start, first), (.end, last)] {
      let moment = try? words.moment(text, of: "--at", as: edge)
      #expect(moment == Timestamp(expected).map { .time($0) }, "\(text) in \(zone)")
    }
  }
}
