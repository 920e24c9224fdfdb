public import LedgerJSON

/// A decided change with an id and a time, not yet in the log.
public struct Event: Hashable, Sendable, Identifiable {
  public var id: EventID
  /// When it was recorded, by the device's clock.
  public var at: Timestamp
  /// On whose behalf it was recorded.
  public var by: Actor
  package var payload: Payload

  package init(id: EventID, at: Timestamp, by: Actor, payload: Payload) {
    self.id = id
    self.at = at
    self.by = by
    self.payload = payload
  }

  /// The event type, such as `progress.logged` (docs/log-format.md, Events).
  public var type: String { payload.type }

  /// The members of its type (docs/log-format.md, Events); empty for an erased event.
  public var data: JSONObject { payload.data }

  /// On whose behalf an event was recorded.
  public enum Actor: String, CaseIterable, Codable, Sendable {
    /// The user, by an app or a command.
    case user
    /// An import from another program.
    case `import`
    /// A sync.
    case sync
    /// The ledger itself: its creation, sign-ins and repairs.
    case system
  }

  /// The content by event type.
  package enum Payload: Hashable, Sendable {
    case ledgerCreated(LedgerCreated)
    case profileUpdated(ProfileUpdated)
    case physicalUpdated(PhysicalUpdated)
    case preferencesUpdated(PreferencesUpdated)
    case progressLogged(ProgressLogged)
    case progressCorrected(ProgressCorrected)
    case progressDeleted(ProgressDeleted)
    case sleepLogged(SleepLogged)
    case sleepCorrected(SleepCorrected)
    case sleepDeleted(SleepDeleted)
    case sleepPulled(SleepPulled)
    case syncAttempted(SyncAttempted)
    case syncDeferred(SyncDeferred)
    case syncAcknowledged(SyncAcknowledged)
    case syncRejected(SyncRejected)
    case syncHeld(SyncHeld)
    case syncDiffered(SyncDiffered)
    case rowSkipped(RowSkipped)
    case profilePulled(ProfilePulled)
    case progressPulled(ProgressPulled)
    case conflictDetected(ConflictDetected)
    case conflictResolved(ConflictResolved)
    case duplicateSuspected(DuplicateSuspected)
    case duplicateResolved(DuplicateResolved)
    case goalSet(GoalSet)
    case goalRemoved(GoalRemoved)
    case editUndone(EditUndone)
    case accountSignedIn(AccountSignedIn)
    case accountSignedOut(AccountSignedOut)
    case accountReplaced(AccountReplaced)
    case eventErased(EventErased)
    case logRepaired(LogRepaired)
    /// An unknown type, from a later version or another program; preserved unchanged.
    case unknown(type: String, version: Int, data: JSONObject)
    /// The content was erased; the seq, the type and the chain link remain.
    case erased(type: String, version: Int)
  }
}

/// An event in the log, with its seq and chain link.
public struct RecordedEvent: Hashable, Sendable, Identifiable {
  /// Its number in the log.
  public var seq: Seq
  /// What happened.
  public var event: Event
  /// 64 hexadecimal digits.
  public var hash: String

  public var id: Seq { seq }

  package init(seq: Seq, event: Event, hash: String) {
    self.seq = seq
    self.event = event
    self.hash = hash
  }
}

