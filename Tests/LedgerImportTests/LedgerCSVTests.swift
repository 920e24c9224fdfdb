import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct LedgerCSVTests {
  @Test(
    "A text that a spreadsheet would run is guarded, and read back unchanged",
    arguments: [
      "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''=1", "'", "''", "plain", "it's",
      " =1",
      "'quoted'", "=\u{0301}x", "", "1=1", "ü", "\0=1", "\n=1", "  +1", "\n\r\n -1", "' @x", " '=1",
      "'\0'=1", "\u{1}=1", "\u{7F}=1", " ", "\0", "\n",
    ])
  func formulasComeBack(text: String) {
    let guarded = LedgerCSV.guarded(text)
    #expect(LedgerCSV.unguarded(guarded) == text)
    let first = guarded.unicodeScalars.first { $0.value > 0x20 && $0.value != 0x7F }
    #expect(!["=", "+", "-", "@"].contains(first))
    #expect(!["\t", "\r"].contains(guarded.unicodeScalars.first))
  }

  @Test("A quote with a combining mark is escaped as a quote")
  func quotesAreOneCharacterEach() {
    var row = ByteSink(capacity: 100)
    LedgerCSV.write(
      EntryID(LedgerUUID(high: 1, low: 2)), .steps, 1, .first, nil,
      texts: ["\"\u{0301},", nil, nil], into: &row)
    #expect(row.text.hasSuffix(",\"\"\"\u{0301},\",,\r\n"))
  }
}

/// Tables that 'export csv' wrote, imported into a ledger that has some of their entries.
@Suite struct LedgerTableTests {
  private let folder: TemporaryFolder
  private var log = HandWrittenLog.created

  init() throws { folder = try TemporaryFolder() }

  private func entry(_ number: UInt64) -> EntryID { EntryID(LedgerUUID(high: 1, low: number)) }

  /// - Parameter source: ends the row: source and source id.
  private func row(_ number: UInt64, source: String = ",") -> String {
    "\(entry(number)),weight,7\(number),kg,2026-01-0\(number),,,,\(source)"
  }

  private mutating func append(_ number: UInt64, source: String? = nil, id: String? = nil) {
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(number), metric: .weight, quantity: 70 + Double(number),
          date: day("2026-01-0\(number)"), source: source, sourceID: id)))
  }

  private func imported(_ rows: [String]) throws -> ImportResult {
    let store = LedgerStore(try log.write(to: folder))
    let text = LedgerCSV.header + rows.map { $0 + "\r\n" }.joined()
    let now = Timestamp(millisecondsSince1970: 1_790_000_000_000)
    return try ImportTransaction(
      into: store, at: now, today: day("2026-11-21"), namesEntries: true
    ).run { try LedgerCSV.read(source(text), context: $0) }.found
  }

  @Test("An entry comes in once, under its id")
  func repeated() throws {
    let result = try imported([row(2), row(1), row(2)])
    #expect(result.edits.map(\.entry) == [entry(2), entry(1)])
    #expect(result.known == 0)
    #expect(
      result.problems.map(\.description) == [
        "data.csv, row 4: entry is \(entry(2)), as in row 2"
      ])
  }

  @Test("An entry that the ledger has or had is known by its id, or by its source's")
  mutating func known() throws {
    append(1)
    append(2)
    log.append(.progressDeleted(ProgressDeleted(entry: entry(2))))
    let pulled = ProgressPulled(
      entry: entry(3), backendID: BackendID("b")!, metric: .weight, quantity: 73,
      date: day("2026-01-03"))
    log.append(.progressPulled(pulled), by: .sync)
    append(4, source: "scale", id: "a")
    let result = try imported([
      row(1), row(2), row(3), row(4, source: "scale,a"), row(6, source: "scale,b"),
      row(7, source: "watch,a"),
    ])
    #expect(result.edits.map(\.entry) == [entry(6), entry(7)])
    #expect(result.knownEntries == [.weight: 4])
    #expect(result.problems.isEmpty)
  }

  @Test("A quantity that the entry never had is listed, and nothing is written for it")
  mutating func changed() throws {
    for number in 1...6 as ClosedRange<UInt64> { append(number, source: "scale", id: "\(number)") }
    log.append(.progressCorrected(ProgressCorrected(entry: entry(1), quantity: 80)))
    log.append(.progressCorrected(ProgressCorrected(entry: entry(1), quantity: 81)))
    log.append(.progressDeleted(ProgressDeleted(entry: entry(5))))
    log.append(.progressCorrected(ProgressCorrected(entry: entry(6), quantity: 90)))
    log.append(.editUndone(EditUndone(event: Seq(11))))
    // Of entry 1: as logged, as corrected, as it is, and another; of the others another.
    let rows = [(1, 71), (1, 80), (1, 81), (1, 79), (2, 79), (5, 79), (6, 79)].map {
      row($0.0).replacing("weight,7\($0.0),", with: "weight,\($0.1),")
    }
    var reasons: [String] = []
    for row in rows {
      let result = try imported([row])
      #expect(result.edits.isEmpty && result.known + result.problems.count == 1)
      reasons += result.problems.map(\.reason)
    }
    #expect(
      reasons == [
        "weight is 79 kg, but the ledger has 81 kg by event 9; correct the entry if that is wrong",
        "weight is 79 kg, but the ledger has 72 kg by event 3; correct the entry if that is wrong",
        "weight is 79 kg, but the ledger has 76 kg by event 7; correct the entry if that is wrong",
      ])
    // Another entry of the same source and its id.
    let moved = row(7, source: "scale,2")
    #expect(
      try imported([moved]).problems.map(\.reason) == [
        "weight is 77 kg, but the ledger has 72 kg by event 3; correct the entry if that is wrong"
      ])
  }

  @Test("An entry that sync deleted comes back, unless it was logged again since")
  mutating func deletedBySync() throws {
    append(1)
    append(2)
    for number in [1, 2] as [UInt64] {
      log.append(.progressDeleted(ProgressDeleted(entry: entry(number))), by: .sync)
    }
    append(2)
    let result = try imported([row(1), row(2)])
    #expect(result.edits.map(\.entry) == [entry(1)])
    #expect(result.known == 1)
  }

  @Test("An entry whose logging was undone comes back by its source, not by its id")
  mutating func undone() throws {
    for number in [1, 2, 3] as [UInt64] { append(number, source: "scale", id: "\(number)") }
    log.append(.editUndone(EditUndone(event: Seq(2))))
    var compensation = ProgressDeleted(entry: entry(2))
    compensation.unknown = JSONObject(["undoes": 3])
    log.append(.progressDeleted(compensation))
    log.append(.progressDeleted(ProgressDeleted(entry: entry(3))))
    let result = try imported([
      row(1), row(2), row(7, source: "scale,1"), row(8, source: "scale,2"),
    ])
    #expect(result.edits.map(\.entry) == [entry(7), entry(8)])
    #expect(result.known == 2)
    // A deleted entry is known, whatever the row says.
    #expect(try imported([row(9, source: "scale,3")]).known == 1)
  }

  @Test("An erased entry does not come back")
  mutating func erased() throws {
    log.appendErased(
      type: "progress.logged", data: #"{"entry":"\#(entry(1))","metric":"weight"}"#)
    log.append(.eventErased(EventErased(event: Seq(2), reason: "a test", entry: entry(1))))
    let result = try imported([row(1), row(2)])
    #expect(result.edits.map(\.entry) == [entry(2)])
    #expect(result.known == 1)
  }
}
