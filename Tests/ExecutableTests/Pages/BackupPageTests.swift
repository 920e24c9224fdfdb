import Foundation
import LedgerTestSupport
import Testing

/// The commands of docs/backup.md are run, in order, with the built programs.
@Suite struct BackupPageTests {
  private static let missing = FollowedPage.missing(["bash", "tar", "gzip", "sed", "chmod"])

  @Test(
    "A copy is checked and restored as the page says",
    .enabled(if: missing.isEmpty, "this machine lacks \(missing)"))
  func everyCommand() throws {
    let page = try FollowedPage(Page("docs/backup.md").fences)
    #expect(page.steps.count == 3)
    let folder = try TemporaryFolder()
    try page.follow(
      in: folder.path,
      environment: FollowedPage.environment(home: folder.path).merging(
        ["HOME": folder.path]
      ) { $1 })
    let log = try folder.bytes("health/.ledger/events.jsonl")
    #expect(try folder.bytes("restored/.ledger/events.jsonl") == log)
    #expect(try StoredLog(folder.bytes("imported/.ledger/events.jsonl")).lines.count == 2)
  }
}
