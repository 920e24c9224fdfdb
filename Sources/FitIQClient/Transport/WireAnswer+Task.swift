import Foundation
import LedgerModel
import LedgerSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// From what the system reports about a task to what may have happened at the backend.
extension WireAnswer {
  init(to task: URLSessionTask, error: (any Error)?, body: [UInt8]) {
    if let error {
      let code = (error as? URLError)?.code
      let reason = Self.reason(error, code)
      self = Self.neverLeft(task, code) ? .notSent(reason: reason) : .lost(reason: reason)
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
      RetryAfter.seconds($0, date: http.value(forHTTPHeaderField: "Date"), now: .now)
    }
    self = .response(Response(status: http.statusCode, body: body, retryAfterSeconds: wait))
  }

  private static func isWhole(_ http: HTTPURLResponse, _ body: [UInt8]) -> Bool {
    // These have no body, whatever length they name.
    if http.statusCode == 204 || http.statusCode == 304 { return true }
    // A compressed answer, which was not asked for, names its compressed length.
    let coding = http.value(forHTTPHeaderField: "Content-Encoding")
    guard coding == nil || coding?.lowercased() == "identity" else { return true }
    return http.expectedContentLength <= Int64(body.count)
  }

  /// Whether the backend surely has no whole request. A wrong yes would send an entry twice, so
  /// two witnesses must agree:
  ///
  /// 1. The error is one of making a connection.
  /// 2. No byte of the body was ever taken for sending, and no answer has begun.
  ///
  /// Linux reports every failure of TLS, and some of routing, as «unknown». There the second
  /// witness has to do, for requests that have a body.
  private static func neverLeft(_ task: URLSessionTask, _ code: URLError.Code?) -> Bool {
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

  /// The system's words, except where it has none.
  private static func reason(_ error: any Error, _ code: URLError.Code?) -> String {
    switch code {
    case .timedOut: return "the backend did not answer in time"
    case .badURL: return "the system cannot use this address"
    case .cancelled: return "it was cancelled"
    default: return String(error.localizedDescription.prefix(300))
    }
  }
}

extension Timestamp {
  fileprivate static var now: Timestamp {
    Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
