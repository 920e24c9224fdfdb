import LedgerJSON
public import LedgerModel

/// What an answer means for the edits of a call (backend.md, «What an answer means»).
enum Meaning: Hashable, Sendable {
  case acknowledged(status: Int, backendID: BackendID?, remote: JSONObject?)
  case rejected(status: Int, message: String)
  case deferred(Deferral)
  /// Perhaps accepted: nothing is recorded, the attempt stays open.
  case inDoubt(why: String)
  /// Nobody is signed in any more: the edits stay pending.
  case signedOut(why: String)

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
  func meaning(of answer: WireAnswer) -> Meaning {
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

  private func meaning(of response: WireAnswer.Response) -> Meaning {
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

  private func success(_ response: WireAnswer.Response) -> Meaning {
    switch kind {
    case .logProgress:
      guard let id = response.value?.object?["id"].flatMap({ BackendID(answered: $0) }) else {
        return .inDoubt(why: "the backend accepted, but named no id")
      }
      return .acknowledged(status: response.status, backendID: id, remote: nil)
    case .deleteProgress, .deleteSuperseded:
      // Anything but 204 is not an answer to a DELETE; asking again does no harm.
      guard response.status == 204 else {
        return .deferred(
          .init(
            reason: .serverError, status: response.status,
            why: "the backend answered a DELETE with \(response.status)", next: .again))
      }
      return .acknowledged(status: 204, backendID: deletedID, remote: nil)
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences:
      guard let remote = response.value?.object.flatMap({ agreed($0).recordable }) else {
        return doubtful(
          .serverError, status: response.status, why: "the backend's answer cannot be read")
      }
      return .acknowledged(
        status: response.status, backendID: nil, remote: remote)
    }
  }

  /// A POST may have been carried out; all else is simply sent again.
  private func doubtful(_ reason: DeferralReason, status: Int?, why: String) -> Meaning {
    request.method == .post
      ? .inDoubt(why: why)
      : .deferred(.init(reason: reason, status: status, why: why, next: .again))
  }

  /// The fields of this call as the backend now has them. A bio cleared by `""` reads back as
  /// absent, which is what was meant.
  private func agreed(_ answer: JSONObject) -> JSONObject {
    let sent = request.body.flatMap { try? JSONValue(parsing: $0).object } ?? JSONObject()
    var remote = JSONObject()
    for member in sent.members {
      let value = answer[member.name] ?? (member.value == "" ? .null : member.value)
      remote[member.name] = value == "" ? .null : value
    }
    return remote
  }

  var isDeletion: Bool { deletedID != nil }

  var deletedID: BackendID? {
    switch kind {
    case .deleteProgress(_, let id), .deleteSuperseded(_, let id): id
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences, .logProgress: nil
    }
  }

  public var entry: EntryID? {
    switch kind {
    case .logProgress(let entry), .deleteProgress(let entry, _), .deleteSuperseded(let entry, _):
      entry
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences: nil
    }
  }
}
