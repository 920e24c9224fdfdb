public import FitIQClient
public import LedgerLog
public import LedgerModel

/// What a ledger takes from outside besides its folder: the time, the zone, chance, pauses, the wire
/// and the place for credentials. The defaults are the system's own; tests bring others
/// (`LedgerTestSupport` has them all).
public struct LedgerEnvironment: Sendable {
  /// The wall clock. The order of events is never taken from it.
  public var now: @Sendable () -> Timestamp = { LocalZone.now() }
  /// The zone that says which day it is, and dates entries.
  public var zone = LocalZone.current
  /// 64 random bits a call: ids, salts and the jitter of pauses are made of them.
  public var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// How a run of the projector waits before it tries again; it ends early, in whichever way, when
  /// its task is cancelled. ``Ledger/watch(over:options:schedule:onRun:onDamage:)`` rests by the system's
  /// clock between runs.
  public var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  /// A new way to the backend, for each connection that is made.
  public var makeTransport: @Sendable () -> any BackendTransport = { URLSessionTransport() }
  /// Where a ledger's credentials are kept: a file beside the log, for its owner's eyes only. An app
  /// on Apple's systems will want `KeychainCredentialStore` here.
  public var makeCredentialStore: @Sendable (LedgerDirectory) -> any CredentialStore = {
    FileCredentialStore($0)
  }

  /// The system's own.
  public init() {}
}

/// The environment's chance, as the standard library wants it.
struct EnvironmentGenerator: RandomNumberGenerator {
  let word: @Sendable () -> UInt64

  mutating func next() -> UInt64 { word() }
}
