// Runs Python, which iOS forbids.
#if os(Linux)
  import Foundation
  import LedgerLog
  import LedgerTestSupport
  import Testing

  /// The verifier of docs/log-format.md and that of docs/fleet have the program's rule for erasures.
  @Suite struct ErasurePythonTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    private static let hasPython =
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: $0 + "/python3")
      }

    /// Prints, for each log, whether each of the two accepts it.
    private static let script = """
      import sys
      root, logs = sys.argv[1], sys.argv[2:]
      sys.path.insert(0, root + "/docs/fleet")
      sys.dont_write_bytecode = True
      import chain
      page = open(root + "/docs/log-format.md").read().split("```python\\n")[1].split("```\\n")[0]
      names = {}
      exec(page[:page.rindex("print(")], names)
      def accepts(check, log, wrong):
          try:
              check(log)
              return "1"
          except wrong:
              return "0"
      for log in logs:
          print(accepts(names["verify"], log, AssertionError) + accepts(chain.check, log, ValueError))
      """

    @Test("Both verifiers in Python say the same as the program", .enabled(if: hasPython))
    func agreement() throws {
      let examples = ErasureRuleTests.cases + ErasureSubjectTests.cases + ErasureClaimTests.cases
      let answers = try Self.answers(examples.map(\.1))
      for (answer, example) in zip(answers, examples) {
        #expect(answer == (example.2.isEmpty ? "11" : "00"), "\(example.0)")
      }
    }

    @Test("With a newer version in the log both accept no erasure", .enabled(if: hasPython))
    func newerVersion() throws {
      let erased = ErasureRuleTests.erased("progress.logged")
      let record = ErasureRuleTests.record(2, ErasureRuleTests.asEntry)
      let newer = UnreadableEventTests.newer
      let logs = [[newer], [erased, record], [erased, newer, record], [erased, record, newer]]
      #expect(try Self.answers(logs) == ["11", "11", "00", "00"])
    }

    private static func answers(_ logs: [[ErasureRuleTests.Line]]) throws -> [Substring] {
      let folders = try logs.map { lines in
        let folder = try TemporaryFolder()
        try ErasureRuleTests.log(lines).write(to: folder)
        return folder
      }
      let python = Process()
      python.executableURL = URL(filePath: "/usr/bin/env")
      python.arguments =
        ["python3", "-c", Self.script, Self.root] + folders.map { $0.ledger.events }
      let output = Pipe()
      python.standardOutput = output
      try python.run()
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      python.waitUntilExit()
      try #require(python.terminationStatus == 0)
      let answers = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      try #require(answers.count == logs.count)
      return answers
    }
  }
#endif
