import Foundation
import LedgerSync
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hears what happens to the tasks of one session and passes it to their exchanges.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let running = Mutex<[Int: (task: URLSessionTask, exchange: Exchange)]>([:])

  func follow(_ task: URLSessionTask, as exchange: Exchange) {
    running.withLock { $0[task.taskIdentifier] = (task, exchange) }
  }

  /// Forgets an exchange; its task is cancelled where it still runs.
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
    exchange(of: dataTask)?.gather(data)
  }

  func urlSession(
    _: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    exchange(of: task)?.end { WireAnswer(to: task, error: error, body: $0) }
  }

  /// Never followed: the credentials would travel along, on Linux even to another host. The
  /// redirect itself becomes the answer.
  func urlSession(
    _: URLSession, task _: URLSessionTask,
    willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// There is no password to offer to a server that asks for one: its 401 is the answer. It has to
  /// be taken here, since Linux cancels the task afterwards, or leaves it hanging on any other reply.
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
