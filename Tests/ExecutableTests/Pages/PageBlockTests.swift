import Foundation
import LedgerTestSupport
import Testing

/// Every block of commands in README.md and docs is run: here, by the tests of its page, or as it
/// stands there by one step of `.ci/run` or `.ci/nightly`.
@Suite(.blocks) struct PageBlockTests {
  /// Blocks that need nothing of what stands before them on their page; `runs()` runs them.
  private static let alone: [(page: String, begins: String)] = [
    ("README.md", "mkdir -p ~/health"),
    ("README.md", "export PATH="),
    ("docs/log-format.md", "sed -n 1p .ledger/events.jsonl"),
  ]

  /// Pages with tests that follow all of it that no step takes.
  private static let followed = [
    "docs/audit.md", "docs/backup.md", "docs/fleet.md", "docs/sync.md",
  ]

  private static func isAlone(_ block: Page.Fence) -> Bool {
    alone.contains { $0.page == block.page && block.text.hasPrefix($0.begins) }
  }

  @Test("Each block is run in one place")
  func claimed() throws {
    let steps = try CIStep.all()
    for block in try Page.all().flatMap(\.fences) where block.isCommands {
      let takers = steps.filter { $0.takes(block) }
      let isFollowed = Self.followed.contains(block.page) && takers.isEmpty
      let places = takers.count + (isFollowed ? 1 : 0) + (Self.isAlone(block) ? 1 : 0)
      #expect(places == 1, "\(block)")
    }
  }

  @Test("Each step, and each entry here, takes one block that is there")
  func taken() throws {
    let blocks = try Page.all().flatMap(\.fences)
    for step in try CIStep.all() {
      #expect(blocks.filter { step.takes($0) }.count == 1, "\(step)")
    }
    for entry in Self.alone {
      let count = blocks.filter { $0.page == entry.page && $0.text.hasPrefix(entry.begins) }.count
      #expect(count == 1, "\(entry)")
    }
  }

