package import LedgerJSON

/// A requested change, by the user or an import. It becomes an event if `decide` accepts it.
public struct Edit: Hashable, Sendable {
  /// Makes retries idempotent: an event whose id is in the log is not appended again.
  public var id: EventID?
  /// `.user`, or `.import` for data from another program.
  public var by: Event.Actor
  /// What is changed, and how.
  public var change: Change
  /// Whether the logged entry has a newly made id, so that the ledger need not be searched for it.
  package var hasFreshEntry = false

  /// An edit, by the user and with a new id by default.
  public init(id: EventID? = nil, by: Event.Actor = .user, change: Change) {
    self.id = id
    self.by = by
    self.change = change
  }

  package init(
    id: EventID? = nil, by: Event.Actor = .user, change: Change, hasFreshEntry: Bool
  ) {
    self.init(id: id, by: by, change: change)
    self.hasFreshEntry = hasFreshEntry
  }

  /// What an edit changes.
  public enum Change: Hashable, Sendable {
    /// Sets or clears profile fields.
    case updateProfile(ProfileUpdated)
    /// Sets physical data.
    case updatePhysical(PhysicalUpdated)
    /// Sets preferences.
    case updatePreferences(PreferencesUpdated)
    /// Logs an entry.
    case logProgress(ProgressLogged)
    /// Changes values of an entry.
    case correctProgress(ProgressCorrected)
    /// Deletes an entry.
    case deleteProgress(ProgressDeleted)
    /// Logs a sleep session.
    case logSleep(SleepLogged)
    /// Changes values of a session.
    case correctSleep(SleepCorrected)
    /// Deletes a session.
    case deleteSleep(SleepDeleted)
    /// Sets a metric's goal.
    case setGoal(GoalSet)
    /// Removes a metric's goal.
    case removeGoal(GoalRemoved)
  }
}

extension Edit {
  /// Reads an edit of `append --stdin`: `{"type":…,"data":{…}[,"id":…]}`. A missing `entry` of
  /// `progress.logged` or `sleep.logged` is created.
  ///
  /// - Throws: ``Refusal`` that names the wrong member.
  package init(
    request: JSONObject, by: Event.Actor = .user, makeEntry: () -> EntryID
  ) throws(Refusal) {
    for member in request.members where !["type", "data", "id"].contains(member.name) {
      throw Refusal(
        .malformed, field: member.name,
        "'\(member.name)' is not a member of an edit; it has type, data and optionally id")
    }
    guard let type = request["type"]?.string else {
      throw Refusal(
        .malformed, field: "type", "an edit needs 'type', a string such as \"progress.logged\"")
    }
    guard var data = request["data"]?.object else {
      throw Refusal(.malformed, field: "data", "an edit needs 'data', an object")
    }
    var id: EventID?
    if let given = request["id"] {
      guard let parsed = given.string.flatMap({ EventID($0) }) else {
        throw Refusal(
          .malformed, field: "id", value: given.serialized,
          "'id' is \(given.serialized); it must be a UUID in lower case")
      }
      id = parsed
    }
    let logs = [EventKind.progressLogged, .sleepLogged].contains { $0.rawValue == type }
    let needsEntry = logs && data["entry"] == nil
    if needsEntry {
      data.members.insert(.init(name: "entry", value: makeEntry().json), at: 0)
    }
    self.init(
      id: id, by: by, change: try Self.change(type: type, data: data), hasFreshEntry: needsEntry)
  }

  private static func change(type: String, data: JSONObject) throws(Refusal) -> Change {
    do throws(EventError) {
      switch EventKind(rawValue: type) {
      case .profileUpdated: return .updateProfile(try .init(data: data))
      case .physicalUpdated: return .updatePhysical(try .init(data: data))
      case .preferencesUpdated: return .updatePreferences(try .init(data: data))
      case .progressLogged: return .logProgress(try .init(data: data))
      case .progressCorrected: return .correctProgress(try .init(data: data))
      case .progressDeleted: return .deleteProgress(try .init(data: data))
      case .sleepLogged: return .logSleep(try .init(data: data))
      case .sleepCorrected: return .correctSleep(try .init(data: data))
      case .sleepDeleted: return .deleteSleep(try .init(data: data))
      case .goalSet: return .setGoal(try .init(data: data))
      case .goalRemoved: return .removeGoal(try .init(data: data))
      default: break
      }
    } catch {
      throw Refusal(.malformed, error.description)
    }
    let edits = EventKind.allCases.filter(\.isMadeByPerson).map(\.rawValue)
      .joined(separator: ", ")
    throw Refusal(
      .notAnEdit, field: "type", value: type,
      "'\(type)' is not an edit that a person makes; those are \(edits)")
  }
}
