import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// What a row in an answer or a listing must have in common with what was sent (docs/sync.md, Checked
/// answers).
@Suite struct CheckedAnswerTests {
  private static let sent = RowKey(
    metric: .weight, moment: Timestamp(rfc3339: "2026-01-01T08:00:00Z")!, quantity: 74.84274105,
    notes: "late")

  private static func answer(_ changes: JSONObject) -> JSONObject {
    var row: JSONObject = [
      "id": "r1", "type": "weight", "quantity": 74.84274105, "date": "2026-01-01T08:00:00Z",
      "notes": "late",
    ]
    for member in changes.members {
      if member.value == "absent" {
        row.members.removeAll { $0.name == member.name }
      } else {
        row[member.name] = member.value
      }
    }
    return row
  }

  static let equal: [JSONObject] = [
    [:], ["quantity": 74.84], ["quantity": 74.843], ["quantity": 74.842741050001],
    ["date": "2026-01-01T08:00:00.250Z"], ["date": "2026-01-01T10:00:00+02:00"],
    ["notes": " late "], ["quantity": "absent"], ["type": "absent"], ["notes": "absent"],
    ["date": "absent"], ["date": "2026-01-01", "time": "08:00:00"], ["date": "2026-01-01"],
    ["quantity": "74.84274105"],
  ]

  @Test("What the contract counts as equal is equal", arguments: equal)
  func equalAnswers(_ changes: JSONObject) {
    #expect(Self.sent.compare(withAnswer: Self.answer(changes)).differences.isEmpty)
  }

  static let different: [(JSONObject, String)] = [
    (["quantity": 74.8], "quantity"), (["quantity": 75], "quantity"),
    (["quantity": 74.85], "quantity"), (["type": "height"], "type"), (["notes": "early"], "notes"),
    (["notes": .null], "notes"), (["date": "2026-01-01T08:00:01Z"], "moment"),
    (["date": "2026-01-02"], "moment"), (["date": "today"], "moment"),
  ]

  @Test("Any other value is a difference, by field", arguments: different)
  func differentAnswers(_ changes: JSONObject, _ field: String) {
    let found = Self.sent.compare(withAnswer: Self.answer(changes)).differences
    #expect(found.map(\.field) == [field])
  }

  @Test("Midnight in UTC and the second after it are one moment")
  func midnight() {
    let day = RowKey(
      metric: .weight, moment: Timestamp(rfc3339: "2026-01-01T00:00:00Z")!, quantity: 75, notes: "")
    let row: JSONObject = ["quantity": 75, "date": "2026-01-01T00:00:01Z"]
    #expect(day.compare(withAnswer: row).differences.isEmpty)
  }

