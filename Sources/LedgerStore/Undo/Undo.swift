import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections

/// The event that undoes an edit; the log is never changed.
///
/// An edit that was never sent is cancelled by `edit.undone` and counts as never made. One that the
/// backend has, or may have, is compensated by an edit that restores the earlier values. That edit
/// names the event it undoes in the member `undoes`, which readers ignore.
package struct Undoing: Hashable, Sendable {
  package enum Way: Hashable, Sendable {
    /// It was never sent, and will not be.
    case cancelled
    /// The backend has it.
    case compensated
    /// It was sent, or may be in flight: it is treated as if the backend had it.
    case compensatedInDoubt
    /// An edit that was undone is made again.
    case redone
  }

  /// The event that is undone.
  package var target: Seq
  package var way: Way
  package var payload: Event.Payload
  /// What cannot be restored, and why: one sentence each, without a full stop.
  package var remarks: [String] = []

  static let member = "undoes"

  init(_ target: Seq, _ way: Way, _ payload: Event.Payload, remarks: [String] = []) {
    self.target = target
    self.way = way
    self.payload = way == .cancelled ? payload : payload.undoing(target)
    self.remarks = remarks
  }
}

extension Event.Payload {
  fileprivate func undoing(_ target: Seq) -> Event.Payload {
    let mark = JSONObject(members: [
      .init(name: Undoing.member, value: JSONValue(target.number))
    ])
    func marked<Data: EventData>(_ data: Data) -> Data {
      var data = data
      data.unknown = mark
      return data
    }
    return switch self {
    case .profileUpdated(let data): .profileUpdated(marked(data))
    case .physicalUpdated(let data): .physicalUpdated(marked(data))
    case .preferencesUpdated(let data): .preferencesUpdated(marked(data))
    case .progressLogged(let data): .progressLogged(marked(data))
    case .progressCorrected(let data): .progressCorrected(marked(data))
    case .progressDeleted(let data): .progressDeleted(marked(data))
    case .sleepLogged(let data): .sleepLogged(marked(data))
    case .sleepCorrected(let data): .sleepCorrected(marked(data))
    case .sleepDeleted(let data): .sleepDeleted(marked(data))
    default: self
    }
  }
}

/// Why an edit is not undone; nothing was written.
public enum UndoRefusal: LedgerError, Hashable, Sendable {
  /// There is no such event; with the last seq.
  case noSuchEvent(Seq, last: Int)
  /// The user has made no edit that could be undone.
  case nothingToUndo
  /// Of the selected edits none can be undone, or undoing them changes nothing; a sentence for each.
  case nothingSelected(why: [String])
  /// The user's newest edit is not an undoing.
  case nothingToRedo
  /// It was undone before, by this event.
  case isUndone(Seq, by: Seq)
  /// It was undone before, and this event made the edit again.
  case isRedone(Seq, as: Seq)
  /// Its content was erased.
  case isErased(Seq)
  /// Not an edit by the user.
  case notAnEdit(Seq, OtherEvent)
  /// The entry was deleted later, by this event.
  case entryIsDeleted(Seq, by: Seq?)
  /// The logging of its entry was undone.
  case entryIsUndone(Seq)
  /// It is in this open conflict, which the user decides.
  case isInConflict(Seq, conflict: Seq)
  /// No value can be restored; `why` lists the reasons by field.
  case nothingLeft(Seq, why: [String])

