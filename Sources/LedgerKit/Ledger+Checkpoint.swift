public import LedgerLog
import LedgerProjections

/// Signs checkpoints with a key that the app holds, such as one in the Secure Enclave or in the
/// keychain.
public protocol CheckpointSigner: Sendable {
  /// Signs a checkpoint's bytes, `Array(checkpoint.text.utf8)`.
  ///
  /// - Returns: the signature, in whatever form its verifier wants.
  func sign(_ bytes: [UInt8]) async throws -> [UInt8]
}

extension Ledger {
  /// A short text that binds the log as it is now: keep it where this device's owner cannot change it
  /// unnoticed. `ledger verify --checkpoint` compares any later log with it. The whole log is checked
  /// first: about a third of a second for a million events.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func checkpoint() throws(LogError) -> Checkpoint {
    try local.checkpoint(at: moment())
  }

  /// A checkpoint and its signature.
  ///
  /// - Throws: as ``checkpoint()``; what `signer` throws.
  public func checkpoint(
    signedBy signer: some CheckpointSigner
  ) async throws -> (checkpoint: Checkpoint, signature: [UInt8]) {
    let checkpoint = try checkpoint()
    return (checkpoint, try await signer.sign(Array(checkpoint.text.utf8)))
  }
}
