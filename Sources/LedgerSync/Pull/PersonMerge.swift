public import LedgerJSON
import LedgerLog
import LedgerModel
public import LedgerProjections

/// What the backend has of the person; `nil` parts it has not, or were not asked for.
public struct RemotePerson: Hashable, Sendable {
  public var profile: JSONObject?
  public var preferences: JSONObject?

  public init(profile: JSONObject? = nil, preferences: JSONObject? = nil) {
    self.profile = profile
    self.preferences = preferences
  }
}

/// What merging came to.
public struct Merged: Hashable, Sendable {
  /// Fields that were taken over.
  public var taken = 0
  /// Conflicts that were decided by the policy or left open.
  public var conflicts = 0
  /// Edits whose lost answer showed up.
  public var reconciled = 0
  /// Fields whose value is longer than an event can hold; they stay as they are on both sides.
  public var unusable: [ProfileField] = []

  public init() {}
}

extension SyncDesk {
  /// Merges field by field, against the last value both sides agreed on (backend.md, Pulling): only
  /// the backend changed it → it is taken; only this side → it will be sent; both, to the same →
  /// agreed; both, differently → a conflict, and the policy.
  func merge(
    _ remote: RemotePerson, policy: ConflictDecision
  ) throws(LogError) -> (payloads: [Event.Payload], merged: Merged) {
    var merged = Merged()
    var payloads: [Event.Payload] = []
    for (document, subjects) in remote.documents {
      var fields = JSONObject()
      for field in subjects.flatMap(\.fields) {
        guard let value = Self.value(of: field, in: document) else { continue }
        guard Self.fits(value) else {
          merged.unusable.append(field)
          continue
        }
        switch compare(field, value) {
        case .nothing: break
        case .take:
          fields[field.rawValue] = value
          merged.taken += 1
        case .agree: fields[field.rawValue] = value
        case .conflict(let base, let local):
          merged.conflicts += 1
          payloads.append(
            .conflictDetected(
              ConflictDetected(
                subject: field.subject.rawValue, field: field.rawValue, base: base, local: local,
                remote: value, decision: policy)))
        }
      }
      if !fields.isEmpty {
        let updatedAt = document["updated_at"]?.string.map { String($0.prefix(64)) }
        payloads.append(.profilePulled(ProfilePulled(fields: fields, updatedAt: updatedAt)))
      }
    }
    if let arrival = try arrivedCreation(remote.profile) {
      merged.reconciled += arrival.events.count
      payloads.append(.syncAcknowledged(arrival))
    }
    return (payloads, merged)
  }

  private enum Comparison {
    case nothing, take, agree
    case conflict(base: JSONValue?, local: JSONValue)
  }

  private func compare(_ field: ProfileField, _ remote: JSONValue) -> Comparison {
    let base = state.profile.agreed(field)
    let local = state.profile.current(field, state.edits)?.value
    guard !remote.isSame(as: base) else { return .nothing }
    if remote.isSame(as: local) { return .agree }
    let isChanged = !(local ?? .null).isSame(as: base) || state.hasOpenEdit(of: field)
    guard isChanged, let local else { return .take }
    return .conflict(base: base, local: local)
  }

  /// - Returns: `null` for a field that was cleared; `nil` for one that says nothing.
  private static func value(of field: ProfileField, in document: JSONObject) -> JSONValue? {
    let value = document[field.rawValue]
    switch field {
    case .bio, .languageCode:
      guard let text = value?.string, !text.isEmpty else {
        return value == nil || value == .null || value == "" ? .null : nil
      }
      return .string(text)
    case .name: return value?.string.flatMap { $0.isEmpty ? nil : .string($0) }
    case .preferredUnitSystem, .biologicalSex:
      let words = field == .biologicalSex ? ["male", "female", "other"] : ["metric", "imperial"]
      return value?.string.flatMap { words.contains($0) ? .string($0) : nil }
    case .heightCM:
      return value?.number.flatMap { JSONNumber.writable($0) }.map { .number($0) }
    case .dateOfBirth:
      // A date, whatever time of day is written behind it.
      return value?.string.flatMap { CalendarDate(String($0.prefix(10))) }.map { .string("\($0)") }
    case .allergies, .dietaryRestrictions, .foodDislikes:
      guard let list = value?.array else { return value == nil || value == .null ? [] : nil }
      return list.allSatisfy { $0.string != nil } ? .array(list) : nil
    }
  }

  /// Far more than the backend says it takes, and little enough for a line of the log (64 KiB) with
  /// all fields of one document, or one field three times, in it.
  private static var mostBytes: Int { 8 << 10 }

  private static func fits(_ value: JSONValue) -> Bool {
    value.serialized.utf8.count <= mostBytes
  }

  /// A POST of the profile whose answer was lost: where the backend now has all that it carried, it
  /// arrived.
  private func arrivedCreation(_ profile: JSONObject?) throws(LogError) -> SyncAcknowledged? {
    guard let profile else { return nil }
    let waiting = state.profile.edits(of: .profile).filter { state.edits.state($0) == .inDoubt }
    guard
      let marker = waiting.first.flatMap({ state.edits.marker($0) }).flatMap(Seq.init(exactly:)),
      case .syncAttempted(let attempt) = try texts.event(marker).event.payload,
      attempt.method == WireRequest.Method.post.rawValue
    else { return nil }
    var remote = JSONObject()
    for field in ProfileSubject.profile.fields {
      let local = state.profile.current(field, state.edits)
      // A later edit changed what was carried: the next PUT will tell.
      if let local, !attempt.events.contains(Seq(local.seq)), local.seq > marker.number {
        return nil
      }
      let value = Self.value(of: field, in: profile) ?? .null
      guard value.isSame(as: local?.value) else { return nil }
      remote[field.rawValue] = value
    }
    return SyncAcknowledged(
      call: attempt.call, events: attempt.events, status: 200, via: .reconciled, remote: remote)
  }
}

extension RemotePerson {
  fileprivate var documents: [(JSONObject, [ProfileSubject])] {
    var documents: [(JSONObject, [ProfileSubject])] = []
    if let profile { documents.append((profile, [.profile, .physical])) }
    if let preferences { documents.append((preferences, [.preferences])) }
    return documents
  }
}

extension JSONValue {
  /// Absent, cleared and empty are one and the same to the backend.
  fileprivate func isSame(as other: JSONValue?) -> Bool {
    isNothing ? other?.isNothing ?? true : self == other
  }

  private var isNothing: Bool { self == .null || self == "" || self == .array([]) }
}
