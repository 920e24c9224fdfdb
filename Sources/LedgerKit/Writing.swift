import LedgerLog
import LedgerPlatform
import LedgerStore

extension Ledger {
  /// Performs a write of the log. If another process holds the log's lock, only this call waits for it;
  /// the ledger's other calls go on meanwhile.
  ///
  /// Writes are performed one after the other, in the order of their calls.
  ///
  /// - Parameters:
  ///   - isCancellable: whether a canceled task stops waiting.
  ///   - body: called a second time if the lock was held the first time, when nothing was written.
  /// - Throws: `LogError.locked` if other processes hold the lock for ``LogFormat/lockWaitSeconds``;
  ///   `CancellationError` with nothing written; what `body` throws.
  func write<Result>(
    isCancellable: Bool = true, _ body: () throws -> Result
  ) async throws -> Result {
    let requested = environment.uptime()
    let turn = writeQueue.join()
    defer {
      writeQueue.leave(turn)
      wakeSignals.send(.log)
    }
    try await waiting(isCancellable) { try await $0.waitForTurn(turn) }
    do {
      let result = try local.log.withoutWaiting(body)
      writeQueue.lastLock = environment.uptime()
      return result
    } catch LogError.locked(directory.ledgerLock, _) {
      // What the write depends on is folded now, so that the lock will be held for a short time only.
    }
    let lock = try await waiting(isCancellable) { try await $0.waitForLock(since: requested) }
    writeQueue.lastLock = environment.uptime()
    return try local.log.withoutWaiting(holding: lock, body)
  }

  /// Waits until no other process holds the log's lock. Call it before work on another thread that takes
  /// the lock, since that waits without being cancellable.
  ///
  /// - Throws: `LogError.locked`; `CancellationError`.
  func waitForOtherProcesses() async throws {
    guard !directory.isReadOnly else { return }
    do {
      guard try local.log.tryLock() == nil else { return }
    } catch {
      // Left to the work, which reports it.
      return
    }
    _ = try await waitForLock(since: environment.uptime())
  }

  /// - Parameter isCancellable: if false, waits in a task of its own, which is not canceled.
  private func waiting<Value: Sendable>(
    _ isCancellable: Bool, _ wait: @escaping @Sendable (isolated Ledger) async throws -> Value
  ) async throws -> Value {
    if isCancellable { return try await wait(self) }
    return try await Task { try await wait(self) }.value
  }

  private func waitForTurn(_ turn: WakeSignal) async throws {
    while !writeQueue.isFirst(turn) {
      _ = await turn.wait()
      try Task.checkCancellation()
    }
  }

  private func waitForLock(since requested: Duration) async throws -> FileLock {
    let seconds = LogFormat.lockWaitSeconds
    let deadline = max(requested, writeQueue.lastLock ?? requested) + .seconds(seconds)
    // Most holders need the time of one disk sync.
    var pause = Duration.microseconds(100)
    while environment.uptime() < deadline {
      try await Task.sleep(for: pause)
      if let lock = try local.log.tryLock() { return lock }
      pause = min(pause * 2, .milliseconds(4))
    }
    throw LogError.locked(path: directory.ledgerLock, seconds: seconds)
  }
}

/// The writes of a ledger that wait for their turn, in the order of their calls.
struct WriteQueue {
  private(set) var turns: [WakeSignal] = []
  /// When one of them last had the log's lock, in ``LedgerEnvironment/uptime``. A write does not time out
  /// for waiting for others here.
  var lastLock: Duration?

  mutating func join() -> WakeSignal {
    let turn = WakeSignal()
    turns.append(turn)
    return turn
  }

  func isFirst(_ turn: WakeSignal) -> Bool { turns.first === turn }

  mutating func leave(_ turn: WakeSignal) {
    guard let index = turns.firstIndex(where: { $0 === turn }) else { return }
    turns.remove(at: index)
    turns.first?.send(.log)
  }
}
