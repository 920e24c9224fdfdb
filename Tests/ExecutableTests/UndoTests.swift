import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `undo`, as a person runs it: cancelled, compensated, in doubt, and back again.
@Suite(.blocks) struct UndoTests {
  @Test("An undone edit that was not sent is never sent")
  func whatWasNeverSentCountsAsNeverMade() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
    try ledger.must("append", "correction", "2", "--quantity", "76")
    #expect(try ledger.must("undo").contains("undid event 3"))
    #expect(try ledger.entries().map { $0["quantity"] } == [75.5])
    #expect(try ledger.must("undo").contains("it was never sent"))
    #expect(try ledger.entries().isEmpty)
    #expect(try ledger.status()["pending"] == 0)
    try ledger.expectRefusal(
      ["undo"], 2, "there is not an edit of yours that could be undone; nothing was written")
    try ledger.log().expectIntact()
  }

  @Test("An undone edit that was sent and refused is not called unsent")
  func refusedBefore() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:status-before=422:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5")
      #expect(try ledger.run("sync").code == 5)
      let undone = try ledger.must("undo")
      #expect(undone.contains("it was sent, and the backend did not take it"), "\(undone)")
    }
  }

  @Test("After an import an undo names the import's events instead of undoing an older edit")
  func undoAfterAnImport() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
    let file = ledger.folder.path + "/steps.csv"
    try "date,steps\n2026-01-01,8000\n2026-01-02,9000\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    try ledger.must("import", file)
    try ledger.expectRefusal(
      ["undo"], 2,
      "event 4 is not undone: it was imported, with those since event 3; nothing was "
        + "written")
    #expect(try ledger.run("undo").error.contains("'ledger undo 3..4' takes back the import"))
    try ledger.must("undo", "3..4")
    #expect(try ledger.must("undo").contains("undid event 2"))
  }

  @Test("A redo takes back one undoing after the other, up to the newest other edit")
  func redo() throws {
    let ledger = try TestLedger()
    try ledger.expectRefusal(
      ["redo"], 2, "nothing was undone since your last edit; nothing was written")
    try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
    try ledger.must("append", "profile", "--name", "Ada")
    try ledger.must("undo")
    try ledger.must("undo")
    #expect(
      try ledger.must("redo").hasPrefix("✓ redid event 2, weight 75.5 kg on 2026-01-02 (event "))
    #expect(try ledger.must("redo").contains("redid event 3, "))
    #expect(try ledger.entries().map { $0["quantity"] } == [75.5])
    #expect(try ledger.must("show", "profile").contains("Ada"))
    #expect(try ledger.run("redo").code == 2)
    // What was made again is undone and made again like any edit.
    try ledger.must("undo")
    try ledger.must("redo")
    #expect(try ledger.must("show", "profile").contains("Ada"))
    // Each undoing is redone once.
    try ledger.expectRefusal(
      ["redo"], 2, "nothing was undone since your last edit; nothing was written")
    try ledger.must("undo")
    try ledger.must("append", "steps", "4000")
    #expect(try ledger.run("redo").code == 2)
  }

  @Test("A redo after an undoing was undone by its number is refused, and changes nothing older")
  func redoOfANamedUndo() throws {
    let ledger = try TestLedger()
    for (metric, value) in [("weight", "75"), ("steps", "8500"), ("mood", "7")] {
      try ledger.must("append", metric, value)
    }
    for deletion in ["2", "3"] {
      try ledger.must("rm", deletion)
      try ledger.must("undo")
    }
    try ledger.must("undo", "6")
    try ledger.expectRefusal(
      ["redo"], 2,
      "event 9 took back an undo that was not your newest change, so it is not clear what to redo; "
        + "nothing was written"
    )
    #expect(try ledger.run("redo").error.contains("'ledger undo 9' makes that undo again"))
    #expect(try ledger.entries().map { $0["quantity"] } == [7, 8500])
    try ledger.must("undo", "9")
    #expect(try ledger.entries().count == 3)
  }

  @Test("A redo after several undoings or one before a newer edit was undone is refused")
  func redoOfNamedUndos() throws {
    for step in ["append", "undo", nil] {
      let ledger = try TestLedger()
      for weight in ["71", "72", "73", "74"] { try ledger.must("append", "weight", weight) }
      for _ in 1...3 { try ledger.must("undo") }
      if step == "append" { try ledger.must("append", "mood", "8") }
      if step == "undo" { try ledger.must("undo") }
      let count = try ledger.entries().count
      try ledger.must("undo", "7..8")
      #expect(try ledger.entries().count == count + 2)
      #expect(try ledger.run("redo").error.contains("an undo that was not your newest change"))
      #expect(try ledger.entries().count == count + 2)
    }
  }

  @Test(
    "A redo does not pass over a newer goal or erasure",
    arguments: [
      ["append", "goal", "weight", "70", "--by", "2050-01-01"],
      ["erase", "2", "--reason", "private", "--yes"],
    ])
  func redoAfterOtherStep(_ words: [String]) throws {
    let ledger = try TestLedger()
    for weight in ["71", "72"] { try ledger.must("append", "weight", weight) }
    try ledger.must("undo")
    #expect(
      try Executable.ledger.run(words, environment: [:], in: ledger.folder.path).code == 0)
    let redo = try ledger.run("redo")
    #expect(redo.code == 2)
    #expect(
      redo.error.contains(
        "nothing was undone since event 5, your newest goal, decision or erasure"),
      "\(redo.error)")
  }

  @Test("A goal stops a redo also if an older edit was undone and made again since")
  func redoAfterRedo() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72"] { try ledger.must("append", "weight", weight) }
    try ledger.must("undo")
    try ledger.must("append", "goal", "weight", "70", "--by", "2050-01-01")
    try ledger.must("undo", "2")
    try ledger.must("redo")
    try ledger.expectRefusal(
      ["redo"], 2,
      "nothing was undone since event 5, your newest goal, decision or erasure; nothing was written"
    )
  }

  @Test("A redo goes on to later edits of a field that the redo before has set")
  func redoOfFields() throws {
    let ledger = try TestLedger()
    for height in ["165", "170", "175"] {
      try ledger.must("append", "physical", "--height-cm", height)
    }
    for _ in 1...2 { try ledger.must("undo") }
    #expect(try ledger.must("show", "profile").contains("165 cm"))
    try ledger.must("redo")
    #expect(try ledger.must("show", "profile").contains("170 cm"))
    try ledger.must("redo")
    #expect(try ledger.must("show", "profile").contains("175 cm"))
    #expect(try ledger.run("redo").code == 2)
  }

  @Test("An edit that was made again is named by the event that made it again")
  func namesWhatIsInForce() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
    try ledger.must("undo")
    try ledger.must("redo")
    for seq in ["2", "3"] {
      try ledger.expectRefusal(
        ["undo", seq], 2,
        "event \(seq) was undone already, and event 4 made the edit again; nothing was written")
      #expect(try ledger.run("undo", seq).error.contains("'ledger undo 4' takes it back again"))
    }
    #expect(try ledger.run("edit", "2", "76").error.contains("'ledger explain 2' names the event"))
    #expect(try ledger.must("explain", "2").contains("event 4 made it again"))
    try ledger.must("undo", "4")
    #expect(try ledger.run("undo", "2").error.contains("'ledger undo 3' redoes it"))
    try ledger.must("undo", "3")
    #expect(try ledger.entries().map { $0["quantity"] } == [75.5])
  }

  @Test(
    "What was done to an entry that a redo made again is redone on it",
    arguments: [
      (["append", "weight", "90"], ["edit", "@", "80"], 80.0),
      (["append", "weight", "90"], ["rm", "@"], nil),
      (["append", "sleep", "7h"], ["edit", "@", "8h"], 8),
      (["append", "sleep", "7h"], ["rm", "@"], nil),
    ] as [([String], [String], Double?)])
  func redoOfRemade(_ first: [String], _ second: [String], _ quantity: Double?) throws {
    let ledger = try TestLedger()
    for words in [first + ["--date", "2026-01-02"], second] {
      let result = try Executable.ledger.run(
        words, environment: ["TZ": "UTC"], in: ledger.folder.path)
      #expect(result.code == 0, "\(result.error)")
    }
    for _ in 1...2 {
      for _ in 1...2 { try ledger.must("undo") }
      #expect(try ledger.entries().isEmpty)
      for _ in 1...2 { try ledger.must("redo") }
      #expect(try ledger.entries().map { $0["quantity"]?.number } == (quantity.map { [$0] } ?? []))
    }
  }

  @Test("An undo after an erasure is refused, and takes back nothing older")
  func undoAfterErasure() throws {
    let ledger = try TestLedger()
    for quantity in ["80", "81"] {
      try ledger.must("append", "weight", quantity, "--date", "2026-01-02")
    }
    try ledger.must("erase", "2", "--reason", "private", "--yes")
    try ledger.expectRefusal(
      ["undo"], 2,
      "event 4 is not undone: an erasure cannot be undone; nothing was written")
    #expect(try ledger.entries().map { $0["quantity"] } == [81])
  }

  @Test("A redo makes again all that one undo took back, or what is left of it")
  func redoOfSeveral() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72", "73"] { try ledger.must("append", "weight", weight) }
    try ledger.must("undo", "4")
    try ledger.must("undo", "2", "3")
    #expect(try ledger.entries().isEmpty)
    #expect(try ledger.must("redo").hasPrefix("✓ redid 2 edits (events 8 to 9)"))
    #expect(try ledger.entries().compactMap { $0["quantity"]?.number } == [72, 71])
    #expect(try ledger.must("redo").contains("redid event 4, weight 73 kg"))
    #expect(try ledger.run("redo").code == 2)
    try ledger.must("undo", "8..10")
    let last = try ledger.log().lines.count
    try ledger.must("undo", "\(last - 1)")
    #expect(try ledger.must("redo").contains("redid 2 edits"))
    #expect(try ledger.entries().count == 3)
    try ledger.log().expectIntact()
  }

  @Test("@ is the last edit, @2 the one before, alone and as the end of a range")
  func editsFromTheEnd() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72", "73", "74"] { try ledger.must("append", "weight", weight) }
    try ledger.must("undo", "@2")
    #expect(try ledger.entries().map { $0["quantity"] } == [74, 72, 71])
    try ledger.must("undo", "@2..@")
    #expect(try ledger.entries().map { $0["quantity"] } == [71])
    let beyond = try ledger.run("undo", "@2")
    #expect(beyond.code == 4 && beyond.error.contains("'@2' names no edit: fewer were made"))
    #expect(try ledger.run("undo", "@x").code == 2)
  }

  @Test("An undone deletion says that the entry is back")
  func undoneDeletion() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "71", "--date", "2026-01-02")
    try ledger.must("append", "sleep", "2026-01-02 23:00", "2026-01-03 07:00")
    try ledger.must("rm", "2")
    let entry = try ledger.must("undo")
    #expect(entry.contains("weight 71 kg on 2026-01-02"))
    #expect(entry.contains(": the entry is back; its deletion was never sent"))
    try ledger.must("rm", "3")
    #expect(try ledger.must("undo").contains(": the session is back; its deletion was never sent"))
  }

  @Test("A redo names the values that it made again, corrections included")
  func redoneValues() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "71", "--date", "2026-01-02")
    try ledger.must("edit", "2", "72")
    try ledger.must("undo", "2")
    #expect(try ledger.must("redo").contains("redid event 2, weight 72 kg on 2026-01-02"))
  }

  @Test("A range says which of its entries stays deleted by an event outside of it")
  func rangeOverADeletedEntry() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72"] { try ledger.must("append", "weight", weight) }
    try ledger.must("rm", "2")
    try ledger.expectRefusal(
      ["undo", "2", "3"], 2, "the entry of event 2 is deleted, by event 4; nothing was written")
    let undone = try ledger.run("undo", "2..3")
    #expect(undone.output.contains("undid 1 edit"))
    #expect(undone.error.contains("left: the entry of event 2 is deleted, by event 4"))
  }

  @Test("explain of an undone edit names the event that made it again")
  func redoneIsNamed() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "71", "--date", "2026-01-02")
    try ledger.must("undo")
    #expect(!(try ledger.must("explain", "2").contains("made it again")))
    try ledger.must("redo")
    #expect(try ledger.must("explain", "2").contains("event 4 made it again"))
    #expect(try ledger.must("explain", "3").contains("event 4 made it again"))
  }

  @Test("Several entries are deleted in one write, or none is")
  func severalDeletions() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72", "73", "74", "75"] { try ledger.must("append", "weight", weight) }
    #expect(try ledger.run("rm", "2", "99").code == 4)
    #expect(try ledger.entries().count == 5)
    try ledger.must("rm", "2", "4..5", "4")
    #expect(try ledger.entries().map { $0["quantity"] } == [75, 72])
    try ledger.must("rm", "2..6")
    #expect(try ledger.entries().isEmpty)
    #expect(try ledger.run("rm", "2..6").code == 4)
    try ledger.log().expectIntact()
  }

  @Test("An erasure takes several entries, deleted ones of a range included")
  func severalErasures() throws {
    let ledger = try TestLedger()
    for weight in ["71", "72", "73", "74"] { try ledger.must("append", "weight", weight) }
    try ledger.must("rm", "3")
    try ledger.must("erase", "2..3", "5", "--reason", "private", "--yes")
    #expect(try ledger.entries().map { $0["quantity"] } == [73])
    let log = String(decoding: try ledger.bytes(), as: UTF8.self)
    for erased in ["71", "72", "74"] { #expect(!log.contains("\"quantity\":\(erased)")) }
    #expect(try ledger.run("verify").code == 0)
  }

  @Test("An undo can be undone")
  func anUndoingIsUndone() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "n")
    try ledger.must("append", "correction", "2", "--quantity", "76")
    try ledger.must("undo", "2")
    #expect(try ledger.entries().isEmpty)
    try ledger.must("undo", "4")
    // As it was, its correction included; the old id is spent.
    let entries = try ledger.entries()
    #expect(entries.map { $0["quantity"] } == [76])
    #expect(entries.map { $0["notes"] } == ["n"])
    try ledger.expectRefusal(
      ["undo", "4"], 2,
      "event 4 was undone already, and event 5 made the edit again; nothing was written")
    try ledger.expectRefusal(
      ["undo", "2"], 2,
      "event 2 was undone already, and event 5 made the edit again; nothing was written")
    // What was made again is an edit like any.
    try ledger.must("undo")
    #expect(try ledger.entries().isEmpty)
    try ledger.must("append", "profile", "--name", "Ada")
    try ledger.must("undo")
    try ledger.must("undo", "8")
    #expect(try ledger.must("show", "profile", "--json").contains(#""name":"Ada""#))
  }

  @Test("--json answers the stored line")
  func itAnswersWithTheStoredLine() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "steps", "10", "--date", "2026-01-02")
    let line = try ledger.must("undo", "--json")
    #expect(try ledger.bytes().suffix(line.utf8.count) == Data(line.utf8))
    #expect(try ledger.last().serialized == #"{"event":2}"#)
  }

  @Test("An acknowledged edit is undone by a compensating edit")
  func whatTheBackendHasIsMadeUpFor() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "n")
      try ledger.must("append", "steps", "10", "--date", "2026-01-02")
      try await ledger.syncUntilQuiet()
      let first = try ledger.seq(of: "weight")
      try ledger.must("append", "correction", first, "--quantity", "80", "--notes", "m")
      try ledger.must("append", "profile", "--name", "Bea", "--bio", "b")
      try await ledger.syncUntilQuiet()
      // The profile, the correction, then the entries, newest first.
      #expect(try ledger.must("undo").contains("; the next 'ledger sync' sends the change"))
      let profile = try ledger.must("show", "profile", "--json")
      #expect(profile.contains(#""name":"Ada""#) && !profile.contains(#""bio":"b""#))
      try ledger.must("undo")
      let entry = try #require(ledger.entries().first { $0["type"] == "weight" })
      #expect(entry["quantity"] == 75.5 && entry["notes"] == "n")
      try ledger.must("undo")
      #expect(try ledger.entries().map { $0["type"] } == ["weight"])
      // Of a redo that the backend has, an undo is an undoing too.
      try await ledger.syncUntilQuiet()
      try ledger.must("redo")
      #expect(try ledger.entries().map { $0["type"] } == ["steps", "weight"])
      try await ledger.syncUntilQuiet()
      try ledger.must("undo")
      try await ledger.syncUntilQuiet()
      #expect(try ledger.entries().map { $0["type"] } == ["weight"])
      try ledger.must("redo")
      #expect(try ledger.entries().map { $0["type"] } == ["steps", "weight"])
      try ledger.must("undo")
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      let another = try await TestLedger.another(at: backend)
      #expect(try another.shownRows() == ledger.shownRows())
      #expect(try another.must("show", "profile", "--json").contains(#""name":"Ada""#))
    }
  }

  @Test("Undoing a sent deletion logs the entry again")
  func aDeletionThatWasSentIsLoggedAnew() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "n")
      let logged = try ledger.seq(of: "weight")
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "deletion", logged)
      let deletion = try "\(ledger.log().lines.count)"
      // Not sent yet: the entry is simply there again.
      try ledger.must("undo", deletion)
      #expect(try ledger.entries().count == 1)
      #expect(try ledger.status()["pending"] == 0)
      try ledger.must("append", "deletion", logged)
      let sent = try "\(ledger.log().lines.count)"
      try await ledger.syncUntilQuiet()
      try ledger.must("undo", sent)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      let rows = try await TestLedger.another(at: backend).shownRows()
      #expect(try rows == ledger.shownRows())
      #expect(rows.count == 1)
    }
  }

  /// The answer to its POST was lost: it is treated as if the backend had it, and so it is.
  @Test(
    "Undoing an entry in doubt leaves none at the backend",
    arguments: ["drop-after", "drop-before"])
  func whatIsInDoubtIsMadeUpFor(_ fault: String) async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:\(fault):1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      _ = try ledger.run("sync")
      #expect(try ledger.status()["in_doubt"] == 1)
      #expect(try ledger.must("show", "sync", "--json").contains(#""state":"in_doubt""#))
      let told = try ledger.must("undo", try ledger.seq(of: "weight"))
      #expect(told.contains("no answer is known"))
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await TestLedger.another(at: backend).entries().isEmpty)
    }
  }

  @Test("Undo leaves a field that was set later")
  func laterEditsStay() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "profile", "--name", "Bea", "--bio", "b")
      let edit = try "\(ledger.log().lines.count)"
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "profile", "--name", "Cleo")
      let told = try ledger.run("undo", edit)
      #expect(told.code == 0)
      #expect(told.error.contains("name stays as it is, event"))
      let profile = try ledger.must("show", "profile", "--json")
      #expect(profile.contains(#""name":"Cleo""#) && !profile.contains(#""bio":"b""#))
    }
  }

  @Test("An event that is no edit cannot be undone")
  func whatIsNoEditIsRefused() throws {
    let ledger = try TestLedger()
    try ledger.expectRefusal(
      ["undo", "1"], 2, "event 1 is not undone: it is ledger.created; nothing was written"
    )
    try ledger.expectRefusal(
      ["undo", "9"], 4, "there is no event 9; the log ends with event 1; nothing was written")
    let result = try ledger.run("undo", "x")
    #expect(result.code == 2)
  }
}

extension TestLedger {
  /// The event that logged the only entry of a metric.
  func seq(of metric: String) throws -> String {
    let index = try log().lines.firstIndex {
      $0.type == "progress.logged" && $0.data["metric"] == .string(metric)
    }
    return "\(try #require(index) + 1)"
  }
}
