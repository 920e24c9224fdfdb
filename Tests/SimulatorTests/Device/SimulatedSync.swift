import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerSync
import LedgerTestSupport

/// One run of the machine at a device, a happening at a time, so that runs of several devices can
/// take turns.
final class SimulatedSync {
  let device: Device
  private var driver: SyncDriver<DeviceLedger>
  private var pending: [Pending] = []
  private var underWay: [RequestID: WireRequest] = [:]
  private let lock: FileLock
  private var attempts: DurableAttempts
  var report: SyncReport? { driver.report }
  /// Calls that change something and left.
  private(set) var sent = 0

  private enum Pending {
    case outgoing(RequestID, WireRequest)
    case incoming(RequestID, WireAnswer)
    case alarm(RequestID, milliseconds: Int)
  }

  init(_ device: Device, _ configuration: SyncConfiguration) throws {
    self.device = device
    var configuration = configuration
    configuration.lastListing = device.lastListing
    configuration.onReplacedAccount = device.replacement
    driver = SyncDriver(DeviceLedger(device: device), configuration)
    lock = try FileLock(
      device.directory.syncLock, .exclusive, waitSeconds: 0, on: device.disk)
    attempts = DurableAttempts(startingAt: device.acknowledged.count)
  }

  /// Takes in what has come, or lets something come.
  ///
  /// - Returns: whether the run goes on.
  func tick(_ backend: inout SimulatedBackend, using generator: inout SplitMix) throws -> Bool {
    if driver.isWaiting { try happen(&backend, using: &generator) }
    guard !device.disk.hasEnded else { return false }
    driver.ledger.dialect = backend.dialect
    try driver.step(at: { device.now }, using: &generator, perform)
    if device.disk.hasEnded { return false }
    guard let report else { return true }
    device.lastListing = report.listing
    device.replacement =
      switch report.stop {
      case .massDeletion, .returnedRows, .accountReplaced: device.onLostRows
      default: nil
      }
    return false
  }

  private func perform(_ effect: SyncDriver<DeviceLedger>.External) throws {
    guard !device.disk.hasEnded else { return }
    switch effect {
    case .send(let id, let request):
      if request.method.mutates {
        sent += 1
        try expectAlone(request)
        try attempts.take(request, from: device)
      }
      underWay[id] = request
      pending.append(.outgoing(id, request))
    case .wait(let id, let milliseconds): pending.append(.alarm(id, milliseconds: milliseconds))
    case .progress: break
    }
  }

  private func happen(
    _ backend: inout SimulatedBackend, using generator: inout SplitMix
  ) throws {
    while driver.isWaiting {
      guard !pending.isEmpty else {
        throw Violation(.rest, "device \(device.name): the machine waits for nothing")
      }
      switch pending.remove(at: generator.below(pending.count)) {
      case .outgoing(let id, let request):
        pending.append(.incoming(id, try backend.answer(request, using: &generator)))
      case .incoming(let id, let answer):
        land(id, answer)
        driver.receive(.answered(id, answer))
      case .alarm(let id, let milliseconds):
        device.world.pass(milliseconds: Int64(milliseconds))
        driver.receive(.elapsed(id))
      }
    }
    // Answers that are there already come in together, as they do behind a slow disk.
    guard generator.chance(1, of: 2) else { return }
    for (index, happening) in pending.enumerated().reversed() {
      guard case .incoming(let id, let answer) = happening else { continue }
      pending.remove(at: index)
      land(id, answer)
      driver.receive(.answered(id, answer))
    }
  }

  func cancel() { driver.cancel() }

  /// The process is gone. What was on its way may still arrive, now or later.
  func abandon(_ backend: inout SimulatedBackend, using generator: inout SplitMix) {
    for case .outgoing(_, let request) in pending where generator.chance(2, of: 3) {
      backend.hold(request, using: &generator)
    }
    pending = []
    device.unanswered.formUnion(underWay.values.compactMap(RowKey.init(sentBy:)))
  }

  // MARK: What looks the same

  /// A call is under way until its answer came, or until the backend was asked what became of it.
  private func expectAlone(_ request: WireRequest) throws {
    guard let key = RowKey(sentBy: request) else { return }
    guard !device.unanswered.contains(key),
      !underWay.values.contains(where: { RowKey(sentBy: $0) == key })
    else { throw Violation(.equalApart, "device \(device.name): \(key)") }
  }

