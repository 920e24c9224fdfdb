#if canImport(Darwin)
  import Foundation
  import LedgerModel
  import LedgerSync
  import Synchronization

  /// Runs requests in URLSession.
  final class URLSessionClient: Sendable {
    /// Shared by all requests. On Apple's systems URLSession repeats a request whose connection was
    /// lost only if its method is idempotent (Technical Q&A QA1941), so never a POST or PATCH. A
    /// repeated PUT stores the same values, and a 404 counts as the answer to a DELETE.
    private let session: TransportSession
    /// As ``session``, for this machine.
    private let directSession: TransportSession
    /// The system's limit between two bytes, a fallback for the exchange's own.
    private let limitSeconds: Double

    init(_ configuration: URLSessionConfiguration, deadlineSeconds: Double) {
      limitSeconds = deadlineSeconds.rounded(.up) + 5
      let configuration = TransportSession.configuration(configuration, limitSeconds: limitSeconds)
      session = TransportSession(configuration)
      directSession = TransportSession(configuration, isDirect: true)
    }

    func close() {
      session.close()
      directSession.close()
    }

    /// Runs a request until its exchange has ended, by this or from outside.
    func run(_ message: HTTPMessage, as exchange: Exchange) async -> WireAnswer {
      guard let request = request(message) else {
        return .notSent(reason: "the system cannot use this address")
      }
      return await (message.isDirect ? directSession : session).run(request, as: exchange)
    }

    private func request(_ message: HTTPMessage) -> URLRequest? {
      guard let url = URL(string: message.url) else { return nil }
      var request = URLRequest(
        url: url, cachePolicy: .reloadIgnoringLocalCacheData,
        timeoutInterval: limitSeconds)
      request.httpMethod = message.method.rawValue
      request.httpShouldHandleCookies = false
      for (name, value) in message.headers { request.setValue(value, forHTTPHeaderField: name) }
      request.httpBody = message.body.map { Data($0) }
      return request
    }
  }

  /// A URLSession and its delegate.
  private struct TransportSession: Sendable {
    private let session: URLSession
    private let delegate: SessionDelegate

    static func configuration(
      _ given: URLSessionConfiguration, limitSeconds: Double
    ) -> URLSessionConfiguration {
      let configuration = given.copy() as? URLSessionConfiguration ?? .ephemeral
      configuration.timeoutIntervalForRequest = limitSeconds
      // An ephemeral session still keeps these three in memory.
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      return configuration
    }

    /// - Parameter isDirect: whether to ignore the proxies of the system's settings.
    init(_ configuration: URLSessionConfiguration, isDirect: Bool = false) {
      var configuration = configuration
      if isDirect, let direct = configuration.copy() as? URLSessionConfiguration {
        direct.connectionProxyDictionary = [:]
        configuration = direct
      }
      delegate = SessionDelegate()
      // The session takes a copy.
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    func run(_ message: URLRequest, as exchange: Exchange) async -> WireAnswer {
      let task = session.dataTask(with: message)
      delegate.follow(task, as: exchange)
      // Cancels the task if it still runs.
      defer { delegate.drop(exchange) }
      task.resume()
      return await exchange.answer()
    }

    /// Without this, a session is never freed.
    func close() {
      session.invalidateAndCancel()
    }
  }

  /// Forwards the events of a session's tasks to their exchanges.
  private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: (task: URLSessionTask, exchange: Exchange)]>([:])

    func follow(_ task: URLSessionTask, as exchange: Exchange) {
      running.withLock { $0[task.taskIdentifier] = (task, exchange) }
    }

    func drop(_ exchange: Exchange) {
      let task = running.withLock { running -> URLSessionTask? in
        guard let (number, found) = running.first(where: { $0.value.exchange === exchange }) else {
          return nil
        }
        running[number] = nil
        return found.task
      }
      task?.cancel()
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
      running.withLock { $0[task.taskIdentifier]?.exchange }
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
      _: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      exchange(of: task)?.end { WireAnswer(to: task, error: error, body: $0) }
    }

    /// Redirects are answers, never followed: the credentials would be sent along.
    func urlSession(
      _: URLSession, task _: URLSessionTask,
      willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    /// Returns a 401 that asks for a password as the answer.
    func urlSession(
      _: URLSession, task _: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let asksForPassword = [
        NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
        NSURLAuthenticationMethodDefault,
      ].contains(challenge.protectionSpace.authenticationMethod)
      guard asksForPassword else { return completionHandler(.performDefaultHandling, nil) }
      completionHandler(.rejectProtectionSpace, nil)
    }
  }

  // From the result of a task to what may have happened at the backend.
  extension WireAnswer {
    fileprivate init(to task: URLSessionTask, error: (any Error)?, body: [UInt8]) {
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
      case .cancelled: return "it was canceled"
      default: return String(error.localizedDescription.prefix(300))
      }
    }
  }
#endif
