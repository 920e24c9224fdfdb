import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Several devices over one backend. Runs follow each other; one may run within another's
/// (``Journey/meanwhile``).
final class MultiJourney {
  let devices: [Journey]

  /// Which device has the backend at the moment.
  private var holder = 0

  init(_ count: Int, seed: UInt64 = 1) throws {
    devices = try (0..<count).map { try Journey(seed: seed &+ UInt64($0)) }
  }

  var backend: ScriptedBackend {
    get { devices[holder].backend }
    set { devices[holder].backend = newValue }
  }

  /// One run of a device, which remembers its listing as a ledger does.
  @discardableResult
  func sync(_ device: Int) throws -> SyncReport {
    let caller = holder
    let journey = devices[device]
    if caller != device { journey.backend = devices[caller].backend }
    holder = device
    let report = try journey.sync()
    journey.configuration.lastListing = report.listing
    journey.configuration.onReplacedAccount = nil
    if case .massDeletion = report.stop {
      journey.configuration.onReplacedAccount = .acceptDeletions
    }
    if caller != device { devices[caller].backend = journey.backend }
    holder = caller
    return report
  }

  /// Every device runs so often, in order, or until a round adds to no log and leaves nothing to send.
  func settle(rounds: Int = 4) throws {
    for _ in 0..<rounds {
      let before = try devices.map { try $0.logEnd() }
      var pending = 0
      for device in devices.indices {
        devices[device].pass(seconds: 60)
        pending += try sync(device).pending
      }
      if try devices.map({ try $0.logEnd() }) == before, pending == 0 { return }
    }
  }

  /// An entry that every device knows, timed unless `moment` is `nil`.
  ///
  /// - Returns: its id on each device.
  func sharedEntry(
    _ quantity: Double = 70, at moment: ZonedTime? = MultiJourney.morning
  ) throws -> [EntryID] {
    _ = try devices[0].fixture.log(quantity, at: moment)
    try settle(rounds: 1)
    return try devices.indices.map { try #require(try live($0).first).id }
  }

  func correct(_ device: Int, _ entry: EntryID, to quantity: Double) throws {
    try devices[device].fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
  }

  /// An entry corrected on two devices, whose rows are made before either sees the other's.
  func correctBoth(at moment: ZonedTime?) throws {
    let entries = try sharedEntry(at: moment)
    try correct(0, entries[0], to: 71)
    try correct(1, entries[1], to: 72)
    devices[1].meanwhile = { request in
      guard request.method == .post else { return }
      self.devices[1].meanwhile = nil
      try self.sync(0)
    }
    try sync(1)
    try settle()
  }

  func delete(_ device: Int, _ entry: EntryID) throws {
    try devices[device].fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
  }

  func live(_ device: Int) throws -> [EntryView] {
    let state = try devices[device].fixture.ledger.state()
    return devices[device].fixture.entries(state).filter { !$0.isDeleted }
  }

  /// Open suspicions of a device.
  func suspicions(_ device: Int) throws -> [SuspicionView] {
    try devices[device].fixture.ledger.state().suspicions().filter(\.isOpen)
  }

  /// One row, which is the only entry of every device, synced, with this quantity.
  func expectOne(
    _ quantity: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(backend.rows.map(\.quantity) == [quantity], sourceLocation: sourceLocation)
    for device in devices.indices {
      let entries = try live(device)
      #expect(entries.map(\.quantity) == [quantity], sourceLocation: sourceLocation)
      #expect(entries.allSatisfy { $0.status == .synced }, sourceLocation: sourceLocation)
      let sums = try devices[device].fixture.ledger.state().days().map(\.sum)
      #expect(sums == [quantity], sourceLocation: sourceLocation)
    }
  }

  static let morning = ZonedTime(
    time: ClockTime(hour: 8, minute: 0)!, zone: ZoneOffset(minutes: 0)!)
  static let evening = ZonedTime(
    time: ClockTime(hour: 20, minute: 0)!, zone: ZoneOffset(minutes: 0)!)
}
