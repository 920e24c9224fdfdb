import LedgerLog
public import LedgerModel
import LedgerProjections

/// Which edits to undo.
public struct UndoSelection: Hashable, Sendable {
  /// Edits that were named; if one of them cannot be undone, none is.
  public var seqs: Set<Seq>
  /// Of a range every edit that can be undone is.
  public var ranges: [ClosedRange<Seq>]

  public init(seqs: Set<Seq> = [], ranges: [ClosedRange<Seq>] = []) {
    (self.seqs, self.ranges) = (seqs, ranges)
  }

  func contains(_ seq: Seq) -> Bool {
    seqs.contains(seq) || ranges.contains { $0.contains(seq) }
  }
}

/// What undoing several edits has come to.
public struct UndoManyOutcome: Sendable {
  /// In the order of the events that were appended.
  public var undoings: [Undoing] = []
  /// Why edits in a range stay as they are: a sentence each.
  public var skipped: [String] = []
  public var appended = LedgerStore.Outcome()
}

extension LedgerStore {
  /// Takes several edits back, in one durable write, the newest first: afterwards things are as if
  /// none had been made. Of an entry that was logged by one of them, only the logging is undone; an
  /// edit that was undone by another one of them stays undone.
  ///
  /// - Parameter today: the day in the ledger's zone.
  /// - Throws: ``UndoRefusal`` or `Refusal` with nothing written; `LogError`.
  public func undo(
    _ selection: UndoSelection, at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> UndoManyOutcome {
    let quiet = try syncLockIfFree()
    defer { withExtendedLifetime(quiet) {} }
    _ = try state()
    return try log.withSession { session in
      let view = try session.view()
      let state = try catchUp(to: view)
      var plan = try UndoPlan(selection, state, view, isSyncing: quiet == nil)
      try plan.run(at: now, today: today, using: &generator)
      guard !plan.outcome.undoings.isEmpty else { throw UndoRefusal.nothingToUndo }
      let appended = try session.append(plan.events, using: &generator)
      var outcome = plan.outcome
      outcome.appended = Outcome(
        edits: appended.events.map { .appended($0) }, lines: appended.lines,
        repairs: session.repairs)
      return outcome
    }
  }
}

/// Plans what undoing several edits comes to: edits of the same subject one after the other, each
/// given the ones before.
private struct UndoPlan {
  /// What an edit is about: undoing edits of different subjects is independent.
  private enum Subject: Hashable {
    case row(Int)
    case group(ProfileSubject)
    case alone(Seq)
  }

  private struct Item {
    var seq: Seq
    var subject: Subject
    var isNamed: Bool
  }

  private var desk: UndoPlanner
  /// The newest first.
  private var queue: [Item] = []
  private(set) var outcome = UndoManyOutcome()
  private(set) var events: [Event] = []

  init(
    _ selection: UndoSelection, _ state: LedgerState, _ view: LogView, isSyncing: Bool
  ) throws {
    desk = UndoPlanner(state: state, view: view, isSyncing: isSyncing)
    let last = Seq(state.position.seq)
    for seq in selection.seqs.union(selection.ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    where seq > last {
      throw UndoRefusal.noSuchEvent(seq, last: last.number)
    }
    let ranged = selection.ranges.flatMap { $0.lowerBound.number...$0.upperBound.number }
    let numbers = Set(ranged).union(selection.seqs.map(\.number)).sorted(by: >)
    if let lowest = numbers.last { try desk.learnUndoers(since: Seq(lowest)) }
    var logged: Set<Int> = []
    for number in numbers {
      let seq = Seq(number)
      let recorded = try view.line(seq).event()
      let isNamed = selection.seqs.contains(seq)
      guard isNamed || Self.isEdit(recorded) else { continue }
      if let undone = recorded.event.payload.undone, selection.contains(undone) { continue }
      let subject = try Self.subject(of: recorded, state, view)
      if case .progressLogged = recorded.event.payload, let row = state.edits.row(number) {
        logged.insert(row)
      }
      queue.append(Item(seq: seq, subject: subject, isNamed: isNamed))
    }
    queue.removeAll { item in
      guard case .row(let row) = item.subject, logged.contains(row) else { return false }
      return Int(state.rows[row].seq) != item.seq.number || state.entry(at: row).isDeleted
    }
  }

  private static func isEdit(_ recorded: RecordedEvent) -> Bool {
    switch recorded.event.payload {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged, .editUndone:
      true
    case .progressCorrected: recorded.event.by != .sync
    case .progressDeleted(let data):
      // A row that turned out to be another entry's is no loss: logging it again would double it.
      recorded.event.by != .sync || data.reason?.hasPrefix("its row belongs to ") != true
    default: false
    }
  }

  private static func subject(
    of recorded: RecordedEvent, _ state: LedgerState, _ view: LogView
  ) throws(LogError) -> Subject {
    switch recorded.event.payload {
    case .profileUpdated: return .group(.profile)
    case .physicalUpdated: return .group(.physical)
    case .preferencesUpdated: return .group(.preferences)
    case .editUndone(let data) where data.event < recorded.seq:
      return try subject(of: view.line(data.event).event(), state, view)
    default:
      return state.edits.row(recorded.seq.number).map { .row($0) } ?? .alone(recorded.seq)
    }
  }

  mutating func run(
    at now: Timestamp, today: CalendarDate, using generator: inout some RandomNumberGenerator
  ) throws {
    while !queue.isEmpty {
      var seen: Set<Subject> = []
      var round: [RecordedEvent] = []
      var rest: [Item] = []
      for item in queue {
        guard seen.insert(item.subject).inserted else {
          rest.append(item)
          continue
        }
        desk.newEntry = .make(at: now, using: &generator)
        guard let undoing = try undoing(item, today) else { continue }
        outcome.undoings.append(undoing)
        let event = Event(
          id: .make(at: now, using: &generator), at: now, by: .user, payload: undoing.payload)
        let seq = Seq(desk.state.nextSeq.number + round.count)
        round.append(RecordedEvent(seq: seq, event: event, hash: ""))
      }
      events += round.map(\.event)
      queue = rest
      if !rest.isEmpty { desk.foresee(round) }
    }
  }

  /// - Returns: `nil` for an edit of a range that cannot be undone.
  private mutating func undoing(_ item: Item, _ today: CalendarDate) throws -> Undoing? {
    do {
      var undoing = try desk.undo(item.seq)
      undoing.payload = try LedgerStore.checked(
        undoing.payload, given: desk.state, today: today)
      return undoing
    } catch let refusal as UndoRefusal where !item.isNamed {
      outcome.skipped.append(refusal.description)
    } catch let refusal as Refusal where !item.isNamed {
      outcome.skipped.append("event \(item.seq) cannot be undone: \(refusal)")
    }
    return nil
  }
}
