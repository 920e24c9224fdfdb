public import LedgerKit
import ReferenceBackend
import Synchronization

/// All that a ledger needs, without the world: folders that go by themselves, a backend in this
/// process, a clock that stands still, and ids that are the same every time.
///
/// ```swift
/// let sandbox = try LedgerSandbox()
/// let ledger = try sandbox.openLedger()
/// try await sandbox.signIn(ledger)
/// ```
///
/// A test that wants the same ids again makes one sandbox for itself, and lets a sync send one call
/// at a time (``syncOptions``).
public final class LedgerSandbox: Sendable {
  /// The account that ``signIn(_:)`` makes.
  public static let email = "ada@example.org"
  /// Its password, for an app's own way of signing in.
  public static let password = "secret12"
  /// What the backend is called; nothing looks it up.
  public static let url = "https://backend.test"
  /// The app's key that the backend takes.
  public static let apiKey = BackendConfiguration.demoAPIKey

  /// What time it is, for the ledgers and for the backend. It begins on Monday, 5 January 2026, at
  /// 08:00 UTC unless something else was said.
  public let clock: TestClock
  /// What the ledgers talk to.
  public let backend: TestBackend

  private struct Device: Sendable {
    var folder: String
    var chance: SplitMix
  }

  private let folder: TemporaryFolder
  private let zone: ZoneOffset
  private let dialect: Dialect
  private let seed: UInt64
  private let devices = Mutex<[String: Device]>([:])
  private let isRegistered = Mutex(false)

  /// - Parameters:
  ///   - now: what the clock shows at first.
  ///   - zone: where the people are; UTC, so that a test does not depend on where it runs.
  ///   - dialect: how the backend wants to be told when something was measured;
  ///     `SyncOptions.dialect` has to be the same.
  ///   - seed: another one makes other ids.
  /// - Throws: what the system says when there is no room for a folder.
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
    let chance = Chance(seed)
    var configuration = BackendConfiguration()
    configuration.dialect = dialect == .loggedAt ? .loggedAt : .dateTime
    configuration.now = { clock.now }
    configuration.randomWord = { chance.next() }
    backend = TestBackend(configuration)
  }

  /// Opens the ledger of a device, or makes it. Opened again under the same name it is what a
  /// restarted app finds; under another name it is another device.
  ///
  /// The folders stay until the last ledger and the sandbox are gone.
  ///
  /// - Throws: `LogError`.
  public func openLedger(on device: String = "phone") throws(LogError) -> Ledger {
    try Ledger.open(at: path(of: device), device: device, environment: environment(of: device))
  }

  /// Where a device's ledger is, for an app that opens it by itself.
  public func path(of device: String = "phone") -> String { withDevice(device) { $0.folder } }

  /// What a device's ledger takes from outside, for an app that opens it by itself.
  public func environment(of device: String = "phone") -> LedgerEnvironment {
    var environment = LedgerEnvironment()
    // Whoever has the environment keeps the sandbox, and so the folder.
    environment.now = { self.clock.now }
    environment.zone = .fixed(zone)
    environment.randomWord = { self.withDevice(device) { $0.chance.next() } }
    environment.pause = { duration in
      self.clock.advance(by: duration)
      await Task.yield()
    }
    environment.makeTransport = { self.backend }
    return environment
  }

  /// Signs a ledger in to the sandbox's backend, as ``email``; the first time it makes the account.
  /// Unlike `Ledger.register` it records no name and no birth date, so nothing waits to be sent.
  ///
  /// - Throws: as `Ledger.register` and `Ledger.login` do; without a network, that.
  public func signIn(_ ledger: Ledger) async throws {
    let address = try BackendAddress(Self.url)
    let key = Secret(Self.apiKey)
    if isRegistered.withLock({ $0 }) {
      try await ledger.login(to: address, apiKey: key, email: Self.email, password: Self.password)
    } else {
      let credentials = try await ledger.makeAccount(
        at: address, apiKey: key, email: Self.email, password: Self.password, name: "Ada",
        dateOfBirth: CalendarDate(daysSince1970: 7_505) ?? .first)
      try await ledger.rememberSignIn(credentials)
      isRegistered.withLock { $0 = true }
    }
  }

  /// Options of a run that sends one call after the other, so that nothing depends on which of two
  /// answers comes first.
  public var syncOptions: SyncOptions {
    var wishes = SyncConfiguration()
    wishes.concurrency = 1
    return SyncOptions(dialect: dialect, wishes: wishes)
  }

  private func withDevice<Result>(_ name: String, _ body: (inout Device) -> Result) -> Result {
    devices.withLock { devices in
      // A number, not the name: that may hold what no folder's name can.
      let new = Device(
        folder: folder.path + "/device-\(devices.count + 1)",
        chance: SplitMix(seed &+ UInt64(devices.count + 1) << 32))
      return body(&devices[name, default: new])
    }
  }
}

/// Chance that several threads may ask.
private final class Chance: Sendable {
  private let generator: Mutex<SplitMix>

  init(_ seed: UInt64) { generator = Mutex(SplitMix(seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
