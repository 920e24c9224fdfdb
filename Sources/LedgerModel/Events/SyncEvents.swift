public import LedgerJSON

/// Why a call was surely not accepted (docs/log-format.md, Events).
public enum DeferralReason: String, CaseIterable, TextualMemberValue {
  case offline
  case rateLimited = "rate-limited"
  case unauthorized
  case serverError = "server-error"
}

/// How it is known that the backend has something.
public enum AcknowledgementPath: String, CaseIterable, TextualMemberValue {
  /// It said so.
  case response
  /// A listing showed it after the answer was lost.
  case reconciled
  /// There was nothing to say: deleted before it was ever sent.
  case elided
}

/// A call about to leave; durable before its first byte does.
public struct SyncAttempted: EventData {
  public static var kind: EventKind { .syncAttempted }
  public var call: CallID
  public var method: String
  public var path: String
  public var events: [Seq]
  /// Of the body and the logging event's salt: equal ones are never in flight together.
  public var fingerprint: String
  /// 1 for the first.
  public var attempt: Int
  public var unknown = JSONObject()

  public init(
    call: CallID, method: String, path: String, events: [Seq], fingerprint: String,
    attempt:
      Int
  ) {
    self.call = call
    self.method = method
    self.path = path
    self.events = events
    self.fingerprint = fingerprint
    self.attempt = attempt
  }

  public init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    method = try members.required("method")
    path = try members.required("path")
    events = try members.required("events")
    fingerprint = try members.required("fingerprint")
    attempt = try members.required("attempt")
  }

  public func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("method", method)
    members.put("path", path)
    members.put("events", events)
    members.put("fingerprint", fingerprint)
    members.put("attempt", attempt)
  }
}

/// Surely not accepted; pending again.
public struct SyncDeferred: EventData {
  public static var kind: EventKind { .syncDeferred }
  public var call: CallID
  public var events: [Seq]
  public var reason: DeferralReason
  public var status: Int?
  /// The moment before which the backend asked not to be called.
  public var notBefore: Timestamp?
  public var unknown = JSONObject()

  public init(
    call: CallID, events: [Seq], reason: DeferralReason, status: Int? = nil,
    notBefore:
      Timestamp? = nil
  ) {
    self.call = call
    self.events = events
    self.reason = reason
    self.status = status
    self.notBefore = notBefore
  }

  public init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    events = try members.required("events")
    reason = try members.required("reason")
    status = try members.optional("status")
    notBefore = try members.optional("not_before")
  }

  public func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("events", events)
    members.put("reason", reason)
    members.put("status", status)
    members.put("not_before", notBefore)
  }
}

/// The backend has what these events say.
public struct SyncAcknowledged: EventData {
  public static var kind: EventKind { .syncAcknowledged }
  public var call: CallID?
  public var events: [Seq]
  public var status: Int?
  public var via: AcknowledgementPath
  public var entry: EntryID?
  public var backendID: BackendID?
  /// For profile calls: the fields the backend now has.
  public var remote: JSONObject?
  public var unknown = JSONObject()

  public init(
    call: CallID? = nil, events: [Seq], status: Int? = nil, via: AcknowledgementPath,
    entry: EntryID? = nil, backendID: BackendID? = nil, remote: JSONObject? = nil
  ) {
    self.call = call
    self.events = events
    self.status = status
    self.via = via
    self.entry = entry
    self.backendID = backendID
    self.remote = remote
  }

  public init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    via = try members.required("via")
    call = try members.optional("call")
    status = try members.optional("status")
    entry = try members.optional("entry")
    backendID = try members.optional("backend_id")
    remote = try members.optional("remote")
  }

  public func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("via", via)
    members.put("call", call)
    members.put("status", status)
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("remote", remote)
  }
}

/// The backend understood and refused; a correction sends again.
public struct SyncRejected: EventData {
  public static var kind: EventKind { .syncRejected }
  public var call: CallID
  public var events: [Seq]
  public var status: Int
  public var message: String
  /// What was sent; `nil` for a call without a body, or with one too long to record.
  public var body: JSONValue?
  public var unknown = JSONObject()

  public init(
    call: CallID, events: [Seq], status: Int, message: String, body: JSONValue? = nil
  ) {
    self.call = call
    self.events = events
    self.status = status
    self.message = message
    self.body = body
  }

  public init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    events = try members.required("events")
    status = try members.required("status")
    message = try members.required("message")
    body = try members.optional("body")
  }

  public func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("events", events)
    members.put("status", status)
    members.put("message", message)
    members.put("body", body)
  }
}

/// Not sent, for a reason that a later edit can take away.
public struct SyncHeld: EventData {
  public static var kind: EventKind { .syncHeld }
  public var events: [Seq]
  /// A stable code, such as `physical-needs-height-or-sex`.
  public var reason: String
  public var unknown = JSONObject()

  public init(events: [Seq], reason: String) {
    self.events = events
    self.reason = reason
  }

  public init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    reason = try members.required("reason")
  }

  public func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("reason", reason)
  }
}

/// Why edits are not sent yet (docs/sync.md, What is sent). The codes are stable:
/// other programs read them.
public enum HoldReason: String, CaseIterable, Sendable {
  /// A profile without a name is not taken.
  case profileNeedsName = "profile-needs-name"
  /// A date of birth alone is not taken.
  case physicalNeedsHeightOrSex = "physical-needs-height-or-sex"
  /// There has to be a profile first.
  case physicalNeedsProfile = "physical-needs-profile"
  /// A language can be changed, and not taken away.
  case cannotClear = "cannot-clear"

  /// Why the backend does not take it.
  public var cause: String {
    switch self {
    case .profileNeedsName: "the backend takes a profile only with a name"
    case .physicalNeedsHeightOrSex:
      "the backend takes a birth date only together with a height or a sex"
    case .physicalNeedsProfile: "the backend takes height, sex and birth date only with a profile"
    case .cannotClear: "the backend has no way to clear a language"
    }
  }

  /// A command line that lifts it; `nil` where no edit can.
  public var remedy: String? {
    switch self {
    case .profileNeedsName, .physicalNeedsProfile: "ledger append profile --name NAME"
    case .physicalNeedsHeightOrSex: "ledger append physical --height-cm CM"
    case .cannotClear: nil
    }
  }

  /// Cause and remedy in one sentence.
  public var advice: String { remedy.map { "\(cause): \($0)" } ?? cause }
}

/// The backend has a row or field for these events, but not with the values that were sent. The id
/// is bound and the attempt is over; a person decides which value counts.
public struct SyncDiffered: EventData {
  public static var kind: EventKind { .syncDiffered }
  public var call: CallID?
  public var events: [Seq]
  public var status: Int?
  public var via: AcknowledgementPath
  public var entry: EntryID?
  public var backendID: BackendID?
  /// The row, or the fields of a profile call, as the backend has them.
  public var remote: JSONObject
  public var unknown = JSONObject()

  public init(
    call: CallID? = nil, events: [Seq], status: Int? = nil, via: AcknowledgementPath,
    entry: EntryID? = nil, backendID: BackendID? = nil, remote: JSONObject
  ) {
    self.call = call
    self.events = events
    self.status = status
    self.via = via
    self.entry = entry
    self.backendID = backendID
    self.remote = remote
  }

  public init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    via = try members.required("via")
    call = try members.optional("call")
    status = try members.optional("status")
    entry = try members.optional("entry")
    backendID = try members.optional("backend_id")
    remote = try members.required("remote")
  }

  public func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("via", via)
    members.put("call", call)
    members.put("status", status)
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("remote", remote)
  }
}
