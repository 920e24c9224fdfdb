#if canImport(Darwin)
  import Foundation
  import LedgerModel
  import LedgerSync

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
        self = .lost(reason: "the answer is not HTTP")
        return
      }
      guard Self.isWhole(http, body) else {
        self = .lost(
          reason:
            "the answer was cut off after \(body.count) of \(http.expectedContentLength) bytes")
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
    private static func wasNotSent(_ task: URLSessionTask, _ code: URLError.Code?) -> Bool {
      code.map(beforeConnection.contains) == true && task.response == nil
        && task.countOfBytesSent == 0
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
#endif
