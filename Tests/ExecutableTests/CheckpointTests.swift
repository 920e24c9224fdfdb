import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Checks that detect changes by someone who can write the log.
@Suite(.blocks) struct CheckpointTests {
  /// Every command that folds or scans the whole log.
  private static let readers = [
    ["replay", "--json"], ["replay", "--no-verify"], ["verify"], ["show", "progress"],
    ["show", "profile"], ["export", "csv"], ["export", "jsonl"], ["report", "-o", "report.html"],
    ["doctor", "--strict"], ["undo"], ["sync", "--dry-run"],
  ]

  private static func sample(device: String = "test") throws -> TestLedger {
    let ledger = try TestLedger(device: device)
    _ = try ledger.logged("70")
    for words in [
      ["append", "correction", "2", "--quantity", "71"],
      ["append", "weight", "80", "--date", "2026-01-03"], ["append", "deletion", "4"],
      ["append", "profile", "--name", "Ada"],
    ] {
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      try #require(result.code == 0, "\(result.error)")
    }
    return ledger
  }

  @Test(
    "Lines erased by hand are damage for every command",
    arguments: [
      // The correction and the deletion, without records; then with well-formed ones.
      ([3, 5], [[Int]]()), ([3, 5], [[3], [5]]), ([3], [[3]]), ([5], [[5]]), ([1], [[1]]),
      ([2], [[2]]),
    ])
  func erasedByHand(_ erased: [Int], _ records: [[Int]]) throws {
    let ledger = try Self.sample()
    try ledger.forge(erasing: erased, recording: records)
    for words in Self.readers {
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(result.code == 3, "\(erased), \(words): \(result.output)\(result.error)")
    }
  }

  @Test("With a hash stored elsewhere verify names what was erased since")
  func head() throws {
    let ledger = try Self.sample()
    let hash = try #require(ledger.log().lines[5].object["hash"]?.string)
    try ledger.must("erase", "2", "--reason", "a test", "--yes")
    for text in [hash, String(hash.prefix(8)), hash.prefix(20).uppercased()] {
      let answer = try ledger.answer("verify", "--head", text, "--json")
      #expect(answer["ok"] == true)
      #expect(answer["since"] == ["seq": 6, "events": 2])
      #expect(answer["erased_since"] == [2, 3])
    }
    #expect(try ledger.run("verify", "--head", hash).output.contains("erased since: 2-3"))
    let now = try #require(ledger.log().lines.last?.object["hash"]?.string)
    #expect(try ledger.answer("verify", "--head", now, "--json")["erased_since"] == [])
    #expect(try ledger.run("verify", "--head", String(hash.prefix(7))).code == 2)
    #expect(try ledger.run("verify", "--head", "00000000").code == 3)
  }

