public import LedgerLog
import LedgerSync

/// A person's ledger, as an app holds it: every edit is durable when its call returns, views answer
/// from what the log says, and ``sync(over:options:)`` carries to the backend what it has not heard.
///
/// Several of these, in several processes, may hold one ledger: the log's lock keeps them apart.
public actor Ledger {
  let local: LocalLedger
  private let now: @Sendable () -> Timestamp
  private let zone = LocalZone.current
  /// The ids the log has learned from the backend, and the erasures folded when it was made.
  var rowIndex = (index: RowIndex(), erasures: 0)

  public nonisolated let directory: LedgerDirectory

  private init(_ directory: LedgerDirectory, now: @escaping @Sendable () -> Timestamp) {
    self.directory = directory
    self.now = now
    local = LocalLedger(directory)
  }

  /// Opens the ledger in a folder, or makes one there.
  ///
  /// - Parameters:
  ///   - path: the folder that holds `events.jsonl`, or will.
  ///   - device: what to call this device in a new ledger.
  ///   - now: the clock; another one in tests.
  /// - Throws: `LogError`.
  public static func open(
    at path: String, device: String = "app",
    now: @escaping @Sendable () -> Timestamp = { LocalZone.now() }
  ) throws(LogError) -> Ledger {
    let directory = LedgerDirectory(path)
    if !directory.holdsLedger {
      var generator = SystemRandomNumberGenerator()
      do throws(LogError) {
        _ = try EventLog.create(directory, device: device, at: now(), using: &generator)
      } catch {
        // Somebody else made it a moment ago: then it is simply opened.
        guard case .exists = error else { throw error }
      }
    }
    return Ledger(directory, now: now)
  }

  /// The wall clock's moment, from outside.
  func moment() -> Timestamp { now() }

  func today() -> CalendarDate { zone.today(at: now()) }

  // MARK: Edits

  /// Appends edits: all of them in one durable write, or none.
  ///
  /// - Throws: ``EditRefusal`` with a sentence that names field, value and limit; `LogError`.
  @discardableResult
  public func append(_ edits: [Edit]) throws -> LocalLedger.Outcome {
    var generator = SystemRandomNumberGenerator()
    return try local.append(edits, at: now(), today: today(), using: &generator)
  }

  @discardableResult
  public func append(_ change: Edit.Change) throws -> LocalLedger.Outcome {
    try append([Edit(change: change)])
  }

  /// Logs a quantity in the metric's own unit.
  ///
  /// - Parameters:
  ///   - date: the day it belongs to; `nil` for now, with the time and the zone in force.
  ///   - time: the wall time on that day; `nil` for an entry that belongs to the day.
  /// - Returns: the entry's id, by which it can be corrected and deleted.
  @discardableResult
  public func log(
    _ metric: Metric, _ quantity: Double, on date: CalendarDate? = nil, at time: ClockTime? = nil,
    notes: String? = nil
  ) throws -> EntryID {
    var generator = SystemRandomNumberGenerator()
    let entry = EntryID.make(at: now(), using: &generator)
    let wall = zone.wall(at: now())
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

  public func state() throws(LogError) -> LedgerState { try local.state() }

  /// The person, field by field, with where each stands.
  public func profile() throws(LogError) -> ProfileView { try state().profileView() }

  /// Entries, newest first.
  public func progress(_ query: ProgressQuery = ProgressQuery()) throws(LogError) -> ProgressPage {
    try state().progress(query)
  }

  /// Sums, extremes and means by day and metric.
  public func days(
    _ metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil
  ) throws(LogError) -> [DayGroup] {
    try state().days(metric: metric, from: from, to: to)
  }

  /// The notes of an entry, read from the log.
  public func notes(of entry: EntryView) throws(LogError) -> String? {
    guard let seq = entry.notesIn else { return nil }
    return try LogView.open(directory).notes(in: seq)
  }
}