/// The event types of this version (docs/log-format.md, Events). Unknown types are preserved,
/// chained and counted, and the views skip them.
package enum EventKind: String, CaseIterable, Sendable {
  case ledgerCreated = "ledger.created"
  case profileUpdated = "profile.updated"
  case physicalUpdated = "physical.updated"
  case preferencesUpdated = "preferences.updated"
  case progressLogged = "progress.logged"
  case progressCorrected = "progress.corrected"
  case progressDeleted = "progress.deleted"
  case sleepLogged = "sleep.logged"
  case sleepCorrected = "sleep.corrected"
  case sleepDeleted = "sleep.deleted"
  case sleepPulled = "sleep.pulled"
  case syncAttempted = "sync.attempted"
  case syncDeferred = "sync.deferred"
  case syncAcknowledged = "sync.acknowledged"
  case syncRejected = "sync.rejected"
  case syncHeld = "sync.held"
  case syncDiffered = "sync.differed"
  case rowSkipped = "row.skipped"
  case profilePulled = "profile.pulled"
  case progressPulled = "progress.pulled"
  case conflictDetected = "conflict.detected"
  case conflictResolved = "conflict.resolved"
  case duplicateSuspected = "duplicate.suspected"
  case duplicateResolved = "duplicate.resolved"
  case goalSet = "goal.set"
  case goalRemoved = "goal.removed"
  case editUndone = "edit.undone"
  case accountSignedIn = "account.signed_in"
  case accountSignedOut = "account.signed_out"
  case accountReplaced = "account.replaced"
  case eventErased = "event.erased"
  case logRepaired = "log.repaired"

  /// A linear search: a `switch` over this many strings builds a dictionary in every process that
  /// reads an event.
  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  /// The newest version of `data` that can be read, and the one that is written.
  package var version: Int { 1 }

  /// Whether a person makes events of this type: the edits, and goals, which are never sent.
  package var isMadeByPerson: Bool { isEdit || self == .goalSet || self == .goalRemoved }

  /// Whether events of this type are edits, which sync sends to the backend.
  package var isEdit: Bool {
    switch self {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated,
      .progressLogged, .progressCorrected, .progressDeleted,
      .sleepLogged, .sleepCorrected, .sleepDeleted:
      true
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected,
      .syncHeld, .syncDiffered, .rowSkipped, .profilePulled, .progressPulled, .conflictDetected,
      .conflictResolved, .duplicateSuspected, .duplicateResolved, .editUndone, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .sleepPulled, .goalSet,
      .goalRemoved:
      false
    }
  }
}

// MARK: - Reading and writing `data`

extension Event.Payload {
  /// Reads the `data` of a type and version.
  ///
  /// - Throws: ``EventError`` if a member of a known type is missing or invalid, or the version is
  ///   newer than this program's.
  package init(type: String, version: Int, data: JSONObject) throws(EventError) {
    try self.init(type: type, version: version, data: data, upcasters: .all) { $0.version }
  }

  /// Reads with the given upcasters and newest versions.
  package init(
    type: String, version: Int, data: JSONObject, upcasters: Upcasters,
    newest: (EventKind) -> Int
  ) throws(EventError) {
    guard let kind = EventKind(rawValue: type) else {
      self = .unknown(type: type, version: version, data: data)
      return
    }
    let newest = newest(kind)
    guard version <= newest else {
      throw EventError(
        type: type,
        problem: "version \(version) is newer than this program, which reads up to "
          + "\(newest); use a newer ledger")
    }
    let data = try upcasters.upcast(data, of: kind, from: version, to: newest)
    try self.init(kind, data: data)
  }

