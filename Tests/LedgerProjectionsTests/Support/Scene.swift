import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// A short log told by a test, event by event, and what it comes to.
struct Scene {
  private var log = HandWrittenLog()
  private var random = SplitMix(7)

  init() {
    log.appendCreation()
  }

  /// What the next event will be called.
  var next: Seq { Seq(log.seq + 1) }

  @discardableResult
  mutating func add(_ payload: Event.Payload, by: Event.Actor = .user) -> Seq {
    log.append(payload, by: by)
    return Seq(log.seq)
  }

  func view(in folder: TemporaryFolder) throws -> LogView { try log.view(in: folder) }

  func state() throws -> LedgerState {
    let folder = try TemporaryFolder()
    let outcome = try Replay.run(view(in: folder))
    #expect(outcome.damage == nil)
    return outcome.state
  }

  // MARK: Events in short

  static let day = CalendarDate(year: 2025, month: 1, day: 31)!

  func entryID(_ number: Int) -> EntryID {
    EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
  }

  @discardableResult
  mutating func log(_ entry: Int, _ quantity: Double = 75, metric: Metric = .weight) -> Seq {
    add(
      .progressLogged(
        ProgressLogged(
          entry: entryID(entry), metric: metric, quantity: quantity, date: Self.day)))
  }

  @discardableResult
  mutating func correct(_ entry: Int, to quantity: Double) -> Seq {
    add(.progressCorrected(ProgressCorrected(entry: entryID(entry), quantity: quantity)))
  }

  @discardableResult
  mutating func delete(_ entry: Int, by: Event.Actor = .user) -> Seq {
    add(.progressDeleted(ProgressDeleted(entry: entryID(entry))), by: by)
  }

  @discardableResult
  mutating func undo(_ event: Seq) -> Seq { add(.editUndone(EditUndone(event: event))) }

  @discardableResult
  mutating func attempt(_ events: Seq...) -> Seq {
    add(
      .syncAttempted(
        SyncAttempted(
          call: call(), method: "POST", path: "/api/v1/progress", events: events,
          fingerprint: "00", attempt: 1)), by: .sync)
  }

  @discardableResult
  mutating func acknowledge(
    _ events: Seq..., id: String? = nil, status: Int? = 201, remote: JSONObject? = nil
  ) -> Seq {
    add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: call(), events: events, status: status, via: .response,
          entry: id == nil ? nil : entryID(1), backendID: id.flatMap { BackendID($0) },
          remote: remote)), by: .sync)
  }

  @discardableResult
  mutating func put(off events: Seq...) -> Seq {
    add(
      .syncDeferred(SyncDeferred(call: call(), events: events, reason: .serverError)), by: .sync)
  }

  @discardableResult
  mutating func reject(_ events: Seq...) -> Seq {
    add(
      .syncRejected(SyncRejected(call: call(), events: events, status: 422, message: "no")),
      by: .sync)
  }

  @discardableResult
  mutating func hold(_ events: Seq...) -> Seq {
    add(.syncHeld(SyncHeld(events: events, reason: "cannot-clear")), by: .sync)
  }

  @discardableResult
  mutating func name(_ name: String) -> Seq { add(.profileUpdated(ProfileUpdated(name: name))) }

  @discardableResult
  mutating func pull(_ fields: JSONObject) -> Seq {
    add(.profilePulled(ProfilePulled(fields: fields)), by: .sync)
  }

  private mutating func call() -> CallID { .make(at: HandWrittenLog.at(log.seq), using: &random) }
}

extension LedgerState {
  /// The entry of a scene's number.
  func entry(_ number: Int) throws -> EntryView {
    let id = Scene().entryID(number)
    return entry(at: try #require(row(of: id)))
  }
}
