import Foundation
import LedgerTestSupport
import Testing

/// docs/audit.md is what happens: all of its commands are run, in order, with the built programs
/// and the plain tools that it asks for.
@Suite(.blocks) struct AuditPageTests {
  private static let missing = FollowedPage.missing([
    "bash", "jq", "python3", "sha256sum", "curl", "sed", "paste", "cmp", "ssh-keygen", "git",
    "openssl",
  ])

  @Test(
    "Every command of the page answers what the page says",
    .enabled(if: missing.isEmpty, "this machine lacks \(missing)"))
  func everyCommand() throws {
    let page = try FollowedPage(Page("docs/audit.md").fences)
    #expect(page.steps.count > 40)
    let folder = try TemporaryFolder()
    try page.follow(
      in: folder.path,
      environment: FollowedPage.environment(home: folder.path).merging(
        ["DOCS": Page.root.appending(path: "docs").path]
      ) { $1 })
  }

  @Test("What is masked is only what differs from run to run")
  func masks() {
    #expect(
      FollowedPage.masked("head \(String(repeating: "a0", count: 32)) at 127.0.0.1:8093, 14 events")
        == "head HASH at BACKEND, 14 events")
    #expect(
      FollowedPage.masked("01a1ff13-b4be-7826-b48c-2bb1fa90559f 01a1ff13-b4be 2026-01-02")
        == "ID ID 2026-01-02")
    #expect(
      FollowedPage.masked("2026-11-21 17:07:25 2026-11-21T17:07:25.123Z 75.5 kg")
        == "MOMENT MOMENT 75.5 kg")
  }

  @Test("A wrong answer, a failing block and a shell that ends are told of")
  func failures() throws {
    let folder = try TemporaryFolder()
    func follow(_ text: String) throws {
      try FollowedPage(Page("p", text).fences).follow(in: folder.path, environment: [:])
    }
    try follow("```sh\na=1\n```\n```console\n$ echo $a\n1\n$ (exit 3)\n$ echo $?\n3\n```\n")
    withKnownIssue { try follow("```console\n$ echo 1\n2\n```\n") }
    withKnownIssue { try follow("```sh\nfalse\ntrue\n```\n") }
    withKnownIssue { try follow("```console\n$ exit 0\n```\n") }
  }
}