  @Test("A missing head file is a warning, since a cut tail cannot be excluded")
  func missingHead() throws {
    let ledger = try Self.sample()
    let lines = try ledger.bytes().split(separator: 0x0A)
    #expect(try ledger.answer("verify", "--json")["head_file"] == nil)
    try ledger.folder.write(
      Data(lines[..<4].joined(separator: [0x0A])) + [0x0A], to: ".ledger/events.jsonl")
    #expect(try ledger.run("verify").code == 3)
    try FileManager.default.removeItem(atPath: ledger.path + "/head")
    for command in ["verify", "replay"] {
      let result = try ledger.run(command)
      #expect(result.code == 0)
      #expect(
        result.error.contains("warning: head file missing: a cut tail cannot be excluded"))
      #expect(try ledger.answer(command, "--json")["head_file"] == "missing")
    }
  }

  @Test("A checkpoint is six lines, and a later log passes through it")
  func checkpoint() throws {
    let ledger = try Self.sample()
    try ledger.must("erase", "4", "--reason", "a test", "--yes")
    let log = try ledger.log().lines
    let text = try ledger.must("checkpoint")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try #require(lines.count == 7)
    #expect(lines[0] == "ledger checkpoint v1" && lines[6].isEmpty)
    #expect(lines[1] == log[0].data["ledger"]?.string)
    #expect(lines[2] == "\(log.count)")
    #expect(lines[3] == log.last?.object["hash"]?.string)
    #expect(lines[4] == "4" && lines[5].hasSuffix("Z"))
    try ledger.folder.write(Data(text.utf8), to: "kept")
    let asFolder = try ledger.run("verify", "kept")
    #expect(asFolder.code == 4 && asFolder.error.contains("--checkpoint kept"))
    try ledger.must("erase", "2", "--reason", "a test", "--yes")
    let answer = try ledger.answer("verify", "--checkpoint", "kept", "--json")
    #expect(answer["ok"] == true && answer["erased_since"] == [2, 3])
    #expect(answer["since"] == ["seq": JSONValue(log.count), "events": 2])
    #expect(answer["signature"] == "not-checked")
    // From standard input, and against other ledgers.
    #expect(
      try Executable.ledger.run(
        ["verify", "--checkpoint", "-"], input: text, in: ledger.folder.path
      ).code == 0)
    let other = try Self.sample(device: "other")
    let refused = try Executable.ledger.run(
      ["verify", "--checkpoint", ledger.folder.path + "/kept"], in: other.folder.path)
    #expect(refused.code == 3 && refused.output.contains("the checkpoint is of ledger"))
    // A log that is cut off before it, with a head that fits.
    let forged = try ledger.bytes().split(separator: 0x0A)[..<5]
    try ledger.overwrite(forged.map { Array($0) })
    let cut = try ledger.run("verify", "--checkpoint", "kept")
    #expect(cut.code == 3 && cut.output.contains("events are missing"))
  }

  @Test("A malformed checkpoint is refused")
  func malformed() throws {
    let ledger = try Self.sample()
    let text = try ledger.must("checkpoint")
    let lines = text.split(separator: "\n").map(String.init)
    for (place, wrong) in [
      (0, "ledger checkpoint v2"), (1, "x"), (2, "06"), (2, "+6"), (2, "0"), (3, "abc"),
      (4, ""), (4, "3-3"), (4, "5,3"), (4, "3,4"), (4, "7"), (4, "3-"), (5, "yesterday"),
    ] {
      var changed = lines
      changed[place] = wrong
      try ledger.folder.write(Data(changed.map { $0 + "\n" }.joined().utf8), to: "kept")
      let coded = try ledger.run("verify", "--checkpoint", "kept", "--json")
      #expect(coded.error.contains(#""code":"bad-checkpoint""#), "\(wrong): \(coded.error)")
      let result = try ledger.run("verify", "--checkpoint", "kept")
      #expect(result.code == 2, "\(wrong): \(result.output)")
      #expect(result.error.contains("line \(place + 1) should be"), "\(wrong): \(result.error)")
    }
    for text in ["", text + "\n", String(text.dropLast()), "ledger checkpoint v1\n"] {
      try ledger.folder.write(Data(text.utf8), to: "kept")
      #expect(try ledger.run("verify", "--checkpoint", "kept").code == 2)
    }
    for words in [
      ["verify", "--allowed-signers", "s"], ["verify", "--checkpoint", "kept", "--identity", "i"],
      ["verify", "--checkpoint", "kept", "--head", "00000000"], ["checkpoint", "--key", "k"],
      ["checkpoint", "--json"], ["checkpoint", "-o", ".ledger/x"],
    ] {
      #expect(try Executable.ledger.run(words, in: ledger.folder.path).code == 2, "\(words)")
    }
    #expect(try ledger.run("verify", "--checkpoint", "missing").code == 1)
    try ledger.forge(erasing: [3], recording: [])
    #expect(try ledger.run("checkpoint", "-o", "c").code == 3)
    #expect(!FileManager.default.fileExists(atPath: ledger.folder.path + "/c"))
  }

  private static let hasKeygen = FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen")

  @Test("A signature is made and checked by ssh-keygen", .enabled(if: hasKeygen))
  func signature() throws {
    let ledger = try Self.sample()
    let folder = ledger.folder.path
    // Names with a special meaning in a shell.
    for key in ["key", "another $(key);x"] {
      let made = try Executable(path: "/usr/bin/ssh-keygen").run(
        ["-q", "-t", "ed25519", "-N", "", "-f", key], in: folder)
      try #require(made.code == 0, "\(made.error)")
    }
    let publicKey = try String(contentsOfFile: folder + "/another $(key);x.pub", encoding: .utf8)
    try ledger.folder.write(Data("ada@example.org \(publicKey)".utf8), to: "signers; exit 9")
    let checks = [
      "verify", "--checkpoint", "kept", "--allowed-signers", "signers; exit 9", "--identity",
    ]
    func verify(_ identity: String) throws -> Executable.Result {
      try Executable.ledger.run(checks + [identity], in: folder)
    }
    let answer = try ledger.answer(
      "checkpoint", "-o", "kept", "--key", "another $(key);x", "--json")
    #expect(answer["path"] == "kept" && answer["signature"] == "kept.sig" && answer["seq"] == 6)
    let right = try verify("ada@example.org")
    #expect(right.code == 0 && right.output.contains("signature: Good"), "\(right.error)")
    #expect(try verify("bob@example.org").code == 3)
    try ledger.must("checkpoint", "-o", "kept", "--key", "key")
    #expect(try verify("ada@example.org").code == 3)
    try ledger.must("checkpoint", "-o", "kept", "--key", "another $(key);x")
    #expect(try verify("ada@example.org").code == 0)
    let unsigned = try ledger.run("checkpoint", "-o", "kept")
    #expect(unsigned.code == 2 && unsigned.error.contains("kept.sig signs the checkpoint"))
    #expect(try verify("ada@example.org").code == 0)
    // ssh-keygen waits for what a pipe brings.
    try FileManager.default.removeItem(atPath: folder + "/kept.sig")
    try #require(mkfifo(folder + "/kept.sig", 0o600) == 0)
    #expect(try verify("ada@example.org").code == 3)
    var text = try ledger.folder.bytes("kept")
    text[text.count - 3] ^= 1
    try ledger.folder.write(text, to: "kept")
    #expect(try verify("ada@example.org").code == 3)
    try FileManager.default.removeItem(atPath: folder + "/kept.sig")
    #expect(try verify("ada@example.org").code == 3)
    #expect(try ledger.run("checkpoint", "-o", "new", "--key", "no such key").code == 1)
    #expect(!FileManager.default.fileExists(atPath: folder + "/new"))
  }
}

