import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `verify --backend`: what was acknowledged, compared with what the backend has now.
@Suite(.blocks) struct BackendAuditTests {
  /// A ledger with a name, a unit system, a birth date and three entries, all synced.
  private func synced(at backend: BackendProcess) async throws -> TestLedger {
    let ledger = try TestLedger.registered(at: backend)
    try ledger.appendMany(1..<4)
    try await ledger.syncUntilQuiet()
    return ledger
  }

  @Test("Without differences it says what it compared, exits 0 and changes nothing")
  func same() async throws {
    try await withBackend { backend in
      let ledger = try await synced(at: backend)
      try ledger.must("append", "physical", "--height-cm", "170", "--sex", "female")
      try ledger.must("append", "preferences", "--allergy", "nuts")
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "weight", "75.5")
      let files = try FileManager.default.contentsOfDirectory(atPath: ledger.path).sorted()
      let (log, calls) = (try ledger.bytes(), try backend.requests().filter { !isGet($0) }.count)
      let audit = try ledger.audit()
      #expect(audit.code == 0)
      #expect(audit.answer.members.map(\.name) == ["ok", "checked", "differences", "unreadable"])
      // User id, name, units, birth date, allergies, three rows.
      #expect(audit.count("checked") == 8)
      #expect(audit.answer["unreadable"] == ["biological_sex", "height_cm"])
      let text = try ledger.run("verify", "--backend")
      #expect(text.code == 0)
      #expect(text.output.contains("8 entries and fields compared"), "\(text.output)")
      #expect(text.error.contains("1 edit that the backend does not have"), "\(text.error)")
      #expect(try ledger.bytes() == log)
      #expect(try FileManager.default.contentsOfDirectory(atPath: ledger.path).sorted() == files)
      #expect(try backend.requests().filter { !isGet($0) }.count == calls)
    }
  }

  private func isGet(_ request: String) -> Bool { request.hasPrefix("GET ") }

  @Test("A field that another device changed is a difference until the next sync")
  func changedField() async throws {
    try await withBackend { backend in
      let ledger = try await synced(at: backend)
      let other = try await TestLedger.another(at: backend)
      try other.must("append", "profile", "--name", "Ada L.")
      try other.must("sync")
      let audit = try ledger.audit()
      #expect(audit.code == 5)
      #expect(
        audit.differences == [["field": "name", "here": "Ada", "there": "Ada L."]],
        "\(audit.answer.serialized)")
      try ledger.must("sync")
      try ledger.expectSameAtBackend()
    }
  }

  @Test("An old row of a corrected entry that is yet to be deleted is mentioned")
  func oldRow() async throws {
    try await withBackend(["--fault", "DELETE /api/v1/progress/{id}:status-before=500"]) {
      backend in
      let ledger = try await synced(at: backend)
      let seq = try #require(ledger.log().lines.first { $0.type == "progress.logged" }?.seq)
      try ledger.must("append", "correction", "\(seq)", "--quantity", "77")
      #expect(try ledger.sync().code == 75)
      let text = try ledger.run("verify", "--backend")
      #expect(text.code == 0, "\(text.output)")
      #expect(text.error.contains("not compared: 1 edit that"), "\(text.error)")
    }
  }

  @Test("An old row whose deletion the backend refused is a difference")
  func refusedOldRow() async throws {
    try await withBackend(["--fault", "DELETE /api/v1/progress/{id}:status-before=403"]) {
      backend in
      let ledger = try await synced(at: backend)
      let seq = try #require(ledger.log().lines.first { $0.type == "progress.logged" }?.seq)
      try ledger.must("append", "correction", "\(seq)", "--quantity", "77")
      #expect(try ledger.sync().code == 5)
      let audit = try ledger.audit()
      #expect(audit.code == 5)
      #expect(audit.differences.map { $0["field"] } == ["row"], "\(audit.answer.serialized)")
      #expect(audit.differences.first?["here"]?.isNull == true)
    }
  }

  @Test("A row that is gone and a row that the ledger does not know are differences")
  func rows() async throws {
    try await withBackend { backend in
      let ledger = try await synced(at: backend)
      let token = try await backend.token()
      let gone = try #require(try await backend.rowIDs(token).first)
      try await backend.call("DELETE", "/api/v1/progress/\(gone)", token: token)
      let made = try await backend.call(
        "POST", "/api/v1/progress",
        ["type": "weight", "quantity": 70, "date": "2026-01-05", "notes": "new"], token: token)
      let id = try #require(made.value.object?["id"]?.string)
      let audit = try ledger.audit()
      #expect(audit.code == 5)
      #expect(audit.answer["ok"] == false)
      #expect(audit.fields == ["row", "row"])
      let missing = try #require(audit.differences.first { $0["backend_id"]?.string == gone })
      #expect(missing["entry"] != nil && missing["there"] == .null)
      let unknown = try #require(audit.differences.first { $0["backend_id"]?.string == id })
      #expect(unknown["entry"] == nil && unknown["here"] == .null)
      #expect(unknown["there"]?.object?["notes"] == "new")
      let lines = try ledger.run("verify", "--backend").output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines.contains { $0.contains("row missing") && $0.contains(gone) })
      #expect(lines.contains { $0.contains("unknown row") && $0.contains(id) })
    }
  }

  @Test(
    "A row that was stored with another value is a difference in that field",
    arguments: ["quantity", "type", "notes", "moment"])
  func otherValue(field: String) async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=\(field):1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "a")
      #expect(try ledger.sync().code == 5)
      let audit = try ledger.audit()
      #expect(audit.code == 5)
      #expect(audit.fields == [field])
      #expect(audit.differences.first?["here"] != audit.differences.first?["there"])
    }
  }

  @Test("A quantity that the backend rounded is no difference")
  func rounded() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:round"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "165lb", "--date", "2026-01-02")
      let sync = try ledger.sync()
      #expect(sync.code == 0 && sync.count("differs") == 0, "\(sync.error)")
      try ledger.expectSameAtBackend()
      #expect(try ledger.sync().count("differs") == 0)
    }
  }

  @Test("A suspected duplicate is named as one")
  func duplicate() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:duplicate:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      try ledger.must("sync")
      #expect(try ledger.audit().fields == ["row"])
      let sync = try ledger.sync()
      #expect(sync.code == 5 && sync.error.contains("suspected duplicate"), "\(sync.error)")
      let audit = try ledger.audit()
      #expect(audit.code == 5 && audit.fields == ["duplicate"])
      #expect(audit.differences.first?["entry"] != nil)
    }
  }

  @Test("A row that cannot be read is named with its field and value")
  func unreadableRow() async throws {
    try await withBackend(["--fault", "GET /api/v1/progress:bad-row=date:2"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("sync")
      let audit = try ledger.audit()
      #expect(audit.code == 5 && audit.fields == ["unreadable"], "\(audit.answer.serialized)")
      let there = try #require(audit.differences.first?["there"]?.object)
      #expect(there["date"] != nil && there["reason"]?.string?.hasPrefix("date: ") == true)
      #expect(audit.differences.first?["entry"] != nil)
      try ledger.expectSameAtBackend()
    }
  }

  @Test(
    "A listing that fails is never ok",
    arguments: [
      ("status-before=500", 75), ("status-before=429", 75), ("garbage", 75), ("truncate", 75),
      ("drop-before", 75), ("status-before=403", 5), ("status-before=404", 5),
    ])
  func failingListing(fault: String, code: Int32) async throws {
    try await withBackend(["--fault", "GET /api/v1/progress:\(fault)"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("sync", "--push-only")
      let result = try ledger.run("verify", "--backend", "--json")
      #expect(result.code == code, "\(result.error)")
      #expect(result.output.isEmpty)
      #expect(result.error.contains("entries could not be read"), "\(result.error)")
    }
  }

  @Test("It begins again when the total changes between pages, and counts every row once")
  func pages() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(1..<251)
      try await ledger.syncUntilQuiet()
      let before = try backend.requests("GET /api/v1/progress").count
      try ledger.expectSameAtBackend(checked: 254)
      #expect(try backend.requests("GET /api/v1/progress").count == before + 3)
    }
  }

  @Test("Nobody signed in is exit 5; other options and folders are refused")
  func usage() async throws {
    let ledger = try TestLedger()
    let alone = try ledger.run("verify", "--backend", "--json")
    #expect(alone.code == 5 && alone.error.contains("not signed in"), "\(alone.error)")
    for words in [["--head", String(repeating: "a", count: 64)], [ledger.path]] {
      let refused = try Executable.ledger.run(
        ["verify", "--backend"] + words, in: ledger.folder.path)
      #expect(refused.code == 2, "\(refused.error)")
      #expect(refused.error.contains("--backend"), "\(refused.error)")
    }
    let help = try ledger.run("verify", "--backend", "--help")
    #expect(help.code == 0 && help.output.contains("--backend"))
  }
}
