public import LedgerLog
import LedgerProjections
public import LedgerSync

/// Signs checkpoints with a key of the app, such as one in the Secure Enclave or the keychain.
public protocol CheckpointSigner: Sendable {
  /// Signs a checkpoint's bytes, `Array(checkpoint.text.utf8)`.
  ///
  /// - Returns: the signature, in the format of its verifier.
  func sign(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// A checkpoint and what its signer made of it.
public struct SignedCheckpoint: Hashable, Sendable {
  public var checkpoint: Checkpoint
  /// Over `Array(checkpoint.text.utf8)`.
  public var signature: [UInt8]
}

extension Ledger {
  /// Checks the next part of the log (format, chain and erasures) from where the last check stopped.
  /// Call it while the app is idle, until the log's end or damage is reached; it does not delay edits
  /// or syncs.
  ///
  ///     var part = try await ledger.verify()
  ///     while !part.isComplete, part.damage == nil { part = try await ledger.verify() }
  ///
  /// The position is stored in the ledger's folder and shared with `ledger doctor`. After the log's end
  /// the next call starts at line 1 again; after damage, it finds the same damage.
  ///
  /// - Parameter mostBytes: about how much to read; 8 MiB take about ten milliseconds.
  /// - Returns: what was checked, and the damage found.
  /// - Throws: `LogError` if the log cannot be read.
  public func verify(mostBytes: Int = 8 << 20) throws(LogError) -> PartialVerification {
    try PartialVerification.verify(directory, mostBytes: mostBytes, at: moment())
  }

  /// A short text that identifies the current log: store it where this device's owner cannot change it
  /// unnoticed. `ledger verify --checkpoint` compares a later log with it. The whole log is checked
  /// first, which takes about a third of a second for a million events.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func checkpoint() throws(LogError) -> Checkpoint {
    try local.checkpoint(at: moment())
  }

  /// A checkpoint and its signature.
  ///
  /// - Throws: as ``checkpoint()``; errors of `signer`.
  public func checkpoint(
    signedBy signer: some CheckpointSigner
  ) async throws -> SignedCheckpoint {
    let checkpoint = try checkpoint()
    return SignedCheckpoint(
      checkpoint: checkpoint, signature: try await signer.sign(Array(checkpoint.text.utf8)))
  }

  /// Compares every acknowledged entry and field with the backend: what `ledger verify --backend`
  /// prints. Sends only GETs and records nothing.
  ///
  /// - Parameter connection: the connection to the backend, such as ``connection(trace:)``.
  /// - Throws: `BackendAuditFailure` if the backend could not be read completely; `LogError`.
  public func verifyBackend(
    over connection: some BackendConnection
  ) async throws -> BackendAudit {
    for _ in 0..<Self.mostAuditAttempts {
      let before = try verifiedState().position
      let reading = try await BackendReading.read(over: connection, pause: environment.pause)
      let context = try StoredLedger(local, rowIndex, .dateTime).context()
      let audit = try context.audit(reading)
      // Changes by a concurrent sync would look like differences.
      if audit.isOK || context.state.position == before { return audit }
    }
    throw BackendAuditFailure.ledgerChanged
  }

  private static let mostAuditAttempts = 3
}
