public import FitIQClient
public import LedgerLog
public import LedgerModel
package import LedgerPlatform
import LedgerProjections
public import LedgerStore
public import LedgerSync

#if canImport(Darwin) && !os(macOS)
  import Foundation
#endif

/// A ledger as an app uses it: an edit is durable when its call returns, views are computed from the
/// log, and ``sync(over:options:)`` exchanges changes with the backend.
///
/// Several instances, in several processes, may use the same ledger: the log is locked for writing.
public actor Ledger {
  let local: LedgerStore
  let environment: LedgerEnvironment
  /// The signals of running watches and of listeners for changes.
  nonisolated let wakeSignals = WakeSignalSet()
  nonisolated let syncEventSource = SyncEventSource()
  let rowIndex = RowIndexCache()
  var writeQueue = WriteQueue()
  private let executor = BlockingExecutor("ledger")

  /// The folder with its files.
  public nonisolated let directory: LedgerDirectory

  /// A thread of the ledger's own, so that its file operations do not block the cooperative pool.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(_ directory: LedgerDirectory, _ environment: LedgerEnvironment) {
    self.directory = directory
    self.environment = environment
    local = LedgerStore(directory)
    if let onEvent = environment.onEvent { local.onActivity = { onEvent(.log($0)) } }
  }

  /// Opens the ledger in a folder, or creates one, without blocking a thread of the cooperative pool. Waits
  /// only for another process that is creating the ledger; a canceled task stops waiting.
  ///
  /// - Parameters:
  ///   - path: the folder for `events.jsonl`; its parent folder must exist.
  ///   - device: the name of this device in a new ledger.
  ///   - protection: when the files can be read on iOS; `nil` leaves it as it is.
  ///   - environment: clock, randomness, network and the like; replaced in tests.
  /// - Throws: `LogError`; `CancellationError`.
  public static func open(
    at path: String, device: String = "app",
    protection: FileProtection? = .completeUntilFirstUserAuthentication,
    environment: LedgerEnvironment = LedgerEnvironment()
  ) async throws -> Ledger {
    let seconds = LogFormat.lockWaitSeconds
    let deadline = environment.uptime() + .seconds(seconds)
    // A creator needs the time of a few disk syncs.
    let pause = Duration.milliseconds(4)
    while true {
      do {
        return try await BlockingExecutor.run {
          try open(
            at: path, device: device, protection: protection, environment: environment,
            lockWaitSeconds: 0)
        }
      } catch LogError.locked(let path, _) {
        guard environment.uptime() < deadline else {
          throw LogError.locked(path: path, seconds: seconds)
        }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// As the asynchronous variant, for synchronous code such as the initializer of an app. Blocks its
  /// thread, for up to five seconds while another process is creating the ledger.
  public static func open(
    at path: String, device: String = "app",
    protection: FileProtection? = .completeUntilFirstUserAuthentication,
    environment: LedgerEnvironment = LedgerEnvironment()
  ) throws -> Ledger {
    try open(
      at: path, device: device, protection: protection, environment: environment,
      lockWaitSeconds: LogFormat.lockWaitSeconds)
  }

  private static func open(
    at path: String, device: String, protection: FileProtection?, environment: LedgerEnvironment,
    lockWaitSeconds: Int
  ) throws -> Ledger {
    let directory = LedgerDirectory(path, on: environment.disk)
    if !directory.holdsLedger {
      var generator = EnvironmentGenerator(word: environment.randomWord)
      do throws(LogError) {
        _ = try EventLog.create(
          directory, device: device, at: environment.now(), lockWaitSeconds: lockWaitSeconds,
          using: &generator)
      } catch {
        // Another process has just created it.
        guard case .exists = error else { throw error }
      }
    }
    try protection?.apply(to: directory)
    return Ledger(directory, environment)
  }

  func moment() -> Timestamp { environment.now() }

  func generator() -> EnvironmentGenerator { EnvironmentGenerator(word: environment.randomWord) }

  /// The folded state, for this package's programs.
  package func state() throws(LogError) -> LedgerState { try local.state() }

  /// The state folded from the log's own lines, their chain links checked.
  package func verifiedState() throws(LogError) -> LedgerState { try local.verifiedState() }
}

/// Other ways to open a ledger.
extension Ledger {
  /// Opens a ledger only for reading, such as in a widget. Nothing in its folder is created or written: no
  /// snapshot, no lock file, no repair of a torn tail; the folder itself may be read-only. Changes by
  /// other processes are seen.
  ///
  /// Views, ``changes()``, ``plan(asking:options:)``, exports and checks work. Edits, syncs, imports,
  /// repairs and sign-ins throw `LogError.readOnly`; ``connection(trace:)`` throws, because a session
  /// renews its tokens.
  ///
  /// - Parameters:
  ///   - path: the folder of `events.jsonl`.
  ///   - environment: clock, zone, hooks and the like.
  /// - Throws: `LogError.noLedger` if there is none; `LogError.io`.
  public static func open(
    readOnlyAt path: String, environment: LedgerEnvironment = LedgerEnvironment()
  ) throws -> Ledger {
    let directory = LedgerDirectory(path).readOnly
    guard try directory.findsLedger() else { throw LogError.noLedger(path: path) }
    return Ledger(directory, environment)
  }

  /// Continues after a failed sync to disk (`LogError.notKept`, `unsettled`, `poisoned`), or after the log
  /// was replaced by a copy, as if the ledger were opened again.
  ///
  /// A failed sync leaves unknown what the disk contains, so the ledger refuses further edits. This
  /// examines the log's end, makes the whole events there durable and sets aside the rest. Then repeat
  /// the edit that failed, with its ``Edit/id``: if it was kept, it is not written again.
  ///
  /// - Throws: `LogError`; call it again when the disk works.
  public func reopen() async throws {
    local.reopen()
    if !directory.isReadOnly { try await write { try local.transaction(from: .nothing) { _ in } } }
  }
}

/// When a ledger's files can be read on iOS, iPadOS, watchOS, tvOS and visionOS (Apple's data
/// protection); without effect elsewhere.
public enum FileProtection: Hashable, Sendable {
  /// Only while the device is unlocked: background syncs fail while it is locked.
  case complete
  /// As ``complete``, but files opened before stay usable.
  case completeUnlessOpen
  /// From the first unlock after a restart. Recommended: background syncs and widgets work.
  case completeUntilFirstUserAuthentication
  /// Always.
  case unprotected

  /// Protects the folder, which new files inherit, and the files in it.
  fileprivate func apply(to directory: LedgerDirectory) throws(LogError) {
    #if canImport(Darwin) && !os(macOS)
      let files = FileManager.default
      let paths = files.subpaths(atPath: directory.path) ?? []
      for path in [directory.path] + paths.map({ "\(directory.path)/\($0)" }) {
        do {
          try files.setAttributes([.protectionKey: type], ofItemAtPath: path)
        } catch {
          // Such as a temporary file of another process.
          guard files.fileExists(atPath: path) else { continue }
          throw .io(IOFailure("protect", path, errorNumber: EPERM))
        }
      }
    #endif
  }

  #if canImport(Darwin) && !os(macOS)
    private var type: FileProtectionType {
      switch self {
      case .complete: .complete
      case .completeUnlessOpen: .completeUnlessOpen
      case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
      case .unprotected: .none
      }
    }
  #endif
}

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
