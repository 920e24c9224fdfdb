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
      notes: "\"\u{0301},", into: &row)
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

  @Test("What an undo took back comes in again under another id, and is known then")
  mutating func takenBack() throws {
    append(1, source: "ledger", id: entry(1).description)
    append(2, source: "scale", id: "a")
    append(3)
    for seq in [2, 3] { log.append(.editUndone(EditUndone(event: Seq(seq)))) }
    log.append(
      type: "progress.deleted", data: #"{"entry":"\#(entry(3))","undoes":4}"#)
    let rows = [row(1), row(2, source: "scale,a"), row(3)]
    let result = try imported(rows)
    #expect(result.known == 0 && result.problems.isEmpty)
    #expect(result.edits.map(\.quantity) == [71, 72, 73])
    #expect(result.edits.map(\.sourceID) == [entry(1).description, "a", entry(3).description])
    #expect(Set(result.edits.map(\.entry)).isDisjoint(with: (1...3).map(entry)))
    for logged in result.edits { log.append(.progressLogged(logged)) }
    #expect(try imported(rows).known == 3)
  }

  /// The same entries as a spreadsheet saves them.
  private static let savedTables = [
    // Semicolons, decimal commas, days first.
    """
    entry;metric;quantity;unit;date;time;zone;notes;source;source_id
    ID1;weight;71,5;kg;25/11/2026;07:30:00;+01:00;"a; b";;
    ID2;water_liters;1,825;l;01/02/2026;;;;scale;x
    """,
    // Months first, two digits of the year, times with AM, and offsets taken for times.
    """
    entry,metric,quantity,unit,date,time,zone,notes,source,source_id
    ID1,weight,71.5,kg,11/25/26,7:30:00 AM,1:00:00,a; b,,
    ID2,water_liters,1.825,l,2/1/26,,,,scale,x
    """,
    "entry\tmetric\tquantity\tunit\tdate\ttime\tzone\tnotes\tsource\tsource_id\n"
      + "ID1\tweight\t71.5\tkg\t25.11.2026\t07:30\t01:00\ta; b\t\t\n"
      + "ID2\twater_liters\t1.825\tl\t01.02.2026\t\t\t\tscale\tx\n",
    // With a column moved and others added.
    """
    date;entry;metric;quantity;unit;time;zone;notes;source;source_id;why;
    25.11.2026;ID1;weight;71,5;kg;07:30;+01:00;a; b;;;flu;
    01.02.2026;ID2;water_liters;1,825;l;;;;scale;x;;
    """.replacing("a; b", with: "\"a; b\""),
  ]

  private func imported(
    table: String, adjust: ((CSVRules) -> CSVRules)? = nil
  ) throws -> ImportResult {
    let store = LedgerStore(try log.write(to: folder))
    let text = table.replacing("ID1", with: "\(entry(1))").replacing("ID2", with: "\(entry(2))")
    #expect(LedgerCSV.recognizes(source(text)))
    return try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_795_000_000_000),
      today: day("2026-11-26"), namesEntries: true
    ).run { try LedgerCSV.read(source(text), adjust: adjust, context: $0) }.found
  }

  @Test(
    "A spreadsheet's form of the table is read, and entries keep their ids",
    arguments: savedTables)
  func saved(table: String) throws {
    let result = try imported(table: table)
    #expect(result.problems.isEmpty)
    let logged = result.edits
    #expect(logged.map(\.entry) == [entry(1), entry(2)])
    #expect(logged.map(\.quantity) == [71.5, 1.825])
    #expect(logged.map(\.date) == [day("2026-11-25"), day("2026-02-01")])
    #expect(logged[0].moment?.time == ClockTime("07:30:00") && logged[0].notes == "a; b")
    #expect(logged[0].moment?.zone == ZoneOffset(minutes: 60))
    #expect(logged[1].source == "scale" && logged[1].sourceID == "x" && logged[1].moment == nil)
    #expect(result.notes.count == 1 && result.notes[0].contains("dates are read as"))
  }

  @Test("Such a table is read in UTF-16, as Excel saves text")
  func utf16() throws {
    let store = LedgerStore(try log.write(to: folder))
    let text = Self.savedTables[2].replacing("ID1", with: "\(entry(1))")
      .replacing("ID2", with: "\(entry(2))")
    var bytes: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let file = ImportSource.bytes(bytes, name: "data.csv")
    #expect(LedgerCSV.recognizes(file))
    let result = try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_795_000_000_000),
      today: day("2026-11-26"), namesEntries: true
    ).run { try LedgerCSV.read(file, context: $0) }.found
    #expect(result.edits.map(\.entry) == [entry(1), entry(2)])
  }

  @Test("Entries of a table in a spreadsheet's form are known", arguments: savedTables)
  mutating func knownOfSaved(table: String) throws {
    let time = try #require(ClockTime("07:30:00"))
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(1), metric: .weight, quantity: 71.5, date: day("2026-11-25"),
          moment: ZonedTime(time: time, zone: ZoneOffset(minutes: 60) ?? .utc), notes: "a; b")))
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(2), metric: .waterLiters, quantity: 1.825, date: day("2026-02-01"))))
    let result = try imported(table: table)
    #expect(result.edits.isEmpty && result.problems.isEmpty)
    #expect(result.knownEntries == [.weight: 1, .waterLiters: 1])
  }

  @Test("Dates of such a table that can be read in two ways are asked about")
  func ambiguousDates() throws {
    let table = Self.savedTables[1].replacing("11/25/26", with: "2/3/26")
    #expect {
      try imported(table: table)
    } throws: { error in
      let question = (error as? ImportError)?.question
      return question == ImportQuestion(.dateFormat, ["dd/MM/yyyy", "MM/dd/yyyy"])
    }
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.dateFormat = try DateFormat("dd/MM/yyyy")
    let result = try imported(table: table) { $0.adjusted(by: mapping, source: nil) }
    #expect(result.edits.map(\.date) == [day("2026-03-02"), day("2026-01-02")])
  }

  @Test("A row without an id is an entry of its own, once")
  mutating func withoutIDs() throws {
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry(9), metric: .weight, quantity: 71, date: day("2026-01-01"))))
    let table = """
      entry,metric,quantity,unit,date,time,zone,notes,source,source_id
      ,weight,71,kg,2026-01-01,,,,,
      ,weight,72,kg,2026-01-02,,,,,
      ID1,weight,73,kg,2026-01-03,,,,,
      """
    let result = try imported(table: table)
    #expect(result.knownEntries == [.weight: 1])
    #expect(result.edits.map(\.quantity).sorted() == [72, 73])
    #expect(Set(result.edits.map(\.entry)).contains(entry(1)) && result.notes.isEmpty)
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

  @Test(
    "A quantity that a spreadsheet rounded to hundredths or finer is the entry's",
    arguments: [
      ("77.75", true), ("77.746", true), ("77.7457", true), ("77.7", false), ("77.74", false),
    ])
  mutating func roundedBySpreadsheet(_ quantity: String, _ isKnown: Bool) throws {
    for (number, source) in [(1, nil), (2, "scale")] as [(UInt64, String?)] {
      log.append(
        .progressLogged(
          ProgressLogged(
            entry: entry(number), metric: .weight, quantity: 77.745732218,
            date: day("2026-01-0\(number)"), source: source, sourceID: source.map { _ in "7" })))
    }
    let rows = [row(1), row(2, source: "scale,7"), row(3, source: "scale,7")].map {
      $0.replacing(/weight,[0-9.]+,/, with: "weight,\(quantity),")
    }
    for row in rows {
      let result = try imported([row.replacing("2026-01-03", with: "2026-01-02")])
      #expect(result.edits.isEmpty)
      #expect(result.known == (isKnown ? 1 : 0) && result.problems.isEmpty == isKnown)
    }
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

  @Test("An entry whose logging was undone comes back by its source, or under another id")
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
    #expect(result.edits.map(\.entry).dropFirst(2) == [entry(7), entry(8)])
    #expect(Set(result.edits.prefix(2).map(\.entry)).isDisjoint(with: [entry(1), entry(2)]))
    #expect(result.known == 0)
    // A deleted entry is known, whatever the row says.
    #expect(try imported([row(9, source: "scale,3")]).known == 1)
  }

  @Test("A row of another date, time or notes than its entry ever had is reported")
  mutating func otherTimesAndNotes() throws {
    let times = ["08:00:00", "09:00:00"].compactMap { ClockTime($0) }
    let zone = try #require(ZoneOffset("+02:00"))
    func row(_ number: UInt64, _ date: String, _ time: String, _ notes: String = "") -> String {
      "\(entry(number)),weight,7\(number),kg,\(date),\(time),+02:00,\(notes),,"
    }
    for number in [1, 2, 3] as [UInt64] {
      log.append(
        .progressLogged(
          ProgressLogged(
            entry: entry(number), metric: .weight, quantity: 70 + Double(number),
            date: day("2026-01-01"), moment: ZonedTime(time: times[0], zone: zone),
            notes: number == 1 ? "before  breakfast\r\n" : nil)))
    }
    log.append(
      .progressCorrected(
        ProgressCorrected(
          entry: entry(2), date: day("2026-01-02"),
          moment: ZonedTime(time: times[1], zone: zone), notes: .set("moved"))))
    log.append(.progressCorrected(ProgressCorrected(entry: entry(3), date: day("2026-01-02"))))
    let had = [
      row(1, "2026-01-01", "08:00:00", "\"before  breakfast\n\""),
      row(2, "2026-01-01", "08:00:00"), row(2, "2026-01-02", "09:00:30", "moved"),
      // Only the day was corrected, so that the whole moment is not in one event.
      row(3, "2026-01-02", "08:00:00"),
    ]
    for row in had {
      let result = try imported([row])
      #expect(result.known == 1 && result.problems.isEmpty, "\(row)")
    }
    func reasons(_ rows: [String]) throws -> [String] {
      try rows.flatMap { try imported([$0]).problems.map(\.reason) }
    }
    let moved = [
      row(1, "2026-01-01", "08:01:00", "before  breakfast"), row(1, "2026-01-03", ""),
      row(2, "2026-01-02", "08:00:00", "moved"),
    ]
    #expect(
      try reasons(moved).map { $0.prefix(49) } == [
        "weight is of another date or time in the ledger b",
        "weight is of another date or time in the ledger b",
        "weight is of another date or time in the ledger b",
      ])
    #expect(
      try reasons([
        row(1, "2026-01-01", "08:00:00"), row(2, "2026-01-01", "08:00:00", "other"),
      ]) == [
        "weight has other notes in the ledger by event 2; correct the entry if that is wrong",
        "weight has other notes in the ledger by event 5; correct the entry if that is wrong",
      ])
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
