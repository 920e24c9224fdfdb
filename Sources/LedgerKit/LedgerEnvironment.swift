public import FitIQClient
public import LedgerLog
public import LedgerModel

/// A ledger's dependencies: clock, zone, randomness, pauses, network and credential store. The
/// defaults are the system's; `LedgerTestSupport` has replacements for tests.
public struct LedgerEnvironment: Sendable {
  /// The wall clock. It does not determine the order of events.
  public var now: @Sendable () -> Timestamp = { LocalZone.now() }
  /// The zone for the current day and for the dates of entries.
  public var zone = LocalZone.current
  /// 64 random bits per call, for ids, salts and jitter.
  public var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Waits before a retry within a run; must return early when its task is canceled. The pauses
  /// between runs of ``Ledger/watch(over:options:schedule:onRun:onDamage:)`` use the system's clock.
  public var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  /// Creates the transport of a new connection to the backend.
  public var makeTransport: @Sendable () -> any BackendTransport = { HTTPTransport() }
  /// Stores a ledger's credentials: by default in a file next to the log that only its owner can read.
  /// Use `KeychainCredentialStore` on Apple platforms.
  public var makeCredentialStore: @Sendable (LedgerDirectory) -> any CredentialStore = {
    FileCredentialStore($0)
  }

  /// The system's defaults.
  public init() {}
}

/// The environment's randomness as a generator.
struct EnvironmentGenerator: RandomNumberGenerator {
  let word: @Sendable () -> UInt64

  mutating func next() -> UInt64 { word() }
}
