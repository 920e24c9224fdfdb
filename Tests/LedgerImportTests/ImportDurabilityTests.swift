import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Imports onto a disk that fails.
@Suite struct ImportDurabilityTests {
  private let folder: TemporaryFolder
  private let disk = TestDisk()
  private let store: LedgerStore

  init() throws {
    folder = try TemporaryFolder()
    let log = try HandWrittenLog.created.write(to: folder)
    store = LedgerStore(LedgerDirectory(log.path, on: disk))
  }

  private func importWeight() throws -> ClosedRange<Seq>? {
    let now = Timestamp(millisecondsSince1970: 1_790_000_000_000)
    let today = day("2026-11-21")
    return try ImportTransaction(into: store, at: now, today: today).run { context in
      try LegacyImport.read(source(#"{"weight":74.5}"#), today: today, context: context)
    }.appended
  }

  private func importError() -> LogError? {
    do {
      _ = try importWeight()
      return nil
    } catch {
      return error as? LogError
    }
  }

  @Test("An import that the disk did not confirm blocks the handle until it is reopened")
  func poisoned() throws {
    disk.fail(.notKept)
    guard case .notKept = importError() else {
      Issue.record("the import was kept")
      return
    }
    guard case .poisoned = importError() else {
      Issue.record("the handle wrote again after a failed sync")
      return
    }
    store.log.reopen()
    #expect(try importWeight() == Seq(2)...Seq(2))
    #expect(disk.remainingFaults.isEmpty)
  }
}
