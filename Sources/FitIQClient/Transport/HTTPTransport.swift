public import LedgerModel
import LedgerPlatform
public import LedgerSync

#if canImport(Darwin)
  public import Foundation
#endif

/// A transport on the system's HTTP client: URLSession on Apple's systems, libcurl on Linux. It has
/// no retries, redirects, caches and cookies.
///
/// On Linux libcurl is called directly, because URLSession there (swift-corelibs-foundation 6.3)
/// keeps watching a connected socket for being writable: a waiting request occupies a processor.
public final class HTTPTransport: BackendTransport {
  #if canImport(Darwin)
    private typealias Client = URLSessionClient
  #else
    private typealias Client = CurlClient
  #endif

  /// The default time limit of an exchange.
  public static let usualDeadlineSeconds = 30.0

  private let deadlines: Deadlines
  private let client: Client

  /// - Parameter deadlineSeconds: the time limit of an exchange, from the host's look-up to the last
  ///   byte.
  public init(deadlineSeconds: Double = HTTPTransport.usualDeadlineSeconds) {
    deadlines = Deadlines(seconds: deadlineSeconds)
    #if canImport(Darwin)
      client = Client(.ephemeral, deadlineSeconds: deadlineSeconds)
    #else
      client = Client()
    #endif
  }

  #if canImport(Darwin)
    /// - Parameters:
    ///   - deadlineSeconds: the time limit of an exchange, from the host's look-up to the last byte.
    ///   - configuration: the app's settings, such as cellular access, TLS and proxies; copied.
    ///     Caches, cookies, stored passwords and the system's time limit are replaced by the
    ///     transport's own. Not a background configuration: requests are answered while they are
    ///     awaited.
    public init(
      deadlineSeconds: Double = HTTPTransport.usualDeadlineSeconds,
      configuration: URLSessionConfiguration
    ) {
      deadlines = Deadlines(seconds: deadlineSeconds)
      client = Client(configuration, deadlineSeconds: deadlineSeconds)
    }
  #endif

  deinit { client.close() }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer {
    // The deinitializer would end the running request.
    defer { withExtendedLifetime(self) {} }
    guard credentials.fitsHeaders else {
      return .notSent(
        reason: "the API key or the token has a character that is not allowed in a header")
    }
    guard let message = HTTPMessage(request, to: address, credentials) else {
      return .notSent(reason: "the path \(request.path) may name another resource")
    }
    guard !Task.isCancelled else { return .notSent(reason: "it was canceled") }
    let exchange = Exchange()
    deadlines.watch(exchange)
    defer { deadlines.drop(exchange) }
    return await withTaskCancellationHandler {
      await client.run(message, as: exchange)
    } onCancel: {
      exchange.end(.lost(reason: "it was canceled"))
    }
  }
}

/// A request in full, as an HTTP client takes it.
struct HTTPMessage: Sendable {
  let method: WireRequest.Method
  let url: String
  /// Includes the credentials.
  let headers: [(name: String, value: String)]
  let body: [UInt8]?
  /// Whether to ignore proxies: requests to this machine may be unencrypted.
  let isDirect: Bool

  /// - Returns: `nil` for a path that may name another resource; see ``WireRequest/target``.
  init?(_ request: WireRequest, to address: BackendAddress, _ credentials: RequestCredentials) {
    guard let target = request.target else { return nil }
    method = request.method
    url = address.text + target
    body = request.body
    isDirect = address.host.isThisMachine
    headers =
      credentials.headers + [
        ("Accept", "application/json"),
        // The default would reveal the program's name and the system's version.
        ("User-Agent", "ledger"),
        // An uncompressed answer, so that its length can be checked.
        ("Accept-Encoding", "identity"),
      ] + (request.body == nil ? [] : [("Content-Type", "application/json")])
  }
}

/// `Retry-After` (RFC 9110, 10.2.3): the delay a backend asks for.
enum RetryAfter {
  /// The limit for what a backend may ask.
  private static let maximumSeconds = 3600

  /// - Parameter date: the answer's `Date`, preferred over `now`, because this machine's clock may be
  ///   wrong.
  /// - Returns: seconds, at most an hour; `nil` for an invalid value.
  static func seconds(_ text: String, date: String?, now: Timestamp) -> Int? {
    let text = trimmed(text)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows is more than an hour.
      return min(Int(text) ?? maximumSeconds, maximumSeconds)
    }
    guard let moment = moment(text) else { return nil }
    let from = date.flatMap { self.moment(trimmed($0)) } ?? now
    let milliseconds = moment.millisecondsSince1970 - from.millisecondsSince1970
    // Rounded up, so that no retry is early.
    return Int(min(max((milliseconds + 999) / 1000, 0), Int64(maximumSeconds)))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that senders may generate.
  private static func moment(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
      let month = months.firstIndex(of: String(parts[2])), parts[1].utf8.count == 2
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  private static func trimmed(_ text: String) -> String {
    let text = text.drop { $0 == " " || $0 == "\t" }
    return String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}

/// Sends one request and returns one answer, without retries and redirects. An app can supply its
/// own HTTP client here, a test a backend without sockets.
public protocol BackendTransport: Sendable {
  /// Sends a request and waits for its outcome. Never throws: every outcome is an answer.
  ///
  /// Redirects must not be followed, since the credentials would be sent along, and a request that
  /// changes something must not be repeated. `WireAnswer.notSent` is for requests that
  /// were certainly not sent; return `WireAnswer.lost` when in doubt.
  ///
  /// - Parameters:
  ///   - request: its path is relative to the address.
  ///   - address: the backend.
  ///   - credentials: the credentials to send in the headers.
  func send(
    _ request: WireRequest, to address: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer
}

/// The app's key and, in a session, the access token of a request.
public struct RequestCredentials: Sendable {
  let apiKey: Secret
  var accessToken: Secret?

  /// The headers in clear text: send them, never log them.
  public var headers: [(name: String, value: String)] {
    [("X-API-Key", apiKey.text)]
      + (accessToken.map { [("Authorization", "Bearer \($0.text)")] } ?? [])
  }

  var fitsHeaders: Bool { apiKey.fitsHeader && accessToken?.fitsHeader ?? true }
}

extension WireRequest {
  /// The path as planned and recorded, with the encoded query.
  ///
  /// `nil` for a path with characters that need encoding, or with dot segments: clients resolve `..`
  /// before they send, some also when it is encoded, and an id made of it could turn the deletion of
  /// a row into that of the account.
  var target: String? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.first?.isEmpty == true, segments.count > 1,
      segments.allSatisfy({ Self.isEncoded($0.utf8) && !Self.isDots($0) })
    else { return nil }
    guard !query.isEmpty else { return path }
    let items = query.map {
      "\(PercentEncoding.encode($0.name.utf8))=\(PercentEncoding.encode($0.value.utf8))"
    }
    return path + "?" + items.joined(separator: "&")
  }

  private static func isEncoded(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard !PercentEncoding.isUnreserved(byte) else { continue }
      let digits = rest.prefix(2)
      guard byte == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ PercentEncoding.hexDigit($0) != nil })
      else { return false }
      rest = rest.dropFirst(2)
    }
    return true
  }

  private static func isDots(_ segment: Substring) -> Bool {
    let plain = segment.uppercased().replacing("%2E", with: ".")
    return plain == "." || plain == ".."
  }
}
