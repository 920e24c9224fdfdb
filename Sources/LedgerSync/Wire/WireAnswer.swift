public import LedgerJSON

/// What came back, told apart by what may have happened at the backend (docs/sync.md, What an answer
/// means). The transport decides among these and nothing else; what they mean for an edit is the
/// projector's business.
public enum WireAnswer: Hashable, Sendable {
  /// A whole answer with a status.
  case response(Response)
  /// Nothing left this machine: no name, no connection, no TLS. Surely not accepted.
  case notSent(reason: String)
  /// Bytes left, and no whole answer came: time-out, reset, cut off, too long. Perhaps accepted.
  case lost(reason: String)
  /// The refresh itself was refused, or no call was accepted since the last one: sign in again.
  case signedOut(reason: String)
  /// The session could not be renewed just now; still signed in. Surely not accepted.
  case refreshFailed(reason: String)

  /// An answer's status, body and what it says about waiting.
  public struct Response: Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The body as it came.
    public var body: [UInt8]
    /// `Retry-After` in seconds, at most one hour.
    public var retryAfterSeconds: Int?

    /// An answer, without a body unless one is given.
    public init(status: Int, body: [UInt8] = [], retryAfterSeconds: Int? = nil) {
      self.status = status
      self.body = body
      self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The JSON of a success, taken out of its wrapping: `{"data":…}` or bare (docs/api). `nil`
    /// when the body is empty or is not JSON.
    public var value: JSONValue? {
      guard let json = try? JSONValue(parsing: body) else { return nil }
      return json.object?["data"] ?? json
    }

    /// The message of an error, or what stands in its place: the first thousand code points, since
    /// it is recorded, and a line of the log has an end.
    public var message: String {
      let error = (try? JSONValue(parsing: body))?.object?["error"]
      let text = error?.object?["message"]?.string ?? error?.string ?? "status \(status)"
      return String(String.UnicodeScalarView(text.unicodeScalars.prefix(1000)))
    }
  }
}

/// The way to the backend: a real edge, so that tests and simulations can stand at its other end.
public protocol BackendConnection: Sendable {
  /// Sends one request and waits for what becomes of it. Never throws: every outcome is an answer.
  /// A request that needs a session is sent with a current token; a token that has died meanwhile is
  /// renewed, once for everybody, and the request sent again.
  func send(_ request: WireRequest) async -> WireAnswer
}
