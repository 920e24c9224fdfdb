import Foundation
import LedgerKit
import Testing

/// Errors as data.
@Suite struct ErrorCodesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..", directoryHint: .isDirectory).standardizedFileURL

  /// The codes of each error type, by its source.
  private static let codes = Result {
    var codes: [String: Set<String>] = [:]
    let sources = root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Most files have none, and a search for a pattern takes long in a debug build.
      guard text.contains(": LedgerError") else { continue }
      for type in text.matches(of: /(?:public (?:enum|struct)|extension) (\w+): LedgerError/) {
        let rest = text[type.range.upperBound...]
        let body = rest[..<(rest.firstRange(of: "\n}")?.lowerBound ?? rest.endIndex)]
        let found = body.matches(of: /(?m)case .*(?:=|:) "([a-z-]+)"$/).map { String($0.1) }
        let only = body.firstMatch(of: /code: String { "([a-z-]+)" }/).map { [String($0.1)] } ?? []
        codes[String(type.1), default: []].formUnion(found + only)
      }
    }
    codes["EditRefusal"] = nil
    return codes
  }

  @Test("Every code is in the table of the article, with the types that have it")
  func article() throws {
    let text = try String(
      contentsOf: Self.root.appending(path: "Sources/LedgerKit/LedgerKit.docc/HandlingErrors.md"),
      encoding: .utf8)
    var listed: [String: Set<String>] = [:]
    for row in text.matches(of: /(?m)^\| `([a-z-]+)` \| (.*?) \|/) {
      for type in row.2.matches(of: /``(?:\w+\/)?(\w+)``/) {
        listed[String(type.1), default: []].insert(String(row.1))
      }
    }
    #expect(try Self.codes.get() == listed)
  }

  /// Catches one case, and calls others that throw and take closures.
  private static func weight(in path: String) async throws -> Double? {
    let ledger: Ledger
    do {
      ledger = try Ledger.open(readOnlyAt: path)
    } catch LogError.noLedger {
      return nil
    }
    return try await ledger.progress().entries.first { $0.metric == .weight }?.quantity
  }

  @Test("An app catches a case of an error and lets the others pass")
  func caught() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75)
      #expect(try await Self.weight(in: ledger.directory.path) == 75)
      #expect(try await Self.weight(in: ledger.directory.path + "-missing") == nil)
    }
  }

  @Test("Every code is in the table of the command line")
  func commandLine() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/cli.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "## Errors\n").dropFirst().first)
      .components(separatedBy: "\n## ")[0]
    let listed = section.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) }
    #expect(Set(listed).count == listed.count)
    #expect(try Self.codes.get().values.reduce(into: Set()) { $0.formUnion($1) } == Set(listed))
  }

  @Test("A refused quantity names the field, the value, the limit and the unit")
  func quantity() async throws {
    try await withLedger { ledger in
      let error = await #expect(throws: EditRefusal.self) { try await ledger.log(.weight, 900) }
      let refusal = try #require(error?.refusal)
      #expect(refusal.reason == .outOfRange && refusal.code == "out-of-range")
      #expect(refusal.field == "quantity" && refusal.value == "900" && refusal.unit == "kg")
      #expect(refusal.limit == .quantity(Metric.weight.range))
      #expect(error?.localizedDescription == refusal.description)
    }
  }

  @Test("A text that is no checkpoint is an error with a code and a sentence")
  func checkpoint() {
    let error = #expect(throws: Checkpoint.FormatError.self) { try Checkpoint(Array("hello".utf8)) }
    #expect(error?.code == "bad-checkpoint" && error?.line == 1)
    #expect(error?.localizedDescription == error?.description)
  }

  @Test("A birth date, an account and a key that are refused have codes of their own")
  func accounts() throws {
    let date = try CalendarDate(validating: "2020-01-01")
    #expect(ClientError.tooYoung(bornOn: date, leastAge: 13).code == "too-young")
    #expect(ClientError.badAPIKey.code == "bad-api-key")
    let owner = AccountSignedIn(account: "a@example.com", origin: "https://a", userID: nil)
    let other = ClientError.otherAccount(owner: owner, email: "b@example.com", origin: "https://a")
    #expect(other.code == "other-account")
    #expect(
      other.localizedDescription == "this ledger belongs to a@example.com at https://a, not to "
        + "b@example.com at https://a; another account needs a ledger of its own")
  }

  @Test("A text that is too long names its field and the length that is accepted")
  func text() async throws {
    try await withLedger { ledger in
      let error = await #expect(throws: EditRefusal.self) {
        try await ledger.append(
          .updateProfile(ProfileUpdated(name: String(repeating: "a", count: 101))))
      }
      #expect(error?.refusal.reason == .wrongLength && error?.refusal.field == "name")
      #expect(error?.refusal.limit == .characters(1...100))
    }
  }

  @Test("No sentence names a command line")
  func neutral() throws {
    let missing = LogError.noLedger(path: "/nowhere")
    #expect(missing.localizedDescription == "there is no ledger at /nowhere")
    #expect(HoldReason.allCases.allSatisfy { !$0.cause.contains("ledger ") })
    let refusal = UndoRefusal.notAnEdit(Seq(5), .pulledEntry)
    #expect(
      refusal.localizedDescription
        == "event 5 is not undone: the entry came from the backend"
    )
  }

  @Test("No text in the library names an option or a command of the command line")
  func neutralTexts() throws {
    let modules = [
      "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
      "LedgerStore", "LedgerImport", "LedgerSync", "FitIQClient", "LedgerKit",
    ]
    for module in modules {
      let folder = Self.root.appending(path: "Sources/\(module)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        // Few lines have these, and a search for a pattern takes long in a debug build.
        for line in lines
        where ["--", "'ledger ", "'import ", "'export "].contains(where: { line.contains($0) })
          && !line.drop(while: { $0 == " " }).hasPrefix("//")
        {
          let found = line.firstMatch(of: /".*(--[a-z]|'(ledger|import|export) )/)
          #expect(found == nil, "\(file.lastPathComponent): \(line)")
        }
      }
    }
  }

  @Test("A file that leaves something open says what to state, with the values it can have")
  func question() async throws {
    try await withLedger { ledger in
      let mapping = CSVMapping(metric: .caloriesIn, quantity: "kcal", date: "day")
      let text = "day,kcal\n2026-01-02,2.110\n"
      let error = await #expect(throws: ImportError.self) {
        try await ledger.importFile(
          .bytes(Array(text.utf8), name: "scale.csv"), as: .csv(mapping))
      }
      #expect(error?.code == "file-unfit")
      #expect(error?.question?.field == .decimalMark)
      #expect(error?.question?.values == ["point", "comma"])
    }
  }
}
