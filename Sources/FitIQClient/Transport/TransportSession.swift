import Dispatch
import Foundation
import LedgerSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One session of the system's, with the queue it is used on.
///
/// On Linux making and cancelling a task waits for a queue that all sessions share, and that one
/// greedy answer can keep busy. So it never happens on a thread of Swift's pool: the deadline of
/// every other exchange would wait too.
struct TransportSession: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate
  private let queue = DispatchQueue(label: "ledger.client")

  /// To be made once: on Linux each new one looks for the folders of a cache that nobody uses.
  ///
  /// - Parameter limitSeconds: how long the system waits for the next byte. On Linux it asks this and
  ///   not the request, and gives up after a minute where nothing is said.
  static func configuration(limitSeconds: Double) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = limitSeconds
    // An ephemeral session still keeps these three in memory.
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    return configuration
  }

  /// - Parameter isDirect: whether no proxy of the system's settings is used. On Linux there are
  ///   none but those of the environment; see ``CurlEnvironment``.
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

  /// Lets go of what is left of an exchange: the task, where it still runs.
  func finish(_ exchange: Exchange) {
    queue.async { [delegate] in delegate.drop(exchange) }
  }

  /// A session that nobody ends is never freed.
  func close() {
    queue.async { [session] in session.invalidateAndCancel() }
  }
}
