import Foundation
import Testing

/// Odd files in a ledger's folder: docs/bad-input.md, row by row.
@Suite(.blocks) struct BadFileTests {
  private typealias Damage = @Sendable (ThreeEvents) throws -> Void

  private static func link(_ name: String) -> Damage {
    { ledger in
      try FileManager.default.moveItem(at: ledger.url(name), to: ledger.url("real"))
      try FileManager.default.createSymbolicLink(
        at: ledger.url(name), withDestinationURL: ledger.url("real"))
    }
  }

  private static func pipe(_ name: String) -> Damage {
    { ledger in
      try? FileManager.default.removeItem(at: ledger.url(name))
      try #require(mkfifo(ledger.url(name).path, 0o600) == 0)
    }
  }

  private static func folder(_ name: String) -> Damage {
    { ledger in
      try? FileManager.default.removeItem(at: ledger.url(name))
      try FileManager.default.createDirectory(
        at: ledger.url(name), withIntermediateDirectories: false)
    }
  }

  private static func file(_ name: String, _ text: String = "") -> Damage {
    { ledger in try Data(text.utf8).write(to: ledger.url(name)) }
  }

  private static func none(_ names: String...) -> Damage {
    { ledger in for name in names { try FileManager.default.removeItem(at: ledger.url(name)) } }
  }

  /// Zeros that take no room on the disk.
  private static func zeros(behind: Bool) -> Damage {
    { ledger in
      let path = ledger.url("events.jsonl").path
      let size = try ledger.log().count
      if !behind { try #require(truncate(path, 0) == 0) }
      try #require(truncate(path, off_t((64 << 20) + (behind ? size : 0))) == 0)
    }
  }

  private static func all(_ damages: Damage...) -> Damage {
    { ledger in for damage in damages { try damage(ledger) } }
  }

  private static let odd: [String: [Damage]] = [
    "a link in place of `events.jsonl`": [link("events.jsonl")],
    "a pipe in place of `events.jsonl`": [pipe("events.jsonl")],
    "a folder in place of `events.jsonl`": [folder("events.jsonl")],
    "a link in place of `head`": [link("head")],
    "a pipe in place of `ledger.lock`": [pipe("ledger.lock")],
    "a folder in place of `settings.json`": [folder("settings.json")],
    "`settings.json` that is not JSON": [file("settings.json", "{"), file("settings.json")],
    "a file or a link in place of `quarantine`, and a torn tail": [
      all(file("quarantine"), { try $0.write($0.lines() + [Data("x".utf8)]) }),
      all(
        folder("quarantine"), link("quarantine"),
        { try $0.write($0.lines() + [Data("x".utf8)]) }),
    ],
    "a folder in place of `views.snapshot`": [folder("views.snapshot")],
    "a second name for `events.jsonl`: a hard link": [
      { try FileManager.default.linkItem(at: $0.url("events.jsonl"), to: $0.url("other")) }
    ],
    "files and folder writable by everyone": [
      { ledger in
        for name in ["", "events.jsonl", "head", "ledger.lock"] {
          chmod(ledger.url(name).path, 0o777)
        }
      }
    ],
    "an unreadable `head`, or none": [
      none("head"), file("head", String(repeating: "x", count: 107)), file("head"),
    ],
    "an empty log": [file("events.jsonl")],
    "an empty log, and no `head`": [all(file("events.jsonl"), none("head"))],
    "no log": [none("events.jsonl")],
    "neither log nor `head`": [none("events.jsonl", "head")],
    "64 MiB of zeros in place of the log": [zeros(behind: false)],
    "64 MiB of zeros after the log": [zeros(behind: true)],
  ]

  @Test("Every bad file in a ledger's folder is handled as its page says")
  func inALedgersFolder() throws {
    let table = try BadInputTable("what is there")
    table.expectTried(Array(Self.odd.keys))
    for (name, damages) in Self.odd {
      let row = try table.row(name)
      for damage in damages {
        let ledger = try ThreeEvents()
        let whole = try ledger.log()
        try damage(ledger)
        let result = try ledger.run(["append", "steps", "5", "--date", "2026-01-04"])
        #expect(result.code == row.code, "\(name): \(result.error)")
        row.expectIs(
          ledger.sentence(result.error.isEmpty ? result.output : result.error), "\(name)")
        guard row.code == 0 else { continue }
        #expect(try ledger.log().starts(with: whole), "\(name)")
        try StoredLog(ledger.log()).expectIntact()
        #expect(try ledger.run(["verify"]).code == 0, "\(name)")
      }
    }
  }
}
