import Foundation
import LedgerKit
import LedgerTestSupport

/// A ledger in a temporary folder.
func withLedger(
  _ environment: LedgerEnvironment = LedgerEnvironment(),
  isolation: isolated (any Actor)? = #isolation, _ body: (Ledger) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let ledger = try await Ledger.open(
    at: folder.path + "/.ledger", device: "test", environment: environment)
  try await body(ledger)
  withExtendedLifetime(folder) {}
}

extension SyncOptions {
  /// Looks up unresolved calls at once.
  static var atOnce: SyncOptions {
    var configuration = SyncConfiguration()
    configuration.settleSeconds = 0
    return SyncOptions(configuration: configuration)
  }
}
