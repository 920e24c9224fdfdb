import Foundation
import LedgerModel
import Testing

@Suite struct TextCodableTests {
  private static func expect<Value: Codable & Equatable>(_ value: Value, _ json: String) throws {
    let data = try JSONEncoder().encode(value)
    #expect(String(decoding: data, as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(Value.self, from: Data(json.utf8)) == value)
  }

  @Test("Values are encoded as the log writes them")
  func texts() throws {
    let id = "0190d9c0-7a3b-7c4d-8e5f-0123456789ab"
    try Self.expect(EntryID(id), "\"\(id)\"")
    try Self.expect(LedgerUUID(id), "\"\(id)\"")
    try Self.expect(BackendID("42"), "\"42\"")
    try Self.expect(Seq(7), "7")
    try Self.expect(CalendarDate("2026-01-05"), "\"2026-01-05\"")
    try Self.expect(ClockTime("18:30:00"), "\"18:30:00\"")
    try Self.expect(ZoneOffset("+02:00"), "\"+02:00\"")
    try Self.expect(Timestamp("2026-01-05T08:00:00.000Z"), "\"2026-01-05T08:00:00.000Z\"")
    try Self.expect(Metric.bodyFatPercentage, "\"body_fat_percentage\"")
    try Self.expect(UnitSystem.imperial, "\"imperial\"")
  }

  @Test("Text that is no such value is an error, a wrong date included")
  func refused() {
    func expectRefused<Value: Codable>(_ type: Value.Type, _ json: String) {
      #expect(throws: DecodingError.self, "\(json)") {
        try JSONDecoder().decode(type, from: Data(json.utf8))
      }
    }
    expectRefused(CalendarDate.self, "\"2026-02-30\"")
    expectRefused(ClockTime.self, "\"24:00:00\"")
    expectRefused(EntryID.self, "\"0190D9C0-7A3B-7C4D-8E5F-0123456789AB\"")
    expectRefused(Seq.self, "0")
    expectRefused(Metric.self, "\"luck\"")
    expectRefused(BackendID.self, "\"\"")
  }
}
