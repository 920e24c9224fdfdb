public import LedgerJSON

/// Whose value stands; `open` until a person says.
public enum ConflictDecision: String, CaseIterable, TextualMemberValue {
  /// What was said here stays.
  case local
  /// What the backend has stays.
  case remote
  /// A person has to decide.
  case open
}

/// The profile as the backend has it.
public struct ProfilePulled: EventData {
  public static var kind: EventKind { .profilePulled }
  public var fields: JSONObject
  public var updatedAt: String?
  public var unknown = JSONObject()

  public init(fields: JSONObject, updatedAt: String? = nil) {
    self.fields = fields
    self.updatedAt = updatedAt
  }

  public init(from members: inout MemberReader) throws(EventError) {
    fields = try members.required("fields")
    updatedAt = try members.optional("updated_at")
  }

  public func write(to members: inout MemberWriter) {
    members.put("fields", fields)
    members.put("updated_at", updatedAt)
  }
}

/// Both sides changed one field, differently.
public struct ConflictDetected: EventData {
  public static var kind: EventKind { .conflictDetected }
  public var subject: String
  public var field: String
  /// The last value both sides agreed on.
  public var base: JSONValue?
  public var local: JSONValue?
  public var remote: JSONValue?
  public var decision: ConflictDecision
  /// The row that has the remote value, for a conflict over an entry.
  public var backendID: BackendID?
  public var unknown = JSONObject()

  public init(
    subject: String, field: String, base: JSONValue? = nil, local: JSONValue? = nil,
    remote: JSONValue? = nil, decision: ConflictDecision, backendID: BackendID? = nil
  ) {
    self.subject = subject
    self.field = field
    self.base = base
    self.local = local
    self.remote = remote
    self.decision = decision
    self.backendID = backendID
  }

  public init(from members: inout MemberReader) throws(EventError) {
    subject = try members.required("subject")
    field = try members.required("field")
    base = try members.optional("base")
    local = try members.optional("local")
    remote = try members.optional("remote")
    decision = try members.required("decision")
    backendID = try members.optional("backend_id")
  }

  public func write(to members: inout MemberWriter) {
    members.put("subject", subject)
    members.put("field", field)
    members.put("base", base)
    members.put("local", local)
    members.put("remote", remote)
    members.put("decision", decision)
    members.put("backend_id", backendID)
  }
}

/// A person decided.
public struct ConflictResolved: EventData {
  public static var kind: EventKind { .conflictResolved }
  public var conflict: Seq
  public var decision: ConflictDecision
  public var value: JSONValue?
  public var unknown = JSONObject()

  public init(conflict: Seq, decision: ConflictDecision, value: JSONValue? = nil) {
    self.conflict = conflict
    self.decision = decision
    self.value = value
  }

  public init(from members: inout MemberReader) throws(EventError) {
    conflict = try members.required("conflict")
    decision = try members.required("decision")
    value = try members.optional("value")
  }

  public func write(to members: inout MemberWriter) {
    members.put("conflict", conflict)
    members.put("decision", decision)
    members.put("value", value)
  }
}

/// An unsent edit that is to count as never made.
public struct EditUndone: EventData {
  public static var kind: EventKind { .editUndone }
  public var event: Seq
  public var unknown = JSONObject()

  public init(event: Seq) {
    self.event = event
  }

  public init(from members: inout MemberReader) throws(EventError) {
    event = try members.required("event")
  }

  public func write(to members: inout MemberWriter) {
    members.put("event", event)
  }
}
