import Foundation
import Testing

/// Every block of commands in README.md and docs is run, or stands here with the reason why not.
@Suite struct PageBlockTests {
  /// A fenced block of commands, called by its page and its first line.
  struct Block: Hashable, Sendable, CustomStringConvertible {
    var page: String
    var text: String

    var firstLine: String { text.split(separator: "\n").first.map(String.init) ?? "" }
    var description: String { "\(page): \(firstLine)" }
  }

  private static let minutes = "builds for minutes"
  private static let fleet = "FLEET stands for a folder of the reader's"
  private static let elsewhere = "AuditPageTests runs all of this page"

  /// Page, how a block begins, and why it is not run here.
  static let notRun: [(page: String, begins: String, why: String)] = [
    ("README.md", "swift build -c release && .build/release/ledger demo", minutes),
    ("README.md", "swift build -c release\nexport PATH", minutes),
    ("README.md", "swift test", "it is what runs this"),
    (
      "README.md", "./docs/install.sh",
      "\(minutes); installs() runs the script with built programs"
    ),
    ("docs/cli.md", "swift build -c release", minutes),
    ("docs/embedding.md", ".ci/docs", "a step of .ci/run"),
    ("docs/fleet.md", "ledger verify FLEET", "\(fleet); ReplayVerifyTests name many ledgers"),
    ("docs/fleet.md", "for one in FLEET", "\(fleet); docs/fleet/check asks the same"),
    ("docs/fleet.md", "docs/fleet/generate.py", "docs/fleet/check runs it with a small fleet"),
    ("docs/fleet.md", "docs/fleet/replicate", "\(fleet); docs/fleet/check copies a small one"),
    ("docs/fleet.md", "rclone copy", "needs somebody's object storage"),
    ("docs/fuzzing.md", ".ci/nightly", minutes),
    ("docs/faults.md", "swift build -c release", "\(minutes), and needs root for power cuts"),
    ("docs/performance.md", "ledger backend --port 8080", "a minute of waiting for slow answers"),
    ("docs/performance.md", "swift build -c release", minutes),
    ("docs/reliability.md", "swift test", minutes),
    ("docs/api/README.md", ".ci/api", "installs Schemathesis from the network"),
    ("docs/api/README.md", "python3 -m venv", "installs Schemathesis from the network"),
  ]

  static let root = ConsolePage.folder.deletingLastPathComponent().standardized

