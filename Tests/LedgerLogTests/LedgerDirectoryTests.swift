import Foundation
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

/// Ids and folders that outlast a move.
@Suite struct LedgerDirectoryTests {
  @Test("The ledger's id is the same after its folder was moved, and with damage at the end")
  func id() throws {
    let folder = try TemporaryFolder()
    let old = LedgerDirectory(folder.path + "/a")
    var generator = SystemRandomNumberGenerator()
    _ = try EventLog.create(old, device: "test", at: LocalZone.now(), using: &generator)
    let id = try old.ledgerID()
    let new = LedgerDirectory(folder.path + "/b")
    try FileManager.default.moveItem(atPath: old.path, toPath: new.path)
    #expect(try new.ledgerID() == id)
    try FileManager.default.removeItem(atPath: new.head)
    let handle = try #require(FileHandle(forWritingAtPath: new.events))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("half".utf8))
    try handle.close()
    #expect(try new.ledgerID() == id)
    #expect(throws: LogError.noLedger(path: old.path)) { try old.ledgerID() }
  }

  @Test("Each account has a folder of its own, whose name is plain and does not show the account")
  func accounts() {
    let names = ["ada@example.org", "Ada@example.org", "", "../..", "a/b", "ü"]
    let paths = names.map { LedgerDirectory.path(ofAccount: $0, in: "/ledgers") }
    #expect(Set(paths.map { $0.lowercased() }).count == names.count)
    for path in paths {
      #expect(path.wholeMatch(of: #/\/ledgers\/ledger-[0-9a-f]{32}/#) != nil)
    }
    // Fixed for all versions: another name would lose the ledger.
    #expect(paths[0] == "/ledgers/ledger-cfe00dde46ef942601ffafb9e2825e80")
  }
}