  @Test("A rounded quantity is acknowledged with the backend's value, reported once")
  func rounded() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(74.84274105)
    try journey.backend.scriptFaults("POST /api/v1/progress:round")
    let report = try journey.sync()
    #expect(report.acknowledged == 1 && report.differing == 0)
    #expect(try journey.entry(entry).status == .synced)
    #expect(try journey.acknowledgements().first?.remote == ["quantity": 74.84])
    let second = try journey.sync()
    #expect(second.remarks.isEmpty && second.sent == 0 && second.differing == 0)
  }

  @Test("An answer with the row of another entry acknowledges nothing")
  func rowOfAnotherEntry() throws {
    let journey = try Journey(seed: 1)
    let first = try journey.fixture.log(75)
    #expect(try journey.sync().acknowledged == 1)
    let row = try #require(try journey.backendID(first))
    let others = try [76, 77].map { try journey.fixture.log($0) }
    var ids = [row, "r2"]
    journey.backend.instead = { request in
      request.method == .post ? .answer(201, #"{"id":"\#(ids.removeFirst())"}"#) : nil
    }
    let report = try journey.sync()
    #expect(report.rejected == 1 && report.acknowledged == 1)
    #expect(try journey.entry(first).status == .synced)
    #expect(Set(try others.map { try journey.entry($0).status }) == [.failed, .synced])
    // Both of a run, too.
    let more = try [78, 79].map { try journey.fixture.log($0) }
    ids = ["r3", "r3"]
    #expect(try journey.sync().rejected == 1)
    #expect(Set(try more.map { try journey.entry($0).status }) == [.failed, .synced])
  }

  @Test("A backend that forgot everything may give ids again")
  func reusedIDs() throws {
    let journey = try Journey(seed: 1)
    let first = try journey.fixture.log(75)
    _ = try journey.sync()
    let row = try #require(try journey.backendID(first))
    for other in journey.backend.rows { journey.backend.world.progress.remove(other.id) }
    journey.configuration.onReplacedAccount = .acceptDeletions
    var report = try journey.sync()
    journey.configuration.onReplacedAccount = nil
    #expect(report.deleted == 1)
    let second = try journey.fixture.log(76)
    journey.backend.instead = { request in
      request.method == .post ? .answer(201, #"{"id":"\#(row)"}"#) : nil
    }
    report = try journey.sync()
    #expect(report.rejected == 0)
    #expect(try journey.entry(second).status == .synced)
  }

  @Test("A lost answer of a server that rounds makes no second row")
  func roundedAndLost() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(74.84274105)
    try journey.backend.scriptFaults("POST /api/v1/progress:round")
    try journey.loseFirstPost(.lostAfter)
    journey.pass(seconds: 60)
    #expect(try journey.sync().reconciled == 1)
    #expect(journey.backend.rows.count == 1)
    #expect(try journey.entry(entry).status == .synced)
    #expect(try journey.sync().sent == 0)
  }

  @Test(
    "A row with another value than was sent is never acknowledged",
    arguments: ["quantity", "type", "notes", "moment"])
  func lie(_ member: String) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70, notes: "late")
    try journey.backend.scriptFaults("POST /api/v1/progress:lie=\(member)")
    let report = try journey.sync()
    #expect(report.acknowledged == 0 && report.differing == 1 && report.needsUser)
    let view = try journey.entry(entry)
    #expect(view.status == .failed && view.failure == .conflict && view.boundBy != nil)
    #expect(try journey.conflicts().map(\.field) == [member])
    #expect(try journey.conflicts().allSatisfy { $0.decision == .open })
    // It stays so, and nothing is sent again by itself.
    #expect(try journey.sync().sent == 0)
  }

  @Test("While a difference is open a run sends one progress POST, as a probe")
  func probe() throws {
    let journey = try Journey(seed: 1)
    journey.configuration.concurrency = 1
    for index in 0..<6 { _ = try journey.fixture.log(70 + Double(index)) }
    try journey.backend.scriptFaults("POST /api/v1/progress:lie")
    for run in 1...3 {
      try journey.sync()
      #expect(journey.count(Journey.post) == run)
    }
  }

  @Test("If the probe's answer is right, the others follow in the same run")
  func probeIsRight() throws {
    let journey = try Journey(seed: 1)
    journey.configuration.concurrency = 1
    for index in 0..<6 { _ = try journey.fixture.log(70 + Double(index)) }
    try journey.backend.scriptFaults("POST /api/v1/progress:lie:1")
    try journey.sync()
    #expect(journey.count(Journey.post) == 1)
    let report = try journey.sync()
    #expect(report.acknowledged == 5 && journey.count(Journey.post) == 6)
  }

  @Test("A bound row that a listing shows with another value is a conflict, once on record")
  func listedDifference() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(75.5)
    try journey.sync()
    journey.backend.changeRows { $0.quantity = 76 }
    let report = try journey.sync()
    #expect(report.differing == 1 && report.needsUser)
    #expect(try journey.entry(entry).failure == .conflict)
    try journey.sync()
    #expect(try journey.conflicts().count == 1)
    #expect(journey.backend.rows.count == 1)
  }

  @Test(
    "A value that a row got at the backend is on record, once, before an edit replaces or deletes it",
    arguments: [false, true])
  func overwritten(isDeleted: Bool) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(75.5)
    try journey.sync()
    journey.backend.changeRows { $0.quantity = 99 }
    try journey.fixture.edit(
      isDeleted
        ? .deleteProgress(ProgressDeleted(entry: entry))
        : .correctProgress(ProgressCorrected(entry: entry, quantity: 76)))
    journey.configuration.pushes = false
    #expect(try journey.sync().conflicts == 1)
    #expect(try journey.sync().conflicts == 0)
    let conflict = try #require(journey.conflicts().first)
    #expect(conflict.field == "quantity" && conflict.base == 75.5 && conflict.remote == 99)
    #expect(conflict.local == (isDeleted ? 75.5 : 76) && conflict.decision == .local)
    journey.configuration.pushes = true
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == (isDeleted ? [] : [76]))
    try journey.expectAtRest("overwritten")
  }

  @Test(
    "An answer 200 that says in its body that the call failed is no acknowledgement",
    arguments: [
      #"{"success":false,"error":{"message":"the database is down"}}"#, #"{"success":0}"#,
      #"{"error":{"message":"the database is down"}}"#, #"{"error":"down","data":{"id":"p1"}}"#,
    ])
  func failureInBody(_ body: String) throws {
    let journey = try Journey.settledPerson()
    let edits = try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 171)))
    journey.backend.instead = { request in
      request.method.mutates ? .answer(200, body) : nil
    }
    #expect(try journey.sync().acknowledged == 0)
    #expect(try journey.state(of: edits[0]) == .pending)
    journey.backend.instead = nil
    #expect(try journey.sync().acknowledged == 1)
  }

  @Test(
    "A success with an empty error beside it is one", arguments: ["null", "\"\"", "{}", "false"])
  func emptyError(_ error: String) {
    let body = #"{"data":{"id":"p1"},"error":\#(error)}"#
    #expect(!WireAnswer.Response(status: 200, body: Array(body.utf8)).reportsFailure)
  }

  @Test("Two entries to which a backend gave one row are a difference")
  func oneRowForTwo() throws {
    let journey = try Journey(seed: 1)
    for _ in 1...2 {
      let entry = try journey.fixture.log(70)
      let seq = try journey.view().state.position.seq
      let answer = SyncAcknowledged(
        events: [Seq(seq)], via: .response, entry: entry, backendID: BackendID("one"))
      try journey.fixture.ledger.record(
        [.syncAcknowledged(answer)], at: journey.now, using: &journey.generator)
    }
    var reading = BackendReading()
    reading.listing.rows = [
      ListedRow(
        id: BackendID("one")!, metric: .weight,
        moment: Timestamp(rfc3339: "\(LedgerFixture.today)T00:00:00Z")!, quantity: 70)
    ]
    reading.listing.hashes = [RowIndex.hash(BackendID("one")!)]
    let audit = try journey.view().audit(reading)
    #expect(audit.differences.map(\.kind) == [.missingRow] && audit.checked == 2)
  }

  @Test("An open conflict is a difference, also over a field that cannot be read back")
  func openConflict() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 171)))
    journey.backend.instead = { request in
      request.method == .patch ? .answer(200, #"{"height_cm":165}"#) : nil
    }
    #expect(try journey.sync().differing == 1)
    var reading = BackendReading()
    let account = try #require(journey.backend.account)
    reading.person.profile = account.profileJSON?.object
    let audit = try journey.view().audit(reading)
    let conflict = try #require(audit.differences.first { $0.kind == .value("height_cm") })
    #expect(conflict.here == 171 && conflict.there == 165 && !audit.isOK)
  }

  @Test("Ids that are whole numbers, and lists that are null, are read", arguments: [0, 1])
  func numericIDs(count: Int) throws {
    let journey = try Journey(seed: 1)
    for index in 0..<count { _ = try journey.fixture.log(70 + Double(index)) }
    let row =
      #"{"id":17,"type":"weight","quantity":"70","date":"\#(LedgerFixture.today)T00:00:00Z"}"#
    var isStored = false
    journey.backend.instead = { request in
      switch (request.method, request.path) {
      case (.post, "/api/v1/progress"):
        isStored = true
        return .answer(201, row)
      case (.get, "/api/v1/progress"):
        return .answer(
          200, isStored ? "{\"entries\":[\(row)],\"total\":1}" : #"{"entries":null,"total":0}"#)
      default: return nil
      }
    }
    for _ in 1...3 { try journey.sync() }
    #expect(try journey.sync().pull == .full)
    #expect(journey.sent == count)
    let ids = try journey.acknowledgements().compactMap { $0.backendID?.text }
    #expect(Set(ids) == (count == 0 ? [] : ["17"]))
  }

  @Test("Ids above 2^53, of which two read alike, are named as unreadable")
  func hugeNumericIDs() throws {
    let journey = try Journey(seed: 1)
    let rows = ["9007199254740992", "9007199254740993"].map { id in
      #"{"id":\#(id),"type":"weight","quantity":70,"date":"\#(LedgerFixture.today)T00:00:00Z"}"#
    }
    journey.backend.instead = { request in
      request.method == .get && request.path == "/api/v1/progress"
        ? .answer(200, "{\"entries\":[\(rows.joined(separator: ","))],\"total\":2}") : nil
    }
    let report = try journey.sync()
    #expect(report.pulled == 0)
    #expect(report.unreadable.count == 2 && report.needsUser)
  }

  @Test("A profile without the member 'name' has no other name")
  func noName() throws {
    let journey = try Journey.settledPerson()
    var reading = BackendReading()
    reading.person.profile = ["user_id": "u"]
    let audit = try journey.view().audit(reading)
    #expect(audit.unreadable.contains(.name))
    #expect(!audit.differences.contains { $0.kind == .value("name") })
  }

  @Test("A profile that is answered with another value is in conflict")
  func profileDifference() throws {
    let journey = try Journey(seed: 1)
    try journey.backend.scriptFaults("POST /api/v1/users/me:lie=name")
    let seqs = try journey.fixture.edit(.updateProfile(Journey.me))
    #expect(try journey.sync().differing == 1)
    #expect(try journey.state(of: seqs[0]) == .differed)
    let view = try journey.fixture.ledger.state().profileView()
    #expect(view.status(of: .name) == .conflict)
  }
}
