import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore
import Testing

@testable import LedgerCLI

@Suite(.serialized) struct StatusCommandTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
  }

  @Test("Edits that are held for the same reason are one line")
  func held() throws {
    for number in 1...2 {
      let entry = LookingLedger.entry(number)
      try ledger.add(
        .sleepLogged(
          SleepLogged(
            entry: entry, start: #require(ZonedTimestamp("2025-01-0\(number)T22:00:00Z")),
            end: #require(ZonedTimestamp("2025-01-0\(number + 1)T06:00:00Z")))))
      let deletion = try ledger.add(.sleepDeleted(SleepDeleted(entry: entry)))
      try ledger.add(
        .syncHeld(SyncHeld(events: [deletion], reason: "backend-cannot-change-sleep")), by: .sync)
    }
    let rows = ledger.run("status").output.split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("backend") && $0.contains("2 held") })
    #expect(rows.count { $0.hasPrefix("held") } == 1)
  }

  @Test("After the account was deleted, the status says who has the data")
  func deletedAccount() throws {
    let entry = try ledger.log(1, on: "2025-01-06")
    try ledger.acknowledge([entry], id: "row-1")
    let deletedAt = Timestamp("2025-02-01T08:00:00.000Z")!
    let last = LastSync(at: deletedAt, stopped: LastSync.accountDeleted)
    try AtomicFile.replace(
      ledger.directory.listing, with: Array(last.json.serialized.utf8), on: ledger.directory.disk)
    let text = ledger.run("status").output
    #expect(
      text.contains(
        "since 2025-02-01 08:00: the account was deleted at the backend with its data, which only your "
          + "ledgers have now"))
    #expect(text.contains("last sync  2025-01-01 12:00"))
  }
}
