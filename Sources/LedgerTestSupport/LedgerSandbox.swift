import Foundation
public import LedgerKit
import LedgerPlatform
import ReferenceBackend
import Synchronization

/// A self-contained environment for ledgers: temporary folders, a backend in this process, a manual
/// clock, a disk that can fail, and deterministic ids.
///
/// ```swift
/// let sandbox = try LedgerSandbox()
/// let ledger = try sandbox.openLedger()
/// try await sandbox.signIn(ledger)
/// ```
///
/// For the same ids in every run, use one sandbox per test and send one call at a time
/// (``syncOptions``).
public final class LedgerSandbox: Sendable {
  /// The account that ``signIn(_:)`` creates.
  public static let email = "ada@example.org"
  /// The account's password, for a sign-in through the app.
  public static let password = "secret12"
  /// The backend's address, which is never resolved.
  public static let url = "https://backend.test"
  /// The API key that the backend accepts.
  public static let apiKey = BackendConfiguration.demoAPIKey

  /// The clock of the ledgers and the backend. Starts on Monday, 5 January 2026, at 08:00 UTC by
  /// default.
  public let clock: TestClock
  /// The backend of all ledgers.
  public let backend: TestBackend
  /// The disk of all ledgers.
  public let disk = TestDisk()

  private struct Device: Sendable {
    var folder: String
    var words: SplitMix
  }

  private let folder: TemporaryFolder
  private let zone: ZoneOffset
  private let dialect: Dialect
  private let seed: UInt64
  private let devices = Mutex<[String: Device]>([:])

  /// - Parameters:
  ///   - now: the clock's start.
  ///   - zone: the local time zone; UTC, so that a test does not depend on where it runs.
  ///   - dialect: how the backend expects moments; `SyncOptions.dialect` must be the same.
  ///   - seed: determines the ids.
  /// - Throws: the system's error when a folder cannot be created.
  public init(
    now: Timestamp = Timestamp(millisecondsSince1970: 1_767_600_000_000), zone: ZoneOffset = .utc,
    dialect: Dialect = .dateTime, seed: UInt64 = 1
  ) throws {
    let clock = TestClock(now)
    self.clock = clock
    self.zone = zone
    self.dialect = dialect
    self.seed = seed
    folder = try TemporaryFolder()
    let words = SeededWords(seed: seed)
    var configuration = BackendConfiguration()
    configuration.dialect = dialect == .loggedAt ? .loggedAt : .dateTime
    configuration.now = { clock.now }
    configuration.randomWord = { words.next() }
    backend = TestBackend(configuration)
  }

  /// Opens or creates the ledger of a device. Opening it again corresponds to a restart of the app;
  /// another name is another device.
  ///
  /// The folders exist until the last ledger and the sandbox are released.
  ///
  /// - Throws: `LogError`.
  public func openLedger(on device: String = "phone") throws -> Ledger {
    try Ledger.open(at: path(of: device), device: device, environment: environment(of: device))
  }

  /// The folder of a device's ledger, for an app that opens the ledger itself.
  public func path(of device: String = "phone") -> String { withDevice(device) { $0.folder } }

  /// The environment of a device's ledger, for an app that opens the ledger itself.
  public func environment(of device: String = "phone") -> LedgerEnvironment {
    var environment = LedgerEnvironment()
    // The closures keep the sandbox and so the folder.
    environment.now = { self.clock.now }
    environment.zone = .fixed(zone)
    environment.randomWord = { self.withDevice(device) { $0.words.next() } }
    environment.pause = { duration in
      self.clock.advance(by: duration)
      await Task.yield()
    }
    environment.uptime = { self.clock.uptime }
    environment.sleep = { await self.clock.sleep(until: $0) }
    environment.makeTransport = { self.backend }
    environment.disk = disk
    return environment
  }

  /// Signs a ledger in as ``email``, and creates the account if there is none. Unlike `Ledger.register` it
  /// records no name and birth date, so that nothing is pending.
  ///
  /// - Throws: as `Ledger.register` and `Ledger.signIn`.
  public func signIn(_ ledger: Ledger) async throws {
    let address = try BackendAddress(Self.url)
    let key = Secret(Self.apiKey)
    if backend.hasAccount(Self.email) {
      try await ledger.signIn(to: address, apiKey: key, email: Self.email, password: Self.password)
    } else {
      let credentials = try await ledger.makeAccount(
        at: address, apiKey: key, email: Self.email, password: Self.password, name: "Ada",
        dateOfBirth: CalendarDate(daysSince1970: 7_505) ?? .first)
      try await ledger.rememberSignIn(credentials)
    }
  }

  /// Options of a run with one call in flight, so that nothing depends on the order of answers.
  public var syncOptions: SyncOptions {
    var configuration = SyncConfiguration()
    configuration.concurrency = 1
    return SyncOptions(dialect: dialect, configuration: configuration)
  }

  private func withDevice<Result>(_ name: String, _ body: (inout Device) -> Result) -> Result {
    devices.withLock { devices in
      // A number, since the name may hold characters that a folder's name cannot.
      let new = Device(
        folder: folder.path + "/device-\(devices.count + 1)",
        words: SplitMix(seed &+ UInt64(devices.count + 1) << 32))
      return body(&devices[name, default: new])
    }
  }
}

/// A folder that is deleted with its last reference.
package final class TemporaryFolder: Sendable {
  /// Without symbolic links.
  package let path: String

  package init() throws {
    let url = Self.base.appending(path: "ledger-test-\(UUID().uuidString)")
    // Independent of the umask: ledgers that others may write to are refused.
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// In memory where the system offers it, since a test would mostly wait for the disk's syncs; on the
  /// disk at full size.
  private static let base = TestSize.of(
    memory ?? FileManager.default.temporaryDirectory,
    full: FileManager.default.temporaryDirectory)

  /// Linux's file system in memory. Containers often have a tiny one, or one that executes nothing.
  private static let memory: URL? = {
    #if os(Linux)
      let path = "/dev/shm"
      // `ST_NOEXEC`, which Swift does not import.
      let executesNothing: UInt = 8
      var system = statvfs()
      guard FileManager.default.isWritableFile(atPath: path), statvfs(path, &system) == 0,
        UInt(system.f_flag) & executesNothing == 0,
        UInt(system.f_bavail) * UInt(system.f_frsize) >= 1 << 30
      else { return nil }
      return URL(filePath: path)
    #else
      return nil
    #endif
  }()
}

/// How much the property tests do: a little by default, everything with `LEDGER_TESTS=full`
/// (docs/reliability.md).
package enum TestSize {
  private static let isFull = getenv("LEDGER_TESTS").map { String(cString: $0) } == "full"

  package static func of<Size>(_ short: Size, full: Size) -> Size { isFull ? full : short }
}
