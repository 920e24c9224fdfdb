import Foundation
import LedgerKit

// The code of the article "Accounts, files and metrics"; a test compares them.

func openLedger(of email: String, in folder: String) async throws -> Ledger {
  let path = LedgerDirectory.path(ofAccount: email.lowercased(), in: folder)
  return try await Ledger.open(at: path, device: "phone")
}

func signOutForGood(of ledger: Ledger) async throws {
  try await ledger.signOut(forgetsAccount: true)
  _ = try await ledger.remove()
}

func deleteEverything(of ledger: Ledger) async throws -> AccountDeletion? {
  guard let connection = try await ledger.connection() else { return nil }
  let deletion = try await ledger.deleteAccount(over: connection)
  if deletion == .deleted {
    try await ledger.forgetAccount()
    _ = try await ledger.remove()
  }
  return deletion
}

func openForReading(in folder: String) throws -> Ledger {
  try Ledger.open(readOnlyAt: folder + "/.ledger")
}

/// - Parameter log: such as a `Logger` of the system, or a counter of metrics.
func environment(loggingTo log: @escaping @Sendable (String) -> Void) -> LedgerEnvironment {
  var environment = LedgerEnvironment()
  environment.onEvent = { event in
    switch event {
    case .log(.appended(let events, _, let duration)): log("\(events) events in \(duration)")
    case .log(.repaired(let repair)): log("repaired: \(repair)")
    case .damaged(let damage): log("damage: \(damage)")
    case .synced(let report, let duration): log("\(report.acknowledged) sent in \(duration)")
    case .exchanged(let trace): log("\(trace.status ?? 0) after \(trace.milliseconds) ms")
    case .log(.folded), .verified: break
    }
  }
  return environment
}

#if canImport(Darwin)
  /// Syncs use no cellular network.
  func environmentWithoutCellularAccess() -> LedgerEnvironment {
    var environment = LedgerEnvironment()
    environment.makeTransport = {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.allowsCellularAccess = false
      return HTTPTransport(configuration: configuration)
    }
    return environment
  }

  /// The keychain item is shared by the app and its extensions.
  func openSharedLedger(in folder: String, accessGroup: String) throws -> Ledger {
    var environment = LedgerEnvironment()
    environment.makeCredentialStore = { KeychainCredentialStore($0, accessGroup: accessGroup) }
    return try Ledger.open(
      at: folder + "/.ledger", protection: .completeUntilFirstUserAuthentication,
      environment: environment)
  }
#endif
