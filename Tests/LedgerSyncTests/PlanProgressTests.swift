import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerSync

@Suite struct PlanProgressTests {
  let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  @Test("An entry deleted before it was sent is never spoken of")
  func elided() throws {
    let entry = try fixture.log()
    try fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: 74)),
      .deleteProgress(ProgressDeleted(entry: entry)))
    let plan = try fixture.plan()
    #expect(plan.calls.isEmpty)
    #expect(plan.elisions == [.init(events: [Seq(2), Seq(3), Seq(4)], entry: entry)])
    try fixture.accept()
    #expect(try fixture.plan() == Plan())
  }

  @Test("An entry goes out once, with its corrected values")
  func correctedBefore() throws {
    let entry = try fixture.log(75, notes: "heavy")
    try fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 74.5)))
    let plan = try fixture.plan()
    #expect(plan.calls.map(\.line) == ["POST /api/v1/progress"])
    #expect(
      try plan.calls[0].body()
        == ["type": "weight", "quantity": 74.5, "date": "2026-01-01", "notes": "heavy"])
    #expect(plan.calls[0].events == [Seq(2), Seq(3)])
  }

  @Test("A call names no more edits than a line of the log holds")
  func manyCorrections() throws {
    let entry = try fixture.log()
    try fixture.edit(
      (0..<1_600).map { number in
        .correctProgress(ProgressCorrected(entry: entry, quantity: 60 + Double(number % 40)))
      })
    #expect(try fixture.plan().calls.map(\.events.count) == [1_500])
    try fixture.accept()
    #expect(try fixture.plan() == Plan())
  }

  @Test("Corrected after its acknowledgement: the new row first, then the old one goes")
  func correctedAfter() throws {
    let entry = try fixture.log()
    try fixture.accept()
    try fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 74)))
    let plan = try fixture.plan()
    #expect(
      plan.calls.map(\.line) == ["POST /api/v1/progress", "DELETE /api/v1/progress/row-0"])
    #expect(try plan.calls[0].body()["quantity"] == 74)
  }

  @Test("Deleted after its acknowledgement: one DELETE")
  func deletedAfter() throws {
    let entry = try fixture.log()
    try fixture.accept()
    try fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    #expect(try fixture.plan().calls.map(\.line) == ["DELETE /api/v1/progress/row-0"])
    try fixture.accept()
    #expect(try fixture.plan() == Plan())
  }

  @Test("The same state gives the same plan")
  func deterministic() throws {
    for quantity in 70..<75 { _ = try fixture.log(Double(quantity)) }
    #expect(try fixture.plan() == fixture.plan())
    #expect(try Set(fixture.plan().calls.map(\.fingerprint)).count == 5)
  }
}

@Suite struct WireMomentTests {
  static let date = CalendarDate(year: 2026, month: 1, day: 1)!
  static let offsets = Array(-12...14)

  static func moment(_ hour: Int, _ minute: Int = 0, offset: Int) throws -> ZonedTime {
    ZonedTime(
      time: try #require(ClockTime(hour: hour, minute: minute)),
      zone: try #require(ZoneOffset(minutes: offset * 60)))
  }

  static func object(_ dialect: Dialect, _ time: ZonedTime?) -> JSONObject {
    var object = JSONObject()
    object.members = dialect.moment(date: date, time: time)
    return object
  }

  /// A plan is made without being told where one is: no zone can shift a day.
  @Test("A day without a time is that day", arguments: Dialect.allCases)
  func day(_ dialect: Dialect) throws {
    let fixture = try LedgerFixture()
    _ = try fixture.log(on: Self.date)
    let body = try fixture.plan(.unknown, dialect).calls[0].body()
    #expect(body["time"] == nil)
    #expect(body["date"] == (dialect == .dateTime ? "2026-01-01" : nil))
    #expect(body["logged_at"] == (dialect == .loggedAt ? "2026-01-01T00:00:00Z" : nil))
  }

  @Test("A time goes out as its instant in UTC", arguments: offsets)
  func instant(_ offset: Int) throws {
    let time = try Self.moment(12, 30, offset: offset)
    let hour = 12 - offset
    let day = hour < 0 ? "2025-12-31" : hour > 23 ? "2026-01-02" : "2026-01-01"
    let wrapped = (hour + 24) % 24
    let clock = "\(wrapped < 10 ? "0" : "")\(wrapped):30:00"
    #expect(
      Self.object(.dateTime, time) == ["date": .string(day), "time": .string(clock)])
    #expect(Self.object(.loggedAt, time) == ["logged_at": .string("\(day)T\(clock)Z")])
  }

  @Test("Midnight UTC goes out a second later, from whatever zone", arguments: offsets)
  func midnight(_ offset: Int) throws {
    let time = try Self.moment((offset + 24) % 24, offset: offset)
    let day = offset < 0 ? "2026-01-02" : "2026-01-01"
    #expect(
      Self.object(.dateTime, time) == ["date": .string(day), "time": "00:00:01"])
    #expect(Self.object(.loggedAt, time) == ["logged_at": .string("\(day)T00:00:01Z")])
  }
}