  static func blocks() throws -> [Block] {
    let files = FileManager.default.enumerator(atPath: ConsolePage.folder.path)
    let docs = (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
    return try (["README.md"] + docs.sorted().map { "docs/\($0)" }).flatMap { page in
      try blocks(of: page, String(contentsOf: root.appending(path: page), encoding: .utf8))
    }
  }

  static func blocks(of page: String, _ text: String) -> [Block] {
    var found: [Block] = []
    var lines: [String]?
    var isInside = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        if isInside {
          if let lines { found.append(Block(page: page, text: lines.joined(separator: "\n"))) }
          (lines, isInside) = (nil, false)
        } else {
          isInside = true
          let language = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
          lines = ["sh", "bash", "shell", "console", "zsh", "fish"].contains(language) ? [] : nil
        }
      } else {
        lines?.append(line)
      }
    }
    return found
  }

  private static func reason(_ block: Block) -> String? {
    if block.page == "docs/audit.md" { return elsewhere }
    return notRun.first { $0.page == block.page && block.text.hasPrefix($0.begins) }?.why
  }

  @Test("What is not run is still there")
  func listIsShort() throws {
    let blocks = try Self.blocks()
    for entry in Self.notRun {
      #expect(
        blocks.contains { $0.page == entry.page && $0.text.hasPrefix(entry.begins) },
        "\(entry.page): \(entry.begins)")
    }
    #expect(blocks.filter { Self.reason($0) == nil }.count >= 2)
  }

  private static let shell = "/bin/bash"

  @Test(
    "Every other block does what it says",
    .enabled(if: FileManager.default.isExecutableFile(atPath: shell), "there is no \(shell)"))
  func runs() throws {
    for block in try Self.blocks() where Self.reason(block) == nil {
      #expect(!block.text.contains("sudo") && !block.text.contains("curl"), "\(block)")
      let ledger = try TestLedger()
      let folder = block.text.contains("ledger init") ? try TemporaryFolder() : ledger.folder
      // As in a folder where the programs were built.
      try FileManager.default.createDirectory(
        atPath: folder.path + "/.build", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/.build/release", withDestinationPath: Executable.folder.path)
      try FileManager.default.createDirectory(
        atPath: folder.path + "/Downloads", withIntermediateDirectories: true)
      try folder.write(
        StoredZip.bytes([
          (
            "apple_health_export/export.xml",
            ImportAppleHealthTests.export(ImportAppleHealthTests.morning)
          )
        ]), to: "Downloads/export.zip")
      let result = try Executable(path: Self.shell).run(
        ["-e", "-o", "pipefail", "-c", block.text],
        environment: [
          "PATH": "\(Executable.folder.path):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
          "LANG": "C.UTF-8", "no_proxy": "*",
        ], in: folder.path)
      #expect(result.code == 0, "\(block): \(result.error)")
      #expect(!result.output.isEmpty, "\(block)")
      try expectHash(block, result.output, ledger)
    }
  }

  /// docs/log-format.md computes the hash of a ledger's first line.
  private func expectHash(_ block: Block, _ output: String, _ ledger: TestLedger) throws {
    guard block.page == "docs/log-format.md" else { return }
    let line = String(decoding: try ledger.bytes(), as: UTF8.self).split(separator: "\n")[0]
    #expect(line.contains(#""hash":"\#(output.prefix(64))""#))
  }

  @Test("Blocks are found, whatever else stands on a page")
  func finds() {
    let page = "a\n```sh\none\ntwo\n```\n```json\n{}\n```\n```\nplain\n```\n```console\n$ x\n```\n"
    #expect(Self.blocks(of: "p", page).map(\.text) == ["one\ntwo", "$ x"])
  }

  @Test("The README's picture of the demo is what the demo says")
  func demo() throws {
    let readme = try String(
      contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let shown = try #require(
      readme.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```")
        .first)
    let folder = try TemporaryFolder()
    let result = try Executable.ledger.run(
      ["demo"], environment: ["LEDGER_DEMO_DIR": folder.path + "/demo", "NO_COLOR": "1"],
      in: folder.path)
    #expect(result.code == 0)
    var rest = ConsolePage.masked(result.output)[...]
    for line in ConsolePage.masked(shown).split(separator: "\n") where line != "…" {
      guard let place = rest.firstRange(of: line) else {
        Issue.record("the demo does not say, in this order: \(line)")
        return
      }
      rest = rest[place.upperBound...]
    }
  }

  @Test("install.sh installs what runs from there, and takes all of it away again")
  func installs() throws {
    let folder = try TemporaryFolder()
    let prefix = folder.path + "/a prefix"
    let script = Executable(path: Self.root.appending(path: "docs/install.sh").path)
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
    let made = try script.run(
      ["--prefix", prefix, "--from", Executable.folder.path], environment: environment)
    #expect(made.code == 0, "\(made.error)")
    let version = try Executable(path: prefix + "/bin/ledger").run(["version"])
    #expect(version.output.hasPrefix("ledger "))
    // A helper's command: both programs are there.
    #expect(try Executable(path: prefix + "/bin/ledger").run(["sync", "--help"]).code == 0)
    for (file, begins) in [
      ("share/bash-completion/completions/ledger", "# bash completion for ledger"),
      ("share/zsh/site-functions/_ledger", "#compdef ledger"),
      ("share/fish/vendor_completions.d/ledger.fish", "# fish completion for ledger"),
      ("share/man/man1/ledger.1", #".\" Made by"#),
    ] {
      let text = try String(contentsOfFile: "\(prefix)/\(file)", encoding: .utf8)
      #expect(text.hasPrefix(begins), "\(file)")
    }
    let gone = try script.run(["--uninstall", "--prefix", prefix], environment: environment)
    #expect(gone.code == 0, "\(gone.error)")
    let left = (FileManager.default.enumerator(atPath: prefix)?.allObjects ?? [])
      .compactMap { $0 as? String }
      .filter { name in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(prefix)/\(name)", isDirectory: &isFolder)
          && !isFolder.boolValue
      }
    #expect(left == [])
    #expect(try script.run(["--bogus"], environment: environment).code == 2)
  }
}