extension TestLedger {
  fileprivate func answer(_ words: String...) throws -> JSONObject {
    let result = try Executable.ledger.run(words, in: folder.path)
    return try #require(JSONValue(parsing: result.output).object, "\(words): \(result.error)")
  }

  fileprivate func overwrite(_ lines: [[UInt8]]) throws {
    let bytes: [UInt8] = Array(lines.joined(separator: [0x0A])) + [0x0A]
    let hash = String(decoding: lines.last!.dropLast(2).suffix(64), as: UTF8.self)
    try folder.write(Data(bytes), to: ".ledger/events.jsonl")
    let head = PlainLine.head(seq: lines.count, offsetBytes: bytes.count, hash: hash)
    try folder.write(Data(head.utf8), to: ".ledger/head")
    try? FileManager.default.removeItem(atPath: path + "/views.snapshot")
  }

  /// Replaces bodies by their digests, and appends `event.erased` lines with correct hashes.
  ///
  /// - Parameter records: those of one group are consecutive.
  fileprivate func forge(erasing seqs: [Int], recording records: [[Int]]) throws {
    var lines = try bytes().split(separator: 0x0A).map { Array($0) }
    for seq in seqs { lines[seq - 1] = try StoredLog.erased(lines[seq - 1]) }
    func log() throws -> StoredLog {
      try StoredLog(Data(Array(lines.joined(separator: [0x0A])) + [0x0A]))
    }
    for (index, group) in records.enumerated() {
      if index > 0 {
        lines.append(
          Array(try log().line(by: "user", type: "profile.updated", data: #"{"bio":"b"}"#))
            .dropLast())
      }
      for seq in group {
        lines.append(
          Array(
            try log().line(
              by: "user", type: "event.erased", data: #"{"event":\#(seq),"reason":"x"}"#)
          ).dropLast())
      }
    }
    try overwrite(lines)
  }
}