  /// Reads the `data` of a type's newest version.
  private init(_ kind: EventKind, data: JSONObject) throws(EventError) {
    switch kind {
    case .ledgerCreated: self = .ledgerCreated(try .init(data: data))
    case .profileUpdated: self = .profileUpdated(try .init(data: data))
    case .physicalUpdated: self = .physicalUpdated(try .init(data: data))
    case .preferencesUpdated: self = .preferencesUpdated(try .init(data: data))
    case .progressLogged: self = .progressLogged(try .init(data: data))
    case .progressCorrected: self = .progressCorrected(try .init(data: data))
    case .progressDeleted: self = .progressDeleted(try .init(data: data))
    case .sleepLogged: self = .sleepLogged(try .init(data: data))
    case .sleepCorrected: self = .sleepCorrected(try .init(data: data))
    case .sleepDeleted: self = .sleepDeleted(try .init(data: data))
    case .sleepPulled: self = .sleepPulled(try .init(data: data))
    case .syncAttempted: self = .syncAttempted(try .init(data: data))
    case .syncDeferred: self = .syncDeferred(try .init(data: data))
    case .syncAcknowledged: self = .syncAcknowledged(try .init(data: data))
    case .syncRejected: self = .syncRejected(try .init(data: data))
    case .syncHeld: self = .syncHeld(try .init(data: data))
    case .syncDiffered: self = .syncDiffered(try .init(data: data))
    case .rowSkipped: self = .rowSkipped(try .init(data: data))
    case .profilePulled: self = .profilePulled(try .init(data: data))
    case .progressPulled: self = .progressPulled(try .init(data: data))
    case .conflictDetected: self = .conflictDetected(try .init(data: data))
    case .conflictResolved: self = .conflictResolved(try .init(data: data))
    case .duplicateSuspected: self = .duplicateSuspected(try .init(data: data))
    case .duplicateResolved: self = .duplicateResolved(try .init(data: data))
    case .goalSet: self = .goalSet(try .init(data: data))
    case .goalRemoved: self = .goalRemoved(try .init(data: data))
    case .editUndone: self = .editUndone(try .init(data: data))
    case .accountSignedIn: self = .accountSignedIn(try .init(data: data))
    case .accountSignedOut: self = .accountSignedOut(try .init(data: data))
    case .accountReplaced: self = .accountReplaced(try .init(data: data))
    case .eventErased: self = .eventErased(try .init(data: data))
    case .logRepaired: self = .logRepaired(try .init(data: data))
    }
  }

  package var type: String {
    switch self {
    case .unknown(let type, _, _), .erased(let type, _): type
    default: kind?.rawValue ?? ""
    }
  }

  /// `nil` for an unknown type and for an erased event.
  package var kind: EventKind? {
    switch self {
    case .ledgerCreated: .ledgerCreated
    case .profileUpdated: .profileUpdated
    case .physicalUpdated: .physicalUpdated
    case .preferencesUpdated: .preferencesUpdated
    case .progressLogged: .progressLogged
    case .progressCorrected: .progressCorrected
    case .progressDeleted: .progressDeleted
    case .sleepLogged: .sleepLogged
    case .sleepCorrected: .sleepCorrected
    case .sleepDeleted: .sleepDeleted
    case .sleepPulled: .sleepPulled
    case .syncAttempted: .syncAttempted
    case .syncDeferred: .syncDeferred
    case .syncAcknowledged: .syncAcknowledged
    case .syncRejected: .syncRejected
    case .syncHeld: .syncHeld
    case .syncDiffered: .syncDiffered
    case .rowSkipped: .rowSkipped
    case .profilePulled: .profilePulled
    case .progressPulled: .progressPulled
    case .conflictDetected: .conflictDetected
    case .conflictResolved: .conflictResolved
    case .duplicateSuspected: .duplicateSuspected
    case .duplicateResolved: .duplicateResolved
    case .goalSet: .goalSet
    case .goalRemoved: .goalRemoved
    case .editUndone: .editUndone
    case .accountSignedIn: .accountSignedIn
    case .accountSignedOut: .accountSignedOut
    case .accountReplaced: .accountReplaced
    case .eventErased: .eventErased
    case .logRepaired: .logRepaired
    case .unknown, .erased: nil
    }
  }

  package var version: Int {
    switch self {
    case .unknown(_, let version, _), .erased(_, let version): version
    default: kind?.version ?? 1
    }
  }

  /// The canonical `data`; empty for an erased event.
  package var data: JSONObject {
    var members = MemberWriter()
    put(into: &members)
    return members.values()
  }

  /// Appends ``data`` as canonical text.
  package func writeData(into bytes: inout ByteSink) {
    var members = MemberWriter(appendingTo: bytes)
    put(into: &members)
    bytes = members.text()
  }

