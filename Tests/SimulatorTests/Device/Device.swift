import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerSync
import LedgerTestSupport
import Synchronization

/// The time outside, which only goes on.
final class WorldClock: Sendable {
  private let time: Mutex<Int64>

  init(_ start: Timestamp) { time = Mutex(start.millisecondsSince1970) }

  var now: Timestamp { Timestamp(millisecondsSince1970: time.withLock { $0 }) }

  func pass(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// A device with its disk, its own idea of the time, and a ledger that two programs work on: one in
/// which a person edits, one that syncs.
final class Device {
  let name: Int
  let disk = SimulatedDisk()
  let directory: LedgerDirectory
  let world: WorldClock
  /// What its clock is ahead, in milliseconds; negative for behind.
  var skew: Int64 = 0
  /// The log as it stood when an append was last acknowledged.
  private(set) var acknowledged: [UInt8] = []

  private(set) var app: LedgerStore
  private(set) var syncer: LedgerStore
  var secrets = Secrets()
  /// How many quantities its person knows: the fewer, the more entries look alike.
  var variety = 3
  /// How entries look in stories of several devices.
  var looks: EntryLooks?
  /// What the last run knew of the backend's rows, and where the log ended then: `listing.json`.
  private var listing: (facts: ListingFacts?, endBytes: Int, end: ArraySlice<UInt8>) = (nil, 0, [])
  /// What its person decides when a run stops because the backend has lost rows.
  var onLostRows = ReplacementPolicy.acceptDeletions
  /// What its person decided for the next run.
  var replacement: ReplacementPolicy?
  /// What the rows look like of calls whose answer was lost, until the backend was asked for them.
  var unanswered: Set<RowKey> = []
  var index = (rows: RowIndex(), erasures: 0)
  /// What has happened to it, for those who ask whether stories are worth anything.
  var experience = Experience()
  private var whims: SplitMix

  init(_ name: Int, _ world: WorldClock, seed: UInt64) {
    self.name = name
    self.world = world
    whims = SplitMix(seed ^ UInt64(name) << 32)
    directory = LedgerDirectory("/device\(name)", on: disk)
    app = LedgerStore(directory)
    syncer = LedgerStore(directory)
  }

  var now: Timestamp {
    Timestamp(millisecondsSince1970: world.now.millisecondsSince1970 + skew)
  }

  var log: [UInt8] { disk.cached(directory.events) }

  /// What was appended so far is promised from now on.
  func acknowledge() { acknowledged = log }

  /// Whether what was acknowledged is there, as it was or as an erasure that nobody heard the end of
  /// has left it.
  private var holdsAcknowledged: Bool {
    if log.hasPrefix(acknowledged) { return true }
    guard isErased(acknowledged, in: log) else { return false }
    // Only what was acknowledged before; behind it may be what nobody was told of.
    let lines = log.split(separator: 0x0A).prefix(acknowledged.count { $0 == 0x0A })
    acknowledged = lines.flatMap { $0 + [0x0A] }
    return true
  }

  // MARK: Programs

  /// How an operation ended for who asked for it.
  enum Outcome: Equatable {
    case done
    /// An error, which is an answer.
    case failed(LogError)
    /// The process is gone, and what came of it nobody heard.
    case died
  }

  /// Runs a body with disk faults, which end when this returns.
  func attempt(
    _ diskFaults: DiskFaults?, seed: UInt64, _ body: () throws -> Void
  ) throws -> Outcome {
    disk.plan(diskFaults, seed: seed)
    defer { disk.plan(nil, seed: seed) }
    return try guarded(body)
  }

  /// Creates the ledger in spite of disk faults, retrying what they end.
  func guarded(_ body: () throws -> Void) throws -> Outcome {
    var outcome = Outcome.done
    do {
      try body()
    } catch let error as LogError {
      outcome = .failed(error)
    } catch is EditRefusal {
      // An answer like any other: nothing was written.
    }
    if case .failed(let error) = outcome { experience.note(error) }
    try checkPlatter()
    guard let end = disk.takeEnd() else {
      // A command ends at an error of its log; an app goes on, until its handle is of no use.
      if case .failed(let error) = outcome, error == .poisoned || whims.chance(1, of: 2) {
        restart()
      }
      return outcome
    }
    experience.note("\(end)")
    restart()
    if end == .powerCut { try checkDurable() }
    return .died
  }

  /// Both programs are started anew.
  func restart() {
    app = LedgerStore(directory)
    syncer = LedgerStore(directory)
    index = (RowIndex(), 0)
  }

  func losePower(seed: UInt64) throws {
    disk.plan(nil, seed: seed)
    disk.cutPower()
    restart()
    try checkDurable()
  }

  /// What was acknowledged is on the platter, whatever else is there.
  private func checkDurable() throws {
    guard holdsAcknowledged else {
      throw Violation(
        .acknowledgedSurvives,
        "device \(name): after a power cut the log has \(log.count) bytes that differ from the "
          + "\(acknowledged.count) acknowledged ones at byte \(firstDifference)")
    }
  }

  private var firstDifference: Int {
    zip(log, acknowledged).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? min(log.count, acknowledged.count)
  }

  // MARK: Listings

  /// A listing that belongs to another log than the one that is there is of no use.
  var lastListing: ListingFacts? {
    get {
      let before = log.prefix(listing.endBytes)
      return before.count == listing.endBytes && before.suffix(75) == listing.end
        ? listing.facts : nil
    }
    set { listing = (newValue, log.count, log.suffix(75)) }
  }

  // MARK: Recovery

  /// Makes the ledger, as often as it takes.
  func create(_ diskFaults: DiskFaults?, using generator: inout SplitMix) throws {
    var diskFaults = diskFaults
    for _ in 0..<4 {
      let seed = generator.next()
      let outcome = try attempt(diskFaults, seed: seed) {
        _ = try EventLog.create(directory, device: "d\(name)", at: now, using: &generator)
      }
      let hadFaults = diskFaults != nil
      diskFaults = nil
      switch outcome {
      case .done:
        acknowledge()
        return
      // A folder that cannot be looked into counts as one that holds a ledger.
      case .failed(.exists) where !hadFaults: return try recover(seed: generator.next())
      case .failed, .died: continue
      }
    }
    throw Violation(.ledgerOpens, "device \(name): no ledger could be made")
  }

  /// Opens the ledger with nothing in the way, as the next append would, and looks at what that did.
  func recover(seed: UInt64) throws {
    let before = log
    var repairs: [LogRepair] = []
    let outcome = try attempt(nil, seed: seed) {
      repairs = try app.log.withSession { $0.repairs }
    }
    guard case .done = outcome else {
      throw Violation(.ledgerOpens, "device \(name): \(outcome)")
    }
    guard holdsAcknowledged else {
      throw Violation(
        .acknowledgedSurvives,
        "device \(name): recovery left \(log.count) bytes, which differ from the "
          + "\(acknowledged.count) acknowledged ones at byte \(firstDifference)")
    }
    try checkQuarantine(before, repairs)
    for repair in repairs { experience.note(repair) }
    acknowledge()
  }

  private func checkQuarantine(_ before: [UInt8], _ repairs: [LogRepair]) throws {
    for case .quarantined(let bytes, let file) in repairs {
      let kept = disk.cached("\(directory.quarantine)/\(file)")
      guard kept.count == bytes, before.suffix(bytes).elementsEqual(kept),
        disk.platter("\(directory.quarantine)/\(file)") == kept
      else {
        throw Violation(.nothingIsThrownAway, "device \(name): \(bytes) bytes, \(file)")
      }
    }
  }
}
