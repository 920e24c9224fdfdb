import LedgerJSON
import LedgerModel
import LedgerProjections

/// What an answer means for the edits of a call (docs/sync.md, What an answer means).
enum CallOutcome: Hashable, Sendable {
  case acknowledged(status: Int, backendID: BackendID?, remote: JSONObject?)
  /// The backend stored other values than were sent.
  case differed(Difference)
  case rejected(status: Int, message: String)
  case deferred(Deferral)
  /// May have been accepted: nothing is recorded, the attempt stays open.
  case unresolved(why: String)
  /// The session has ended: the edits stay pending.
  case signedOut(why: String)

  struct Difference: Hashable, Sendable {
    var status: Int
    var backendID: BackendID?
    /// The row, or the fields of the call, as the backend has them.
    var remote: JSONObject
    var fields: [ValueDifference]
  }

  /// The edits are pending again.
  struct Deferral: Hashable, Sendable {
    enum Next: Hashable, Sendable {
      /// Retry the call after a wait.
      case again
      /// Retry the call with no other in flight: concurrent calls compete for tokens that are valid
      /// for a single call. Stop the run if that fails too.
      case alone(SyncReport.Stop)
      /// Continue with the other calls.
      case others
      /// Stop the run: the other calls would fail too.
      case stop(SyncReport.Stop)
    }

    var reason: DeferralReason
    var status: Int?
    var waitSeconds: Int?
    var why: String
    var next: Next
  }
}

extension PlannedCall {
  func outcome(of answer: WireAnswer) -> CallOutcome {
    switch answer {
    case .response(let response): outcome(of: response)
    case .notSent(let reason):
      .deferred(.init(reason: .offline, why: reason, next: .stop(.offline(reason))))
    case .lost(let reason): notConfirmed(.offline, status: nil, why: reason)
    case .signedOut(let reason): .signedOut(why: reason)
    case .refreshFailed(let reason):
      .deferred(.init(reason: .unauthorized, why: reason, next: .alone(.refreshFailed(reason))))
    }
  }

  private func outcome(of response: WireAnswer.Response) -> CallOutcome {
    let status = response.status
    switch status {
    case 200..<300: return success(response)
    // The backend has carried out the POST (RFC 9110, section 15.4.4).
    case 303 where createsRow:
      return .unresolved(why: "the backend redirects, which is never followed")
    case 300..<400:
      // Never followed: the credentials would be sent along.
      return .deferred(
        .init(
          reason: .serverError, status: status,
          why: "the backend redirects, which is never followed",
          next: .others))
    case 401:
      return .deferred(
        .init(
          reason: .unauthorized, status: status, why: response.message,
          next: .alone(.refreshFailed(response.message))))
    case 404 where isDeletion:
      return .acknowledged(status: status, backendID: deletedID, remote: nil)
    case 429:
      let seconds = response.retryAfterSeconds ?? 60
      return .deferred(
        .init(
          reason: .rateLimited, status: status, waitSeconds: seconds, why: response.message,
          next: .stop(.rateLimited(seconds: seconds))))
    case _ where response.mayPassLater:
      return notConfirmed(.serverError, status: status, why: response.message)
    case ..<200: return notConfirmed(.serverError, status: status, why: "the answer is not whole")
    default: return .rejected(status: status, message: response.message)
    }
  }

  private func success(_ response: WireAnswer.Response) -> CallOutcome {
    if response.reportsFailure {
      return notConfirmed(.serverError, status: response.status, why: response.message)
    }
    switch kind {
    case .logProgress:
      guard let id = response.value?.object?["id"].flatMap({ BackendID(answered: $0) }) else {
        return .unresolved(why: "the backend accepted the call, but its answer has no id")
      }
      return checkedRow(response, id)
    case .logSleep:
      guard let id = response.value?.object?["id"].flatMap({ BackendID(answered: $0) }) else {
        return notConfirmed(
          .serverError, status: response.status,
          why: "the backend accepted the call, but its answer has no id")
      }
      return checkedSession(response, id)
    case .deleteProgress, .deleteSuperseded, .deleteDuplicate:
      // Anything but 204 is no answer to a DELETE; repeating it is harmless.
      guard response.status == 204 else {
        return .deferred(
          .init(
            reason: .serverError, status: response.status,
            why: "the backend answered a DELETE with \(response.status)", next: .again))
      }
      return .acknowledged(status: 204, backendID: deletedID, remote: nil)
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences:
      guard let answer = response.value?.object, answer.hasMemberOfPerson,
        let remote = sentFields(from: answer).recordable
      else {
        return notConfirmed(
          .serverError, status: response.status, why: "the backend's answer cannot be read")
      }
      let fields = differences(from: answer)
      guard fields.isEmpty else {
        return .differed(.init(status: response.status, remote: remote, fields: fields))
      }
      return .acknowledged(
        status: response.status, backendID: nil, remote: remote)
    }
  }

