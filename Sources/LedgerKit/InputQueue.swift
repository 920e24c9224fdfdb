import LedgerSync
import Synchronization

/// Where a run's answers come in, from as many tasks as there are calls under way, to be taken all
/// at once: answers that came together share one durable write.
final class InputQueue: Sendable {
  enum Mail: Sendable {
    case input(SyncMachine.Input)
    /// What is still under way after a cancellation is given up.
    case graceIsOver
  }

  private struct Contents {
    var mail: [Mail] = []
    var reader: CheckedContinuation<Void, Never>?
  }

  private let contents = Mutex(Contents())

  func put(_ mail: Mail) {
    let reader = contents.withLock { contents in
      contents.mail.append(mail)
      defer { contents.reader = nil }
      return contents.reader
    }
    reader?.resume()
  }

  /// All that has come, as soon as there is anything. One reader at a time.
  func take() async -> [Mail] {
    await withCheckedContinuation { continuation in
      let isReady = contents.withLock { contents in
        if contents.mail.isEmpty { contents.reader = continuation }
        return !contents.mail.isEmpty
      }
      if isReady { continuation.resume() }
    }
    return contents.withLock { contents in
      defer { contents.mail = [] }
      return contents.mail
    }
  }
}
