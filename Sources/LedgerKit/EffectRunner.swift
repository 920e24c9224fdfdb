import LedgerSync
import Synchronization

/// Performs the requests and waits of a run in tasks.
struct EffectRunner {
  private let queue = InputQueue()
  private let pause: @Sendable (Duration) async -> Void
  private var tasks: [RequestID: Task<Void, Never>] = [:]
  private var graceTimer: Task<Void, Never>?

  init(pause: @escaping @Sendable (Duration) async -> Void) { self.pause = pause }

  /// Sends in a task of its own, so that cancelling the run does not cancel calls in flight.
  mutating func send(
    _ request: WireRequest, as id: RequestID, over connection: some BackendConnection
  ) {
    tasks[id] = Task { [queue] in
      let answer = await connection.send(request)
      queue.put(.input(.answered(id, answer)))
    }
  }

  mutating func wait(_ milliseconds: Int, as id: RequestID) {
    tasks[id] = Task { [queue, pause] in
      await pause(.milliseconds(milliseconds))
      queue.put(.input(.elapsed(id)))
    }
  }

  /// Waits for inputs. If the current task is canceled, the run has `grace` until requests and waits
  /// are canceled too.
  mutating func inputs(grace: Duration) async -> [SyncMachine.Input] {
    let items = await withTaskCancellationHandler {
      await queue.take()
    } onCancel: { [queue] in
      queue.cancel()
    }
    var inputs: [SyncMachine.Input] = []
    for item in items {
      switch item {
      case .input(let input):
        inputs.append(input)
        switch input {
        case .answered(let id, _), .elapsed(let id): tasks[id] = nil
        case .cancel: startGrace(grace)
        case .begin, .queried, .recorded, .decided: break
        }
      case .graceIsOver: cancel()
      }
    }
    return inputs
  }

  private mutating func startGrace(_ duration: Duration) {
    graceTimer = Task { [queue, pause] in
      await pause(duration)
      queue.put(.graceIsOver)
    }
  }

  private func cancel() {
    for task in tasks.values { task.cancel() }
    graceTimer?.cancel()
  }

  /// Cancels what still runs and waits for it: a renewal of the session keeps `auth.lock` locked.
  func end() async {
    cancel()
    for task in tasks.values { await task.value }
  }
}

/// Collects inputs from concurrent tasks. They are taken all at once: answers that arrived together
/// share one durable write.
private final class InputQueue: Sendable {
  enum Item: Sendable {
    case input(SyncMachine.Input)
    /// Cancel what is still in flight.
    case graceIsOver
  }

  private struct State {
    var items: [Item] = []
    var reader: CheckedContinuation<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func put(_ item: Item) {
    let reader = state.withLock { state in
      state.items.append(item)
      return state.reader.take()
    }
    reader?.resume()
  }

  /// Puts `cancel`, once.
  func cancel() {
    let isFirst = state.withLock { state in
      defer { state.isCancelled = true }
      return !state.isCancelled
    }
    if isFirst { put(.input(.cancel)) }
  }

  /// Waits until there is at least one item. One reader at a time.
  func take() async -> [Item] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.items.isEmpty { state.reader = continuation }
        return !state.items.isEmpty
      }
      if isReady { continuation.resume() }
    }
    return state.withLock { state in
      defer { state.items = [] }
      return state.items
    }
  }
}
