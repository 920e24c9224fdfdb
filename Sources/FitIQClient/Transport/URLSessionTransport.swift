import Dispatch
public import LedgerSync
import Synchronization

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport on URLSession, without retries, redirects, caches and cookies.
public final class URLSessionTransport: BackendTransport {
  /// The default time limit of an exchange.
  public static let usualDeadlineSeconds = 30.0

  private let deadlines: Deadlines
  let configuration: URLSessionConfiguration
  /// Shared by requests without effects. URLSession repeats a request whose reused connection died,
  /// on Linux without its body; only a GET tolerates that.
  private let reading: TransportSession
  #if !canImport(FoundationNetworking)
    /// As ``reading``, for this machine.
    private let readingLocally: TransportSession
  #endif

  /// - Parameters:
  ///   - deadlineSeconds: the time limit of an exchange, from the host's look-up to the last byte.
  ///   - configuration: the app's settings, such as cellular access, TLS and proxies; copied. Caches,
  ///     cookies, stored passwords and the system's time limit are replaced by the transport's own. Not a
  ///     background configuration, since requests are answered while they are awaited.
  public init(
    deadlineSeconds: Double = URLSessionTransport.usualDeadlineSeconds,
    configuration: URLSessionConfiguration = .ephemeral
  ) {
    deadlines = Deadlines(seconds: deadlineSeconds)
    // The system's limit is a fallback for ours.
    self.configuration = TransportSession.configuration(
      configuration, limitSeconds: deadlineSeconds.rounded(.up) + 5)
    #if canImport(FoundationNetworking)
      CurlEnvironment.ignoresKeyLog
    #else
      readingLocally = TransportSession(self.configuration, isDirect: true)
    #endif
    reading = TransportSession(self.configuration)
  }

  deinit {
    reading.close()
    #if !canImport(FoundationNetworking)
      readingLocally.close()
    #endif
  }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer {
    // The deinitializer would end the running request's session.
    defer { withExtendedLifetime(self) {} }
    guard credentials.fitsHeaders else {
      return .notSent(reason: "the API key or the token holds what no header may hold")
    }
    guard let target = request.target, let url = Self.url(address, target) else {
      return .notSent(reason: "the path \(request.path) leads elsewhere")
    }
    guard !Task.isCancelled else { return .notSent(reason: "it was cancelled") }
    #if canImport(FoundationNetworking)
      if address.host.isThisMachine, let host = url.host { CurlEnvironment.exemptFromProxies(host) }
    #endif
    let message = message(request, to: address, url, credentials)
    guard request.method.mutates else { return await run(message, in: reading(at: address)) }
    let session = TransportSession(configuration, isDirect: address.host.isThisMachine)
    defer { session.close() }
    return await run(message, in: session)
  }

  /// Requests to this machine may be unencrypted, so they never go through a proxy.
  private func reading(at address: BackendAddress) -> TransportSession {
    #if !canImport(FoundationNetworking)
      if address.host.isThisMachine { return readingLocally }
    #endif
    return reading
  }

  /// On Linux URLSession cannot use an IPv6 address: Foundation and libcurl disagree about the
  /// brackets. For `localhost` libcurl tries `::1` before 127.0.0.1. An https address stays, because
  /// the certificate would be checked against the wrong name.
  private static func url(_ address: BackendAddress, _ target: String) -> URL? {
    #if canImport(FoundationNetworking)
      let plain = "http://[::1]"
      if address.text.hasPrefix(plain) {
        return URL(string: "http://localhost" + address.text.dropFirst(plain.count) + target)
      }
    #endif
    return URL(string: address.text + target)
  }

  /// The answer races against the deadline. On Linux the system's own limit is the time between two
  /// bytes, in whole seconds, which a peer that sends one byte a second never exceeds.
  private func run(_ message: URLRequest, in session: TransportSession) async -> WireAnswer {
    let exchange = Exchange()
    deadlines.watch(exchange)
    defer {
      deadlines.drop(exchange)
      session.finish(exchange)
    }
    return await withTaskCancellationHandler {
      session.start(message, as: exchange)
      return await exchange.answer()
    } onCancel: {
      exchange.end(.lost(reason: "it was cancelled"))
    }
  }

  private func message(
    _ request: WireRequest, to address: BackendAddress, _ url: URL,
    _ credentials: RequestCredentials
  ) -> URLRequest {
    var message = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: configuration.timeoutIntervalForRequest)
    message.httpMethod = request.method.rawValue
    message.httpShouldHandleCookies = false
    #if canImport(FoundationNetworking)
      if url.host != address.host.text {
        message.setValue(address.authority, forHTTPHeaderField: "Host")
      }
    #endif
    for (name, value) in credentials.headers { message.setValue(value, forHTTPHeaderField: name) }
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    // The default would reveal the program's name and the system's version.
    message.setValue("ledger", forHTTPHeaderField: "User-Agent")
    // An uncompressed answer, so that its length can be checked.
    message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let body = request.body {
      message.setValue("application/json", forHTTPHeaderField: "Content-Type")
      message.httpBody = Data(body)
    }
    return message
  }
}

/// A URLSession and the queue on which it is used.
///
/// On Linux creating and cancelling a task waits for a queue that all sessions share and that one
/// large answer can keep busy. On a thread of the cooperative pool that would delay the deadlines of
/// all other exchanges.
private struct TransportSession: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate
  private let queue = DispatchQueue(label: "ledger.client")

  /// Make it once: on Linux every new one searches for the folders of an unused cache.
  ///
  /// - Parameter limitSeconds: the system's limit between two bytes. Linux takes it from here rather
  ///   than from the request; its default is a minute.
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

  /// - Parameter isDirect: whether to ignore the proxies of the system's settings. On Linux proxies
  ///   come only from the environment; see ``CurlEnvironment``.
  init(_ configuration: URLSessionConfiguration, isDirect: Bool = false) {
    #if !canImport(FoundationNetworking)
      var configuration = configuration
      if isDirect, let direct = configuration.copy() as? URLSessionConfiguration {
        direct.connectionProxyDictionary = [:]
        configuration = direct
      }
    #endif
    delegate = SessionDelegate()
    // The session takes a copy.
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  func start(_ message: URLRequest, as exchange: Exchange) {
    queue.async { [session, delegate] in
      let task = session.dataTask(with: message)
      delegate.follow(task, as: exchange)
      task.resume()
    }
  }

  /// Forgets an exchange and cancels its task if it still runs.
  func finish(_ exchange: Exchange) {
    queue.async { [delegate] in delegate.drop(exchange) }
  }

  /// Without this, a session is never freed.
  func close() {
    queue.async { [session] in session.invalidateAndCancel() }
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

  /// Redirects are answers, never followed: the credentials would be sent along, on Linux even to
  /// another host.
  func urlSession(
    _: URLSession, task _: URLSessionTask,
    willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Returns a 401 that asks for a password as the answer. The exchange ends here, since Linux
  /// cancels the task after this reply, and never ends it after any other.
  func urlSession(
    _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let asksForPassword = [
      NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
      NSURLAuthenticationMethodDefault,
    ].contains(challenge.protectionSpace.authenticationMethod)
    guard asksForPassword else { return completionHandler(.performDefaultHandling, nil) }
    #if canImport(FoundationNetworking)
      exchange(of: task)?.end { WireAnswer(to: task, error: nil, body: $0) }
    #endif
    completionHandler(.rejectProtectionSpace, nil)
  }
}
