public import LedgerJSON

/// What was decided: it has an identity and a moment, but no place in the log yet. Only a
/// ``RecordedEvent`` has happened.
public struct Event: Hashable, Sendable {
  public var id: EventID
  public var at: Timestamp
  public var by: Actor
  public var payload: Payload

  public init(id: EventID, at: Timestamp, by: Actor, payload: Payload) {
    self.id = id
    self.at = at
    self.by = by
    self.payload = payload
  }

  public enum Payload: Hashable, Sendable {
    case ledgerCreated(LedgerCreated)
    case profileUpdated(ProfileUpdated)
    case physicalUpdated(PhysicalUpdated)
    case preferencesUpdated(PreferencesUpdated)
    case progressLogged(ProgressLogged)
    case progressCorrected(ProgressCorrected)
    case progressDeleted(ProgressDeleted)
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
    case editUndone(EditUndone)
    case accountSignedIn(AccountSignedIn)
    case accountSignedOut(AccountSignedOut)
    case accountReplaced(AccountReplaced)
    case eventErased(EventErased)
    case logRepaired(LogRepaired)
    /// A type from a later version or another program: kept as it is.
    case unknown(type: String, version: Int, data: JSONObject)
    /// Its content was removed; its place, its type and its proof are left.
    case erased(type: String, version: Int)
  }
}

/// An event that the log holds: it has a place, a salt and a link in the chain.
public struct RecordedEvent: Hashable, Sendable {
  public var seq: Seq
  public var event: Event
  /// 64 hexadecimal digits.
  public var hash: String

  public init(seq: Seq, event: Event, hash: String) {
    self.seq = seq
    self.event = event
    self.hash = hash
  }
}

/// Why the `data` of an event is not what its type promises.
public struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
  public var type: String
  public var problem: String

  public init(type: String, problem: String) {
    self.type = type
    self.problem = problem
  }

  public var description: String { "\(type): \(problem)" }
}

/// The `data` of one type of event.
public protocol EventData: Hashable, Sendable {
  static var kind: EventKind { get }
  /// Members that this version does not know; they are written back after the known ones.
  var unknown: JSONObject { get set }

  init(from members: inout MemberReader) throws(EventError)
  func write(to members: inout MemberWriter)
}

extension EventData {
  /// Reads `data`; what it does not know goes into `unknown`.
  public init(data: JSONObject) throws(EventError) {
    var members = MemberReader(data, type: Self.kind.rawValue)
    try self.init(from: &members)
    unknown = members.rest
  }

  /// The canonical `data`: known members in the order of docs/log-format.md, then the unknown ones.
  public var data: JSONObject {
    var members = MemberWriter()
    putAll(into: &members)
    return members.values()
  }

  func putAll(into members: inout MemberWriter) {
    write(to: &members)
    members.put(unknown: unknown)
  }

  /// The part of `data` that this version understands.
  var knownData: JSONObject {
    var members = MemberWriter()
    write(to: &members)
    return members.values()
  }
}
