import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Exports of a phone that moved to a zone with half an hour, where hours are cut elsewhere.
@Suite struct MovedPhoneTests {
  private let store: LedgerStore
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    store = LedgerStore(try HandWrittenLog.created.write(to: folder))
  }

  /// Steps every twenty minutes from 7:05 to 9:45 UTC, of the hours before the last one.
  private func export(_ minutes: Int, hours: Int = 3, last: Int = 100) -> ImportSource {
    let zone = (minutes < 0 ? " -" : " +") + Self.text(abs(minutes), "")
    let records = (0..<hours * 3).map { number in
      let start = 7 * 60 + 5 + number * 20 + minutes
      return record(
        "StepCount", number == hours * 3 - 1 ? "\(last)" : "100", "count",
        (Self.text(start, ":"), Self.text(start + 9, ":")), zone: zone)
    }
    return LedgerImportTests.export(records.joined())
  }

  private static func text(_ minutes: Int, _ mark: String) -> String {
    String("\(100 + minutes / 60)".dropFirst()) + mark + "\(100 + minutes % 60)".dropFirst()
  }

  private func add(_ source: ImportSource) throws -> (added: Int, grown: Int, known: Int) {
    let found = try ImportTransaction(
      into: store, at: Timestamp(millisecondsSince1970: 1_790_000_000_000), today: day("2026-11-21")
    ).run { context in
      try AppleHealthImport.read(source, today: day("2026-11-21"), context: context)
    }.found
    return (found.edits.count, found.growths.count, found.known)
  }

  private func sum() throws -> Double {
    var all = ProgressQuery()
    all.limit = 1000
    return try store.ask { $0.progress(all).entries.reduce(0) { $0 + $1.quantity } }
  }

  @Test("Steps count in the hours that the ledger had first", arguments: [330, 570, -210, 345])
  func moved(_ minutes: Int) throws {
    #expect(try add(export(60)) == (3, 0, 0))
    #expect(try add(export(minutes)) == (0, 0, 3))
    #expect(try sum() == 900)
    // A later export, of which some steps are of hours that the ledger has.
    _ = try add(export(minutes, hours: 5))
    #expect(try sum() == 1500)
    #expect(try add(export(minutes, hours: 5)).added == 0)
    // The phone came back.
    _ = try add(export(60, hours: 7, last: 40))
    #expect(try sum() == 2040)
    _ = try add(export(60, hours: 7))
    #expect(try sum() == 2100)
    for again in [export(60), export(minutes), export(minutes, hours: 5), export(60, hours: 7)] {
      #expect(try add(again).added == 0)
    }
    #expect(try sum() == 2100)
  }

  @Test("Hours that were imported in such a zone stay known")
  func movedBack() throws {
    #expect(try add(export(330)) == (4, 0, 0))
    #expect(try add(export(330)) == (0, 0, 4))
    #expect(try add(export(60)) == (0, 0, 4))
    #expect(try sum() == 900)
  }
}
