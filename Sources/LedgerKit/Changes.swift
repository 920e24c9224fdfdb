import LedgerLog
public import LedgerModel
public import Observation
import Synchronization

/// The log has grown: by an edit, a sync, or another process.
public struct LedgerChange: Hashable, Sendable {
  /// The last event that the listener was notified of; `nil` for none.
  public var before: Seq?
  /// The newest event.
  public var seq: Seq

  /// A change from `before` to `seq`.
  public init(before: Seq?, seq: Seq) {
    self.before = before
    self.seq = seq
  }
}

extension Ledger {
  /// Reports when the log has grown; query the views again then. Changes while a listener is busy are
  /// combined, so that a slow listener never falls behind.
  ///
  /// Ends when the listening task is canceled. No lock is held. Changes by this instance are reported at
  /// once; others are detected by file events (inotify, kqueue), or by reading the log's head four times
  /// a second where there are none.
  public nonisolated func changes() -> AsyncStream<LedgerChange> {
    let reported = Mutex(Self.headSeq(directory).flatMap(Seq.init(exactly:)))
    let signals = LogSignals(of: self)
    return AsyncStream {
      while !Task.isCancelled {
        let seq = await self.headSeq().flatMap(Seq.init(exactly:))
        let change = reported.withLock { reported -> LedgerChange? in
          guard let seq, seq != reported else { return nil }
          defer { reported = seq }
          return LedgerChange(before: reported, seq: seq)
        }
        if let change { return change }
        _ = await signals.wakeSignal.wait()
      }
      return nil
    }
  }

  private func headSeq() -> Int? { Self.headSeq(directory) }

  /// From `head`, which is rewritten after every durable write; `nil` if missing.
  static func headSeq(_ directory: LedgerDirectory) -> Int? {
    guard let head = try? Head.read(directory) else { return nil }
    return head.seq
  }
}

extension Ledger {
  /// The results of a query: the current one, then one whenever it differs. Edits of this instance are
  /// reported at once, those of others as in ``changes()``.
  ///
  ///     for try await page in ledger.values(of: { try await $0.progress() }) { show(page) }
  ///
  /// Results between two calls of `next` are combined into the newest. Ends when the task is canceled, and
  /// with the first error of the query. Each iteration is independent.
  ///
  /// - Parameter query: is asked again after every change of the log.
  public nonisolated func values<Value: Equatable & Sendable>(
    of query: @escaping @Sendable (Ledger) async throws -> Value
  ) -> LedgerValues<Value> {
    LedgerValues(ledger: self, query: query)
  }
}

/// The results of a query as they change; see ``Ledger/values(of:)``.
public struct LedgerValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  fileprivate let ledger: Ledger
  fileprivate let query: @Sendable (Ledger) async throws -> Value

  public func makeAsyncIterator() -> AsyncIterator {
    // Listens before the first query, so that no change is missed.
    AsyncIterator(values: self, changes: ledger.changes().makeAsyncIterator())
  }

  /// Waits for results that differ.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let values: LedgerValues
    var changes: AsyncStream<LedgerChange>.Iterator
    private var last: Value?
    private var hasFailed = false

    init(values: LedgerValues, changes: AsyncStream<LedgerChange>.Iterator) {
      self.values = values
      self.changes = changes
    }

    public mutating func next() async throws -> Value? {
      while !hasFailed, !Task.isCancelled {
        if last != nil { guard await changes.next() != nil else { return nil } }
        hasFailed = true
        let value = try await values.query(values.ledger)
        hasFailed = false
        if value != last {
          last = value
          return value
        }
      }
      return nil
    }
  }
}

/// The result of a query for a view, which is updated while ``follow()`` runs.
///
///     @State private var weights: LedgerQueryModel<ProgressPage>
///
///     var body: some View {
///       List(weights.value?.entries ?? [], id: \.id) { Text("\($0.quantity)") }
///         .task { await weights.follow() }
///     }
@MainActor @Observable
public final class LedgerQueryModel<Value: Equatable & Sendable> {
  /// The newest result; `nil` before the first.
  public private(set) var value: Value?
  /// Why the query failed; the next ``follow()`` tries again.
  public private(set) var error: (any Error)?

