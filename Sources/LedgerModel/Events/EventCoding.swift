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
    case .syncDiffered: self = .syncDiffered(try .init(data: data))
    case .rowSkipped: self = .rowSkipped(try .init(data: data))
    case .profilePulled: self = .profilePulled(try .init(data: data))
    case .progressPulled: self = .progressPulled(try .init(data: data))
    case .conflictDetected: self = .conflictDetected(try .init(data: data))
    case .conflictResolved: self = .conflictResolved(try .init(data: data))
    case .duplicateSuspected: self = .duplicateSuspected(try .init(data: data))
    case .duplicateResolved: self = .duplicateResolved(try .init(data: data))
    case .editUndone: self = .editUndone(try .init(data: data))
    case .accountSignedIn: self = .accountSignedIn(try .init(data: data))
    case .accountSignedOut: self = .accountSignedOut(try .init(data: data))
    case .accountReplaced: self = .accountReplaced(try .init(data: data))
    case .eventErased: self = .eventErased(try .init(data: data))
    case .logRepaired: self = .logRepaired(try .init(data: data))
    }
  }

  public var type: String {
    switch self {
    case .unknown(let type, _, _), .erased(let type, _): type
    default: kind?.rawValue ?? ""
    }
  }

  /// The type as this version knows it; `nil` for an unknown type and for an erased event.
  public var kind: EventKind? {
    switch self {
    case .ledgerCreated: .ledgerCreated
    case .profileUpdated: .profileUpdated
    case .physicalUpdated: .physicalUpdated
    case .preferencesUpdated: .preferencesUpdated
    case .progressLogged: .progressLogged
    case .progressCorrected: .progressCorrected
    case .progressDeleted: .progressDeleted
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
    case .editUndone: .editUndone
    case .accountSignedIn: .accountSignedIn
    case .accountSignedOut: .accountSignedOut
    case .accountReplaced: .accountReplaced
    case .eventErased: .eventErased
    case .logRepaired: .logRepaired
    case .unknown, .erased: nil
    }
  }

  public var version: Int {
    switch self {
    case .unknown(_, let version, _), .erased(_, let version): version
    default: kind?.version ?? 1
    }
  }

  /// The canonical `data`; empty for an erased event, which has none.
  public var data: JSONObject {
    var members = MemberWriter()
    put(into: &members)
    return members.values()
  }

  /// Appends ``data`` as canonical text.
  public func writeData(into bytes: inout ByteSink) {
    var members = MemberWriter(behind: bytes)
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
