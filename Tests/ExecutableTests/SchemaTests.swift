import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// docs/cli.schema.json describes every JSON answer, completely.
@Suite(.blocks) struct SchemaTests {
  private let schema: JSONSchema

  init() throws {
    let file = Page.root.appending(path: "docs/cli.schema.json")
    schema = try JSONSchema(String(contentsOf: file, encoding: .utf8))
  }

  /// Every kind of edit, one undone, one erased, and a conflict.
  private func ledger() throws -> TestLedger {
    let ledger = try TestLedger()
    for day in 1...9 {
      try ledger.must("append", "weight", "\(80 - day).3", "--date", "2026-11-0\(day)")
    }
    try ledger.must("append", "steps", "4000", "--notes", "uphill")
    try ledger.must("append", "profile", "--name", "Ada", "--bio", "x", "--language", "en")
    try ledger.must("append", "profile", "--clear", "bio")
    try ledger.must("append", "physical", "--height-cm", "170", "--sex", "female")
    try ledger.must("append", "preferences", "--allergy", "nuts", "--dislike", "okra")
    try ledger.must("append", "correction", "3", "--quantity", "75.5", "--time", "07:30")
    try ledger.must("append", "deletion", "4", "--reason", "wrong")
    try ledger.must("append", "sleep", "2026-11-20 23:10", "2026-11-21 07:02", "--notes", "late")
    try ledger.must("undo")
    try ledger.must("redo")
    try ledger.must("erase", "5", "--reason", "private", "--yes")
    let conflict = try ledger.log().line(
      by: "sync", type: "conflict.detected",
      data: #"{"subject":"profile","field":"name","base":null,"local":"Ada","remote":"Ada L.","#
        + #""decision":"open"}"#)
    try ledger.folder.write(try ledger.bytes() + conflict, to: ".ledger/events.jsonl")
    return ledger
  }

  private static let answers: [(definition: String, words: [String])] = [
    ("status", ["status"]), ("show profile", ["show", "profile"]),
    ("show progress", ["show", "progress"]), ("show days", ["show", "days"]),
    ("show days --by", ["show", "days", "--by", "week"]),
    ("show days --calendar", ["show", "days", "--calendar"]),
    ("show trends", ["show", "trends", "--to", "2026-11-10"]),
    ("show sleep", ["show", "sleep"]), ("show sync", ["show", "sync"]),
    ("conflicts", ["conflicts"]), ("diff", ["diff", "1"]), ("diff", ["diff", "3", "20"]),
    ("blame", ["blame"]), ("blame", ["blame", "3"]), ("explain", ["explain", "3"]),
    ("explain", ["explain", "11"]), ("replay", ["replay"]), ("verify", ["verify"]),
    ("verify", ["verify", ".ledger", ".ledger"]), ("settings", ["settings"]),
    ("settings", ["settings", "zone", "Europe/Vienna"]), ("doctor", ["doctor"]),
    ("checkpoint", ["checkpoint", "-o", "c.txt"]),
    ("verify", ["verify", "--checkpoint", "c.txt"]), ("version", ["version"]),
    ("export csv", ["export", "csv", "-o", "x.csv"]),
    ("export jsonl", ["export", "jsonl", "-o", "x.jsonl"]),
    ("import", ["import", "csv", "x.csv", "--dry-run"]), ("import", ["import", "csv", "x.csv"]),
    ("report", ["report", "-o", "r.html"]),
    ("help", ["help"]), ("help", ["append", "--help"]), ("manual", ["manual"]),
    ("completions", ["completions", "fish"]), ("logout", ["logout"]),
    ("erase", ["erase", "6", "--reason", "private", "--yes"]),
  ]

  @Test("Every local answer is valid and has no member that the schema does not name")
  func answers() throws {
    let ledger = try ledger()
    for (definition, words) in Self.answers {
      let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
      #expect(result.code == 0, "\(words): \(result.error)")
      let answer = try JSONValue(parsing: result.output)
      let problems = schema.problems(of: answer, as: definition)
      #expect(problems.isEmpty, "\(words)")
    }
    for words in [["append", "weight", "71"], ["undo"], ["resolve", "--all", "--take", "local"]] {
      let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
      try expectLines(result.output, as: "event", "\(words)")
    }
    try expectLines(ledger.must("log", "--json"), as: "event", "log")
    let errors = [["append", "weight", "7"], ["append", "weight", "-1"], ["show", "nothing"]]
    for words in errors {
      let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
      try expectLines(result.error, as: "error", "\(words)")
    }
  }

  private func expectLines(_ text: String, as definition: String, _ comment: Comment) throws {
    let lines = text.split(separator: "\n")
    #expect(!lines.isEmpty, comment)
    for line in lines {
      let problems = try schema.problems(of: JSONValue(parsing: String(line)), as: definition)
      #expect(problems.isEmpty, comment)
    }
  }

  @Test("The answer of restoring a ledger is that of an import")
  func restored() throws {
    let (other, new) = (try TestLedger(), try TestLedger())
    try other.must("append", "weight", "75")
    try new.folder.write(Data(try other.bytes()), to: "x.jsonl")
    for words in [["x.jsonl", "--dry-run"], ["jsonl", "x.jsonl"], ["x.jsonl"]] {
      let result = try Executable.ledger.run(["import"] + words + ["--json"], in: new.folder.path)
      try expectLines(result.output, as: "import", "\(words)")
    }
  }

  @Test("Answers about the backend are valid")
  func backend() async throws {
    try await withBackend([]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try expectLines(
        ledger.must("sync", "--dry-run", "--json"), as: "sync --dry-run", "sync --dry-run")
      try expectLines(ledger.must("sync", "--json"), as: "sync", "sync")
      try expectLines(
        ledger.must("verify", "--backend", "--json"), as: "verify --backend", "verify --backend")
      try expectLines(
        ledger.online(["login", "--json"], at: backend).output, as: "login", "login")
      for words in [["status"], ["show", "progress"], ["explain", "@"], ["blame", "@"]] {
        let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
        try expectLines(
          result.output,
          as: words.joined(separator: " ").filter { $0 != "@" }
            .trimmingCharacters(in: .whitespaces), "\(words)")
      }
    }
  }

  @Test(
    "A missing, an unknown and a wrong member are found",
    arguments: [
      #"{"version":"1"}"#, #"{"version":"1","format":1,"more":2}"#, #"{"version":1,"format":1}"#,
      #"{"version":"1","format":1.5}"#, "[]",
    ])
  func wrong(_ answer: String) throws {
    #expect(try !schema.problems(of: JSONValue(parsing: answer), as: "version").isEmpty)
  }
}
