import LedgerKit
import LedgerLog
import Testing

/// What an app keeps elsewhere of its ledger.
@Suite struct CheckpointTests {
  private struct Signer: CheckpointSigner {
    struct Locked: Error {}
    var isLocked = false

    func sign(_ bytes: [UInt8]) async throws -> [UInt8] {
      if isLocked { throw Locked() }
      return bytes.reversed()
    }
  }

  @Test("A checkpoint binds the head and what is erased, and is signed as an app likes")
  func signed() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75)
      _ = try await ledger.log(.steps, 4_000)
      _ = try await ledger.erase(Seq(2), reason: "a test")
      let found = try Verification.verify(ledger.directory)
      let signed = try await ledger.checkpoint(signedBy: Signer())
      let checkpoint = signed.checkpoint
      #expect(checkpoint.seq == Seq(found.head.seq) && checkpoint.hash == found.head.hash)
      #expect(checkpoint.ledger == found.ledger)
      #expect(checkpoint.erased == [2...2] && checkpoint.isErased(2) && !checkpoint.isErased(3))
      #expect(try Checkpoint(Array(checkpoint.text.utf8)) == checkpoint)
      #expect(signed.signature == Array(checkpoint.text.utf8).reversed())
      await #expect(throws: Signer.Locked.self) {
        try await ledger.checkpoint(signedBy: Signer(isLocked: true))
      }
    }
  }
}
