public import LedgerLog
public import LedgerModel
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
  private let executor = LedgerExecutor()

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

  /// Opens the ledger in a folder, or creates one.
  ///
  /// - Parameters:
  ///   - path: the folder for `events.jsonl`; its parent folder must exist.
  ///   - device: the name of this device in a new ledger.
  ///   - protection: when the files can be read on iOS; `nil` leaves it as it is.
  ///   - environment: clock, randomness, network and the like; replaced in tests.
  /// - Throws: `LogError`.
  public static func open(
    at path: String, device: String = "app",
    protection: FileProtection? = .completeUntilFirstUserAuthentication,
    environment: LedgerEnvironment = LedgerEnvironment()
  ) throws(LogError) -> Ledger {
    let directory = LedgerDirectory(path)
    if !directory.holdsLedger {
      var generator = EnvironmentGenerator(word: environment.randomWord)
      do throws(LogError) {
        _ = try EventLog.create(
          directory, device: device, at: environment.now(), using: &generator)
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

  // MARK: Edits

  /// Appends edits in one durable write: all or none.
  ///
  /// An edit whose id is already in the log is not written again, so a call with an unknown outcome
  /// can be repeated.
  ///
  /// - Returns: the sequence number of each edit, in order; for known edits, the existing one.
  /// - Throws: ``EditRefusal`` with field, value and limit; `LogError`.
  @discardableResult
  public func append(_ edits: [Edit]) async throws -> [Seq] {
    var generator = generator()
    let outcome = try await write {
      let now = moment()
      return try local.append(
        edits, at: now, today: environment.zone.today(at: now), using: &generator)
    }
    return outcome.edits.map(\.seq)
  }

  /// Appends an edit of the user.
  ///
  /// - Returns: its sequence number.
  /// - Throws: ``EditRefusal`` with field, value and limit; `LogError`.
  @discardableResult
  public func append(_ change: Edit.Change) async throws -> Seq {
    try await append([Edit(change: change)])[0]
  }

  /// Logs a measurement.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - quantity: in ``Metric/unit``, within ``Metric/range``.
  ///   - date: the day; `nil` for now, with the current time and zone.
  ///   - time: the local time on that day; `nil` for an entry without a time.
  ///   - notes: free text.
  /// - Returns: the entry's id, for corrections and deletion.
  /// - Throws: ``EditRefusal`` with field, value and limit; `LogError`.
  @discardableResult
  public func log(
    _ metric: Metric, _ quantity: Double, on date: CalendarDate? = nil, at time: ClockTime? = nil,
    notes: String? = nil
  ) async throws -> EntryID {
    var generator = generator()
    let now = moment()
    let zone = environment.zone
    let entry = EntryID.make(at: now, using: &generator)
    let wall = zone.localTime(at: now)
    let day = date ?? wall?.date ?? .first
    let isNow = date == nil && time == nil
    let moment =
      isNow
      ? wall.map { ZonedTime(time: $0.time, zone: $0.zone) }
      : time.map { ZonedTime(time: $0, zone: zone.offset(of: $0, on: day)) }
    let logged = ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: day, moment: moment, notes: notes)
    try await append([Edit(change: .logProgress(logged), hasFreshEntry: true)])
    return entry
  }

  /// The folded state, for this package's programs.
  package func state() throws(LogError) -> LedgerState { try local.state() }

  /// The state folded from the log's own lines, their chain links checked.
  package func verifiedState() throws(LogError) -> LedgerState { try local.verifiedState() }
}
