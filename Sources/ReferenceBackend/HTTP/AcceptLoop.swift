import LedgerPlatform
import Synchronization

/// Takes connections and owns their threads: it alone starts and joins them.
struct AcceptLoop: Sendable {
  let listener: ListeningSocket
  let stop: StopSignal
  let service: HTTPService
  let endings: ThreadEndings

  func run() {
    var threads: [Int: PosixThread] = [:]
    var nextNumber = 0
    while true {
      // At the limit only an ending thread wakes this loop; new peers wait in the system's queue.
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

  /// Accepts one peer and starts its thread; nil when it went away or the system has no room now.
  private func startNext(_ number: Int) -> PosixThread? {
    do {
      guard let descriptor = try listener.accept() else { return nil }
      let connection = Connection(descriptor: descriptor, stop: stop)
      let loop = ConnectionLoop(connection: connection, service: service)
      return try PosixThread.start { [endings] in
        loop.run()
        endings.add(number)
      }
    } catch {
      // Out of descriptors or threads: trying again at once would only spin.
      _ = stop.sleep(milliseconds: 50)
      return nil
    }
  }

  /// What woke the loop; nil when the server stops.
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

/// The connection threads that have done their work and wait to be joined.
final class ThreadEndings: Sendable {
  private let bell: Bell
  private let numbers = Mutex<[Int]>([])

  init() throws(SystemCallFailure) {
    bell = try Bell()
  }

  /// Readable while there are any.
  var reader: Descriptor { bell.reader }

  /// Called by a thread as its last act.
  func add(_ number: Int) {
    numbers.withLock { numbers in
      numbers.append(number)
      bell.ring()
    }
  }

  func take() -> [Int] {
    numbers.withLock { numbers in
      bell.silence()
      defer { numbers = [] }
      return numbers
    }
  }
}
