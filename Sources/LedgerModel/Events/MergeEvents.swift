package import LedgerJSON

/// The profile at the backend.
package struct ProfilePulled: EventData {
  package static var kind: EventKind { .profilePulled }
  package var fields: JSONObject
  package var updatedAt: String?
  package var unknown = JSONObject()

  package init(fields: JSONObject, updatedAt: String? = nil) {
    self.fields = fields
    self.updatedAt = updatedAt
  }

  package init(from members: inout MemberReader) throws(EventError) {
    fields = try members.required("fields")
    updatedAt = try members.optional("updated_at")
  }

  package func write(to members: inout MemberWriter) {
    members.put("fields", fields)
    members.put("updated_at", updatedAt)
  }
}

/// A row at the backend that became a new entry.
package struct ProgressPulled: EventData {
  package static var kind: EventKind { .progressPulled }
  package var entry: EntryID
  package var backendID: BackendID
  package var metric: Metric
  package var quantity: Double
  package var date: CalendarDate
  package var moment: ZonedTime?
  package var notes: String?
  package var unknown = JSONObject()

  package init(
    entry: EntryID, backendID: BackendID, metric: Metric, quantity: Double, date: CalendarDate,
    moment: ZonedTime? = nil, notes: String? = nil
  ) {
    self.entry = entry
    self.backendID = backendID
    self.metric = metric
    self.quantity = quantity
    self.date = date
    self.moment = moment
    self.notes = notes
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    backendID = try members.required("backend_id")
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    date = try members.required("date")
    moment = try members.zonedTime()
    notes = try members.optional("notes")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", notes)
  }
}

/// A row at the backend that cannot be read; recorded once per row and reason.
package struct RowSkipped: EventData {
  package static var kind: EventKind { .rowSkipped }
  package var backendID: BackendID?
  /// The unreadable member.
  package var field: String
  /// Its value, as JSON text of at most 200 characters; `nil` if it is missing.
  package var value: JSONValue?
  package var reason: String
  package var unknown = JSONObject()

  package init(backendID: BackendID?, field: String, value: JSONValue?, reason: String) {
    self.backendID = backendID
    self.field = field
    self.value = value
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    backendID = try members.optional("backend_id")
    field = try members.required("field")
    value = try members.optional("value")
    reason = try members.required("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("backend_id", backendID)
    members.put("field", field)
    members.put("value", value)
    members.put("reason", reason)
  }
}

/// The winning side of a conflict.
public enum ConflictDecision: String, Codable, CaseIterable, TextualMemberValue {
  /// Keep the ledger's value.
  case local
  /// The backend's value.
  case remote
  /// Not decided: the user must decide.
  case open
}

/// Both sides changed a field to different values.
package struct ConflictDetected: EventData {
  package static var kind: EventKind { .conflictDetected }
  package var subject: String
  package var field: String
  /// The last common value.
  package var base: JSONValue?
  package var local: JSONValue?
  package var remote: JSONValue?
  package var decision: ConflictDecision
  /// The row with the remote value, for a conflict over an entry.
  package var backendID: BackendID?
  package var unknown = JSONObject()

  package init(
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

  package init(from members: inout MemberReader) throws(EventError) {
    subject = try members.required("subject")
    field = try members.required("field")
    base = try members.optional("base")
    local = try members.optional("local")
    remote = try members.optional("remote")
    decision = try members.required("decision")
    backendID = try members.optional("backend_id")
  }

  package func write(to members: inout MemberWriter) {
    members.put("subject", subject)
    members.put("field", field)
    members.put("base", base)
    members.put("local", local)
    members.put("remote", remote)
    members.put("decision", decision)
    members.put("backend_id", backendID)
  }
}

/// The user resolved a conflict.
package struct ConflictResolved: EventData {
  package static var kind: EventKind { .conflictResolved }
  package var conflict: Seq
  package var decision: ConflictDecision
  package var value: JSONValue?
  package var unknown = JSONObject()

  package init(conflict: Seq, decision: ConflictDecision, value: JSONValue? = nil) {
    self.conflict = conflict
    self.decision = decision
    self.value = value
  }

  package init(from members: inout MemberReader) throws(EventError) {
    conflict = try members.required("conflict")
    decision = try members.required("decision")
    value = try members.optional("value")
  }

  package func write(to members: inout MemberWriter) {
    members.put("conflict", conflict)
    members.put("decision", decision)
    members.put("value", value)
  }
}

/// More rows at the backend than an entry should have.
package struct DuplicateSuspected: EventData {
  package static var kind: EventKind { .duplicateSuspected }
  package var entry: EntryID
  package var backendIDs: [BackendID]
  package var unknown = JSONObject()

  package init(entry: EntryID, backendIDs: [BackendID]) {
    self.entry = entry
    self.backendIDs = backendIDs
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    backendIDs = try members.required("backend_ids")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("backend_ids", backendIDs)
  }
}

/// The user's decision about suspected duplicates.
public enum DuplicateDecision: String, Codable, CaseIterable, TextualMemberValue {
  /// The suspected rows are duplicates and are deleted.
  case one
  /// The suspected rows are separate entries.
  case both
}

/// The user decided about suspected duplicates.
package struct DuplicateResolved: EventData {
  package static var kind: EventKind { .duplicateResolved }
  /// The seq of `duplicate.suspected`.
  package var suspicion: Seq
  package var decision: DuplicateDecision
  package var unknown = JSONObject()

  package init(suspicion: Seq, decision: DuplicateDecision) {
    self.suspicion = suspicion
    self.decision = decision
  }

  package init(from members: inout MemberReader) throws(EventError) {
    suspicion = try members.required("suspicion")
    decision = try members.required("decision")
  }

  package func write(to members: inout MemberWriter) {
    members.put("suspicion", suspicion)
    members.put("decision", decision)
  }
}
