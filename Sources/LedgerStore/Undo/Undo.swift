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

  package static let member = "undoes"

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
  /// The user's newest step is this goal, decision or erasure, which a redo does not pass over.
  case isSinceUndo(Seq)
  /// This event took back an undoing that was not the user's newest change, so that it is not clear what to
  /// redo.
  case undoIsUndone(by: Seq)
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
  /// Another device has corrected the deleted entry, and the correction is this event's entry.
  case isCorrectedElsewhere(Seq, kept: Seq)
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

  /// Whether the edit is not undone because of a conflict, so that no earlier one is undone instead.
  var isOfConflict: Bool {
    switch self {
    case .isInConflict, .isCorrectedElsewhere: true
    default: false
    }
  }

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .noSuchEvent: "unknown-event"
    case .nothingToUndo, .nothingSelected: "nothing-to-undo"
    case .nothingToRedo, .isSinceUndo, .undoIsUndone: "nothing-to-redo"
    case .isUndone, .isRedone: "already-undone"
    case .isErased: "already-erased"
    case .notAnEdit: "not-an-edit"
    case .entryIsDeleted: "entry-deleted"
    case .entryIsUndone: "entry-undone"
    case .isInConflict: "in-conflict"
    case .isCorrectedElsewhere: "corrected-elsewhere"
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
    case .isSinceUndo(let seq):
      "nothing was undone since event \(seq), your newest goal, decision or erasure"
    case .undoIsUndone(let seq):
      "event \(seq) took back an undo that was not your newest change, so it is not clear what to "
        + "redo"
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
    case .isCorrectedElsewhere(let seq, let kept):
      "event \(seq) deleted an entry that another device has corrected: it is here as that of event "
        + "\(kept), and both would count"
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
  /// back. Each repetition goes one undo further back, but not past the user's newest other edit, goal,
  /// decision or erasure. What an import has logged again meanwhile stays as it is. An `undo` that can
  /// change nothing any more is skipped, which the outcome says.
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
    func newest(_ state: LedgerState) throws -> (seqs: [Seq], skipped: UndoRefusal?) {
      var planner = try planner(state)
      let found = try planner.newestUndoings()
      if found.seqs.count > 1 { try state.requireAll() }
      return found
    }
    let (undoings, skipped) = try askLines(
      since: { state in
        try newest(state).seqs.first.flatMap { try planner(state).firstLine(toUndo: $0) }
      }, newest)
    guard undoings.count == 1 else {
      let selection = UndoSelection(ranges: undoings.map { $0...$0 })
      do {
        var outcome = try undo(selection, at: now, today: today, using: &generator)
        outcome.skipped += skipped.map { [$0.description] } ?? []
        return outcome
      } catch let refusal as UndoRefusal where refusal.code == UndoRefusal.nothingToUndo.code {
        // Each was refused; the first says why.
        _ = try undo(undoings[0], at: now, today: today, using: &generator)
        throw UndoRefusal.nothingToRedo
      }
    }
    let outcome = try undo(undoings[0], at: now, today: today, using: &generator)
    return UndoManyOutcome(
      undoings: [outcome.undoing], skipped: skipped.map { [$0.description] } ?? [],
      appended: outcome.appended)
  }

  /// - Returns: `nil` while a sync runs.
  func syncLockIfFree() throws(LogError) -> FileLock? {
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
  func checked(
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