  @Test("Steps are found, and comments are none")
  func findsSteps() {
    let text = """
      # .ci/block docs/a.md 'x'
      (cd there && "$root/.ci/block" docs/a.md 'one two') || code=$?
      LEDGER=1 .ci/block README.md 'swift test'
      """
    #expect(
      CIStep.steps(of: "s", text).map(\.description) == [
        "s: docs/a.md: one two", "s: README.md: swift test",
      ])
  }

  @Test("A step of .ci/nightly is part of a run without arguments")
  func nightly() throws {
    let script = try String(
      contentsOf: Page.root.appending(path: ".ci/nightly"), encoding: .utf8)
    let parts = try #require(script.firstMatch(of: /all='([a-z ]+)'/)).1.split(
      separator: " ")
    let labels = script.matches(of: /\n    ([a-z]+)\)\n/).map { $0.1 }
    #expect(labels.sorted() == parts.sorted())
    #expect(parts.count > 5)
  }

  @Test("No command hides: fences name their language, and text is none")
  func languages() throws {
    let known = ["sh", "console", "text", "json", "python", "swift"]
    for fence in try Page.all().flatMap(\.fences) {
      #expect(known.contains(fence.language), "\(fence)")
      // demo() compares the README's.
      guard fence.language == "text", fence.page != "README.md" else { continue }
      #expect(
        !fence.text.contains(/(?m)^(\$ |\.\/|ledger |swift |Tests\/|\.ci\/|docs\/)/), "\(fence)")
    }
  }

  @Test("What fails in a block ends it: no list hides a failure but in its last line")
  func lists() throws {
    for fence in try Page.all().flatMap(\.fences) where fence.language == "sh" {
      let lines = fence.text.split(separator: "\n")
      #expect(!lines.dropLast().contains { $0.contains(" && ") }, "\(fence)")
    }
  }

  /// A zsh that somebody types into, as on every Mac, takes `#` for a word like any other.
  @Test("What is pasted into any shell has no comments")
  func comments() throws {
    for fence in try Page.all().flatMap(\.fences) where fence.language == "sh" {
      let commands = fence.text.split(separator: "<<")[0]
      #expect(!commands.contains(/(?m)(^|\s)#/), "\(fence)")
    }
  }

  private static let shell = "/bin/bash"

  @Test(
    "A block that stands alone does what it says",
    .enabled(if: FileManager.default.isExecutableFile(atPath: shell), "there is no \(shell)"))
  func runs() throws {
    for block in try Page.all().flatMap(\.fences) where Self.isAlone(block) {
      let ledger = try TestLedger()
      let folder = block.text.contains("ledger init") ? try TemporaryFolder() : ledger.folder
      try folder.makeLikeBuiltProject()
      try folder.downloadExport()
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
  private func expectHash(_ block: Page.Fence, _ output: String, _ ledger: TestLedger) throws {
    guard block.page == "docs/log-format.md" else { return }
    let line = String(decoding: try ledger.bytes(), as: UTF8.self).split(separator: "\n")[0]
    #expect(line.contains(#""hash":"\#(output.prefix(64))""#))
  }

  @Test("Blocks are found, whatever else stands on a page")
  func finds() {
    let page = Page(
      "p", "a\n```sh\none\ntwo\n```\nb\n```json\n{}\n```\n```console\n$ x\n```\n")
    #expect(page.fences.filter(\.isCommands).map(\.text) == ["one\ntwo\n", "$ x\n"])
    #expect(page.fences.map(\.line) == [2, 7, 10])
    #expect(page.prose == "a\nb\n")
  }

  private static let script = Page.root.appending(path: ".ci/block").path

  @Test(
    ".ci/block takes one block, and says so where none or several begin like that",
    .enabled(if: FileManager.default.isExecutableFile(atPath: shell), "there is no \(shell)"))
  func takesBlock() throws {
    let script = Executable(path: Self.script)
    let environment = ["PATH": "/usr/bin:/bin"]
    for block in try Page.all().flatMap(\.fences) where block.language == "sh" {
      let shown = try script.run(
        ["--print", block.page, block.firstLine], environment: environment)
      #expect(shown.code == 0, "\(block): \(shown.error)")
      #expect(shown.output == block.text, "\(block)")
    }
    let none = try script.run(["README.md", "no block begins so"], environment: environment)
    #expect(none.code == 2)
    #expect(none.error.hasPrefix("0 blocks begin so"))
    #expect(try script.run(["README.md", ""], environment: environment).code == 2)
    #expect(try script.run(["README.md"], environment: environment).code == 2)
  }

  @Test(
    ".ci/block ends with the first failure, and what runs in the background ends with it",
    .enabled(if: FileManager.default.isExecutableFile(atPath: shell), "there is no \(shell)"))
  func runsBlock() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/.ci", withIntermediateDirectories: true)
    // A link: a copy could still be open for writing in a child that is being started.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/.ci/block", withDestinationPath: Self.script)
    let page = """
      ```sh
      echo 'one two' | wc -w
      (trap 'echo > ended; exit' TERM; echo > begun; while :; do sleep 0.1; done) &
      until [ -e begun ]; do sleep 0.1; done
      ```
      ```sh
      (exit 7) | cat
      echo never
      ```

      """
    try folder.write(Data(page.utf8), to: "page.md")
    let block = Executable(path: folder.path + "/.ci/block")
    let environment = ["PATH": "/usr/bin:/bin"]
    let right = try block.run(["page.md", "echo"], environment: environment, in: folder.path)
    #expect(right.code == 0, "\(right.error)")
    #expect(right.output.split(separator: "\n").last?.filter(\.isNumber) == "2")
    try await until { FileManager.default.fileExists(atPath: folder.path + "/ended") }
    let wrong = try block.run(["page.md", "(exit"], environment: environment, in: folder.path)
    #expect(wrong.code == 7)
    #expect(!wrong.output.contains("\nnever"))
  }
}

extension TemporaryFolder {
  /// As a home into which somebody has sent an Apple Health export.
  fileprivate func downloadExport() throws {
    try FileManager.default.createDirectory(
      atPath: path + "/Downloads", withIntermediateDirectories: true)
    let export = ImportAppleHealthTests.export(ImportAppleHealthTests.morning)
    try write(
      StoredZip.bytes([("apple_health_export/export.xml", export)]), to: "Downloads/export.zip")
  }

  /// As the project's folder after a release build, as far as pages look into it.
  func makeLikeBuiltProject() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: path + "/.build", withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: path + "/.build/release", withDestinationPath: Executable.folder.path)
    try files.createSymbolicLink(
      atPath: path + "/docs", withDestinationPath: Page.root.appending(path: "docs").path)
  }
}
