import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync

/// A real ledger in a temporary folder, written by edits and by the answers that a test makes up.
final class LedgerFixture {
  static let now = Drive.now
  static let today = CalendarDate(year: 2026, month: 1, day: 1)!

  let ledger: LedgerStore
  private let folder: TemporaryFolder
  private var generator = SplitMix(1)

  init() throws {
    folder = try TemporaryFolder()
    let directory = LedgerDirectory(folder.path)
    _ = try EventLog.create(directory, device: "test", at: Self.now, using: &generator)
    ledger = LedgerStore(directory)
  }

  @discardableResult
  func edit(_ changes: Edit.Change...) throws -> [Seq] { try edit(changes) }

  @discardableResult
  func edit(_ changes: [Edit.Change]) throws -> [Seq] {
    let edits = changes.map { Edit(change: $0) }
    let outcome = try ledger.append(edits, at: Self.now, today: Self.today, using: &generator)
    return outcome.edits.map { edit in
      switch edit {
      case .appended(let event): event.seq
      case .known(let seq): seq
      }
    }
  }

  /// Records a sign-in, by which the ledger belongs to an account.
  func signIn(userID: String?) throws {
    let signedIn = AccountSignedIn(
      account: "a@example.org", origin: "http://127.0.0.1", userID: userID)
    try ledger.record([.accountSignedIn(signedIn)], at: Self.now, using: &generator)
  }

  func log(
    _ quantity: Double = 75, on date: CalendarDate = today, at moment: ZonedTime? = nil,
    notes: String? = nil
  ) throws -> EntryID {
    let entry = EntryID.make(at: Self.now, using: &generator)
    try edit(
      .logProgress(
        ProgressLogged(
          entry: entry, metric: .weight, quantity: quantity, date: date, moment: moment,
          notes: notes)))
    return entry
  }

  func plan(_ remote: ProfilePresence = .unknown, _ dialect: Dialect = .dateTime) throws -> Plan {
    try Planner.plan(
      ledger.state(), texts: LogView.open(ledger.directory), dialect: dialect, PlanRequest(remote))
  }

  /// Carries a plan out against a backend that accepts everything, and records what comes of it.
  func accept(_ remote: ProfilePresence = .unknown) throws {
    let plan = try plan(remote)
    var drive = Drive()
    let answers = plan.calls.enumerated().map { index, call -> WireAnswer in
      switch call.kind {
      case .logProgress, .logSleep: .answer(201, #"{"data":{"id":"row-\#(index)"}}"#)
      case .deleteProgress, .deleteSuperseded, .deleteDuplicate: .answer(204)
      case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences:
        .answer(200, String(decoding: call.request.body ?? [], as: UTF8.self))
      }
    }
    try drive.run(plan, answers)
    let events = drive.recorded.map { payload in
      Event(
        id: .make(at: Self.now, using: &generator), at: Self.now, by: .sync, payload: payload)
    }
    _ = try ledger.log.append(events, using: &generator)
  }
}

extension PlannedCall {
  /// Method and path, as a person would say them.
  var line: String { "\(request.method.rawValue) \(request.path)" }

  func body() throws -> JSONObject {
    let bytes = try #require(request.body)
    let value = try JSONValue(parsing: bytes)
    return try #require(value.object)
  }
}
