import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What a person with an account does with a ledger.
extension TestLedger {
  static let email = "ada@example.com"

  /// A new ledger of a new account.
  static func registered(
    at backend: BackendProcess, email: String = TestLedger.email, zone: String = "UTC"
  ) throws -> TestLedger {
    let ledger = try TestLedger(introduced.get())
    let made = try ledger.online(
      ["register", "--base-url", backend.url, "--email", email], at: backend, zone: zone)
    try #require(made.code == 0, "\(made.error)")
    return ledger
  }

  /// A ledger with what an account needs.
  private static let introduced = Result {
    let ledger = try TestLedger()
    try ledger.must("append", "profile", "--name", "Ada", "--unit-system", "metric")
    try ledger.must("append", "physical", "--born", "1990-01-02")
    try ledger.settings("sync.settle_seconds", "0")
    return try ledger.files()
  }

  /// A second ledger of the same account, which has taken in all that the backend has.
  static func another(
    at backend: BackendProcess, email: String = TestLedger.email, zone: String = "UTC"
  ) async throws -> TestLedger {
    let ledger = try TestLedger(impatient.get())
    try ledger.signIn(at: backend, email: email, zone: zone)
    try await ledger.syncUntilQuiet(zone: zone)
    return ledger
  }

  private static let impatient = Result {
    let ledger = try TestLedger()
    try ledger.settings("sync.settle_seconds", "0")
    return try ledger.files()
  }

  func signIn(
    at backend: BackendProcess, email: String = TestLedger.email, zone: String = "UTC"
  ) throws {
    let result = try online(
      ["login", "--base-url", backend.url, "--email", email], at: backend, zone: zone)
    try #require(result.code == 0, "\(result.error)")
  }

  func online(
    _ arguments: [String], at backend: BackendProcess, zone: String = "UTC"
  ) throws -> Executable.Result {
    let environment = [
      "TZ": zone, "LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": backend.key,
    ]
    return try Executable.ledger.run(arguments, environment: environment, in: folder.path)
  }

  func settings(_ key: String, _ value: String) throws { try must("settings", key, value) }

  /// Runs what has to succeed.
  @discardableResult
  func must(
    _ arguments: String..., input: String = "", zone: String = "UTC",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let result = try Executable.ledger.run(
      arguments, environment: ["TZ": zone], input: input, in: folder.path)
    try #require(result.code == 0, "\(arguments): \(result.error)", sourceLocation: sourceLocation)
    return result.output
  }

  /// Many steps of one day, each told apart by its quantity and its notes.
  func appendMany(_ quantities: Range<Int>, date: String = "2026-01-02") throws {
    let lines = quantities.map { number in
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":\#(number),"#
        + #""date":"\#(date)","notes":"number \#(number)"}}"#
    }
    try must("append", "--stdin", input: lines.joined(separator: "\n") + "\n")
  }

  /// Syncs until there is nothing left to do, as a person would who is told to try again.
  func syncUntilQuiet(
    zone: String = "UTC", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var said = ""
    // Each run brings it further, and no fault lasts; a bound only ends what would never end.
    for _ in 1...100 {
      let result = try self.run("sync", "--json", zone: zone)
      said = "\(result.code) \(result.output) \(result.error)"
      try #require([0, 75].contains(result.code), "\(said)", sourceLocation: sourceLocation)
      if result.code == 0 {
        let answer = try answer(result)
        let isOver = Self.leftToDo.allSatisfy { answer[$0] == 0 }
        if isOver || answer["sent"] == 0 { return }
      }
      if result.code == 75 { try await Task.sleep(for: .milliseconds(100)) }
    }
    Issue.record("it never comes to rest: \(said)", sourceLocation: sourceLocation)
  }

  /// The counts of a run after which there may be more to do.
  private static let leftToDo = ["pending", "held", "pulled", "deleted", "conflicts", "differs"]

  func status() throws -> JSONObject { try answer(run("status", "--json")) }

  private func answer(_ result: Executable.Result) throws -> JSONObject {
    try #require(JSONValue(parsing: Array(result.output.utf8.dropLast())).object)
  }

  /// Nothing waits, nothing is in doubt, nothing was refused, and the log is sound.
  func expectAllHeard(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let status = try status()
    for name in ["pending", "in_doubt", "rejected", "conflicts"] {
      #expect(status[name] == 0, "\(name)", sourceLocation: sourceLocation)
    }
    try must("verify", sourceLocation: sourceLocation)
    try log().expectIntact(sourceLocation: sourceLocation)
  }

  /// Every entry that lives, as the ledger shows it.
  func entries(zone: String = "UTC") throws -> [JSONObject] {
    var entries: [JSONObject] = []
    while true {
      let result = try run(
        "show", "progress", "--json", "--limit", "100", "--offset", "\(entries.count)", zone: zone)
      let page = try #require(answer(result)["entries"]?.array).compactMap(\.object)
      entries += page
      if page.count < 100 { return entries }
    }
  }

  /// The entries as rows at the backend look.
  func shownRows() throws -> [BackendProcess.Row] {
    try entries().compactMap { entry -> BackendProcess.Row? in
      var entry = entry
      if let day = entry["date"]?.string {
        // In UTC, so that the wall time is the one of the wire.
        entry["date"] = .string(day + "T" + (entry["time"]?.string ?? "00:00:00") + "Z")
      }
      return BackendProcess.Row(entry)
    }.sorted()
  }
}
