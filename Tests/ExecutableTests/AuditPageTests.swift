import Foundation
import Testing

/// docs/audit.md is what happens: all of its commands are run, in order, with the built programs and
/// the plain tools that it asks for.
@Suite struct AuditPageTests {
  private static let tools = ["bash", "jq", "python3", "sha256sum", "curl", "sed", "paste", "cmp"]

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }

  private static var hasTools: Bool {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return tools.allSatisfy { tool in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    } && FileManager.default.isExecutableFile(atPath: "/bin/bash")
  }

  @Test(
    "Every command of the page answers what the page says",
    .enabled(if: hasTools, "the page asks for jq, python3, sha256sum and curl"))
  func everyCommand() async throws {
    let page = try ConsolePage("audit.md")
    #expect(page.steps.count > 40)
    let fault = try #require(page.text.firstMatch(of: /--fault '([^']+)'/)).1
    try await withBackend(["--fault", String(fault)]) { backend in
      let folder = try TemporaryFolder()
      let path = Executable.folder.path + ":" + (Self.environment["PATH"] ?? "")
      let answers = try page.run(
        in: folder.path,
        environment: [
          "PATH": path, "HOME": Self.environment["HOME"] ?? folder.path, "LANG": "C.UTF-8",
          "LEDGER_PASSWORD": TestBackend.password, "LEDGER_API_KEY": backend.key,
          "BACKEND": backend.url, "DOCS": ConsolePage.folder.path,
        ])
      try #require(answers.count == page.steps.count)
      for (step, answer) in zip(page.steps, answers) {
        let said = ConsolePage.masked(
          answer.isEmpty || answer.hasSuffix("\n") ? answer : answer + "\n")
        #expect(said == ConsolePage.masked(step.answer), "$ \(step.command)")
      }
    }
  }

  @Test("What is masked is only what differs from run to run")
  func masks() {
    #expect(
      ConsolePage.masked("head \(String(repeating: "a0", count: 32)) at 127.0.0.1:8093, 14 events")
        == "head HASH at BACKEND, 14 events")
    #expect(
      ConsolePage.masked("01a1ff13-b4be-7826-b48c-2bb1fa90559f 01a1ff13-b4be 2026-01-02")
        == "ID ID 2026-01-02")
    #expect(
      ConsolePage.masked("2026-11-21 17:07:25 2026-11-21T17:07:25.123Z 75.5 kg")
        == "MOMENT MOMENT 75.5 kg")
  }
}
