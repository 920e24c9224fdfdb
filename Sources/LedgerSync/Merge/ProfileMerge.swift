package import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// The profile and preferences at the backend; `nil` if absent or not requested.
package struct RemoteProfile: Hashable, Sendable {
  package var profile: JSONObject?
  package var preferences: JSONObject?
  /// Whether the backend answered that it has no preferences.
  var hasNoPreferences = false
  /// Whether the profile comes from the answer to a call that changed it. A missing member then means
  /// nothing; in the answer to a GET it means that the field is not set.
  var isAnswer = false
}

extension SyncContext {
  /// Three-way merge by field against the last agreed value (docs/sync.md, Pulling): changed at the
  /// backend only → taken; changed here only → will be sent; changed to the same value → agreed;
  /// changed differently → a conflict, decided by the policy.
  func merge(
    _ remote: RemoteProfile, policy: ConflictDecision
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    var merged = Pulled()
    var payloads: [Event.Payload] = []
    if let learned = accountOwner(remote.profile) { payloads.append(.accountSignedIn(learned)) }
    if !remote.isAnswer, let profile = remote.profile, profile["name"] == nil, isAgreed(.name) {
      merged.unusable.append(.name)
    }
    for (document, subjects) in remote.documents {
      var fields = JSONObject()
      for field in subjects.flatMap(\.fields)
      where !remote.isAnswer || document[field.rawValue] != nil {
        guard let value = document.value(of: field), Self.fits(value) else {
          if isUnusable(document[field.rawValue], field) { merged.unusable.append(field) }
          continue
        }
        switch try compare(field, value) {
        case .nothing: break
        case .take where remote.hasNoPreferences && field.subject == .preferences:
          // The backend may have lost them.
          merged.conflicts += 1
          payloads.append(.conflictDetected(lost(field)))
        case .take:
          fields[field.rawValue] = value
          merged.fields += 1
        case .agree: fields[field.rawValue] = value
        case .conflict(let base, let local, let isPulled):
          merged.conflicts += 1
          payloads.append(
            .conflictDetected(
              ConflictDetected(
                subject: field.subject.rawValue, field: field.rawValue, base: base, local: local,
                remote: value,
                // Only a person decides about one that is open.
                decision: isPulled
                  ? .remote : state.profile.hasOpenConflict(field) ? .open : policy)))
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

  /// The person decides whether a list is cleared here or sent again.
  private func lost(_ field: ProfileField) -> ConflictDetected {
    ConflictDetected(
      subject: field.subject.rawValue, field: field.rawValue, base: state.profile.agreed(field),
      local: state.profile.current(field, state.edits)?.value, remote: [], decision: .open)
  }

  /// The `user_id` of the account, if it was unknown at sign-in.
  private func accountOwner(_ profile: JSONObject?) -> AccountSignedIn? {
    guard var owner = state.account.owner, owner.userID == nil, let current = state.account.current,
      current.account == owner.account, current.origin == owner.origin,
      let userID = profile?["user_id"]?.string, userID.utf8.count <= 1_024
    else { return nil }
    owner.userID = userID
    owner.unknown = JSONObject()
    return owner
  }

  private enum Comparison {
    case nothing, take, agree
    case conflict(base: JSONValue?, local: JSONValue, isPulled: Bool)
  }

  private func compare(
    _ field: ProfileField, _ remote: JSONValue
  ) throws(LogError) -> Comparison {
    let base = state.profile.agreed(field)
    let current = state.profile.current(field, state.edits)
    let local = current?.value
    // Never set here, such as a default that a call sent.
    if local == nil, !remote.isNothing { return .take }
    guard !remote.isSameField(as: base) else { return .nothing }
    if remote.isSameField(as: local) { return .agree }
    let isChanged = !(local ?? .null).isSameField(as: base) || state.hasOpenEdit(of: field)
    guard isChanged, let current else { return .take }
    return .conflict(base: base, local: current.value, isPulled: try isPulled(field, current.seq))
  }

  /// Whether the value in force was taken from the backend: after the account was created again, another
  /// device may have sent a newer one.
  private func isPulled(_ field: ProfileField, _ seq: Int) throws(LogError) -> Bool {
    guard state.profile.agreed(field) == nil, let seq = Seq(exactly: seq),
      case .profilePulled = try texts.event(seq).event.payload
    else { return false }
    return true
  }

  /// Far more than the backend accepts, and small enough for a line of the log (64 KiB) with all fields
  /// of one document, or one field three times.
  private static var mostBytes: Int { 8 << 10 }

  /// Whether an unreadable value must be reported. `null` and a missing one are none, except for a
  /// name or unit system that both sides had: no call clears these.
  private func isUnusable(_ value: JSONValue?, _ field: ProfileField) -> Bool {
    value?.isNull == false || field.subject == .profile && isAgreed(field)
  }

  private func isAgreed(_ field: ProfileField) -> Bool {
    state.profile.agreed(field)?.isNothing == false
  }

  private static func fits(_ value: JSONValue) -> Bool {
    value.serialized.utf8.count <= mostBytes
  }

  /// Resolves a POST of the profile whose answer was lost: it arrived if the backend has all its values.
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
      // A later edit changed the value: the answer to the next PUT will tell.
      if let local, !attempt.events.contains(Seq(local.seq)), local.seq > marker.number {
        return nil
      }
      let value = profile.value(of: field) ?? .null
      guard value.isSameField(as: local?.value) else { return nil }
      remote[field.rawValue] = value
    }
    return SyncAcknowledged(
      call: attempt.call, events: attempt.events, status: 200, via: .reconciled, remote: remote)
  }
}

extension JSONObject {
  /// The value of a field at the backend.
  ///
  /// - Returns: `null` for a cleared field; `nil` for an unusable value.
  fileprivate func value(of field: ProfileField) -> JSONValue? {
    let value = self[field.rawValue]
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
      // A time after the date is ignored.
      return value?.string.flatMap { CalendarDate(String($0.prefix(10))) }.map { .string("\($0)") }
    case .allergies, .dietaryRestrictions, .foodDislikes:
      guard let list = value?.array else { return value == nil || value == .null ? [] : nil }
      return list.allSatisfy { $0.string != nil } ? .array(list) : nil
    }
  }
}

extension RemoteProfile {
  /// Those of the values that were read otherwise.
  func contradicted(
    _ agreed: [ProfileField: StartingState.AgreedValue]
  ) -> [StartingState.AgreedValue] {
    documents.flatMap { document, subjects in
      subjects.flatMap(\.fields).compactMap { field in
        guard let value = document.value(of: field), let agreed = agreed[field],
          !value.isSameField(as: agreed.value)
        else { return nil }
        return agreed
      }
    }
  }

  fileprivate var documents: [(JSONObject, [ProfileSubject])] {
    var documents: [(JSONObject, [ProfileSubject])] = []
    // Older servers answer a PATCH with only its three fields.
    if let profile {
      documents.append((profile, profile["name"] == nil ? [.physical] : [.profile, .physical]))
    }
    if let preferences = hasNoPreferences ? JSONObject() : preferences {
      documents.append((preferences, [.preferences]))
    }
    return documents
  }
}
