package import LedgerJSON

/// Why a call is known not to have been accepted (docs/log-format.md, Events).
public enum DeferralReason: String, CaseIterable, TextualMemberValue {
  /// The request was not sent.
  case offline
  /// 429.
  case rateLimited = "rate-limited"
  /// 401, and the token could not be renewed.
  case unauthorized
  /// An answer that shows that the call had no effect, such as 503.
  case serverError = "server-error"
}

/// How an edit was acknowledged.
package enum AcknowledgementPath: String, CaseIterable, TextualMemberValue {
  /// By the response.
  case response
  /// By a listing, after the response was lost.
  case reconciled
  /// No call was needed: the entry was deleted before it was sent.
  case elided
}

/// A call is about to be sent; durable before its first byte leaves.
package struct SyncAttempted: EventData {
  package static var kind: EventKind { .syncAttempted }
  package var call: CallID
  package var method: String
  package var path: String
  package var events: [Seq]
  /// Hashes the body and the logging event's salt; calls with equal ones are never in flight
  /// together.
  package var fingerprint: String
  /// Counts from 1.
  package var attempt: Int
  package var unknown = JSONObject()

  package init(
    call: CallID, method: String, path: String, events: [Seq], fingerprint: String,
    attempt: Int
  ) {
    self.call = call
    self.method = method
    self.path = path
    self.events = events
    self.fingerprint = fingerprint
    self.attempt = attempt
  }

  package init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    method = try members.required("method")
    path = try members.required("path")
    events = try members.required("events")
    fingerprint = try members.required("fingerprint")
    attempt = try members.required("attempt")
  }

  package func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("method", method)
    members.put("path", path)
    members.put("events", events)
    members.put("fingerprint", fingerprint)
    members.put("attempt", attempt)
  }
}

/// The call was not accepted; its edits are pending again.
package struct SyncDeferred: EventData {
  package static var kind: EventKind { .syncDeferred }
  package var call: CallID
  package var events: [Seq]
  package var reason: DeferralReason
  package var status: Int?
  /// The earliest time for the next call, as the backend asked.
  package var notBefore: Timestamp?
  package var unknown = JSONObject()

  package init(
    call: CallID, events: [Seq], reason: DeferralReason, status: Int? = nil,
    notBefore: Timestamp? = nil
  ) {
    self.call = call
    self.events = events
    self.reason = reason
    self.status = status
    self.notBefore = notBefore
  }

  package init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    events = try members.required("events")
    reason = try members.required("reason")
    status = try members.optional("status")
    notBefore = try members.optional("not_before")
  }

  package func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("events", events)
    members.put("reason", reason)
    members.put("status", status)
    members.put("not_before", notBefore)
  }
}

/// The backend has the values of these events.
package struct SyncAcknowledged: EventData {
  package static var kind: EventKind { .syncAcknowledged }
  package var call: CallID?
  package var events: [Seq]
  package var status: Int?
  package var via: AcknowledgementPath
  package var entry: EntryID?
  package var backendID: BackendID?
  /// For profile calls: the fields at the backend.
  package var remote: JSONObject?
  package var unknown = JSONObject()

  package init(
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

  package init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    via = try members.required("via")
    call = try members.optional("call")
    status = try members.optional("status")
    entry = try members.optional("entry")
    backendID = try members.optional("backend_id")
    remote = try members.optional("remote")
  }

  package func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("via", via)
    members.put("call", call)
    members.put("status", status)
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("remote", remote)
  }
}

/// The backend rejected the call; a correction is sent again.
package struct SyncRejected: EventData {
  package static var kind: EventKind { .syncRejected }
  package var call: CallID
  package var events: [Seq]
  package var status: Int
  package var message: String
  /// The sent body, or a text with its start if it is too long to record; `nil` if there is none.
  package var body: JSONValue?
  package var unknown = JSONObject()

  package init(
    call: CallID, events: [Seq], status: Int, message: String, body: JSONValue? = nil
  ) {
    self.call = call
    self.events = events
    self.status = status
    self.message = message
    self.body = body
  }

  package init(from members: inout MemberReader) throws(EventError) {
    call = try members.required("call")
    events = try members.required("events")
    status = try members.required("status")
    message = try members.required("message")
    body = try members.optional("body")
  }

  package func write(to members: inout MemberWriter) {
    members.put("call", call)
    members.put("events", events)
    members.put("status", status)
    members.put("message", message)
    members.put("body", body)
  }
}

/// Edits are not sent until a later edit removes the reason.
package struct SyncHeld: EventData {
  package static var kind: EventKind { .syncHeld }
  package var events: [Seq]
  /// A stable code, such as `physical-needs-height-or-sex`.
  package var reason: String
  package var unknown = JSONObject()

  package init(events: [Seq], reason: String) {
    self.events = events
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    reason = try members.required("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("reason", reason)
  }
}

/// Why edits are not sent yet (docs/sync.md, What is sent). Other programs read the codes, so they
/// must not change.
public enum HoldReason: String, CaseIterable, Sendable {
  /// The backend requires a name.
  case profileNeedsName = "profile-needs-name"
  /// The backend does not accept a date of birth alone.
  case physicalNeedsHeightOrSex = "physical-needs-height-or-sex"
  /// The backend requires a profile first.
  case physicalNeedsProfile = "physical-needs-profile"
  /// The backend cannot clear a language.
  case cannotClear = "cannot-clear"
  /// The backend can neither change nor delete a sleep session that it has.
  case backendCannotChangeSleep = "backend-cannot-change-sleep"

  /// A clause in English.
  public var cause: String {
    switch self {
    case .profileNeedsName: "the backend takes a profile only with a name"
    case .physicalNeedsHeightOrSex:
      "the backend takes a birth date only together with a height or a sex"
    case .physicalNeedsProfile: "the backend takes height, sex and birth date only with a profile"
    case .cannotClear: "the backend has no way to clear a language"
    case .backendCannotChangeSleep:
      "the backend cannot change or delete a sleep session that it has: it stays there as it is, and the "
        + "change counts here only"
    }
  }

  /// The members of profile events of which any lifts the hold when it is set; empty if no edit does.
  public var missingFields: [String] {
    switch self {
    case .profileNeedsName, .physicalNeedsProfile: ["name"]
    case .physicalNeedsHeightOrSex: ["height_cm", "biological_sex"]
    case .cannotClear, .backendCannotChangeSleep: []
    }
  }
}

/// The backend has a row or fields for these events, but with other values than were sent. The id
/// is bound and the call is complete; the user decides which values to keep.
package struct SyncDiffered: EventData {
  package static var kind: EventKind { .syncDiffered }
  package var call: CallID?
  package var events: [Seq]
  package var status: Int?
  package var via: AcknowledgementPath
  package var entry: EntryID?
  package var backendID: BackendID?
  /// The row, or the fields of a profile call, at the backend.
  package var remote: JSONObject
  package var unknown = JSONObject()

  package init(
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

  package init(from members: inout MemberReader) throws(EventError) {
    events = try members.required("events")
    via = try members.required("via")
    call = try members.optional("call")
    status = try members.optional("status")
    entry = try members.optional("entry")
    backendID = try members.optional("backend_id")
    remote = try members.required("remote")
  }

  package func write(to members: inout MemberWriter) {
    members.put("events", events)
    members.put("via", via)
    members.put("call", call)
    members.put("status", status)
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("remote", remote)
  }
}