  private func put(into members: inout MemberWriter) {
    switch self {
    case .ledgerCreated(let data): data.putAll(into: &members)
    case .profileUpdated(let data): data.putAll(into: &members)
    case .physicalUpdated(let data): data.putAll(into: &members)
    case .preferencesUpdated(let data): data.putAll(into: &members)
    case .progressLogged(let data): data.putAll(into: &members)
    case .progressCorrected(let data): data.putAll(into: &members)
    case .progressDeleted(let data): data.putAll(into: &members)
    case .sleepLogged(let data): data.putAll(into: &members)
    case .sleepCorrected(let data): data.putAll(into: &members)
    case .sleepDeleted(let data): data.putAll(into: &members)
    case .sleepPulled(let data): data.putAll(into: &members)
    case .syncAttempted(let data): data.putAll(into: &members)
    case .syncDeferred(let data): data.putAll(into: &members)
    case .syncAcknowledged(let data): data.putAll(into: &members)
    case .syncRejected(let data): data.putAll(into: &members)
    case .syncHeld(let data): data.putAll(into: &members)
    case .syncDiffered(let data): data.putAll(into: &members)
    case .rowSkipped(let data): data.putAll(into: &members)
    case .profilePulled(let data): data.putAll(into: &members)
    case .progressPulled(let data): data.putAll(into: &members)
    case .conflictDetected(let data): data.putAll(into: &members)
    case .conflictResolved(let data): data.putAll(into: &members)
    case .duplicateSuspected(let data): data.putAll(into: &members)
    case .duplicateResolved(let data): data.putAll(into: &members)
    case .goalSet(let data): data.putAll(into: &members)
    case .goalRemoved(let data): data.putAll(into: &members)
    case .editUndone(let data): data.putAll(into: &members)
    case .accountSignedIn(let data): data.putAll(into: &members)
    case .accountSignedOut(let data): data.putAll(into: &members)
    case .accountReplaced(let data): data.putAll(into: &members)
    case .eventErased(let data): data.putAll(into: &members)
    case .logRepaired(let data): data.putAll(into: &members)
    case .unknown(_, _, let data): members.put(unknown: data)
    case .erased: break
    }
  }
}

/// Converts the `data` of older versions of a type, step by step from each version to the next.
///
/// Raising `EventKind.version` requires a step from the previous version (docs/log-format.md, A new
/// version of a type).
package struct Upcasters: Sendable {
  package struct Step: Sendable {
    var kind: EventKind
    /// The version that this step converts to the next one.
    var fromVersion: Int
    /// Does not validate, because reading the result does; passes on unknown members.
    var upcast: @Sendable (JSONObject) -> JSONObject

    package init(
      _ kind: EventKind, fromVersion: Int,
      _ upcast: @escaping @Sendable (JSONObject) -> JSONObject
    ) {
      self.kind = kind
      self.fromVersion = fromVersion
      self.upcast = upcast
    }
  }

  /// Empty while every type is at version 1.
  package static let all = Upcasters([])

  private struct Key: Hashable {
    var kind: EventKind
    var version: Int
  }

  private let steps: [Key: @Sendable (JSONObject) -> JSONObject]

  /// - Precondition: at most one step from each version of a kind.
  package init(_ steps: [Step]) {
    self.steps = Dictionary(
      uniqueKeysWithValues: steps.map { (Key(kind: $0.kind, version: $0.fromVersion), $0.upcast) })
  }

  /// Converts `data` of an older version to a newer one.
  ///
  /// - Throws: ``EventError`` if there is no step from one of the versions.
  fileprivate func upcast(
    _ data: JSONObject, of kind: EventKind, from version: Int, to newest: Int
  ) throws(EventError) -> JSONObject {
    var data = data
    for version in version..<newest {
      guard let step = steps[Key(kind: kind, version: version)] else {
        throw EventError(
          type: kind.rawValue, problem: "version \(version) does not exist")
      }
      data = step(data)
    }
    return data
  }
}