  /// A row in the answer must have the values that were sent.
  private func checkedRow(_ response: WireAnswer.Response, _ id: BackendID) -> CallOutcome {
    guard let row = response.value?.object, let key else {
      return .acknowledged(status: response.status, backendID: id, remote: nil)
    }
    let found = key.compare(withAnswer: row)
    if found.differences.isEmpty {
      let remote = found.rounded.map { rounded -> JSONObject in
        ["quantity": JSONValue.number(rounded).rounded]
      }
      return .acknowledged(status: response.status, backendID: id, remote: remote)
    }
    let remote = row.rowMembers.recordable ?? ["id": .string(id.text)]
    return .differed(
      .init(
        status: response.status, backendID: id, remote: remote, fields: found.differences))
  }

  private func checkedSession(_ response: WireAnswer.Response, _ id: BackendID) -> CallOutcome {
    guard let answer = response.value?.object, let sleep,
      sleep.events(in: answer, of: self) == nil
    else { return .acknowledged(status: response.status, backendID: id, remote: nil) }
    return .differed(
      .init(
        status: response.status, backendID: id, remote: SleepValues.recordable(answer),
        fields: sleep.sent.differences(from: answer)))
  }

  /// The edits that an answer covers: of a session that was sent before in another version, those of
  /// the version that the backend has.
  func covered(by answer: WireAnswer) -> [Seq] {
    guard case .response(let response) = answer, let object = response.value?.object, let sleep
    else { return events }
    return sleep.events(in: object, of: self) ?? events
  }

  /// The sent fields that have another value in the answer.
  private func differences(from answer: JSONObject) -> [ValueDifference] {
    sentFields.members.compactMap { member in
      guard let remote = answer[member.name], !member.value.isSameField(as: remote) else {
        return nil
      }
      return ValueDifference(field: member.name, local: member.value, remote: remote.shortened)
    }
  }

  /// A POST may have been carried out; any other call is sent again, and so is a sleep session.
  private func notConfirmed(_ reason: DeferralReason, status: Int?, why: String) -> CallOutcome {
    request.method == .post && sleep == nil
      ? .unresolved(why: why)
      : .deferred(.init(reason: reason, status: status, why: why, next: .again))
  }

  /// Whether it creates a row.
  var createsRow: Bool {
    if case .logProgress = kind { true } else { false }
  }

  /// The body as JSON; empty for a call without one.
  var sentFields: JSONObject {
    request.body.flatMap { try? JSONValue(parsing: $0).object } ?? JSONObject()
  }

  /// The sent fields as the backend now has them. A bio cleared by `""` reads back as absent; the
  /// time of a birth date is ignored.
  private func sentFields(from answer: JSONObject) -> JSONObject {
    var remote = JSONObject()
    for member in sentFields.members {
      var value = answer[member.name] ?? (member.value == "" ? .null : member.value)
      if member.name == ProfileField.dateOfBirth.rawValue, member.value.isSameField(as: value) {
        value = member.value
      }
      remote[member.name] = value == "" ? .null : value
    }
    return remote
  }
}

extension JSONObject {
  /// The id and the compared members of a progress row.
  fileprivate var rowMembers: JSONObject {
    let names = ["id", "type", "quantity", "date", "time", "logged_at", "notes"]
    return JSONObject(members: members.filter { names.contains($0.name) && !$0.value.isNull })
  }
}

extension JSONObject {
  /// Whether an answer to a call about the person is one: a profile, fields of it, or preferences. Such
  /// members as a message alone do not show that anything was stored.
  fileprivate var hasMemberOfPerson: Bool {
    members.contains { member in
      ProfileField(rawValue: member.name) != nil
        || ["id", "user_id", "user_profile_id", "created_at", "updated_at"].contains(member.name)
    }
  }
}
