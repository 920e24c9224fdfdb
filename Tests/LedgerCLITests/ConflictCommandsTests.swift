import Foundation
import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// `conflicts` and `resolve`.
@Suite struct ConflictCommandsTests {
  let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  private func detect(
    _ decision: ConflictDecision, subject: String = "profile", field: String = "name",
    base: JSONValue? = nil
  ) throws -> Seq {
    try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: subject, field: field, base: base, local: "Ada", remote: "Ada L.",
          decision: decision)), by: .sync)
  }

  private func name(_ name: String) throws -> Seq {
    try ledger.add(.profileUpdated(ProfileUpdated(name: name)))
  }

  @Test(
    "A suspected duplicate that becomes an entry says what it does to its day",
    arguments: [(Metric.weight, "the latest of its day"), (.steps, "in the day's sum")])
  func both(_ metric: Metric, _ consequence: String) throws {
    try ledger.log(1, metric, 70, on: "2025-01-21")
    let row = try #require(BackendID("r2"))
    let seq = try ledger.add(
      .duplicateSuspected(
        DuplicateSuspected(entry: LookingLedger.entry(1), backendIDs: [row])), by: .sync)
    let answer = ledger.run("resolve", "\(seq)", "--take", "both").output
    #expect(answer.contains("the other row will be an entry too, \(consequence); \(metric.words)"))
  }

  @Test("What --all leaves, since it takes another decision, is named with the command")
  func otherKind() throws {
    try ledger.log(1, .weight, 70, on: "2025-01-21")
    let suspicion = try ledger.add(
      .duplicateSuspected(
        DuplicateSuspected(
          entry: LookingLedger.entry(1), backendIDs: [#require(BackendID("r2"))])), by: .sync)
    let other = "1 suspected duplicate waits for you: ledger resolve \(suspicion) --take one|both\n"
    let none = ledger.run("resolve", "--all", "--take", "remote")
    #expect(none.output == "No conflict waits for you.\n" && none.error == other)
    _ = try name("Ada")
    _ = try detect(.open)
    let answer = ledger.run("resolve", "--all", "--take", "remote")
    #expect(answer.output.hasPrefix("✓ 1 conflict decided"))
    #expect(answer.error.hasPrefix(other))
    for field in ["name", "bio"] { _ = try detect(.open, field: field) }
    for start in ["✓ 1 suspicion decided", "No suspected duplicate waits for you.\n"] {
      let answer = ledger.run("resolve", "--all", "--take", "one")
      #expect(answer.output.hasPrefix(start))
      #expect(
        answer.error.hasPrefix(
          "2 conflicts wait for you: ledger resolve --all --take local|remote\n"))
    }
  }

  @Test("Without conflicts there is a sentence for people and an empty list for programs")
  func none() throws {
    #expect(ledger.run("conflicts", "--json").output == "[]\n")
    #expect(ledger.run("conflicts").output == "No conflict waits for you.\n")
    #expect(ledger.run("conflicts", "--all").output == "There has never been a conflict.\n")
    _ = try name("Ada")
    _ = try detect(.local)
    let answer = ledger.run("conflicts")
    #expect(answer.output == "No conflict waits for you.\n")
    #expect(answer.error == "1 conflict is decided: ledger conflicts --all\n")
  }

  @Test("A decided suspicion is not counted as a conflict")
  func decidedSuspicion() throws {
    try ledger.log(1, .weight, 70, on: "2025-01-21")
    let suspicion = try ledger.add(
      .duplicateSuspected(
        DuplicateSuspected(
          entry: LookingLedger.entry(1), backendIDs: [#require(BackendID("r2"))])), by: .sync)
    #expect(ledger.run("resolve", "\(suspicion)", "--take", "both").code == .done)
    let alone = ledger.run("conflicts").error
    #expect(alone == "1 suspected duplicate is decided: ledger conflicts --all\n")
    _ = try name("Ada")
    _ = try detect(.local)
    let both = "1 conflict and 1 suspected duplicate are decided: ledger conflicts --all\n"
    #expect(ledger.run("conflicts").error == both)
  }

  @Test("Conflicts are answered as JSON")
  func json() throws {
    _ = try name("Ada")
    _ = try detect(.open)
    #expect(
      ledger.run("conflicts", "--json").output
        == #"[{"conflict":3,"at":"2025-01-01T12:00:02.000Z","subject":"profile","field":"name","#
        + #""base":null,"local":"Ada","remote":"Ada L.","decision":"open"}]"# + "\n")
    #expect(ledger.run("resolve", "3", "--take", "remote", "--json").code == .done)
    #expect(ledger.run("conflicts", "--json").output == "[]\n")
    #expect(
      ledger.run("conflicts", "--all", "--json").output
        .hasSuffix(#""remote":"Ada L.","decision":"remote","resolved_by":4}]"# + "\n"))
  }

  @Test("A row each, and what to do next; the sides' values in words")
  func table() throws {
    try ledger.add(.physicalUpdated(PhysicalUpdated(heightCM: 168)))
    try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "physical", field: "height_cm", base: nil, local: 168, remote: 170,
          decision: .open)), by: .sync)
    let first = try detect(.open, subject: "entry", field: "quantity")
    let second = try detect(.local)
    let open = ledger.run("conflicts", columns: 100)
    #expect(
      open.output.hasPrefix(
        """
        seq  found       field           agreed on  yours   backend's  decided
          3  2025-01-01  height          nothing    168 cm  170 cm     open
        """))
    #expect(open.error == "decide: ledger resolve 3 --take local, or --take remote\n")
    #expect(!ledger.run("conflicts", "--all", columns: 100).output.contains("–"))
    let narrow = ledger.run("conflicts", columns: 40).output.split(separator: "\n")
    #expect(narrow.allSatisfy { displayWidth($0) <= 40 })
    #expect(
      narrow.prefix(5).map(String.init) == [
        "3 height", "  agreed on: nothing", "  yours: 168 cm", "  backend's: 170 cm", "  open",
      ])
    let all = ledger.run("conflicts", "--all", columns: 100).output
    #expect(all.contains("entry quantity") && all.contains("local (policy)"))
    #expect(all.contains("\n  \(first)  ") && all.contains("\n  \(second)  "))
  }

  @Test("The decision is one event by the user, with the side's value, and can be made again")
  func resolve() throws {
    _ = try name("Ada")
    let conflict = try detect(.open)
    let answer = ledger.run("resolve", "\(conflict)", "--take", "remote")
    #expect(answer.code == .done)
    #expect(
      answer.output == "✓ name: the backend's value is taken, “Ada L.” (event 4, conflict 3)\n")
    #expect(answer.error == "the next 'ledger sync' carries it out\n")
    let line = try #require(try ledger.lines().last)
    #expect(line.contains(#""by":"user","type":"conflict.resolved""#))
    #expect(line.contains(#""data":{"conflict":3,"decision":"remote","value":"Ada L."}"#))
    let again = ledger.run("resolve", "\(conflict)", "--take", "local", "--json")
    #expect(again.output == (try ledger.lines().last).map { $0 + "\n" })
    #expect(again.output.contains(#""data":{"conflict":3,"decision":"local","value":"Ada"}"#))
    #expect(ledger.run("status", "--json").output.contains(#""pending":2,"#))
    #expect(ledger.run("show", "sync", "--json").output.contains(#""events":[2,5]"#))
  }

  @Test("Yours is what you gave the field last, after the conflict")
  func laterEdit() throws {
    _ = try name("Ada")
    let conflict = try detect(.remote)
    _ = try name("Zoë")
    #expect(ledger.run("resolve", "\(conflict)", "--take", "local").code == .done)
    #expect(try #require(try ledger.lines().last).contains(#""value":"Zoë""#))
    _ = try name("Eve")
    #expect(ledger.run("conflicts", "--all").output.contains("“Zoë”"))
  }

  @Test("An open conflict is listed with what an entry has by now")
  func laterCorrection() throws {
    let entry = LookingLedger.entry(1)
    try ledger.log(1, .weight, 75, on: "2025-01-02", notes: "n")
    for (field, local, remote) in [
      ("quantity", 75, 76), ("notes", "n", "x"), ("moment", "2025-01-02T00:00:00Z", "2025-01-03"),
    ] as [(String, JSONValue, JSONValue)] {
      try ledger.add(
        .conflictDetected(
          ConflictDetected(
            subject: entry.description, field: field, local: local, remote: remote,
            decision: .open)), by: .sync)
    }
    try ledger.add(
      .progressCorrected(
        ProgressCorrected(
          entry: entry, quantity: 77, date: CalendarDate("2025-01-05"), notes: .set("later"))))
    let answer = try JSONValue(parsing: ledger.run("conflicts", "--json").output)
    #expect(
      answer.array?.map { $0.object?["local"] } == [77, "later", "2025-01-05T00:00:00Z"])
  }

  @Test("A value that is absent there is null")
  func absent() throws {
    try ledger.add(.profileUpdated(ProfileUpdated(bio: .set("runner"))))
    let conflict = try ledger.add(
      .conflictDetected(
        ConflictDetected(subject: "profile", field: "bio", local: "runner", decision: .open)),
      by: .sync)
    let answer = ledger.run("resolve", "\(conflict)", "--take", "remote")
    #expect(answer.output.hasPrefix("✓ bio: the backend's value is taken, nothing"))
    #expect(try #require(try ledger.lines().last).contains(#""decision":"remote","value":null}"#))
    #expect(ledger.run("show", "profile", "--json").output.contains(#""profile":{},"#))
  }

  @Test("What is refused is refused in a sentence, with nothing written")
  func refusals() throws {
    _ = try name("Ada")
    let conflict = try detect(.open)
    let foreign = try detect(.open, subject: "entry", field: "quantity")
    let last = try ledger.lines().count
    let cases: [([String], ExitCode, String)] = [
      (["2", "--take", "local"], .notFound, "event 2 is not a conflict"),
      (["99", "--take", "local"], .notFound, "there is no event 99; the log ends with event 4"),
      (["0", "--take", "local"], .usage, "SEQ"), (["x", "--take", "local"], .usage, "SEQ"),
      (["\(conflict)", "--take", "neither"], .usage, "neither"),
      (["\(conflict)"], .usage, "--take local keeps your value"),
      (["--take", "local"], .usage, "SEQ"),
      (["\(foreign)", "--take", "local"], .usage, "quantity of entry"),
    ]
    for (words, code, sentence) in cases {
      let answer = ledger.run(["resolve"] + words)
      #expect(answer.code == code && answer.output.isEmpty, "\(words)")
      #expect(answer.error.contains(sentence), "\(words): \(answer.error)")
    }
    #expect(try ledger.lines().count == last)
  }

  @Test("Deciding the same again is refused, unless something changed in between")
  func sameAgain() throws {
    _ = try name("Ada")
    let conflict = try detect(.open)
    for side in ["remote", "local"] {
      #expect(ledger.run("resolve", "\(conflict)", "--take", side).code == .done)
      let again = ledger.run("resolve", "\(conflict)", "--take", side)
      #expect(again.code == .usage)
      #expect(
        again.error.hasPrefix(
          "ledger: conflict 3 is decided that way already: name has the \(side) value"))
    }
    #expect(ledger.run("resolve", "\(conflict)", "--take", "remote").code == .done)
    _ = try name("Zoë")
    #expect(ledger.run("resolve", "\(conflict)", "--take", "remote").code == .done)
  }

  @Test("While a later conflict over the field is open, the earlier one is not for deciding")
  func overtaken() throws {
    _ = try name("Ada")
    let first = try detect(.open)
    let second = try detect(.open)
    let answer = ledger.run("resolve", "\(first)", "--take", "local")
    #expect(answer.code == .usage && answer.error.contains("ledger resolve \(second)"))
    #expect(ledger.run("conflicts", "--all").output.contains("see \(second)"))
    #expect(ledger.run("resolve", "\(second)", "--take", "local").code == .done)
    #expect(ledger.run("resolve", "\(first)", "--take", "remote").code == .done)
  }

  @Test("Stored text cannot steer the terminal")
  func hostile() throws {
    _ = try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "pro\u{1B}file", field: "na\u{1B}me", local: "\u{1B}[2J", remote: "\u{202E}",
          decision: .open)), by: .sync)
    let output = ledger.run("conflicts", columns: 80).output
    #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
  }
}
