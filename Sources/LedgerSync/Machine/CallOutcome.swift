import LedgerJSON
public import LedgerModel
import LedgerProjections

/// What an answer means for the edits of a call (docs/sync.md, What an answer means).
enum CallOutcome: Hashable, Sendable {
  case acknowledged(status: Int, backendID: BackendID?, remote: JSONObject?)
  /// The backend has it with other values than were sent.
  case differed(Difference)
  case rejected(status: Int, message: String)
  case deferred(Deferral)
  /// Perhaps accepted: nothing is recorded, the attempt stays open.
  case inDoubt(why: String)
  /// Nobody is signed in any more: the edits stay pending.
  case signedOut(why: String)

  /// What the backend has instead of what was sent.
  struct Difference: Hashable, Sendable {
    var status: Int
    var backendID: BackendID?
    /// The row, or the fields of the call, as the backend has them.
    var remote: JSONObject
    var fields: [ValueDifference]
  }

  /// Not now: pending again.
  struct Deferral: Hashable, Sendable {
    /// What a run does next.
    enum Next: Hashable, Sendable {
      /// Tries the call again after a moment.
      case again
      /// Tries the call again with no other under way: tokens that serve a single call are fought
      /// over by calls that go together. Ends the run where that does not help.
      case alone(SyncReport.Stop)
      /// Goes on with the others.
      case others
      /// Ends: the others would fare no better.
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
  func meaning(of answer: WireAnswer) -> CallOutcome {
    switch answer {
    case .response(let response): meaning(of: response)
    case .notSent(let reason):
      .deferred(.init(reason: .offline, why: reason, next: .stop(.offline(reason))))
    case .lost(let reason): doubtful(.offline, status: nil, why: reason)
    case .signedOut(let reason): .signedOut(why: reason)
    case .refreshFailed(let reason):
      .deferred(.init(reason: .unauthorized, why: reason, next: .alone(.refreshFailed(reason))))
    }
  }

  private func meaning(of response: WireAnswer.Response) -> CallOutcome {
    let status = response.status
    switch status {
    case 200..<300: return success(response)
    case 300..<400:
      // Never followed: the credentials would travel.
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
    case 500...: return doubtful(.serverError, status: status, why: response.message)
    case ..<200: return doubtful(.serverError, status: status, why: "the answer is not whole")
    default: return .rejected(status: status, message: response.message)
    }
  }

  private func success(_ response: WireAnswer.Response) -> CallOutcome {
    switch kind {
    case .logProgress:
      guard let id = response.value?.object?["id"].flatMap({ BackendID(answered: $0) }) else {
        return .inDoubt(why: "the backend accepted, but named no id")
      }
      return checkedRow(response, id)
    case .deleteProgress, .deleteSuperseded, .deleteDuplicate:
      // Anything but 204 is not an answer to a DELETE; asking again does no harm.
      guard response.status == 204 else {
        return .deferred(
          .init(
            reason: .serverError, status: response.status,
            why: "the backend answered a DELETE with \(response.status)", next: .again))
      }
      return .acknowledged(status: 204, backendID: deletedID, remote: nil)
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences:
      guard let answer = response.value?.object, let remote = agreed(answer).recordable else {
        return doubtful(
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

  /// The row in an answer counts only if it has the values that were sent.
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

  /// The fields of this call in which the backend's answer has another value.
  private func differences(from answer: JSONObject) -> [ValueDifference] {
    sentFields.members.compactMap { member in
      guard let remote = answer[member.name], !member.value.isSameField(as: remote) else {
        return nil
      }
      return ValueDifference(field: member.name, local: member.value, remote: remote.shortened)
    }
  }

  /// A POST may have been carried out; all else is simply sent again.
  private func doubtful(_ reason: DeferralReason, status: Int?, why: String) -> CallOutcome {
    request.method == .post
      ? .inDoubt(why: why)
      : .deferred(.init(reason: reason, status: status, why: why, next: .again))
  }

  /// The body as JSON; empty for a call without one.
  var sentFields: JSONObject {
    request.body.flatMap { try? JSONValue(parsing: $0).object } ?? JSONObject()
  }

  /// The fields of this call as the backend now has them. A bio cleared by `""` reads back as
  /// absent, which is what was meant; a birth date may come with a time, which does not count.
  private func agreed(_ answer: JSONObject) -> JSONObject {
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

  var isDeletion: Bool { deletedID != nil }

  var deletedID: BackendID? {
    switch kind {
    case .deleteProgress(_, let id), .deleteSuperseded(_, let id), .deleteDuplicate(_, let id):
      id
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences, .logProgress: nil
    }
  }

  public var entry: EntryID? {
    switch kind {
    case .logProgress(let entry), .deleteProgress(let entry, _), .deleteSuperseded(let entry, _),
      .deleteDuplicate(let entry, _):
      entry
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences: nil
    }
  }
}

extension JSONObject {
  /// The members of a progress row that are compared, and its id.
  fileprivate var rowMembers: JSONObject {
    let names = ["id", "type", "quantity", "date", "time", "logged_at", "notes"]
    return JSONObject(members: members.filter { names.contains($0.name) && !$0.value.isNull })
  }
}
