import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Columns of ids, which name rows or the person, in files that are exported again with other rows.
@Suite struct RowIDTests {
  private let store: LedgerStore
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    store = LedgerStore(try HandWrittenLog.created.write(to: folder))
  }

  @discardableResult
  private func add(_ header: String, _ rows: String...) throws -> ImportResult {
    let text = ([header] + rows).map { $0 + "\n" }.joined()
    return try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_790_000_000_000), today: day("2026-11-21")
    ).run {
      try CSVImport.read(recognizing: source(text), rules: [], context: $0)
    }.found
  }

  @Test(
    "An id that names the person is none, however many days a file has",
    arguments: ["Steps", "Weight", "Water (ml)", "Distance (km)"])
  func person(_ column: String) throws {
    let header = "Id,Date,\(column)"
    try add(header, "1503960366,2026-01-05,80")
    let next = try add(header, "1503960366,2026-01-06,80")
    #expect(next.edits.count == 1 && next.sharedDays.isEmpty)
    let all = try add(
      header, "1503960366,2026-01-05,80", "1503960366,2026-01-06,80", "1503960366,2026-01-07,81")
    #expect(all.edits.count == 1 && all.known == 2 && all.sharedDays.isEmpty)
  }

  @Test("Ids or moments distinguish the rows of files with one row each")
  func singleRows() throws {
    let header = "Id,Date,Time,Distance (km)"
    try add(header, "a,2026-01-05,,5")
    #expect(try add(header, "b,2026-01-05,,5").edits.count == 1)
    #expect(try add(header, "a,2026-01-05,,5").known == 1)
    // The id of a person.
    try add(header, "7,2026-01-05,08:00,5")
    #expect(try add(header, "7,2026-01-05,09:00,5").edits.count == 1)
    #expect(try add(header, "7,2026-01-05,08:00,5").known == 1)
    #expect(try add(header, "7,2026-01-05,09:00,5").known == 1)
    let all = try add(header, "7,2026-01-05,08:00,5", "7,2026-01-05,09:00,5", "7,2026-01-06,,5")
    #expect(all.edits.count == 1 && all.known == 2)
  }

  @Test("The total of a day grows under the only id of a file")
  func growth() throws {
    let header = "Id,Date,Steps"
    try add(header, "7,2026-01-05,5000")
    #expect(try add(header, "7,2026-01-05,9000").growths.count == 1)
    try add(header, "7,2026-01-05,9000", "7,2026-01-06,5000")
    #expect(try add(header, "7,2026-01-06,8000").growths.count == 1)
  }

  @Test("Rows that contradict each other are left out, whatever the ledger has under their ids")
  func contradiction() throws {
    let (header, first) = ("Id,Date,Steps", ["1,2026-01-05,5000", "2,2026-01-05,7000"])
    try add(header, first[0], first[1])
    let result = try add(header, first[0], first[1], "1,2026-01-06,5100", "2,2026-01-06,7100")
    #expect(result.problemRows == [2, 3, 4, 5] && result.edits.isEmpty)
  }

  @Test("A row is known by its id, and without one by its day and quantity", arguments: [1, 2])
  func rows(_ first: Int) throws {
    let (header, rows) = ("ID,Date,Steps", ["a,2026-01-05,8000", "b,2026-01-06,8100"])
    try add(header, first == 1 ? rows[0] : rows[0] + "\n" + rows[1])
    let all = try add(header, rows[0], rows[1], "c,2026-01-07,8000")
    #expect(all.edits.map(\.date) == (first...2).map { day("2026-01-0\($0 + 5)") })
    #expect(all.sharedDays.isEmpty && all.problems.isEmpty)
    let one = try add(header, "b,2026-01-06,8100")
    #expect(one.edits.isEmpty && one.known == 1)
  }

  @Test("Two rows of one moment and quantity are known by one entry each")
  func twice() throws {
    try add("Date,Time,Distance (km)", "2026-01-05,07:00,5")
    let all = try add(
      "ID,Date,Time,Distance (km)", "a,2026-01-05,07:00,5", "b,2026-01-05,07:00,5")
    #expect(all.edits.count == 1 && all.known == 1)
  }
}
