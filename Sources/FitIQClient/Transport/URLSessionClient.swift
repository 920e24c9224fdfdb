#if canImport(Darwin)
  import Foundation
  import LedgerSync
  import Synchronization

  /// Runs requests in URLSession.
  final class URLSessionClient: Sendable {
    private let configuration: URLSessionConfiguration
    /// Shared by requests without effects. URLSession repeats a request whose reused connection died;
    /// only a GET tolerates that.
    private let reading: TransportSession
    /// As ``reading``, for this machine.
    private let readingLocally: TransportSession

    init(_ configuration: URLSessionConfiguration, deadlineSeconds: Double) {
      // The system's limit is a fallback for ours.
      self.configuration = TransportSession.configuration(
        configuration, limitSeconds: deadlineSeconds.rounded(.up) + 5)
      reading = TransportSession(self.configuration)
      readingLocally = TransportSession(self.configuration, isDirect: true)
    }

    func close() {
      reading.close()
      readingLocally.close()
    }

    /// Runs a request until its exchange has ended, by this or from outside.
    func run(_ message: HTTPMessage, as exchange: Exchange) async -> WireAnswer {
      guard let request = request(message) else {
        return .notSent(reason: "the system cannot use this address")
      }
      guard message.method.mutates else {
        return await (message.isDirect ? readingLocally : reading).run(request, as: exchange)
      }
      let session = TransportSession(configuration, isDirect: message.isDirect)
      defer { session.close() }
      return await session.run(request, as: exchange)
    }

    private func request(_ message: HTTPMessage) -> URLRequest? {
      guard let url = URL(string: message.url) else { return nil }
      var request = URLRequest(
        url: url, cachePolicy: .reloadIgnoringLocalCacheData,
        timeoutInterval: configuration.timeoutIntervalForRequest)
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

    /// - Parameter limitSeconds: the system's limit between two bytes.
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