  /// An event that is not an edit by the user.
  public enum OtherEvent: Hashable, Sendable {
    /// A change at the backend, recorded by a sync.
    case backendChange
    /// A row of the backend.
    case pulledEntry
    /// The backend's profile.
    case pulledProfile
    /// The decision of this conflict; one over a field of the profile can be decided again.
    case conflictDecision(conflict: Seq)
    /// The decision about suspected duplicates.
    case duplicateDecision
    /// The last event of an import whose first one is `since`.
    case imported(since: Seq)
    /// A goal.
    case goal
    /// An erasure.
    case erasure
    /// An `edit.undone` that names another event than an edit.
    case undoingOfOther(Seq)
    /// An event of this type.
    case other(type: String)
  }

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .noSuchEvent: "unknown-event"
    case .nothingToUndo, .nothingSelected: "nothing-to-undo"
    case .nothingToRedo: "nothing-to-redo"
    case .isUndone, .isRedone: "already-undone"
    case .isErased: "already-erased"
    case .notAnEdit: "not-an-edit"
    case .entryIsDeleted: "entry-deleted"
    case .entryIsUndone: "entry-undone"
    case .isInConflict: "in-conflict"
    case .nothingLeft: "cannot-restore"
    }
  }

  public var description: String {
    switch self {
    case .noSuchEvent(let seq, let last):
      "there is no event \(seq); the log ends with event \(last)"
    case .nothingToUndo: "there is not an edit of yours that could be undone"
    case .nothingSelected(let why):
      "nothing changes: " + why.prefix(3).joined(separator: "; ")
        + (why.count > 3 ? "; and \(why.count - 3) more" : "")
    case .nothingToRedo: "nothing was undone since your last edit"
    case .isUndone(let seq, let later): "event \(seq) was undone already, by event \(later)"
    case .isRedone(let seq, let later):
      "event \(seq) was undone already, and event \(later) made the edit again"
    case .isErased(let seq): "event \(seq) was erased and cannot be undone"
    case .notAnEdit(let seq, let event): "event \(seq) is not undone: \(event.words)"
    case .entryIsDeleted(let seq, let deletion):
      "the entry of event \(seq) is deleted" + (deletion.map { ", by event \($0)" } ?? "")
    case .entryIsUndone(let seq):
      "the entry of event \(seq) counts as never made, since its logging was undone"
    case .isInConflict(let seq, let conflict):
      "event \(seq) is in the open conflict \(conflict), which is to be decided first"
    case .nothingLeft(let seq, let why):
      "nothing of event \(seq) can be put back: " + why.joined(separator: "; ")
    }
  }
}

extension UndoRefusal.OtherEvent {
  package var words: String {
    switch self {
    case .backendChange: "sync recorded it, because the backend had changed"
    case .pulledEntry: "the entry came from the backend"
    case .pulledProfile: "it is what the backend had; edit the fields instead"
    case .conflictDecision: "it decided a conflict"
    case .duplicateDecision: "it decided a suspected duplicate; log or delete an entry instead"
    case .imported(let first): "it was imported, with those since event \(first)"
    case .goal: "it set or removed a goal"
    case .erasure: "an erasure cannot be undone"
    case .undoingOfOther(let target): "it names event \(target), which is no edit"
    case .other(let type): "it is \(type)"
    }
  }
}

/// The result of undoing one edit.
package struct UndoOutcome: Sendable {
  package var undoing: Undoing
  package var appended: LedgerStore.Outcome
}

