public import FitIQClient
public import LedgerLog
public import LedgerModel
package import LedgerPlatform
public import LedgerStore
public import LedgerSync

/// A ledger's dependencies: clock, zone, randomness, pauses, network and credential store. The
/// defaults are the system's; `LedgerTestSupport` has replacements for tests.
public struct LedgerEnvironment: Sendable {
  /// The wall clock. It does not determine the order of events.
  public var now: @Sendable () -> Timestamp = { LocalZone.now() }
  /// The zone for the current day and for the dates of entries.
  public var zone = LocalZone.current
  /// 64 random bits per call, for ids, salts and jitter.
  public var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Waits within a run, such as before a retry, and for further edits; must return early when its
  /// task is canceled.
  public var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  /// The time since any fixed moment. Never steps back, unlike ``now``.
  public var uptime: @Sendable () -> Duration = { SystemUptime.start.duration(to: .now) }
  /// Waits until ``uptime`` reaches a time, between the runs of
  /// ``Ledger/watch(over:options:schedule:wake:onRun:onDamage:)``; must return early when its task is
  /// canceled.
  public var sleep: @Sendable (_ until: Duration) async -> Void = { deadline in
    try? await Task.sleep(until: SystemUptime.start + deadline, clock: .continuous)
  }
  /// Creates the transport of a new connection to the backend.
  public var makeTransport: @Sendable () -> any BackendTransport = { HTTPTransport() }
  /// Stores a ledger's credentials: by default in a file next to the log that only its owner can read.
  /// Use `KeychainCredentialStore` on Apple platforms.
  public var makeCredentialStore: @Sendable (LedgerDirectory) -> any CredentialStore = {
    FileCredentialStore($0)
  }
  /// Receives what happens in the ledger, for the app's own log and metrics; `nil` costs nothing. Called
  /// while the ledger waits, on any thread: return quickly, and do not call the ledger from it.
  public var onEvent: (@Sendable (LedgerDiagnostic) -> Void)?
  /// Keeps the app running while long work holds the ledger's locks.
  public var expiringActivity = ExpiringActivity.system
  /// The disk with the ledger's files.
  package var disk: any Disk = SystemDisk.shared

  /// The system's defaults.
  public init() {}
}

private enum SystemUptime {
  static let start = ContinuousClock.now
}

/// What happens in a ledger. Contains no credentials, but may contain health data.
public enum LedgerDiagnostic: Sendable {
  /// Events were appended, the state was folded, or a crash's remains were repaired.
  case log(LogActivity)
  /// A part of the log, or all of it, was checked.
  case verified(PartialVerification)
  /// A check found damage.
  case damaged(Damage)
  /// A sync run ended.
  case synced(SyncReport, duration: Duration)
  /// An exchange with the backend, retries included one by one.
  case exchanged(WireTrace)
}

/// The environment's randomness as a generator.
struct EnvironmentGenerator: RandomNumberGenerator {
  let word: @Sendable () -> UInt64

  mutating func next() -> UInt64 { word() }
}
