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
    /// Processed; the answer's data lacks its `id`.
    case noID
    /// Processed; the answer comes bare, without `data` around it.
    case unwrapped
    /// 429 with `Retry-After` in seconds, and nothing happened.
    case rateLimit(seconds: Int)
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
