import Foundation
import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// `explain`: whole lives, told in full and in order.
@Suite struct ExplainCommandTests {
  let ledger: LookingLedger
  private let first = LookingLedger.entry(1)

  init() throws { ledger = try LookingLedger() }

  private func call(_ number: Int) -> CallID {
    CallID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 3 << 62))
  }

  @discardableResult
  private func attempt(_ number: Int, _ events: [Seq], attempt: Int = 1) throws -> Seq {
    try ledger.add(
      .syncAttempted(
        SyncAttempted(
          call: call(number), method: "POST", path: "/api/v1/progress", events: events,
          fingerprint: "00", attempt: attempt)), by: .sync)
  }

  @discardableResult
  private func acknowledge(
    _ number: Int, _ events: [Seq], id: String, via: AcknowledgementPath = .response
  ) throws -> Seq {
    try ledger.add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: call(number), events: events, status: via == .response ? 201 : nil, via: via,
          entry: first, backendID: BackendID(id))), by: .sync)
  }

  /// The seqs of the events that the answer holds.
  private func seqs(_ words: String...) throws -> [Int] {
    let events = try ledger.run(["explain"] + words + ["--json"]).member("events")
    return try #require(events as? [NSDictionary]).compactMap { $0["seq"] as? Int }
  }

  private func status(_ words: String...) throws -> String? {
    try ledger.run(["explain"] + words + ["--json"]).member("status") as? String
  }

  /// A weight that was put off, lost, found again and corrected, among events of others.
  private func eventfulEntry() throws {
    let logged = try ledger.log(1, on: "2025-01-30", notes: "\u{1B}[2J")
    let other = try ledger.log(2, .steps, 4200, on: "2025-01-30")
    try attempt(1, [logged])
    try ledger.add(
      .syncDeferred(
        SyncDeferred(
          call: call(1), events: [logged], reason: .rateLimited, status: 429,
          notBefore: Timestamp("2025-01-01T12:05:00.000Z"))), by: .sync)
    try attempt(2, [logged], attempt: 2)
    try attempt(3, [other])
    try acknowledge(2, [logged], id: "row-1", via: .reconciled)
    try ledger.add(
      .duplicateSuspected(
        DuplicateSuspected(entry: first, backendIDs: [BackendID("row-2")].compactMap(\.self))),
      by: .sync)
    let corrected = try ledger.add(
      .progressCorrected(ProgressCorrected(entry: first, quantity: 74)))
    try attempt(4, [corrected])
    try ledger.add(
      .syncRejected(
        SyncRejected(call: call(4), events: [corrected], status: 422, message: "too light")),
      by: .sync)
  }

  @Test("An entry is told from any of its edits and by its id, in full, and of others nothing")
  func entry() throws {
    try eventfulEntry()
    let life = [2, 4, 5, 6, 8, 9, 10, 11, 12]
    for word in ["2", "10", "\(first)", "00000000-0001", "9"] {
      #expect(try seqs(word) == life, "\(word)")
    }
    #expect(try seqs("3") == [3, 7])
    let answer = ledger.run("explain", "2", "--json")
    #expect(answer.code == .done && answer.error.isEmpty)
    let stored = try ledger.lines()
    let lines = life.map { stored[$0 - 1] }.joined(separator: ",")
    #expect(
      answer.output == #"{"entry":"\#(first)","backend_id":"row-1","status":"rejected","why":"#
        + #""the backend refused it (422), too light; correct it with 'ledger append correction 2"#
        + #" …', and sync again","events":[\#(lines)]}"# + "\n")
  }

  @Test("On a narrow terminal the text follows its time in lines of its own")
  func narrow() throws {
    try eventfulEntry()
    let output = ledger.run("explain", "2", columns: 40).output
    #expect(output.contains("  4  2025-01-01 12:00:03\n     POST /api/v1/progress for #2\n"))
  }

  @Test("On a terminal: dated, aligned, within its columns, escaped")
  func text() throws {
    try eventfulEntry()
    let output = ledger.run("explain", "2", columns: 80).output
    #expect(
      output == #"""
        weight 74 kg on 2025-01-30
        entry 00000000-0001-7000-8000-000000000000
          2  2025-01-01 12:00:01  logged weight 75.5 kg on 2025-01-30 “\u{1B}[2J”
          4  2025-01-01 12:00:03  POST /api/v1/progress for #2
          5  2025-01-01 12:00:04  the backend had too many calls (429) for #2, not
                                  before 2025-01-01 12:05:00
          6  2025-01-01 12:00:05  POST /api/v1/progress for #2, attempt 2; no answer
                                  came
          8  2025-01-01 12:00:07  found at the backend for #2 as row-1
          9  2025-01-01 12:00:08  more rows at the backend may be this entry: row-2;
                                  decide by 'ledger resolve 9 --take one', or both
         10  2025-01-01 12:00:09  corrected weight: 74 kg
         11  2025-01-01 12:00:10  POST /api/v1/progress for #10
         12  2025-01-01 12:00:11  rejected for #10 (422): too light
        rejected: the backend refused it (422), too light; correct it with 'ledger
        append correction 2 …', and sync again

        """#)
  }

  @Test("A call or an answer is told with its own edits, and with no other call")
  func call() throws {
    try eventfulEntry()
    #expect(try seqs("4") == [2, 4, 5] && seqs("5") == [2, 4, 5])
    #expect(try seqs("8") == [2, 6, 8])
    #expect(try seqs("12") == [10, 11, 12] && status("12") == "rejected")
    try attempt(9, [Seq(3), Seq(10), Seq(99)])
    let answer = ledger.run("explain", "13")
    #expect(answer.code == .done)
    #expect(answer.output.contains("in doubt: of the edits that it was about, 2 in doubt"))
  }

  @Test("explain names the status and the next step")
  func standings() throws {
    let logged = try ledger.log(1, on: "2025-01-30")
    #expect(ledger.run("explain", "2").output.hasSuffix("\npending: send it: ledger sync\n"))
    try attempt(1, [logged])
    #expect(try status("2") == "in_doubt")
    try ledger.add(
      .syncDeferred(SyncDeferred(call: call(1), events: [logged], reason: .offline)), by: .sync)
    #expect(ledger.run("explain", "2").output.contains("could not be reached; try again"))
    try attempt(2, [logged])
    try acknowledge(2, [logged], id: "row-1")
    #expect(ledger.run("explain", "2").output.hasSuffix("synced: the backend has it as row-1\n"))
    let deleted = try ledger.add(.progressDeleted(ProgressDeleted(entry: first)))
    #expect(try status("2") == "pending")
    try ledger.add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: call(3), events: [deleted], status: 204, via: .response, entry: first,
          backendID: BackendID("row-1"))), by: .sync)
    #expect(try status("2") == "deleted")
    #expect(ledger.run("explain", "2").output.contains("the backend deleted row-1"))
    let unsent = try ledger.log(2, on: "2025-01-30")
    let undone = try ledger.add(.editUndone(EditUndone(event: unsent)))
    #expect(try status("\(unsent)") == "undone" && status("\(undone)") == "undone")
    #expect(try seqs("\(undone)") == [unsent.number, undone.number])
  }

  @Test("A profile edit: holds with advice, conflicts with their decisions, what replaced it")
  func profileEdit() throws {
    let edit = try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada")))
    let held = try ledger.add(
      .syncHeld(SyncHeld(events: [edit], reason: "profile-needs-name")), by: .sync)
    #expect(try status("2") == "held" && seqs("\(held)") == [2, 3])
    #expect(ledger.run("explain", "2").output.contains("ledger append profile --name"))
    let conflict = try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", local: "Ada", remote: "theirs", decision: .open)),
      by: .sync)
    #expect(try status("2") == "conflict" && status("\(conflict)") == "conflict")
    #expect(ledger.run("explain", "2").output.contains("ledger resolve 4 --take local"))
    #expect(ledger.run("resolve", "4", "--take", "remote").code == .done)
    #expect(ledger.run("resolve", "4", "--take", "local").code == .done)
    let bio = try ledger.add(.profileUpdated(ProfileUpdated(bio: .set("runner"))))
    #expect(try seqs("2") == [2, 3, 4, 5, 6] && seqs("\(bio)") == [7])
    for word in ["4", "5", "6"] { #expect(try seqs(word) == [2, 4, 5, 6], "\(word)") }
    #expect(try status("4") == "decided" || status("4") == "pending")
    try ledger.acknowledge([edit, Seq(6), bio])
    #expect(try seqs("4") == [2, 4, 5, 6, 8] && status("4") == "decided")
    let output = ledger.run("explain", "2").output
    #expect(output.contains("synced: the backend took it; since replaced by #6"))
    #expect(try status("\(bio)") == "synced")
  }

  @Test("What is no edit says so")
  func others() throws {
    try ledger.add(
      .accountSignedIn(AccountSignedIn(account: "a@example.com", origin: "https://example.com")),
      by: .system)
    try ledger.add(.unknown(type: "mood.guessed", version: 3, data: ["event": 1]))
    try ledger.add(.profilePulled(ProfilePulled(fields: ["name": "theirs"])), by: .sync)
    for seq in 1...4 {
      #expect(try seqs("\(seq)") == [seq] && status("\(seq)") == "recorded")
    }
  }

  @Test("Unknown events and entries have exit code 4")
  func unknown() throws {
    let cases: [(String, ExitCode)] = [
      ("0", .notFound), ("2", .notFound), ("99999999999999999999", .notFound),
      ("019b6fbd", .notFound), ("", .notFound),
    ]
    for (word, code) in cases {
      let answer = ledger.run("explain", word)
      #expect(answer.code == code && answer.output.isEmpty, "\(word)")
      #expect(answer.error.hasPrefix("ledger: "), "\(word)")
    }
    #expect(ledger.run("explain").code == .usage)
    try ledger.log(1, on: "2025-01-30")
    try ledger.log(2, on: "2025-01-30")
    #expect(ledger.run("explain", "00000000-000").code == .usage)
  }
}