extension LedgerStore {
  /// Undoes an edit by a new event: cancels what was not sent, compensates what was.
  ///
  /// While a sync runs, an unsent edit may be in flight and counts as sent. No sync starts meanwhile.
  ///
  /// - Parameters:
  ///   - seq: the edit, or an `edit.undone` whose edit is to be made again; `nil` for the user's
  ///     newest edit that can be undone.
  ///   - passesImports: whether the newest edit is undone although an import is newer.
  ///   - today: the day in the ledger's zone.
  /// - Throws: ``UndoRefusal`` or `Refusal` with nothing written; `LogError`.
  package func undo(
    _ seq: Seq? = nil, passesImports: Bool = true, at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> UndoOutcome {
    let syncLock = try syncLockIfFree()
    defer { withExtendedLifetime(syncLock) {} }
    let entry = EntryID.make(at: now, using: &generator)
    // Before the lock is taken: of an old edit it reads most of the log.
    let undoers = try seq.map { seq throws(LogError) in try LoggedUndoers(in: view(), since: seq) }
    func planner(_ state: LedgerState, _ view: LogView) throws -> UndoPlanner {
      UndoPlanner(
        state: state, view: view, isSyncing: syncLock == nil, newEntry: entry,
        undoers: try undoers?.upToDate(in: view))
    }
    func plan(_ state: LedgerState, _ view: LogView) throws -> Undoing {
      let planner = try planner(state, view)
      return try seq.map { try planner.undo($0) }
        ?? planner.undoNewest(passesImports: passesImports)
    }
    return try transaction(
      since: { state in
        let view = try view()
        return try planner(state, view).firstLine(toUndo: seq ?? plan(state, view).target)
      },
      deciding: { state, view in try plan(state, view).checked(given: state, today: today) },
      { undoing, transaction in
        let event = Event(undoing.payload, by: .user, at: now, using: &generator)
        return UndoOutcome(
          undoing: undoing, appended: try transaction.append([event], using: &generator))
      })
  }

  /// Redoes what was undone last: an edit, or the several that one ``undo(_:at:today:using:)`` took
  /// back. Each repetition goes one undo further back, but not past the user's newest other edit. What an
  /// import has logged again meanwhile stays as it is.
  ///
  /// - Parameter today: the day in the ledger's zone.
  /// - Throws: ``UndoRefusal`` or `Refusal` with nothing written; `LogError`.
  package func redo(
    at now: Timestamp, today: CalendarDate, using generator: inout some RandomNumberGenerator
  ) throws -> UndoManyOutcome {
    let entry = EntryID.make(at: now, using: &generator)
    func planner(_ state: LedgerState) throws -> UndoPlanner {
      try UndoPlanner(state: state, view: view(), isSyncing: false, newEntry: entry)
    }
    func newest(_ state: LedgerState) throws -> [Seq] {
      var planner = try planner(state)
      let found = try planner.newestUndoings()
      if found.count > 1 { try state.requireAll() }
      return found
    }
    let undoings = try askLines(
      since: { state in
        try newest(state).first.flatMap { try planner(state).firstLine(toUndo: $0) }
      }, newest)
    guard undoings.count == 1 else {
      let selection = UndoSelection(ranges: undoings.map { $0...$0 })
      do {
        return try undo(selection, at: now, today: today, using: &generator)
      } catch let refusal as UndoRefusal where refusal.code == UndoRefusal.nothingToUndo.code {
        // Each was refused; the first says why.
        _ = try undo(undoings[0], at: now, today: today, using: &generator)
        throw UndoRefusal.nothingToRedo
      }
    }
    let outcome = try undo(undoings[0], at: now, today: today, using: &generator)
    return UndoManyOutcome(undoings: [outcome.undoing], appended: outcome.appended)
  }

  /// - Returns: `nil` while a sync runs.
  private func syncLockIfFree() throws(LogError) -> FileLock? {
    try directory.requireWritable()
    guard directory.holdsLedger else { throw .noLedger(path: directory.path) }
    do throws(LogError) {
      return try FileLock(directory.syncLock, .exclusive, waitSeconds: 0, on: directory.disk)
    } catch {
      guard case .locked = error else { throw error }
      return nil
    }
  }
}

extension Undoing {
  /// An edit that undoes another follows the same rules as any.
  fileprivate func checked(
    given state: LedgerState, today: CalendarDate
  ) throws(Refusal) -> Undoing {
    let change: Edit.Change
    switch payload {
    case .profileUpdated(let data): change = .updateProfile(data)
    case .physicalUpdated(let data): change = .updatePhysical(data)
    case .preferencesUpdated(let data): change = .updatePreferences(data)
    case .progressLogged(let data): change = .logProgress(data)
    case .progressCorrected(let data): change = .correctProgress(data)
    case .progressDeleted(let data): change = .deleteProgress(data)
    case .sleepLogged(let data): change = .logSleep(data)
    case .sleepCorrected(let data): change = .correctSleep(data)
    case .sleepDeleted(let data): change = .deleteSleep(data)
    default: return self
    }
    var checked = self
    checked.payload = try LedgerModel.decide(change, given: state, today: today)
    return checked
  }
}

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
      // A redo is an edit of its own.
      if let undone = try planner.undoneEdit(by: seq), selection.contains(undone) { continue }
      let subject = try Self.subject(of: recorded, state, view)
      switch recorded.event.payload {
      case .progressLogged, .sleepLogged: logged.insert(subject)
      default: break
      }
      queue.append(Item(seq: seq, subject: subject, isNamed: isNamed))
    }
    // What remains deleted by an event that is not selected is refused, and so reported.
    var unchanged: [String] = []
    queue.removeAll { item in
      guard logged.contains(item.subject) else { return false }
      let (logging, deletion): (Seq, Seq?)
      switch item.subject {
      case .row(let row):
        (logging, deletion) = (Seq(Int(state.rows[row].seq)), planner.deletion(ofRow: row))
      case .session(let index):
        (logging, deletion) = (state.session(at: index).seq, state.deletion(ofSession: index))
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
