import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections

/// What an undoing has come to.
public struct UndoOutcome: Sendable {
  public var undoing: Undoing
  public var appended: LedgerStore.Outcome
}

extension LedgerStore {
  /// Takes an edit back by a new event: cancels what was not sent, compensates what was.
  ///
  /// While a run of the projector goes on, what was not sent may be on its way by now, and counts as
  /// sent. No run begins meanwhile.
  ///
  /// - Parameters:
  ///   - seq: the edit, or an `edit.undone` whose edit is to be made again; `nil` for the newest edit
  ///     of a person that can be undone.
  ///   - today: the day in the ledger's zone.
  /// - Throws: ``UndoRefusal`` or `Refusal` with nothing written; `LogError`.
  public func undo(
    _ seq: Seq? = nil, at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> UndoOutcome {
    let quiet = try syncLockIfFree()
    defer { withExtendedLifetime(quiet) {} }
    let entry = EntryID.make(at: now, using: &generator)
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try state()
    return try log.withSession { session in
      let view = try session.view()
      let desk = UndoPlanner(
        state: try catchUp(to: view), view: view, isSyncing: quiet == nil, newEntry: entry)
      var undoing = try seq.map { try desk.undo($0) } ?? desk.undoNewest()
      undoing.payload = try Self.checked(undoing.payload, given: desk.state, today: today)
      let event = Event(
        id: .make(at: now, using: &generator), at: now, by: .user, payload: undoing.payload)
      let appended = try session.append([event], using: &generator)
      return UndoOutcome(
        undoing: undoing,
        appended: Outcome(
          edits: appended.events.map { .appended($0) }, lines: appended.lines,
          repairs: session.repairs))
    }
  }

  /// - Returns: `nil` while a run goes on.
  func syncLockIfFree() throws(LogError) -> FileLock? {
    guard directory.holdsLedger else { throw .noLedger(path: directory.path) }
    do throws(LogError) {
      return try FileLock(directory.syncLock, .exclusive, waitSeconds: 0, on: directory.disk)
    } catch {
      guard case .locked = error else { throw error }
      return nil
    }
  }

  /// An edit that undoes another goes by the same rules as any.
  static func checked(
    _ payload: Event.Payload, given state: LedgerState, today: CalendarDate
  ) throws(Refusal) -> Event.Payload {
    let change: Edit.Change
    switch payload {
    case .profileUpdated(let data): change = .updateProfile(data)
    case .physicalUpdated(let data): change = .updatePhysical(data)
    case .preferencesUpdated(let data): change = .updatePreferences(data)
    case .progressLogged(let data): change = .logProgress(data)
    case .progressCorrected(let data): change = .correctProgress(data)
    case .progressDeleted(let data): change = .deleteProgress(data)
    default: return payload
    }
    return try LedgerModel.decide(change, given: state, today: today)
  }
}