  private let values: LedgerValues<Value>

  /// A model for a query of a ledger.
  public init(
    _ ledger: Ledger, _ query: @escaping @Sendable (Ledger) async throws -> Value
  ) {
    values = ledger.values(of: query)
  }

  /// Updates ``value`` until the task is canceled or the query fails.
  public func follow() async {
    error = nil
    do {
      for try await value in values { self.value = value }
    } catch {
      // A canceled query is not a failure.
      if !Task.isCancelled { self.error = error }
    }
  }
}

/// Wakes a waiter when a ledger's log may have grown: by a write of the same instance, by file events, or
/// by polling four times a second.
final class LogSignals: Sendable {
  private static let pollInterval = Duration.milliseconds(250)

  private struct State: ~Copyable {
    var watcher: HeadWatcher?
    var polling: Task<Void, Never>?
    var isStopped = false
  }

  /// Receives ``WakeSignal/Source/log``, sometimes without a change.
  let wakeSignal = WakeSignal()
  private let ownSignals: WakeSignalSet
  private let state = Mutex(State())

  init(of ledger: Ledger) {
    ownSignals = ledger.wakeSignals
    ownSignals.add(wakeSignal)
    let watcher = HeadWatcher(
      ledger.directory, onChange: { [wakeSignal] in wakeSignal.send(.log) },
      onEnd: { [weak self] in self?.poll() })
    if let watcher { state.withLock { $0.watcher = watcher } } else { poll() }
  }

  deinit { stop() }

  /// Stops the signals; one may still be delivered.
  func stop() {
    ownSignals.remove(wakeSignal)
    let watcher = state.withLock { state in
      state.isStopped = true
      state.polling?.cancel()
      return state.watcher.take()
    }
    watcher?.stop()
  }

  private func poll() {
    let task = Task { [wakeSignal] in
      while !Task.isCancelled {
        wakeSignal.send(.log)
        try? await Task.sleep(for: Self.pollInterval)
      }
    }
    state.withLock { state in
      state.polling = task
      if state.isStopped { task.cancel() }
    }
  }
}

/// Ends a wait early. A signal without a waiter is kept for the next wait.
final class WakeSignal: Sendable {
  /// The source of a signal.
  struct Source: OptionSet, Sendable {
    let rawValue: UInt8
    /// The log may have grown.
    static let log = Source(rawValue: 1)
    /// The app wakes a watch.
    static let app = Source(rawValue: 2)
    /// The time is up.
    static let alarm = Source(rawValue: 4)
  }

  private struct State {
    var sources: Source = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// - Parameter source: empty to end the wait without a source.
  func send(_ source: Source) {
    let waiter = state.withLock { state in
      state.sources.formUnion(source)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Drops the signals since the last wait.
  func clear() { state.withLock { $0.sources = [] } }

  /// Waits for a signal. One waiter at a time.
  ///
  /// - Parameter sleep: returns when the time is up.
  /// - Returns: the sources since the last wait; empty on cancellation, and sometimes spuriously.
  func wait(orFor sleep: (@Sendable () async -> Void)? = nil) async -> Source {
    let alarm = sleep.map { sleep in
      Task {
        await sleep()
        if !Task.isCancelled { send(.alarm) }
      }
    }
    defer { alarm?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isOver = !state.sources.isEmpty || Task.isCancelled
          if !isOver { state.waiter = continuation }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      send([])
    }
    return state.withLock { state in
      defer { state.sources = [] }
      return state.sources
    }
  }
}

/// The signals that a ledger sends.
final class WakeSignalSet: Sendable {
  private let signals = Mutex<[ObjectIdentifier: WakeSignal]>([:])

  func add(_ signal: WakeSignal) { signals.withLock { $0[ObjectIdentifier(signal)] = signal } }

  fileprivate func remove(_ signal: WakeSignal) {
    signals.withLock { $0[ObjectIdentifier(signal)] = nil }
  }

  func send(_ source: WakeSignal.Source) {
    for signal in signals.withLock({ Array($0.values) }) { signal.send(source) }
  }
}
