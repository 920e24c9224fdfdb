import LedgerLog
public import LedgerModel
import LedgerProjections

/// The edits to undo.
public struct UndoSelection: Hashable, Sendable {
  /// Named edits; if one of them cannot be undone, none is.
  public var seqs: Set<Seq>
  /// In a range, every edit that can be undone is.
  public var ranges: [ClosedRange<Seq>]

  /// The edits with these numbers, and those in these ranges.
  public init(seqs: Set<Seq> = [], ranges: [ClosedRange<Seq>] = []) {
    (self.seqs, self.ranges) = (seqs, ranges)
  }

  fileprivate func contains(_ seq: Seq) -> Bool {
    seqs.contains(seq) || ranges.contains { $0.contains(seq) }
  }
}

/// The result of undoing several edits.
package struct UndoManyOutcome: Sendable {
  /// In the order of the appended events.
  package var undoings: [Undoing] = []
  /// Why edits in a range were not undone: a sentence each.
  package var skipped: [String] = []
  package var appended = LedgerStore.Outcome()
}

extension LedgerStore {
  /// Undoes several edits in one durable write, newest first, as if none had been made. Of an entry
  /// that one of them logged, only the logging is undone; an edit that another of them had undone
  /// stays undone.
  ///
  /// - Parameter today: the day in the ledger's zone.
  /// - Throws: ``UndoRefusal`` or `Refusal` with nothing written; `LogError`.
  package func undo(
    _ selection: UndoSelection, at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> UndoManyOutcome {
    let syncLock = try syncLockIfFree()
    defer { withExtendedLifetime(syncLock) {} }
    return try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
      var plan = try UndoPlan(selection, state, view, isSyncing: syncLock == nil)
      try plan.run(at: now, today: today, using: &generator)
      var outcome = plan.outcome
      guard !outcome.undoings.isEmpty else {
        throw outcome.skipped.isEmpty
          ? UndoRefusal.nothingToUndo : .nothingSelected(why: outcome.skipped)
      }
      outcome.appended = try transaction.append(plan.events, using: &generator)
      return outcome
    }
  }
}

/// Plans undoing several edits: those of one subject one by one, each on top of the previous ones.
private struct UndoPlan {
  /// Edits of different subjects are undone independently.
  private enum Subject: Hashable {
    case row(Int)
    case session(Int)
    case group(ProfileSubject)
    case alone(Seq)
  }

  private struct Item {
    var seq: Seq
    var subject: Subject
    var isNamed: Bool
  }

  private var planner: UndoPlanner
  /// Newest first.
  private var queue: [Item] = []
  /// What edits of this plan log again.
  private var loggedAgain: Set<SourceLoggings.Key> = []
  private(set) var outcome = UndoManyOutcome()
  private(set) var events: [Event] = []

  init(
    _ selection: UndoSelection, _ state: LedgerState, _ view: LogView, isSyncing: Bool
  ) throws {
    planner = UndoPlanner(state: state, view: view, isSyncing: isSyncing)
    let last = Seq(state.position.seq)
    for seq in selection.seqs.union(selection.ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    where seq > last {
      throw UndoRefusal.noSuchEvent(seq, last: last.number)
    }
    let ranged = selection.ranges.flatMap { $0.lowerBound.number...$0.upperBound.number }
    let numbers = Set(ranged).union(selection.seqs.map(\.number)).sorted(by: >)
    if let lowest = numbers.last { try planner.indexUndoers(since: Seq(lowest)) }
    var logged: Set<Subject> = []
    for number in numbers {
      let seq = Seq(number)
      let recorded = try view.line(seq).event()
      let isNamed = selection.seqs.contains(seq)
      guard isNamed || Self.isEdit(recorded) else { continue }
      let subject = try Self.subject(of: recorded, state, view)
      var isLogging = false
      switch recorded.event.payload {
      case .progressLogged, .sleepLogged: isLogging = true
      default: break
      }
      // A redo is an edit of its own.
      if let undone = try planner.undoneEdit(by: seq), selection.contains(undone) {
        // What was logged again goes with the entry's first logging.
        if isLogging, let first = state.logging(ofEdit: undone.number), selection.contains(first) {
          logged.insert(subject)
        }
        continue
      }
      if isLogging { logged.insert(subject) }
      queue.append(Item(seq: seq, subject: subject, isNamed: isNamed))
    }
    // What remains deleted by an event that is not selected is refused, and so reported.
    var unchanged: [String] = []
    try queue.removeAll { item in
      guard logged.contains(item.subject) else { return false }
      let (logging, deletion): (Seq, Seq?)
      switch item.subject {
      case .row(let row):
        let now = try planner.rowLoggedAgain(row)
        (logging, deletion) = (Seq(Int(state.rows[row].seq)), planner.deletion(ofRow: now))
      case .session(let index):
        let now = try planner.sessionLoggedAgain(index)
        (logging, deletion) = (state.session(at: index).seq, state.deletion(ofSession: now))
      case .group, .alone: return false
      }
      guard logging == item.seq else { return true }
      guard let deletion, selection.contains(deletion) else { return false }
      unchanged.append(
        "event \(deletion) deleted what event \(logging) logged, so it stays deleted without both")
      return true
    }
    outcome.skipped = unchanged
  }

  private static func isEdit(_ recorded: RecordedEvent) -> Bool {
    switch recorded.event.payload {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged, .editUndone,
      .sleepLogged:
      true
    case .sleepDeleted: true
    case .progressCorrected, .sleepCorrected: recorded.event.by != .sync
    case .progressDeleted(let data):
      // Sync deleted it because its row belongs to another entry: logging it again duplicates that.
      recorded.event.by != .sync || !DeletionReason.saysRowBelongsToAnother(data.reason)
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
      let number = recorded.seq.number
      return state.edits.row(number).map { .row($0) }
        ?? state.session(ofEdit: number).map { .session($0) } ?? .alone(recorded.seq)
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
        planner.newEntry = .make(at: now, using: &generator)
        guard let undoing = try undoing(item, today) else { continue }
        outcome.undoings.append(undoing)
        let event = Event(undoing.payload, by: .user, at: now, using: &generator)
        let seq = Seq(planner.state.nextSeq.number + round.count)
        round.append(RecordedEvent(seq: seq, event: event, hash: ""))
      }
      events += round.map(\.event)
      queue = rest
      if !rest.isEmpty { planner.assume(round) }
    }
  }

  /// - Returns: `nil` for an edit of a range that cannot be undone.
  private mutating func undoing(_ item: Item, _ today: CalendarDate) throws -> Undoing? {
    do {
      let undoing = try planner.undo(item.seq).checked(given: planner.state, today: today)
      if let name = SourceLoggings.Key(undoing.payload), !name.id.isEmpty,
        !loggedAgain.insert(name).inserted
      {
        throw UndoRefusal.nothingLeft(item.seq, why: ["another of these edits logs it again"])
      }
      return undoing
    } catch let refusal as UndoRefusal where !item.isNamed {
      outcome.skipped.append(refusal.description)
    } catch let refusal as Refusal where !item.isNamed {
      outcome.skipped.append("event \(item.seq) cannot be undone: \(refusal)")
    }
    return nil
  }
}
