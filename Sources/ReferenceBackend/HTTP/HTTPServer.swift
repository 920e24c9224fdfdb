import Synchronization

/// Listens on loopback and serves every connection on a thread of its own.
final class HTTPServer: Sendable {
  let port: UInt16
  private let stopSignal: StopSignal
  private let acceptThread: Mutex<PosixThread?>

  /// Listens on `port` (0: any free one) from here on.
  init(port: UInt16, service: HTTPService) throws(SystemCallFailure) {
    let listener = try ListeningSocket(port: port)
    let stop = try StopSignal()
    let loop = AcceptLoop(
      listener: listener, stop: stop, service: service, endings: try ThreadEndings())
    self.port = listener.port
    stopSignal = stop
    acceptThread = Mutex(try PosixThread.start { loop.run() })
  }

  /// Ends every connection and returns once the last thread is gone; more than once does no harm.
  func stop() {
    stopSignal.raise()
    // Joined under the lock, so that a second caller returns no earlier than the first.
    acceptThread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  deinit {
    stop()
  }
}
