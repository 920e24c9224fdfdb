import Foundation
import LedgerKit
import LedgerTestSupport
import Synchronization

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

/// Waits for a condition, without a limit.
func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}

/// Collects the arguments of a callback.
final class Collector<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func add(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
}
