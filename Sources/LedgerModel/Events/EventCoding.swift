public import LedgerJSON

extension Event.Payload {
  /// Reads the `data` of a type and version.
  ///
  /// - Throws: ``EventError`` when a known type's `data` lacks or misstates a member, or comes in a
  ///   version newer than this program knows: projecting that would be a guess.
  public init(type: String, version: Int, data: JSONObject) throws(EventError) {
    try self.init(type: type, version: version, data: data, upcasters: .all) { $0.version }
  }

  /// The same by other steps and to other versions than this program's, for tests.
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
    case .syncAttempted: self = .syncAttempted(try .init(data: data))
    case .syncDeferred: self = .syncDeferred(try .init(data: data))
    case .syncAcknowledged: self = .syncAcknowledged(try .init(data: data))
    case .syncRejected: self = .syncRejected(try .init(data: data))
    case .syncHeld: self = .syncHeld(try .init(data: data))
    case .profilePulled: self = .profilePulled(try .init(data: data))
    case .progressPulled: self = .progressPulled(try .init(data: data))
    case .conflictDetected: self = .conflictDetected(try .init(data: data))
    case .conflictResolved: self = .conflictResolved(try .init(data: data))
    case .duplicateSuspected: self = .duplicateSuspected(try .init(data: data))
    case .editUndone: self = .editUndone(try .init(data: data))
    case .accountSignedIn: self = .accountSignedIn(try .init(data: data))
    case .accountSignedOut: self = .accountSignedOut(try .init(data: data))
    case .eventErased: self = .eventErased(try .init(data: data))
    case .logRepaired: self = .logRepaired(try .init(data: data))
    }
  }

  public var type: String {
    switch self {
    case .unknown(let type, _, _), .erased(let type, _): type
    default: known.map { Swift.type(of: $0).kind.rawValue } ?? ""
    }
  }

  /// The type as this version knows it; `nil` for an unknown type and for an erased event.
  public var kind: EventKind? { known.map { Swift.type(of: $0).kind } }

  public var version: Int {
    switch self {
    case .unknown(_, let version, _), .erased(_, let version): version
    default: kind?.version ?? 1
    }
  }

  /// The canonical `data`; empty for an erased event, which has none.
  public var data: JSONObject {
    if case .unknown(_, _, let data) = self { return data }
    return known?.data ?? JSONObject()
  }

  private var known: (any EventData)? {
    switch self {
    case .ledgerCreated(let data): data
    case .profileUpdated(let data): data
    case .physicalUpdated(let data): data
    case .preferencesUpdated(let data): data
    case .progressLogged(let data): data
    case .progressCorrected(let data): data
    case .progressDeleted(let data): data
    case .syncAttempted(let data): data
    case .syncDeferred(let data): data
    case .syncAcknowledged(let data): data
    case .syncRejected(let data): data
    case .syncHeld(let data): data
    case .profilePulled(let data): data
    case .progressPulled(let data): data
    case .conflictDetected(let data): data
    case .conflictResolved(let data): data
    case .duplicateSuspected(let data): data
    case .editUndone(let data): data
    case .accountSignedIn(let data): data
    case .accountSignedOut(let data): data
    case .eventErased(let data): data
    case .logRepaired(let data): data
    case .unknown, .erased: nil
    }
  }
}
