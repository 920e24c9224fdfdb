public import LedgerJSON

/// What a person, or an import on their behalf, asks for. It becomes an event only when the
/// rules accept it.
public struct Edit: Hashable, Sendable {
  /// Chosen by the caller who may have to ask twice: an id that the log has is not written again.
  public var id: EventID?
  /// `.user`, or `.import` for what another program measured.
  public var by: Actor
  /// What is to change.
  public var change: Change
  /// Whether the entry that it logs was made just now, so that nobody can have used its id before
  /// and the ledger need not be searched for it.
  public var hasFreshEntry: Bool

  /// An edit of the person's, unless something else is said.
  public init(
    id: EventID? = nil, by: Actor = .user, change: Change, hasFreshEntry: Bool = false
  ) {
    self.id = id
    self.by = by
    self.change = change
    self.hasFreshEntry = hasFreshEntry
  }

  /// What an edit changes.
  public enum Change: Hashable, Sendable {
    /// Fields of the person's profile.
    case updateProfile(ProfileUpdated)
    /// What is known of the person's body.
    case updatePhysical(PhysicalUpdated)
    /// What the person does not eat.
    case updatePreferences(PreferencesUpdated)
    /// A new entry.
    case logProgress(ProgressLogged)
    /// An entry's values.
    case correctProgress(ProgressCorrected)
    /// An entry goes.
    case deleteProgress(ProgressDeleted)

    /// What an event says that this becomes.
    public var payload: Event.Payload {
      switch self {
      case .updateProfile(let data): .profileUpdated(data)
      case .updatePhysical(let data): .physicalUpdated(data)
      case .updatePreferences(let data): .preferencesUpdated(data)
      case .logProgress(let data): .progressLogged(data)
      case .correctProgress(let data): .progressCorrected(data)
      case .deleteProgress(let data): .progressDeleted(data)
      }
    }
  }
}

extension Edit {
  /// An edit as `append --stdin` takes it: `{"type":…,"data":{…}[,"id":…]}`. A missing `entry` of
  /// `progress.logged` is made.
  ///
  /// - Throws: ``Refusal`` with a sentence that names the member.
  public init(
    request: JSONObject, by: Actor = .user, makeEntry: () -> EntryID
  ) throws(Refusal) {
    for member in request.members where !["type", "data", "id"].contains(member.name) {
      throw .rule("'\(member.name)' is not a member of an edit; it has type, data and maybe id")
    }
    guard let type = request["type"]?.string else {
      throw .rule("an edit needs 'type', a string such as \"progress.logged\"")
    }
    guard var data = request["data"]?.object else {
      throw .rule("an edit needs 'data', an object")
    }
    var id: EventID?
    if let given = request["id"] {
      guard let parsed = given.string.flatMap({ EventID($0) }) else {
        throw .rule("'id' is \(given.serialized); it must be a UUID in lower case")
      }
      id = parsed
    }
    let needsEntry = type == EventKind.progressLogged.rawValue && data["entry"] == nil
    if needsEntry {
      data.members.insert(.init(name: "entry", value: makeEntry().json), at: 0)
    }
    self.init(
      id: id, by: by, change: try Self.change(type: type, data: data), hasFreshEntry: needsEntry)
  }

  private static func change(type: String, data: JSONObject) throws(Refusal) -> Change {
    do {
      switch EventKind(rawValue: type) {
      case .profileUpdated: return .updateProfile(try .init(data: data))
      case .physicalUpdated: return .updatePhysical(try .init(data: data))
      case .preferencesUpdated: return .updatePreferences(try .init(data: data))
      case .progressLogged: return .logProgress(try .init(data: data))
      case .progressCorrected: return .correctProgress(try .init(data: data))
      case .progressDeleted: return .deleteProgress(try .init(data: data))
      default:
        let edits = EventKind.allCases.filter(\.isEdit).map(\.rawValue).joined(separator: ", ")
        throw Refusal.rule("'\(type)' is not an edit that a person makes; those are \(edits)")
      }
    } catch let error as EventError {
      throw .rule(error.description)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw .rule("\(error)")
    }
  }
}

/// Why an edit is not accepted: one sentence that names field, value and limit.
public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rules do not allow it.
  case rule(String)
  /// It speaks of an entry that the ledger does not have.
  case noSuchEntry(String)

  public var description: String {
    switch self {
    case .rule(let sentence), .noSuchEntry(let sentence): sentence
    }
  }
}
