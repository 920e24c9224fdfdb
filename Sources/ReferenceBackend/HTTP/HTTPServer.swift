import LedgerModel
import LedgerPlatform
import Synchronization

/// An HTTP server on loopback with a thread per connection.
final class HTTPServer: Sendable {
  let port: UInt16
  private let stopSignal: StopSignal
  private let acceptThread: Mutex<JoinableThread?>

  /// Starts listening.
  ///
  /// - Parameter port: 0 for any free port.
  init(port: UInt16, service: HTTPService) throws(SystemCallFailure) {
    let listener = try ListeningSocket(port: port)
    let stop = try StopSignal()
    let loop = AcceptLoop(
      listener: listener, stop: stop, service: service, endings: try ThreadEndings())
    self.port = listener.port
    stopSignal = stop
    acceptThread = Mutex(try startThread { loop.run() })
  }

  /// Closes all connections and returns once all threads ended. Idempotent.
  func stop() {
    stopSignal.raise()
    // Joined under the lock, so that a concurrent caller waits, too.
    acceptThread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  deinit {
    stop()
  }
}

/// What a connection needs to answer requests.
struct HTTPService: Sendable {
  let limits: HTTPLimits
  let now: @Sendable () -> Timestamp
  /// Answers a request. May wait; ends early when the server stops.
  let answer: @Sendable (HTTPRequest, StopSignal) -> Delivery
  /// The answer to invalid HTTP.
  let explain: @Sendable (_ status: Int, _ message: String) -> HTTPResponse
}

enum Delivery: Sendable {
  case answer(HTTPResponse)
  /// Half of the body, then the connection closes.
  case truncated(HTTPResponse)
  /// The connection closes without an answer.
  case hangUp
}

private struct AcceptLoop: Sendable {
  let listener: ListeningSocket
  let stop: StopSignal
  let service: HTTPService
  let endings: ThreadEndings

  func run() {
    var threads: [Int: JoinableThread] = [:]
    var nextNumber = 0
    while true {
      // At the limit only an ended thread wakes this loop; new peers wait in the system's queue.
      let isFull = threads.count >= service.limits.connections
      guard let woken = wait(forPeers: !isFull) else { break }
      for number in woken.threadEnded ? endings.take() : [] {
        threads.removeValue(forKey: number)?.join()
      }
      if woken.peerWaits, let thread = startNext(nextNumber) {
        threads[nextNumber] = thread
        nextNumber += 1
      }
    }
    for thread in threads.values { thread.join() }
  }

  /// Accepts a peer and starts its thread; `nil` if it left or the system is out of resources.
  private func startNext(_ number: Int) -> JoinableThread? {
    do {
      guard let descriptor = try listener.accept() else { return nil }
      let connection = Connection(descriptor: descriptor, stop: stop)
      let loop = ConnectionLoop(connection: connection, service: service)
      return try startThread { [endings] in
        loop.run()
        endings.add(number)
      }
    } catch {
      // Out of descriptors or threads: an immediate retry would spin.
      _ = stop.sleep(milliseconds: 50)
      return nil
    }
  }

  /// The reason to wake; `nil` when the server stops.
  private func wait(forPeers: Bool) -> (peerWaits: Bool, threadEnded: Bool)? {
    let wanted = Int16(POLLIN)
    var watched = [
      pollfd(fd: stop.reader.raw, events: wanted, revents: 0),
      pollfd(fd: endings.reader.raw, events: wanted, revents: 0),
      pollfd(fd: listener.descriptor.raw, events: forPeers ? wanted : 0, revents: 0),
    ]
    while poll(&watched, 3, -1) < 0 {
      guard errno == EINTR else { return nil }
    }
    guard watched[0].revents == 0 else { return nil }
    return (forPeers && watched[2].revents != 0, watched[1].revents != 0)
  }
}

/// The connection threads that ended and are to be joined.
private final class ThreadEndings: Sendable {
  private let wakeUp: WakeUp
  private let numbers = Mutex<[Int]>([])

  init() throws(SystemCallFailure) {
    wakeUp = try WakeUp()
  }

  /// Readable while there are any.
  var reader: Descriptor { wakeUp.reader }

  /// Called by a thread at its end.
  func add(_ number: Int) {
    numbers.withLock { numbers in
      numbers.append(number)
      wakeUp.set()
    }
  }

  func take() -> [Int] {
    numbers.withLock { numbers in
      wakeUp.clear()
      defer { numbers = [] }
      return numbers
    }
  }
}

/// Serves the requests of one connection until a side closes it.
private struct ConnectionLoop: Sendable {
  let connection: Connection
  let service: HTTPService

  func run() {
    var reader = RequestReader(connection, limits: service.limits)
    do throws(HTTPFailure) {
      while let request = try reader.next() {
        let delivery = service.answer(request, connection.stop)
        guard try deliver(delivery, to: request) == .keepOpen else { return }
      }
    } catch {
      guard case .invalid(let status, let message) = error else { return }
      let response = service.explain(status, message)
      let bytes = response.serialized(isForHead: false, closes: true, now: service.now())
      guard (try? connection.send(bytes)) != nil else { return }
      connection.closeGently()
    }
  }

  private enum Next {
    case keepOpen, close
  }

  private func deliver(
    _ delivery: Delivery, to request: HTTPRequest
  ) throws(HTTPFailure) -> Next {
    switch delivery {
    case .hangUp:
      return .close
    case .truncated(let response):
      let bytes = serialized(response, to: request, closes: false)
      let half = (response.body?.count ?? bytes.count) / 2
      try connection.send(Array(bytes.dropLast(max(1, half))))
      return .close
    case .answer(let response):
      let closes = !request.head.keepsAlive
      try connection.send(serialized(response, to: request, closes: closes))
      guard closes else { return .keepOpen }
      connection.closeGently()
      return .close
    }
  }

  private func serialized(
    _ response: HTTPResponse, to request: HTTPRequest, closes: Bool
  ) -> [UInt8] {
    response.serialized(
      isForHead: request.method == "HEAD", closes: closes, now: service.now())
  }
}
