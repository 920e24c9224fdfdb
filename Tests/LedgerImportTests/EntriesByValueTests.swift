import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Imports of what the ledger has with equal values: another device imported it before, or the file had
/// another form.
@Suite struct EntriesByValueTests {
  private let folder: TemporaryFolder
  private var log = HandWrittenLog.created

  init() throws { folder = try TemporaryFolder() }

  private func entry(_ number: UInt64) -> EntryID { EntryID(LedgerUUID(high: 1, low: number)) }

  private mutating func pull(
    _ number: UInt64, _ quantity: Double, _ date: String, _ time: String? = nil,
    zone: ZoneOffset = .utc, notes: String? = nil, of metric: Metric = .weight
  ) throws {
    log.append(
      .progressPulled(
        ProgressPulled(
          entry: entry(number), backendID: try #require(BackendID("b\(number)")), metric: metric,
          quantity: quantity, date: day(date),
          moment: try time.map {
            ZonedTime(time: try #require(ClockTime(String("\($0):00".prefix(8)))), zone: zone)
          },
          notes: notes)), by: .sync)
  }

  private func outcome(_ rows: [String]) throws -> ImportTransaction.Outcome {
    let store = LedgerStore(try log.write(to: folder))
    let text = "date,weight,steps,notes,zone\n" + rows.map { $0 + "\n" }.joined()
    return try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_790_000_000_000), today: day("2026-11-21")
    ).run {
      try CSVImport.read(recognizing: source(text), rules: [], context: $0)
    } approve: { _, _ in
      false
    }
  }

  private func new(_ rows: String...) throws -> [String] { try outcome(rows).found.lines }

  @Test("An entry with equal metric, moment, quantity and notes is known, in any zone")
  mutating func equal() throws {
    try pull(1, 80.1, "2026-01-05", "06:30")
    try pull(2, 80.2, "2026-01-06")
    try pull(3, 80.3, "2026-01-07", "00:00:01")
    #expect(
      try new(
        "2026-01-05 07:30,80.1,,,+01:00", "2026-01-06,80.2,,,", "2026-01-07 01:00,80.3,,,+01:00"
      ).isEmpty)
    #expect(try new("2026-01-05 07:30,80.1,,fasting,+01:00").count == 1)
    #expect(try new("2026-01-05 07:30,80.11,,,+01:00").count == 1)
    #expect(try new("2026-01-05 06:30,80.1,,,+01:00").count == 1)
    #expect(try new("2026-01-05,80.1,,,").count == 1)
    #expect(try new("2026-01-06 00:00,80.2,,,+00:00", "2026-01-07 01:00,80.3,,,+01:00").count == 1)
  }

  @Test("A backend may have rounded the quantity to hundredths")
  mutating func rounded() throws {
    try pull(1, 80.12, "2026-01-05")
    #expect(try new("2026-01-05,80.1234,,,").isEmpty)
    #expect(try new("2026-01-05,80.126,,,").count == 1)
  }

  @Test("A pulled entry is one entry of the import")
  mutating func counted() throws {
    try pull(1, 5, "2026-01-05", "08:00", of: .steps)
    let rows = "id,date,steps\na,2026-01-05 08:00Z,5\nb,2026-01-05 08:00Z,5\n"
    let store = LedgerStore(try log.write(to: folder))
    let found = try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_790_000_000_000), today: day("2026-11-21")
    ).run {
      try CSVImport.read(recognizing: source(rows), rules: [], context: $0)
    }.found
    #expect(found.lines.count == 1 && found.knownEntries == [.steps: 1])
  }

  @Test("What sync deleted is new again; what a person deleted is not")
  mutating func deleted() throws {
    try pull(1, 80, "2026-01-05")
    try pull(2, 81, "2026-01-06")
    log.append(.progressDeleted(ProgressDeleted(entry: entry(1))), by: .sync)
    log.append(.progressDeleted(ProgressDeleted(entry: entry(2))))
    #expect(try new("2026-01-05,80,,,", "2026-01-06,81,,,") == ["weight 2026-01-05 80"])
  }

  @Test("Only pulled entries that the import does not have are those of another source")
  mutating func sharedDays() throws {
    try pull(1, 500, "2026-01-05", "08:00", of: .steps)
    try pull(2, 600, "2026-01-06", "08:00", of: .steps)
    let found = try outcome([
      "2026-01-05 08:00,,500,,+00:00", "2026-01-05 09:00,,300,,+00:00",
      "2026-01-06 09:00,,300,,+00:00",
    ]).found
    #expect(found.lines.count == 2)
    #expect(
      found.sharedDays == [
        SharedDays(
          metric: .steps, origin: "the backend", count: 1, firstDay: day("2026-01-06"),
          quantity: 600)
      ])
  }

  private mutating func logWeight(
    _ number: UInt64, _ quantity: Double, _ date: String, _ time: String? = nil,
    source: String? = nil, notes: String? = nil
  ) throws {
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(number), metric: .weight, quantity: quantity, date: day(date),
          moment: try time.map {
            ZonedTime(
              time: try #require(ClockTime($0)), zone: try #require(ZoneOffset(minutes: 60)))
          }, notes: notes, source: source, sourceID: source.map { "\($0):\(number)" })),
      by: source == nil ? .user : .import)
  }

  @Test("A weight that the ledger has from another form of the file, or typed, is known")
  mutating func otherForms() throws {
    try logWeight(1, 80.1, "2026-01-05", "07:30:00", source: "withings")
    try logWeight(2, 80.2, "2026-01-06")
    try logWeight(3, 80.3, "2026-01-07", "07:30:00", notes: "a \"quoted\" note")
    #expect(
      try new(
        "2026-01-05 06:30,80.1,,,+00:00", "2026-01-06,80.2,,,",
        "2026-01-07 07:30,80.3,,\"a \"\"quoted\"\" note\",+01:00"
      ).isEmpty)
    #expect(try new("2026-01-05 07:30,80.1,,,+00:00").count == 1)
    #expect(try new("2026-01-06,80.2,,after lunch,").count == 1)
  }

  @Test("A file's quantity in hundredths is the one that was typed, of which it was rounded")
  mutating func roundedByFile() throws {
    try logWeight(1, 77.746, "2026-01-05")
    try logWeight(2, 78.126, "2026-01-06", source: "withings")
    #expect(try new("2026-01-05,77.75,,,", "2026-01-06,78.13,,,").isEmpty)
    #expect(try new("2026-01-05,77.74,,,", "2026-01-06,78.1,,,").count == 2)
  }

  @Test("What was imported and deleted stays so in any form; what was typed and deleted comes in")
  mutating func deletedForms() throws {
    try logWeight(1, 80.1, "2026-01-05", source: "withings")
    try logWeight(2, 80.2, "2026-01-06")
    log.append(.progressDeleted(ProgressDeleted(entry: entry(1))))
    log.append(.progressDeleted(ProgressDeleted(entry: entry(2))))
    #expect(try new("2026-01-05,80.1,,,", "2026-01-06,80.2,,,") == ["weight 2026-01-06 80.2"])
  }

  @Test("An import that was undone comes in again in another form")
  mutating func undoneForms() throws {
    try logWeight(1, 80.1, "2026-01-05", source: "withings")
    log.append(.editUndone(EditUndone(event: Seq(2))))
    #expect(try new("2026-01-05,80.1,,,").count == 1)
  }

  @Test("A pulled sum of a day grows with this device's later export, if other days are equal")
  mutating func grownSum() throws {
    try pull(1, 5000, "2026-01-05", of: .steps)
    try pull(2, 4000, "2026-01-06", of: .steps)
    let found = try outcome(["2026-01-05,,5000,,", "2026-01-06,,9000,,", "2026-01-07,,100,,"]).found
    #expect(found.lines == ["steps 2026-01-07 100"] && found.sharedDays.isEmpty)
    #expect(found.growths.map(\.entry) == [entry(2)] && found.growths.map(\.quantity) == [9000])
    let alone = try outcome(["2026-01-06,,9000,,"]).found
    #expect(alone.growths.isEmpty && alone.sharedDays.count == 1)
  }

  @Test(
    "A sum that another device corrected grows on; a smaller one is a person's",
    arguments: [(8000, [9000]), (9000, []), (9500, []), (3000, [])] as [(Double, [Double])])
  mutating func correctedSum(_ corrected: Double, _ grown: [Double]) throws {
    try pull(1, 5000, "2026-01-05", of: .steps)
    try pull(2, 4000, "2026-01-06", of: .steps)
    log.append(
      .progressCorrected(ProgressCorrected(entry: entry(2), quantity: corrected)), by: .sync)
    let found = try outcome(["2026-01-05,,5000,,", "2026-01-06,,9000,,"]).found
    #expect(found.lines.isEmpty && found.sharedDays.isEmpty)
    #expect(found.growths.map(\.quantity) == grown)
  }

  @Test("A sum that a person corrected here stays")
  mutating func touchedSum() throws {
    try pull(1, 5000, "2026-01-05", of: .steps)
    try pull(2, 4000, "2026-01-06", of: .steps)
    log.append(.progressCorrected(ProgressCorrected(entry: entry(2), quantity: 4100)))
    let found = try outcome(["2026-01-05,,5000,,", "2026-01-06,,9000,,"]).found
    #expect(found.lines.isEmpty && found.growths.isEmpty && found.known == 2)
  }
}
