import Foundation
import LedgerModel
import LedgerSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// From the result of a task to what may have happened at the backend.
extension WireAnswer {
  init(to task: URLSessionTask, error: (any Error)?, body: [UInt8]) {
    if let error {
      let code = (error as? URLError)?.code
      let reason = Self.reason(error, code)
      self = Self.wasNotSent(task, code) ? .notSent(reason: reason) : .lost(reason: reason)
      return
    }
    guard let http = task.response as? HTTPURLResponse, (200...599).contains(http.statusCode)
    else {
      self = .lost(reason: "the answer is not an answer of HTTP")
      return
    }
    guard Self.isWhole(http, body) else {
      self = .lost(
        reason: "the answer was cut off after \(body.count) of \(http.expectedContentLength) bytes")
      return
    }
    let wait = http.value(forHTTPHeaderField: "Retry-After").flatMap {
      RetryAfter.seconds($0, date: http.value(forHTTPHeaderField: "Date"), now: LocalZone.now())
    }
    self = .response(Response(status: http.statusCode, body: body, retryAfterSeconds: wait))
  }

  private static func isWhole(_ http: HTTPURLResponse, _ body: [UInt8]) -> Bool {
    // These have no body, whatever their Content-Length.
    if http.statusCode == 204 || http.statusCode == 304 { return true }
    // The length of an answer compressed against our request is the compressed one.
    let coding = http.value(forHTTPHeaderField: "Content-Encoding")
    guard coding == nil || coding?.lowercased() == "identity" else { return true }
    return http.expectedContentLength <= Int64(body.count)
  }

  /// Whether the backend certainly has no complete request. A false positive would send an entry
  /// twice, so both must hold:
  ///
  /// 1. The error occurs while a connection is made.
  /// 2. No byte of the body was taken for sending, and no answer has begun.
  ///
  /// Linux reports all TLS failures and some routing failures as unknown. Then the second condition
  /// decides, for requests with a body.
  private static func wasNotSent(_ task: URLSessionTask, _ code: URLError.Code?) -> Bool {
    guard let code, task.response == nil, task.countOfBytesSent == 0 else { return false }
    if beforeConnection.contains(code) { return true }
    #if canImport(FoundationNetworking)
      return code == .unknown && task.originalRequest?.httpBody?.isEmpty == false
    #else
      return false
    #endif
  }

  private static let beforeConnection: Set<URLError.Code> = [
    .badURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
    .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
    .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
    .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
    .internationalRoamingOff, .callIsActive, .dataNotAllowed,
  ]

  /// The system's description, except where it is poor.
  private static func reason(_ error: any Error, _ code: URLError.Code?) -> String {
    switch code {
    case .timedOut: return "the backend did not answer in time"
    case .badURL: return "the system cannot use this address"
    case .cancelled: return "it was cancelled"
    default: return String(error.localizedDescription.prefix(300))
    }
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