  private func land(_ id: RequestID, _ answer: WireAnswer) {
    guard let request = underWay.removeValue(forKey: id), let key = RowKey(sentBy: request),
      answer.leavesDoubt
    else { return }
    device.unanswered.insert(key)
  }
}

/// The attempts that stand on the platter, each good for one call. They are read from the bytes
/// there by nothing of the ledger's own.
struct DurableAttempts {
  private var offset: Int
  private var open: [String: Int] = [:]

  init(startingAt offset: Int) { self.offset = offset }

  mutating func take(_ request: WireRequest, from device: Device) throws {
    let log = device.disk.durable(device.directory.events)
    while let end = log[min(offset, log.count)...].firstIndex(of: 0x0A) {
      note(String(decoding: log[offset..<end], as: UTF8.self))
      offset = end + 1
    }
    let call = "\(request.method.rawValue) \(request.path)"
    guard let count = open[call], count > 0 else {
      throw Violation(.attemptFirst, "device \(device.name): \(call)")
    }
    open[call] = count - 1
  }

  private mutating func note(_ line: String) {
    guard line.contains(#""type":"sync.attempted""#), let method = Self.member("method", of: line),
      let path = Self.member("path", of: line)
    else { return }
    open["\(method) \(path)", default: 0] += 1
  }

  private static func member(_ name: String, of line: String) -> Substring? {
    let parts = line.split(separator: "\"\(name)\":\"", maxSplits: 1)
    return parts.count == 2 ? parts[1].prefix { $0 != "\"" } : nil
  }
}

/// A device's ledger, whose disk may end at any write.
struct DeviceLedger: SyncLedger {
  let device: Device
  var dialect = Dialect.dateTime

  func answer(_ query: SyncQuery) throws -> SyncQueryResult {
    try device.context(dialect).answer(query)
  }

  func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    try device.syncer.record(payloads, at: now, using: &generator)
    if !device.disk.hasEnded { device.acknowledge() }
  }

  func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome {
    if case .reconcile(let calls, _) = decision {
      for call in calls { device.unanswered.remove(call.key) }
    }
    let replacedAt = try device.syncer.state().bindings.replacedAt
    var choices = generator
    let outcome = try device.syncer.record(at: now, using: &generator) {
      (state, view) throws(LogError) in
      try device.context(state, view, dialect).decide(decision, at: now, using: &choices)
    }
    // A listing of all rows has told what became of every call.
    if try device.syncer.state().bindings.replacedAt != replacedAt { device.unanswered = [] }
    if !device.disk.hasEnded { device.acknowledge() }
    return outcome
  }
}

extension Device {
  func context(_ dialect: Dialect) throws(LogError) -> SyncContext<LogView> {
    try context(syncer.state(), LogView.open(directory), dialect)
  }

  fileprivate func context(
    _ state: LedgerState, _ view: LogView, _ dialect: Dialect
  ) throws(LogError) -> SyncContext<LogView> {
    if index.erasures != state.erasures { index = (RowIndex(), state.erasures) }
    try index.rows.advance(to: view)
    return SyncContext(
      state: state, texts: view, index: index.rows, dialect: dialect,
      zone: looks.map { .fixed($0.zone) } ?? .current)
  }
}

extension RowKey {
  /// What the row will look like that a call is to make; `nil` for any other call.
  fileprivate init?(sentBy request: WireRequest) {
    guard request.method == .post, request.path == "/api/v1/progress", let body = request.body,
      var object = (try? JSONValue(parsing: body))?.object
    else { return nil }
    object["id"] = "00000000-0000-4000-8000-000000000000"
    guard let row = ListedRow(json: .object(object)) else { return nil }
    self = row.key
  }
}

extension WireAnswer {
  /// Whether a POST that was answered so may have been carried out, for all that one knows.
  fileprivate var leavesDoubt: Bool {
    switch self {
    case .lost: true
    case .notSent, .signedOut, .refreshFailed: false
    case .response(let response):
      response.status >= 500 || response.isSuccess && response.value?.object?["id"] == nil
    }
  }
}
