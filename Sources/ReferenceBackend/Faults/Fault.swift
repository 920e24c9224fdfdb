/// Something that goes wrong with requests of one method to one path.
public struct Fault: Sendable, Equatable {
  /// What goes wrong. «Before» and «after» say whether the request was processed: both look the
  /// same from outside, which is what a client has to live with.
  public enum Kind: Sendable, Equatable {
    /// The connection closes and nothing happened.
    case dropBefore
    /// Processed, then the connection closes without an answer.
    case dropAfter
    /// Answered with this status, 300 to 599, and nothing happened.
    case statusBefore(Int)
    /// Processed, then answered with this status.
    case statusAfter(Int)
    /// Processed only after so many milliseconds, even if the client has left by then.
    case delayBefore(milliseconds: Int32)
    /// Processed at once, answered after so many milliseconds.
    case delay(milliseconds: Int32)
    /// Processed twice in a row, as behind a proxy that retries; answered with what the first
    /// came to. Uses of an access token count twice, too.
    case duplicate
    /// The connection closes without an answer, and only so many milliseconds later, as from a
    /// proxy that held it, the request is processed. See ``BackendServer/deliverLate()``.
    case late(milliseconds: Int32)
    /// Only for `POST /api/v1/auth/refresh`: the token is exchanged at once, but the answer waits
    /// until somebody else has come with a dead token of the same session, which revokes it, or so
    /// many milliseconds have passed. After a lost race the answer's tokens are dead already.
    case refreshRace(milliseconds: Int32)
    /// Processed; half of the answer's body, then the connection closes. An answer without a body
    /// is dropped whole.
    case truncate
    /// Processed; the real status with a body that is no JSON.
    case garbage
    /// Processed; the answer's data lacks this member. In a listing every row lacks it, too.
    case omit(String)
    /// Processed; the answer comes bare, without `data` around it.
    case unwrapped
    /// 429 with `Retry-After` in seconds, and nothing happened.
    case rateLimit(seconds: Int)
    /// Checked as it was sent, then stored and answered with another value. On a GET the answer
    /// alone shows another value.
    case lie(Lie)
    /// As `lie`, only for progress: quantities rounded to so many decimals.
    case round(decimals: Int)
    /// Only for `GET /api/v1/progress`: the page's first row shows a value that cannot be read.
    case badRow(BadValue)
    /// Data is lost first, then the request is processed.
    case forget(Loss)
    /// Every session is revoked first, then the request is processed: an access token is answered
    /// 401, and so is a refresh. Accounts and data stay.
    case resetSession
  }

  /// What a `lie` changes. The raw value is the name in a fault's text.
  public enum Lie: String, CaseIterable, Sendable {
    /// One more, or one less where that is out of range.
    case quantity
    /// Another metric, one that accepts the quantity if there is any.
    case type
    /// Other notes.
    case notes
    /// The current time, or an hour before if the moment is within a minute of it.
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

  /// The member of a listed row that cannot be read. The raw value is the name in a fault's text.
  public enum BadValue: String, CaseIterable, Sendable {
    /// A type that does not exist.
    case type
    /// Text that is no date.
    case date
    /// Text instead of a number.
    case quantity
    /// A number instead of text.
    case id
  }

  /// What the backend forgets, of all accounts. The raw value is the name in a fault's text.
  public enum Loss: String, CaseIterable, Sendable {
    /// Accounts, sessions and data. The same address can register again and gets another `user_id`.
    case everything
    /// Profiles with height, sex and preferences.
    case profiles
    /// Progress rows.
    case rows
  }

  /// In upper case; nil for every method.
  public let method: String?
  /// Where `*` or `{id}` stands for any one segment.
  public let path: String
  public let kind: Kind
  /// Which matching request, counted from 1; nil for every one.
  public let occurrence: Int?

  let pattern: [String]

  /// Whether it speaks of this request, whatever its number.
  func matches(method: String, segments: [String]) -> Bool {
    guard self.method == nil || self.method == method, segments.count == pattern.count else {
      return false
    }
    return zip(pattern, segments).allSatisfy { part, segment in
      part == segment || part == "*" || (part.hasPrefix("{") && part.hasSuffix("}"))
    }
  }
}
