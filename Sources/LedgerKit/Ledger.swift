import FitIQClient
public import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerSync

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
