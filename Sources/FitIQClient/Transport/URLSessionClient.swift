#if canImport(Darwin)
  import Foundation
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
#endif
