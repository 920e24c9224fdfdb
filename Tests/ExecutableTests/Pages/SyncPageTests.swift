import Foundation
import LedgerTestSupport
import Testing

/// The commands of docs/sync.md are run, in order, with the built programs.
@Suite(.blocks) struct SyncPageTests {
  private static let missing = FollowedPage.missing([
    "bash", "mktemp", "sed", "seq", "grep", "script",
  ])

  @Test(
    "Every block of the examples runs",
    .enabled(if: missing.isEmpty, "this machine lacks \(missing)"))
  func everyCommand() throws {
    let page = try FollowedPage(Page("docs/sync.md").fences)
    #expect(page.steps.count > 10)
    let folder = try TemporaryFolder()
    try page.follow(
      in: folder.path,
      environment: FollowedPage.environment(home: folder.path).merging(
        ["TMPDIR": folder.path]
      ) { $1 })
  }
}
