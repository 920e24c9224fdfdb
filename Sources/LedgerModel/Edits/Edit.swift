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

extension Edit.Change {
  /// The members of `data` that no part of the program reads.
  package var unknown: JSONObject {
    switch self {
    case .updateProfile(let data): data.unknown
    case .updatePhysical(let data): data.unknown
    case .updatePreferences(let data): data.unknown
    case .logProgress(let data): data.unknown
    case .correctProgress(let data): data.unknown
    case .deleteProgress(let data): data.unknown
    case .logSleep(let data): data.unknown
    case .correctSleep(let data): data.unknown
    case .deleteSleep(let data): data.unknown
    case .setGoal(let data): data.unknown
    case .removeGoal(let data): data.unknown
    }
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

/// An error with a stable code, for programs and apps to act on.
public protocol LedgerError: Error, CustomStringConvertible {
  /// In lower case with hyphens; never changes its meaning.
  var code: String { get }
}

/// Why an edit is not accepted, with the field, the value and the limit. Nothing was written.
public struct Refusal: LedgerError, Hashable, Sendable {
  /// The raw values are the codes.
  public enum Reason: String, CaseIterable, Sendable {
    /// The edit refers to an entry that the ledger does not have.
    case unknownEntry = "unknown-entry"
    /// The entry was deleted.
    case entryDeleted = "entry-deleted"
    /// The ledger has an entry with this id.
    case entryExists = "entry-exists"
    /// The number is not within ``Limit/quantity(_:)``, or the day not within ``Limit/days(_:)``.
    case outOfRange = "out-of-range"
    /// The text is longer or shorter than ``Limit/characters(_:)``.
    case wrongLength = "wrong-length"
    /// The day is after ``Limit/latest(_:)``.
    case inFuture = "in-future"
    /// The edit sets no field.
    case noChange = "no-change"
    /// The value does not have the form of its field.
    case malformed = "malformed"
    /// The quantity's unit is not one of the metric's.
    case unknownUnit = "unknown-unit"
    /// The number has more significant digits than a log keeps.
    case tooManyDigits = "too-many-digits"
    /// A sleep session or stage that does not end after it starts, lasts longer than 48 hours, or
    /// starts before 1900.
    case invalidPeriod = "invalid-period"
    /// Sleep stages that overlap or lie outside their session.
    case invalidStages = "invalid-stages"
    /// Only a sync sets this field.
    case reservedField = "reserved-field"
    /// Another edit of the same batch has this id.
    case repeatedID = "repeated-id"
    /// Not an edit that a person makes.
    case notAnEdit = "not-an-edit"
  }

  /// What the field accepts.
  public enum Limit: Hashable, Sendable {
    /// In ``Refusal/unit``.
    case quantity(QuantityRange)
    /// Counted in Unicode scalars.
    case characters(ClosedRange<Int>)
    /// This day or an earlier one.
    case latest(CalendarDate)
    /// One of these days, inclusive.
    case days(ClosedRange<CalendarDate>)
  }

  /// Why, for an app to act on.
  public var reason: Reason
  /// The field's name in an event, such as `quantity` or `height_cm`.
  public var field: String?
  /// The refused value.
  public var value: String?
  /// What the field accepts; `nil` where it is no range.
  public var limit: Limit?
  /// The unit of the value and the limit, such as `kg`.
  public var unit: String?
  /// A sentence without a full stop, in English.
  public var description: String

  /// Stable, for programs.
  public var code: String { reason.rawValue }

  /// - Parameter description: a sentence without a full stop.
  public init(
    _ reason: Reason, field: String? = nil, value: String? = nil, limit: Limit? = nil,
    unit: String? = nil, _ description: String
  ) {
    self.reason = reason
    self.field = field
    self.value = value
    self.limit = limit
    self.unit = unit
    self.description = description
  }
}
