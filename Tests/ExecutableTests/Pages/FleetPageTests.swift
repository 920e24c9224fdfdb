import Foundation
import LedgerTestSupport
import Testing

/// docs/fleet.md is what happens: its commands are run, in order, but for those that want engines,
/// which are a step of `.ci/nightly`.
@Suite(.blocks) struct FleetPageTests {
  private static let missing = FollowedPage.missing(["bash", "jq", "python3", "xargs"])
  private static let lacksBucket = !FollowedPage.missing(["rclone"]).isEmpty

  private static func blocks() throws -> [Page.Fence] {
    let steps = try CIStep.all()
    return try Page("docs/fleet.md").fences.filter { block in
      block.isCommands && !steps.contains { $0.takes(block) }
    }
  }

  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    // `store:` is a folder.
    FollowedPage.environment(home: folder.path).merging([
      "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_STORE_TYPE": "alias",
      "RCLONE_CONFIG_STORE_REMOTE": folder.path + "/store", "TZ": "UTC",
    ]) { $1 }
  }

  @Test(
    "Every command of the page answers what the page says, without a bucket where there is none",
    .enabled(if: missing.isEmpty, "this machine lacks \(missing)"))
  func everyCommand() throws {
    let blocks = try Self.blocks()
    #expect(blocks.filter { $0.text.contains("rclone ") }.count == 2)
    let page = try FollowedPage(
      blocks.filter { !(Self.lacksBucket && $0.text.contains("rclone ")) })
    #expect(page.steps.count > 10)
    let folder = try TemporaryFolder()
    try folder.makeLikeBuiltProject()
    try page.follow(in: folder.path, environment: Self.environment(folder))
  }

  @Test(
    "Nothing is restored from a copy that was changed",
    .enabled(if: missing.isEmpty, "this machine lacks \(missing)"))
  func changedCopy() throws {
    let folder = try TemporaryFolder()
    try folder.makeLikeBuiltProject()
    let script = """
      ledger init one > /dev/null
      docs/fleet/replicate one/.ledger copy > /dev/null
      mv copy changed
      for range in changed/ranges/*; do echo '{}' >> $range; done
      ! docs/fleet/replicate --restore changed new/folder/.ledger 2> refusal
      grep -c damaged refusal
      ls
      """
    let result = try Executable(path: "/bin/bash").run(
      ["-e", "-o", "pipefail", "-c", script], environment: Self.environment(folder),
      in: folder.path)
    #expect(result.code == 0 && result.output.hasPrefix("1\n"), "\(result.error)")
    #expect(!result.output.split(separator: "\n").contains("new"))
  }

  @Test(
    "What was erased is gone from the bucket after the page's lines",
    .enabled(if: missing.isEmpty && !lacksBucket, "this machine lacks \(missing) or rclone"))
  func erasure() throws {
    let folder = try TemporaryFolder()
    try folder.makeLikeBuiltProject()
    let blocks = try Self.blocks()
    let send = try #require(blocks.first { $0.text.contains("rclone sync ") }).text
    let name = try #require(send.firstMatch(of: /copies\/([^\/]+)\//)).1
    let ledger = "fleet/\(name)/.ledger"
    let copy = "docs/fleet/replicate \(ledger) copies/\(name) > /dev/null\n" + send
    let find = "(grep -rl 'a secret' store || true) | wc -l"
    let script = """
      ledger init fleet/\(name) > /dev/null
      ledger append steps 1 --ledger \(ledger) > /dev/null
      ledger append weight 70 --notes 'a secret' --ledger \(ledger) > /dev/null
      \(copy)
      \(find)
      ledger erase 3 --reason asked --yes --ledger \(ledger) > /dev/null
      \(copy)
      \(find)
      """
    let result = try Executable(path: "/bin/bash").run(
      ["-e", "-o", "pipefail", "-c", script], environment: Self.environment(folder),
      in: folder.path)
    #expect(result.code == 0, "\(result.error)")
    #expect(result.output.split(separator: "\n").map { $0.filter(\.isNumber) } == ["1", "0"])
  }
}
