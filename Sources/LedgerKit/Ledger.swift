public import LedgerLog
public import LedgerModel
public import LedgerProjections
import LedgerStore
import LedgerSync

/// A person's ledger, as an app holds it: every edit is durable when its call returns, views answer
/// from what the log says, and ``sync(over:options:)`` carries to the backend what it has not heard.
///
/// Several of these, in several processes, may hold one ledger: the log's lock keeps them apart.
public actor Ledger {
  let local: LedgerStore
  let environment: LedgerEnvironment
  /// The signals of the watches that are running.
  let wakeSignals = WakeSignalSet()
  /// The ids the log has learned from the backend, and the erasures folded when it was made.
  var rowIndex = (index: RowIndex(), erasures: 0)

  /// Where its files are.
  public nonisolated let directory: LedgerDirectory

  private init(_ directory: LedgerDirectory, _ environment: LedgerEnvironment) {
    self.directory = directory
    self.environment = environment
    local = LedgerStore(directory)
  }

  /// Opens the ledger in a folder, or makes one there.
  ///
  /// - Parameters:
  ///   - path: the folder that holds `events.jsonl`, or will; the folder it lies in must be there.
  ///   - device: what to call this device in a new ledger.
  ///   - environment: the clock, chance, the wire and the like; another one in tests.
  /// - Throws: `LogError`.
  public static func open(
    at path: String, device: String = "app", environment: LedgerEnvironment = LedgerEnvironment()
  ) throws(LogError) -> Ledger {
    let directory = LedgerDirectory(path)
    if !directory.holdsLedger {
      var generator = EnvironmentGenerator(word: environment.randomWord)
      do throws(LogError) {
        _ = try EventLog.create(
          directory, device: device, at: environment.now(), using: &generator)
      } catch {
        // Somebody else made it a moment ago: then it is simply opened.
        guard case .exists = error else { throw error }
      }
    }
    return Ledger(directory, environment)
  }

  /// The wall clock's moment, from outside.
  func moment() -> Timestamp { environment.now() }

  /// Chance, from outside.
  func generator() -> EnvironmentGenerator { EnvironmentGenerator(word: environment.randomWord) }

  // MARK: Edits

  /// Appends edits: all of them in one durable write, or none.
  ///
  /// An edit with an id that the log has already is not written again, so a caller that does not
  /// know what became of an earlier call may make it again.
  ///
  /// - Returns: where each edit stands in the log, in their order; of one that was there before, the
  ///   place it had.
  /// - Throws: ``EditRefusal`` with a sentence that names field, value and limit; `LogError`.
  @discardableResult
  public func append(_ edits: [Edit]) throws -> [Seq] {
    var generator = generator()
    let now = moment()
    let outcome = try local.append(
      edits, at: now, today: environment.zone.today(at: now), using: &generator)
    return outcome.edits.map(\.seq)
  }

  /// Appends one edit of the person's.
  ///
  /// - Returns: where it stands in the log.
  /// - Throws: ``EditRefusal`` with a sentence that names field, value and limit; `LogError`.
  @discardableResult
  public func append(_ change: Edit.Change) throws -> Seq {
    try append([Edit(change: change)])[0]
  }

  /// Logs a quantity in the metric's own unit.
  ///
  /// - Parameters:
  ///   - metric: what was measured.
  ///   - quantity: in ``Metric/unit``, and within ``Metric/range``.
  ///   - date: the day it belongs to; `nil` for now, with the time and the zone in force.
  ///   - time: the wall time on that day; `nil` for an entry that belongs to the day.
  ///   - notes: whatever the person wants to remember.
  /// - Returns: the entry's id, by which it can be corrected and deleted.
  /// - Throws: ``EditRefusal`` with a sentence that names field, value and limit; `LogError`.
  @discardableResult
  public func log(
    _ metric: Metric, _ quantity: Double, on date: CalendarDate? = nil, at time: ClockTime? = nil,
    notes: String? = nil
  ) throws -> EntryID {
    var generator = generator()
    let now = moment()
    let zone = environment.zone
    let entry = EntryID.make(at: now, using: &generator)
    let wall = zone.wall(at: now)
    let day = date ?? wall?.date ?? .first
    let isNow = date == nil && time == nil
    let moment =
      isNow
      ? wall.map { ZonedTime(time: $0.time, zone: $0.zone) }
      : time.map { ZonedTime(time: $0, zone: zone.offset(of: $0, on: day)) }
    let logged = ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: day, moment: moment, notes: notes)
    try append([Edit(change: .logProgress(logged), hasFreshEntry: true)])
    return entry
  }

  // MARK: Views

  /// Everything folded, for this package's own programs.
  package func state() throws(LogError) -> LedgerState { try local.state() }

  /// Everything folded from the log's own lines, their chain links checked.
  package func verifiedState() throws(LogError) -> LedgerState { try local.verifiedState() }

  /// The person, field by field, with where each stands.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func profile() throws(LogError) -> ProfileView { try state().profileView() }

  /// Entries, newest first.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func progress(_ query: ProgressQuery = ProgressQuery()) throws(LogError) -> ProgressPage {
    try state().progress(query)
  }

  /// Sums, extremes and means by day and metric, the oldest day first.
  ///
  /// - Parameters:
  ///   - metric: only this one.
  ///   - from: the first day; `nil` for the first there is.
  ///   - to: the last day, itself included; `nil` for the last there is.
  /// - Throws: `LogError`, damage to the log included.
  public func days(
    _ metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil
  ) throws(LogError) -> [DayGroup] {
    try state().days(metric: metric, from: from, to: to)
  }

  /// Edits by where they stand with the backend.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func syncCounts() throws(LogError) -> SyncCounts { try state().syncCounts() }

  /// The edits that the backend has not taken, by what they are about, and why: what `ledger show
  /// sync` shows.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func outbox() throws(LogError) -> [Outbox.Item] {
    let state = try state()
    return try Outbox(state, in: LogView.open(directory)).items
  }

  /// The notes of an entry, read from the log.
  ///
  /// - Returns: `nil` for an entry without notes.
  /// - Throws: `LogError`.
  public func notes(of entry: EntryView) throws(LogError) -> String? {
    guard let seq = entry.notesIn else { return nil }
    return try LogView.open(directory).notes(in: seq)
  }
}
