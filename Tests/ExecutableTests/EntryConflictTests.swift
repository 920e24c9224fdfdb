import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Conflicts over entries and suspected duplicates, from a sync to their decision, by the built
/// programs.
@Suite(.blocks) struct EntryConflictTests {
  /// A synced ledger whose only entry the backend stored as 76.5 kg instead of 75.5.
  private func withDifference(
    _ body: (TestLedger, BackendProcess, _ conflict: String) async throws -> Void
  ) async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=quantity:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      #expect(try ledger.run("sync").code == 5)
      let conflict = try #require(ledger.open().first?["conflict"]?.integer)
      try await body(ledger, backend, "\(conflict)")
    }
  }

  @Test("An entry that the backend stored otherwise is failed, and its conflict is listed")
  func listed() async throws {
    try await withDifference { ledger, _, conflict in
      let entry = try #require(ledger.entries().first)
      #expect(entry["status"] == "failed" && entry["reason"] == "conflict")
      #expect(entry["seq"]?.integer != nil)
      let open = try #require(ledger.open().first)
      #expect(open["entry"] == entry["entry"] && open["type"] == "weight")
      #expect(open["field"] == "quantity" && open["local"] == 75.5 && open["remote"] == 76.5)
      let text = try ledger.must("conflicts")
      #expect(text.contains("weight on 2026-01-02 08:00: quantity"))
      #expect(text.contains("75.5 kg") && text.contains("76.5 kg"))
      #expect(try ledger.status()["conflicts"] == 1)
      #expect(try ledger.status()["open_conflicts"] == 1)
      let sync = try ledger.must("show", "sync", "--json")
      #expect(sync.contains(#""conflicts":[\#(conflict)]"#))
      #expect(try ledger.must("show", "progress").contains("conflict"))
    }
  }

  @Test(
    "The decision is carried out by the next sync",
    arguments: [("local", 75.5), ("remote", 76.5)])
  func decided(_ side: String, _ quantity: Double) async throws {
    try await withDifference { ledger, backend, conflict in
      let posts = try backend.requests("POST /api/v1/progress").count
      try ledger.must("resolve", conflict, "--take", side)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().map(\.quantity) == [quantity])
      #expect(try ledger.entries().map { $0["quantity"]?.number } == [quantity])
      let more = try backend.requests("POST /api/v1/progress").count - posts
      #expect(more == (side == "local" ? 1 : 0))
    }
  }

  @Test(
    "A device whose item of a list another device's change took away says so",
    arguments: ["local", "remote"])
  func lostItems(_ side: String) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "preferences", "--allergy", "nuts")
      try await ledger.syncUntilQuiet()
      let other = try await TestLedger.another(at: backend)
      try ledger.must("append", "preferences", "--allergy", "milk")
      try other.must("append", "preferences", "--allergy", "eggs")
      try other.must("settings", "sync.conflicts", side)
      #expect(try !ledger.run("sync").error.contains("without"))
      let (left, lost) = side == "local" ? ("eggs", "milk") : ("milk", "eggs")
      func warning(_ who: String) -> String {
        "the allergies are now nuts, \(left), without \(lost), since \(who) changed them; "
          + "to add: ledger append preferences --allergy '\(lost)'"
      }
      #expect(try other.run("sync").error.contains(warning("both devices")))
      // The first device had sent its change before.
      let first = try ledger.run("sync").error
      #expect(first.contains(warning("another device")) == (side == "local"))
      #expect(try other.must("conflicts", "--all").contains("nuts, \(lost)"))
    }
  }

  @Test(
    "An entry of which both devices corrected a value is shown in conflict, whatever is sent after it",
    arguments: ["local", "remote"])
  func correctedOnBothDevices(_ side: String) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      try await ledger.syncUntilQuiet()
      let other = try await TestLedger.another(at: backend)
      let pulled = try #require(other.entries().first?["seq"]?.integer)
      try other.must("append", "correction", "\(pulled)", "--quantity", "76")
      try await other.syncUntilQuiet()
      try ledger.must("settings", "sync.conflicts", "ask")
      try ledger.must("append", "correction", try ledger.seq(of: "weight"), "--quantity", "77")
      #expect(try ledger.run("sync").code == 5)
      #expect(try ledger.entries().first?["status"] == "pending")
      #expect(try ledger.must("show", "progress").contains("conflict"))
      let conflict = try #require(ledger.open().first?["conflict"]?.integer)
      let decided = try ledger.run("resolve", "\(conflict)", "--take", side)
      #expect(decided.error.contains("the next 'ledger sync' carries it out") == (side == "local"))
      #expect(!(try ledger.must("show", "progress").contains("conflict")))
    }
  }

  @Test("A decided conflict is counted beside one that is open")
  func decidedBesideOpen() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      for (quantity, time) in [("74.8", "07:30"), ("74.9", "08:30")] {
        try first.must(
          "append", "weight", quantity, "--date", "2026-01-02", "--time", time)
      }
      try await first.syncUntilQuiet()
      let second = try await TestLedger.another(at: backend)
      try second.must("settings", "sync.conflicts", "ask")
      let seqs = try first.entries().compactMap { $0["seq"]?.integer }.sorted()
      let pulled = try second.entries().sorted {
        ($0["quantity"]?.number ?? 0) < ($1["quantity"]?.number ?? 0)
      }.compactMap { $0["seq"]?.integer }
      try first.must("edit", "\(seqs[0])", "74.5")
      try await first.syncUntilQuiet()
      try second.must("edit", "\(pulled[0])", "74.2")
      #expect(try second.run("sync").code == 5)
      try first.must("rm", "\(seqs[1])")
      try await first.syncUntilQuiet()
      try second.must("edit", "\(pulled[1])", "75.1")
      let sync = try second.run("sync")
      #expect(sync.output.contains("1 conflict decided: ledger conflicts --all"), "\(sync.output)")
      #expect(sync.error.contains("a conflict waits for you"), "\(sync.error)")
    }
  }

  @Test("A sync says that the policy decided a conflict")
  func decidedByPolicy() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      try first.must("sync")
      let second = try TestLedger()
      try second.signIn(at: backend)
      try second.must("sync")
      for (ledger, quantity) in [(first, "75.1"), (second, "75.9")] {
        let entry = try #require(ledger.entries().first?["entry"]?.string)
        try ledger.must("edit", entry, quantity)
      }
      let told = try [first, second].map { try $0.must("sync", "--push-only") }
      #expect(!told[0].contains("conflict"))
      #expect(told[1].contains("1 conflict decided: ledger conflicts --all"))
    }
  }

  @Test("A suspected row is shown with its values, until an erasure")
  func suspectedRow() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must("append", "weight", "75.5", "--date", "2026-01-02")
      try first.must("append", "steps", "900", "--date", "2026-01-03")
      try first.must("sync")
      let second = try TestLedger()
      try second.signIn(at: backend)
      try second.must("sync")
      for (ledger, quantity) in [(first, "75.1"), (second, "75.9")] {
        let entry = try #require(
          ledger.entries().first { $0["type"] == "weight" }?["entry"]?.string)
        try ledger.must("edit", entry, quantity)
        try ledger.run("sync")
      }
      try first.run("sync")
      let row = try #require(first.open().first { $0["suspicion"] != nil }?["rows"]?.array?.first)
      #expect(row.object?["quantity"] == 75.9)
      #expect(row.object?["moment"] == "2026-01-02T00:00:00.000Z")
      #expect(try first.must("conflicts").contains("75.9 kg on 2026-01-02"))
      try first.run("sync")
      #expect(try first.must("conflicts").contains("75.9 kg"))
      try first.must(
        "erase", try first.seq(of: "steps"), "--reason", "private", "--yes")
      #expect(!(try first.must("conflicts").contains("75.9 kg")))
    }
  }

  @Test("All conflicts are decided at once")
  func all() async throws {
    try await withDifference { ledger, _, _ in
      let told = try ledger.must("resolve", "--all", "--take", "remote")
      #expect(told.contains("1 conflict decided"))
      #expect(try ledger.open().isEmpty)
      #expect(try ledger.must("resolve", "--all", "--take", "remote").contains("No conflict"))
    }
  }

  @Test("A conflict is not a suspected duplicate, and is decided once")
  func refused() async throws {
    try await withDifference { ledger, _, conflict in
      try ledger.expectRefusal(
        ["resolve", conflict, "--take", "one"], 2,
        "event \(conflict) is a conflict, not a suspected duplicate; nothing was written")
      try ledger.must("resolve", conflict, "--take", "remote")
      try ledger.expectRefusal(
        ["resolve", conflict, "--take", "local"], 2,
        "conflict \(conflict) is decided already: the remote value was taken")
    }
  }

  @Test("A conflict over the type takes only the local side")
  func type() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=type:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      #expect(try ledger.run("sync").code == 5)
      let before = try ledger.bytes()
      let refused = try ledger.run("resolve", "--all", "--take", "remote")
      #expect(refused.code == 2 && refused.error.contains("only the local type can be taken"))
      #expect(try ledger.bytes() == before)
      try ledger.must("resolve", "--all", "--take", "local")
      try await ledger.syncUntilQuiet()
      #expect(try await backend.rows().map(\.type) == ["weight"])
    }
  }

  @Test(
    "A suspected duplicate is listed, and its row deleted or made an entry",
    arguments: [("one", 1), ("both", 2)])
  func suspicion(_ decision: String, _ rows: Int) async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:duplicate:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00")
      for _ in 1...2 { _ = try ledger.run("sync") }
      let open = try #require(ledger.open().first)
      let suspicion = try "\(#require(open["suspicion"]?.integer))"
      #expect(open["backend_ids"]?.array?.count == 1 && open["decision"] == "open")
      #expect(try ledger.status()["suspected"] == 1)
      #expect(try ledger.must("status").contains("1 suspected duplicate"))
      #expect(try ledger.must("conflicts").contains("weight 75.5 kg on 2026-01-02 08:00"))
      try ledger.expectRefusal(
        ["resolve", suspicion, "--take", "local"], 2,
        "event \(suspicion) is a suspected duplicate, not a conflict; nothing was written")
      try ledger.must("resolve", suspicion, "--take", decision)
      #expect(try ledger.open().isEmpty)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().count == rows)
      #expect(try ledger.entries().count == rows)
    }
  }

  @Test("Equal rows declared to be one on two devices that do not see each other: one row stays")
  func suspicionOnBothDevices() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      let devices = [first, try await TestLedger.another(at: backend)]
      for ledger in devices {
        try ledger.must(
          "append", "weight", "75.5", "--date", "2026-01-02", "--time", "08:00", "--zone", "+00:00")
        _ = try ledger.run("sync", "--push-only")
      }
      for ledger in devices {
        #expect(try ledger.run("sync").code == 5)
        try ledger.must("resolve", "--all", "--take", "one")
      }
      #expect(try await backend.rows().count == 2)
      for ledger in devices { _ = try ledger.run("sync", "--push-only") }
      for ledger in devices + devices { try await ledger.syncUntilQuiet() }
      #expect(try await backend.rows().count == 1)
      for ledger in devices {
        #expect(try ledger.entries().count == 1)
        try ledger.expectSameAtBackend()
      }
    }
  }

  @Test("What was refused stays visible: the backend's words and what was sent")
  func refusedBody() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:status-before=422:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      let entry = try ledger.logged("75.5", "--notes", "secret-note")
      _ = try ledger.run("sync")
      let shown = try ledger.entries()
      #expect(shown.map { $0["status"] } == ["failed"])
      #expect(shown.map { $0["reason"] } == ["rejected"])
      let sync = try ledger.must("show", "sync")
      #expect(sync.contains("\n  \"type\": \"weight\",\n  \"quantity\": 75.5,\n"))
      #expect(try ledger.must("show", "sync", "--json").contains(#""body":{"type":"weight","#))
      let explained = try ledger.must("explain", entry)
      #expect(explained.contains("  \"quantity\": 75.5,\n"))
      // Erasing the entry erases what was sent of it.
      try ledger.must("erase", entry, "--reason", "private", "--yes")
      #expect(!String(decoding: try ledger.bytes(), as: UTF8.self).contains("secret-note"))
      try ledger.must("verify")
    }
  }

  @Test("A held edit names its cause, and a command that lifts it")
  func held() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger()
      try ledger.signInNew(at: backend)
      try ledger.must("append", "profile", "--bio", "runner")
      _ = try ledger.run("sync")
      let json = try ledger.must("show", "sync", "--json")
      #expect(json.contains(#""reason":"profile-needs-name","cause":""#))
      #expect(json.contains(#""remedy":"ledger append profile --name NAME""#))
      #expect(
        try ledger.must("show", "sync").contains("the backend takes a profile only with a name"))
    }
  }

  @Test("Another device is told that height and sex cannot be read back")
  func unreadable() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "physical", "--height-cm", "168", "--sex", "female")
      try await ledger.syncUntilQuiet()
      let another = try await TestLedger.another(at: backend)
      let json = try another.must("show", "profile", "--json")
      #expect(json.contains(#""unreadable":["biological_sex","height_cm"]"#))
      #expect(!json.contains(#""height_cm":"#))
      let text = try another.must("show", "profile")
      #expect(text.contains("height") && text.contains("the backend does not show it"))
      func hint() throws -> String { try another.run("show", "profile").error }
      #expect(try hint().contains("append physical --sex SEX --height-cm CM\n"))
      try another.must("append", "profile", "--unit-system", "imperial")
      #expect(try hint().contains("append physical --sex SEX --height HEIGHT\n"))
      try another.must("append", "physical", "--height-cm", "168")
      #expect(
        try another.must("show", "profile", "--json").contains(
          #""unreadable":["biological_sex"]"#))
      #expect(try !ledger.must("show", "profile", "--json").contains("unreadable"))
    }
  }
}

