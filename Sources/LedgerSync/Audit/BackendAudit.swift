public import LedgerJSON
public import LedgerModel
public import LedgerProjections

/// The result of comparing acknowledged values with the backend (cli.md, `verify --backend`).
public struct BackendAudit: Hashable, Sendable {
  /// A value or row that is not the same on both sides.
  public struct Difference: Hashable, Sendable {
    /// What differs.
    public enum Kind: Hashable, Sendable {
      /// A field of an entry (`quantity`, `moment`, `notes`, `type`), a field of the person, or
      /// `user_id`.
      case value(String)
      /// The backend has no row for an acknowledged entry.
      case missingRow
      /// The backend has a row that is no live entry's row.
      case unknownRow
      /// The backend has a row that is suspected to repeat an entry; no person has decided yet.
      case suspectedDuplicate
      /// The backend has a row that cannot be read.
      case unreadableRow
    }

    /// What differs.
    public var kind: Kind
    /// The entry concerned; `nil` for fields of the person and rows without an entry.
    public var entry: EntryID?
    /// The backend's row; `nil` for fields of the person.
    public var backendID: BackendID?
    /// The acknowledged value; `null` for none.
    public var here: JSONValue
    /// The backend's value; `null` for none.
    public var there: JSONValue

    init(
      _ kind: Kind, entry: EntryID? = nil, backendID: BackendID? = nil, here: JSONValue = .null,
      there: JSONValue = .null
    ) {
      self.kind = kind
      self.entry = entry
      self.backendID = backendID
      self.here = here
      self.there = there
    }

    /// The name in the JSON answer; `row` for whole rows.
    public var field: String {
      switch kind {
      case .value(let name): name
      case .missingRow, .unknownRow: "row"
      case .suspectedDuplicate: "duplicate"
      case .unreadableRow: "unreadable"
      }
    }
  }

  /// How many entries and fields of the person were compared.
  public var checked = 0
  /// Fields of the person first, then rows.
  public var differences: [Difference] = []
  /// Fields with an acknowledged value that the API cannot read back.
  public var unreadable: [ProfileField] = []
  /// Edits that were not sent yet, are in doubt, held or refused, and rows that are yet to be deleted;
  /// they were not compared.
  public var unsentEdits = 0

  /// Whether nothing differs.
  public var isOK: Bool { differences.isEmpty }

  init() {}
}

/// Why the backend could not be compared with the ledger.
public enum BackendAuditFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The session is over: sign in again.
  case signedOut(reason: String)
  /// A part could not be read.
  ///
  /// - Parameter mayPass: whether trying again later may help: not after a refusal.
  case unread(part: String, reason: String, mayPass: Bool)
  /// The ledger changed during each of several attempts.
  case ledgerChanged

  public var description: String {
    switch self {
    case .signedOut(let reason): reason
    case .unread(let part, let reason, _): "\(part) could not be read: \(reason)"
    case .ledgerChanged: "the ledger changed while it was compared with the backend"
    }
  }
}
