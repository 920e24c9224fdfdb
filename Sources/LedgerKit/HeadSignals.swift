import LedgerLog
import Synchronization

/// Reports that a ledger's `head` may have been rewritten: by the system's file events, or by looking
/// four times a second where it gives none.
final class HeadSignals: Sendable {
  /// How often the log's head is looked at where there are no file events.
  private static let pollInterval = Duration.milliseconds(250)

  private struct State: ~Copyable {
    var watcher: HeadWatcher?
    var polling: Task<Void, Never>?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let onSignal: @Sendable () -> Void

  /// - Parameter onSignal: called on any thread, also where nothing has changed.
  init(_ directory: LedgerDirectory, _ onSignal: @escaping @Sendable () -> Void) {
    self.onSignal = onSignal
    let watcher = HeadWatcher(directory, onChange: onSignal) { [weak self] in self?.poll() }
    if let watcher { state.withLock { $0.watcher = watcher } } else { poll() }
  }

  deinit { stop() }

  /// Ends the signals; one that has begun may still come.
  func stop() {
    let watcher = state.withLock { state in
      state.isStopped = true
      state.polling?.cancel()
      return state.watcher.take()
    }
    watcher?.stop()
  }

  private func poll() {
    let task = Task { [onSignal] in
      while !Task.isCancelled {
        onSignal()
        try? await Task.sleep(for: Self.pollInterval)
      }
    }
    state.withLock { state in
      state.polling = task
      if state.isStopped { task.cancel() }
    }
  }
}