/// Deletions that a sync took from the backend.
@Suite(.blocks) struct PulledDeletionTests {
  /// The backend loses all rows when its health is asked for.
  private func withLoss(
    _ body: (TestLedger, BackendProcess) async throws -> Void
  ) async throws {
    try await withBackend(["--fault", "GET /health:forget=rows:1"]) { backend in
      try await body(try TestLedger.registered(at: backend), backend)
    }
  }

  /// - Returns: the events by which sync deleted entries.
  private func lose(_ ledger: TestLedger, _ backend: BackendProcess) async throws -> [Int] {
    // The first run may hold the birth date until the profile is there.
    _ = try ledger.run("sync")
    try await ledger.syncUntilQuiet()
    try await backend.call("GET", "/health")
    try await ledger.syncUntilQuiet()
    #expect(try ledger.entries().isEmpty)
    return try ledger.log().lines.indices.filter {
      try ledger.log().lines[$0].type == "progress.deleted"
    }.map { $0 + 1 }
  }

  @Test("Undoing a deletion by sync logs the entry again")
  func one() async throws {
    try await withLoss { ledger, backend in
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "n")
      let deletions = try await lose(ledger, backend)
      try ledger.must("undo", "\(try #require(deletions.first))")
      #expect(try ledger.entries().map { $0["notes"] } == ["n"])
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().map(\.quantity) == [75.5])
    }
  }

  @Test("Undoing a range logs every entry of it again, in one write")
  func range() async throws {
    try await withLoss { ledger, backend in
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("append", "steps", "10", "--date", "2026-01-02")
      let deletions = try await lose(ledger, backend)
      let last = try ledger.log().lines.count
      let told = try ledger.must("undo", "\(deletions[0])..\(last)")
      #expect(told.contains("undid 2 edits"))
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().map(\.quantity) == [10, 75.5])
    }
  }

  @Test("A repeated import revives what sync deleted, once, and not what a person deleted")
  func revived() async throws {
    try await withLoss { ledger, backend in
      let call = [
        "import", "csv", "-", "--metric", "weight", "--quantity", "kg", "--date", "Day", "--json",
      ]
      let input = "Day,kg\n2025-11-21,75\n2025-11-22,76\n2025-11-23,77\n"
      func added() throws -> String {
        try Executable.ledger.run(call, input: input, in: ledger.folder.path).output
      }
      #expect(try added().hasPrefix(#"{"added":3,"known":0,"#))
      try ledger.must("append", "deletion", try ledger.seq(of: "weight"))
      _ = try await lose(ledger, backend)
      #expect(try added().hasPrefix(#"{"added":2,"known":1,"#))
      #expect(try added().hasPrefix(#"{"added":0,"known":3,"#))
      try await ledger.syncUntilQuiet()
      #expect(try await backend.rows().map(\.quantity) == [76, 77])
    }
  }

  @Test("What was undone is known to a repeated import")
  func undoneThenImported() async throws {
    try await withLoss { ledger, backend in
      let call = [
        "import", "csv", "-", "--metric", "weight", "--quantity", "kg", "--date", "Day", "--json",
      ]
      let input = "Day,kg\n2025-11-21,75\n"
      _ = try Executable.ledger.run(call, input: input, in: ledger.folder.path)
      let deletions = try await lose(ledger, backend)
      try ledger.must("undo", "\(try #require(deletions.first))")
      let again = try Executable.ledger.run(call, input: input, in: ledger.folder.path).output
      #expect(again.hasPrefix(#"{"added":0,"known":1,"#))
    }
  }
}

extension TestLedger {
  /// Open conflicts and suspected duplicates.
  func open() throws -> [JSONObject] {
    let output = try must("conflicts", "--json")
    let items = try #require(JSONValue(parsing: Array(output.utf8.dropLast())).array)
    return items.compactMap(\.object)
  }

  /// Signs in to a new account that has no profile.
  func signInNew(at backend: BackendProcess) throws {
    let other = try TestLedger()
    try other.must("append", "physical", "--born", "1990-01-02")
    try other.must("append", "profile", "--name", "Ada")
    let made = try other.online(
      ["register", "--base-url", backend.url, "--email", Self.email], at: backend)
    try #require(made.code == 0, "\(made.error)")
    try settings("sync.settle_seconds", "0")
    try signIn(at: backend)
  }
}
