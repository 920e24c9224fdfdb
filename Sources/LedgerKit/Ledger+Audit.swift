import LedgerLog
public import LedgerSync

extension Ledger {
  /// Compares every acknowledged entry and field with what the backend has now: what `ledger verify
  /// --backend` prints. Only GETs are sent, and nothing is recorded.
  ///
  /// - Parameter connection: the way to the backend, such as ``connection(trace:)``.
  /// - Throws: `BackendAuditFailure` when the backend could not be read completely; `LogError`.
  public func verifyBackend(
    over connection: some BackendConnection
  ) async throws -> BackendAudit {
    for _ in 0..<Self.mostAuditAttempts {
      let before = try verifiedState().position
      let reading = try await BackendReading.read(over: connection, pause: environment.pause)
      let desk = try desk(.dateTime)
      let audit = try desk.audit(reading)
      // What a sync changed meanwhile would look like a difference.
      if audit.isOK || desk.state.position == before { return audit }
    }
    throw BackendAuditFailure.ledgerChanged
  }

  private static let mostAuditAttempts = 3
}
