package import LedgerJSON

/// The event of line 1.
package struct LedgerCreated: EventData {
  package static var kind: EventKind { .ledgerCreated }
  package var ledger: LedgerID
  package var device: String
  /// Always 1.
  package var format: Int
  package var unknown = JSONObject()

  package init(ledger: LedgerID, device: String, format: Int) {
    self.ledger = ledger
    self.device = device
    self.format = format
  }

  package init(from members: inout MemberReader) throws(EventError) {
    ledger = try members.required("ledger")
    device = try members.required("device")
    format = try members.required("format")
  }

  package func write(to members: inout MemberWriter) {
    members.put("ledger", ledger)
    members.put("device", device)
    members.put("format", format)
  }
}

/// The ledger was bound to an account. Tokens are never logged.
public struct AccountSignedIn: EventData {
  package static var kind: EventKind { .accountSignedIn }
  /// The email, in lower case.
  public var account: String
  /// The backend's origin.
  public var origin: String
  /// The backend's id of the user, if it is known.
  public var userID: String?
  package var unknown = JSONObject()

  package init(account: String, origin: String, userID: String? = nil) {
    self.account = account
    self.origin = origin
    self.userID = userID
  }

  package init(from members: inout MemberReader) throws(EventError) {
    account = try members.required("account")
    origin = try members.required("origin")
    userID = try members.optional("user_id")
  }

  package func write(to members: inout MemberWriter) {
    members.put("account", account)
    members.put("origin", origin)
    members.put("user_id", userID)
  }
}

/// The account was signed out; edits stay pending.
package struct AccountSignedOut: EventData {
  package static var kind: EventKind { .accountSignedOut }
  package var account: String?
  package var origin: String?
  package var reason: String?
  package var unknown = JSONObject()

  package init(account: String? = nil, origin: String? = nil, reason: String? = nil) {
    self.account = account
    self.origin = origin
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    account = try members.optional("account")
    origin = try members.optional("origin")
    reason = try members.optional("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("account", account)
    members.put("origin", origin)
    members.put("reason", reason)
  }
}

/// The account was recreated at the backend. Bindings to rows are void, except those that later
/// events of the same append make again (docs/log-format.md, Events).
package struct AccountReplaced: EventData {
  package static var kind: EventKind { .accountReplaced }
  /// The previous `user_id`, if known.
  package var from: String?
  /// The new `user_id`, if known.
  package var to: String?
  package var reason: String
  package var unknown = JSONObject()

  /// Whether it is another account. Without one of the ids it may be the same one, which lost only its
  /// profile.
  package var isAnotherAccount: Bool { from != nil && to != nil && from != to }

  package init(from: String?, to: String?, reason: String) {
    self.from = from
    self.to = to
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    from = try members.optional("from")
    to = try members.optional("to")
    reason = try members.required("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("from", from)
    members.put("to", to)
    members.put("reason", reason)
  }
}

/// An event's content was erased; its seq and chain link remain.
public struct EventErased: EventData {
  package static var kind: EventKind { .eventErased }
  package static let mostReasonCharacters = 500
  /// The event whose content was erased.
  public var event: Seq
  /// Why, as the user stated.
  public var reason: String
  /// The erased entry; `nil` for other events.
  public var entry: EntryID?
  /// The fields of the erased edit; `nil` for an entry, empty or `nil` for a goal or an unknown type.
  public var fields: [String]?
  package var unknown = JSONObject()

  package init(event: Seq, reason: String, entry: EntryID? = nil, fields: [String]? = nil) {
    self.event = event
    self.reason = reason
    self.entry = entry
    self.fields = fields
  }

  package init(from members: inout MemberReader) throws(EventError) {
    event = try members.required("event")
    reason = try members.required("reason")
    entry = try members.optional("entry")
    fields = try members.optional("fields")
  }

  package func write(to members: inout MemberWriter) {
    members.put("event", event)
    members.put("reason", reason)
    members.put("entry", entry)
    members.put("fields", fields)
  }
}

/// Recovery moved bytes from the end of the log to a file.
package struct LogRepaired: EventData {
  package static var kind: EventKind { .logRepaired }
  package var bytes: Int
  /// The file in `quarantine/`.
  package var quarantined: String
  package var unknown = JSONObject()

  package init(bytes: Int, quarantined: String) {
    self.bytes = bytes
    self.quarantined = quarantined
  }

  package init(from members: inout MemberReader) throws(EventError) {
    bytes = try members.required("bytes")
    quarantined = try members.required("quarantined")
  }

  package func write(to members: inout MemberWriter) {
    members.put("bytes", bytes)
    members.put("quarantined", quarantined)
  }
}
