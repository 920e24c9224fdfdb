public import LedgerJSON
package import LedgerModel

/// Sends requests to the backend.
public protocol BackendConnection: Sendable {
  /// Sends a request; every outcome is an answer. A request that needs a session is sent with a
  /// current token. An expired token is renewed, once for all requests, and the request sent again.
  func send(_ request: WireRequest) async -> WireAnswer
}

/// A request to the backend, complete except for credentials.
public struct WireRequest: Hashable, Sendable {
  /// The backend's methods.
  public enum Method: String, Hashable, Sendable {
    /// Reads.
    case get = "GET"
    /// Creates.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Deletes.
    case delete = "DELETE"

    /// Whether it changes something at the backend.
    public var mutates: Bool { self != .get }
  }

  /// The method.
  public var method: Method
  /// Relative to the backend's address, such as `/api/v1/progress`; percent-encoded (RFC 3986).
  public var path: String
  /// In order, not percent-encoded.
  public var query: [QueryItem]
  /// The exact bytes of the body.
  public var body: [UInt8]?
  /// Whether it needs a signed-in account: all except the calls that sign in.
  public var needsSession: Bool

  /// A query item.
  public struct QueryItem: Hashable, Sendable {
    /// Not percent-encoded.
    public var name: String
    /// Not percent-encoded.
    public var value: String

    /// A name and its value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request, by default for the signed-in account.
  public init(
    _ method: Method, _ path: String, query: [QueryItem] = [], body: [UInt8]? = nil,
    needsSession: Bool = true
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.needsSession = needsSession
  }
}

/// The outcome of a request, classified by what may have happened at the backend (docs/sync.md, What an
/// answer means). The transport only classifies; the projector decides what it means for an edit.
public enum WireAnswer: Hashable, Sendable {
  /// A complete response.
  case response(Response)
  /// Nothing was sent: no name, no connection, no TLS. Not accepted.
  case notSent(reason: String)
  /// Sent without a complete response: time-out, reset, truncated, too long. May have been accepted.
  case lost(reason: String)
  /// The token refresh was rejected, or no call was accepted after the last one: sign in again.
  case signedOut(reason: String)
  /// The session could not be renewed for now; still signed in. Not accepted.
  case refreshFailed(reason: String)

  /// A complete response.
  public struct Response: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The raw body.
    public var body: [UInt8]
    /// `Retry-After` in seconds, at most one hour.
    public var retryAfterSeconds: Int?

    /// A response.
    public init(status: Int, body: [UInt8] = [], retryAfterSeconds: Int? = nil) {
      self.status = status
      self.body = body
      self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the status says that the same request may succeed later, and not that it was refused: 5xx;
    /// 408, by a proxy that lost part of it (RFC 9110, section 15.5.9); 425 (RFC 8470, section 5.2). Only
    /// 429 says when.
    package var mayPassLater: Bool { status >= 500 || status == 408 || status == 425 }

    /// The JSON of a success, unwrapped from `{"data":…}` if necessary (docs/api). `nil` if the body is
    /// empty or no JSON.
    public var value: JSONValue? {
      guard let json = try? JSONValue(parsingAnswer: body) else { return nil }
      return json.object?["data"] ?? json
    }

    /// Whether a success says in its body that the call failed, by `"success": false` or an `"error"`; it
    /// counts as a server error.
    var reportsFailure: Bool {
      guard isSuccess, let object = (try? JSONValue(parsingAnswer: body))?.object else {
        return false
      }
      let failures: [JSONValue] = [.bool(false), .number(0), "false"]
      if let success = object["success"], failures.contains(success) { return true }
      let nothing: [JSONValue] = [.null, .bool(false), "", .array([]), .object([:])]
      return object["error"].map { !nothing.contains($0) } ?? false
    }

    /// The message of an error, or the status. At most a thousand code points, so that it can be
    /// recorded.
    public var message: String {
      let object = (try? JSONValue(parsingAnswer: body))?.object
      let error = object?["error"]
      let text =
        error?.object?["message"]?.string ?? error?.string ?? object?["message"]?.string
        ?? "status \(status)"
      return String(String.UnicodeScalarView(text.unicodeScalars.prefix(1000)))
    }
  }
}

/// How the backend expects the moment of a measurement (docs/api, `POST /api/v1/progress`).
public enum Dialect: String, CaseIterable, Sendable {
  /// `date` and optionally `time`, in UTC.
  case dateTime = "date-time"
  /// An instant, `logged_at`.
  case loggedAt = "logged-at"

  /// The members for a moment.
  ///
  /// A day without a time is sent as that day in every zone. A time is sent as its instant in UTC;
  /// midnight UTC is sent one second later, because a pulled `T00:00:00Z` means a day without a time
  /// (docs/sync.md, What is sent).
  package func moment(date: CalendarDate, time: ZonedTime?) -> [JSONObject.Member] {
    guard let time else {
      switch self {
      case .dateTime: return [member("date", "\(date)")]
      case .loggedAt: return [member("logged_at", "\(date)T00:00:00Z")]
      }
    }
    var instant = time.instant(on: date)
    if instant.millisecondsSince1970 % 86_400_000 == 0 { instant.millisecondsSince1970 += 1000 }
    switch self {
    case .loggedAt: return [member("logged_at", instant.rfc3339Seconds)]
    case .dateTime:
      let text = instant.rfc3339Seconds
      return [
        member("date", String(text.prefix(10))),
        member("time", String(text.dropFirst(11).prefix(8))),
      ]
    }
  }

  private func member(_ name: String, _ value: String) -> JSONObject.Member {
    .init(name: name, value: .string(value))
  }
}

/// The moment of a row, in either dialect.
enum WireMoment {
  /// - Returns: midnight UTC for a bare date; `nil` if it is no moment.
  static func read(_ members: JSONObject) -> Timestamp? {
    guard let text = members["date"]?.string ?? members["logged_at"]?.string else { return nil }
    if let date = CalendarDate(text) {
      guard let time = members["time"]?.string else {
        return ZonedTime(time: .midnight, zone: .utc).instant(on: date)
      }
      return ClockTime(time).map { ZonedTime(time: $0, zone: .utc).instant(on: date) }
    }
    return Timestamp(answered: text)
  }
}

extension Timestamp {
  /// RFC 3339, section 5.6, allows lower-case letters, too.
  init?(answered text: String) { self.init(rfc3339: text.uppercased()) }
}
