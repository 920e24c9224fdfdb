/// A scripted failure of requests with a method and a path.
package struct ScriptedFault: Sendable, Equatable {
  /// What goes wrong. Before and after refer to the processing of the request; a client cannot tell
  /// one from the other.
  package enum Kind: Sendable, Equatable {
    /// Not processed; the connection closes.
    case dropBefore
    /// Processed; the connection closes without an answer.
    case dropAfter
    /// Not processed; answered with this status, 300 to 599.
    case statusBefore(Int)
    /// Processed; answered with this status, 300 to 599.
    case statusAfter(Int)
    /// Processed after a delay, even if the client has left by then.
    case delayBefore(milliseconds: Int32)
    /// Processed at once, answered after a delay.
    case delay(milliseconds: Int32)
    /// Processed twice in a row, as by a retrying proxy; answered with the first result. Counts as
    /// two uses of the access token.
    case duplicate
    /// The connection closes without an answer; the request is processed after a delay, as by a proxy
    /// that held it. See ``BackendServer/deliverLate()``.
    case late(milliseconds: Int32)
    /// Only for `POST /api/v1/auth/refresh`: processed at once, but the answer waits until another
    /// request used an old token of the session, which revokes it, or the time has passed. After a
    /// lost race the answer's tokens are revoked.
    case refreshRace(milliseconds: Int32)
    /// Processed; the connection closes after half of the body. An answer without a body is dropped.
    case truncate
    /// Processed; the real status with a body that is not JSON.
    case garbage
    /// Processed; this member is missing in the answer's data and in every listed row.
    case omit(String)
    /// Processed; the answer is not wrapped in `data`.
    case unwrapped
    /// Not processed; 429 with `Retry-After`.
    case rateLimit(seconds: Int)
    /// Validated as sent, then stored and answered with another value. A GET only answers with it.
    case lie(Lie)
    /// As `lie`, for progress: quantities are rounded.
    case round(decimals: Int)
    /// Only for `GET /api/v1/progress`: the page's first row has an invalid value.
    case badRow(BadValue)
    /// Data is lost first, then the request is processed.
    case forget(Loss)
    /// Every session is revoked first, then the request is processed: access tokens and refreshes
    /// are answered 401. Accounts and data stay.
    case resetSession
  }

  /// The value a `lie` changes. The raw value is its name in a fault's text.
  package enum Lie: String, CaseIterable, Sendable {
    /// One more, or one less where that is out of range.
    case quantity
    /// Another metric, if possible one that accepts the quantity.
    case type
    /// Other notes.
    case notes
    /// The current time, or an hour earlier if the moment is within a minute of it.
    case moment
    case name, bio
    case preferredUnitSystem = "preferred_unit_system"
    case languageCode = "language_code"
    /// The day before.
    case dateOfBirth = "date_of_birth"
    case biologicalSex = "biological_sex"
    /// One more, or one less where that is out of range.
    case heightCM = "height_cm"
    /// One more item.
    case allergies
    /// One more item.
    case dietaryRestrictions = "dietary_restrictions"
    /// One more item.
    case foodDislikes = "food_dislikes"
  }

  /// The invalid member of a listed row. The raw value is its name in a fault's text.
  package enum BadValue: String, CaseIterable, Sendable {
    /// An unknown type.
    case type
    /// Text that is not a date.
    case date
    /// Text instead of a number.
    case quantity
    /// A number instead of text.
    case id
  }

  /// What is lost, of all accounts. The raw value is its name in a fault's text.
  package enum Loss: String, CaseIterable, Sendable {
    /// Accounts, sessions and data. A new registration gets another `user_id`.
    case everything
    /// Profiles with height, sex and preferences.
    case profiles
    /// Progress rows.
    case rows
  }

  /// In upper case; `nil` for every method.
  package let method: String?
  /// `*` and `{id}` match any one segment.
  package let path: String
  package let kind: Kind
  /// The number of the matching request, from 1; `nil` for all.
  package let occurrence: Int?

  let pattern: [String]

  func matches(method: String, segments: [String]) -> Bool {
    guard self.method == nil || self.method == method, segments.count == pattern.count else {
      return false
    }
    return zip(pattern, segments).allSatisfy { part, segment in
      part == segment || part == "*" || (part.hasPrefix("{") && part.hasSuffix("}"))
    }
  }
}

/// The faults of a running backend with their request counts.
struct FaultScript: Sendable {
  private var faults: [(fault: ScriptedFault, seen: Int)]

  init(_ faults: [ScriptedFault]) {
    self.faults = faults.map { (fault: $0, seen: 0) }
  }

  /// The first fault that this request triggers. Every matching fault counts the request, so that N
  /// does not depend on other faults.
  mutating func next(for request: HTTPRequest) -> ScriptedFault? {
    var triggered: ScriptedFault?
    for index in faults.indices {
      let fault = faults[index].fault
      guard fault.matches(method: request.method, segments: request.target.segments) else {
        continue
      }
      faults[index].seen += 1
      guard triggered == nil, fault.occurrence.map({ $0 == faults[index].seen }) ?? true else {
        continue
      }
      triggered = fault
    }
    return triggered
  }
}
