public import Observation

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

  let ledger: Ledger
  let query: @Sendable (Ledger) async throws -> Value

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
