import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// A ledger on disk and a backend near by, with runs between them that a seed shuffles: the order in
/// which calls arrive and answers come back, what is delivered together, and where a run is cut off.
final class Journey {
  let desk: Desk
  var backend: NearBackend
  var wishes = SyncConfiguration()
  var generator: SplitMix
  private(set) var now: Timestamp
  /// Mutating calls that left, over all runs.
  private(set) var sent = 0

  /// Called when a request is about to arrive at the backend: edits made here are made while the
  /// call is under way.
  var meanwhile: ((WireRequest) throws -> Void)?
  /// Called when a record is durable and the machine has not been told yet.
  var afterRecord: (([Event.Payload]) throws -> Void)?
  /// Whether the run is to be told to stop, asked at each happening.
  var cancels: (() -> Bool)?
  /// The most mutating calls that were under way at a time, over all runs.
  private(set) var mostUnderWay = 0
  /// Requests that the machine sent, over all runs.
  private(set) var launched = 0
  /// How often the way to the backend was to double a row.
  var doubles = 0
  /// Waits that the machine asked for, in milliseconds.
  private(set) var waits: [Int] = []
  private var underWay: [RequestID: WireRequest] = [:]

  struct CutOff: Error {}

  init(seed: UInt64, dialect: BackendConfiguration.Dialect = .dateTime) throws {
    desk = try Desk()
    now = Desk.now
    backend = try NearBackend(now: Desk.now, dialect: dialect)
    generator = SplitMix(seed)
    wishes.settleSeconds = 5
  }

  private enum Pending {
    case outgoing(RequestID, WireRequest)
    case incoming(RequestID, WireAnswer)
    case alarm(RequestID, milliseconds: Int)
  }

  /// One run, up to its end.
  ///
  /// - Parameter ticks: after how many happenings the process is killed; `nil` to let it live.
  @discardableResult
  func sync(killedAfter ticks: Int? = nil) throws -> SyncReport {
    var machine = SyncMachine(wishes)
    var pending: [Pending] = []
    var inputs: [SyncMachine.Input] = [.begin]
    var left = ticks ?? .max
    underWay = [:]
    while true {
      var next: [SyncMachine.Input] = []
      for effect in machine.handle(inputs, at: now, using: &generator) {
        left -= 1
        guard left >= 0 else { throw CutOff() }
        switch effect {
        case .send(let ticket, let request):
          depart(ticket, request)
          pending.append(.outgoing(ticket, request))
        case .wait(let ticket, let milliseconds):
          waits.append(milliseconds)
          pending.append(.alarm(ticket, milliseconds: milliseconds))
        case .look(let question): next.append(.seen(try view().answer(question)))
        case .record(let payloads):
          try desk.ledger.record(payloads, at: now, using: &generator)
          try afterRecord?(payloads)
          next.append(.recorded)
        case .decide(let decision): next.append(.decided(try decide(decision)))
        case .progress: break
        case .finish(let report): return report
        }
      }
      while next.isEmpty {
        left -= 1
        guard left >= 0 else { throw CutOff() }
        guard let happening = pending.indices.randomElement(using: &generator) else {
          Issue.record("the machine waits for nothing")
          throw CutOff()
        }
        switch pending.remove(at: happening) {
        case .outgoing(let ticket, let request):
          if request.method.mutates {
            sent += 1
            try checkAttemptIsDurable(request)
          }
          try meanwhile?(request)
          pending.append(.incoming(ticket, try backend.answer(request)))
        case .incoming(let ticket, let answer):
          underWay[ticket] = nil
          next.append(.answered(ticket, answer))
        case .alarm(let ticket, let milliseconds):
          now.millisecondsSince1970 += Int64(milliseconds)
          next.append(.elapsed(ticket))
        }
      }
      // Answers that are there already come in together, as they do behind a slow disk.
      if Bool.random(using: &generator) {
        for (index, happening) in pending.enumerated().reversed() {
          guard case .incoming(let ticket, let answer) = happening else { continue }
          pending.remove(at: index)
          underWay[ticket] = nil
          next.append(.answered(ticket, answer))
        }
      }
      if cancels?() == true {
        cancels = { false }
        next.insert(.cancel, at: 0)
      }
      inputs = next
    }
  }

  /// Never more at a time than the setting says, and never two that would make the same row.
  private func depart(_ ticket: RequestID, _ request: WireRequest) {
    launched += 1
    underWay[ticket] = request
    #expect(underWay.count <= wishes.concurrency)
    let calls = underWay.values.filter(\.method.mutates)
    mostUnderWay = max(mostUnderWay, calls.count)
    guard request.path == "/api/v1/progress", request.method == .post else { return }
    #expect(calls.count { $0 == request } == 1, "two equal entries are under way")
  }

  /// Runs until nothing is left to do; what was held back on the way arrives before the last ones.
  func settle(runs: Int = 4) throws -> SyncReport {
    var report = SyncReport()
    for run in 1...runs {
      now.millisecondsSince1970 += 120_000
      if run == 2 { backend.deliverWhatIsDue(all: true) }
      report = try sync()
    }
    return report
  }

  func pass(seconds: Int64) { now.millisecondsSince1970 += seconds * 1000 }

  private var dialect: Dialect {
    backend.world.configuration.dialect == .loggedAt ? .loggedAt : .dateTime
  }

  func view() throws -> SyncContext<LogView> {
    try desk(try desk.ledger.state(), try LogView.open(desk.ledger.directory))
  }

  private func desk(_ state: LedgerState, _ view: LogView) throws(LogError) -> SyncContext<LogView>
  {
    var index = RowIndex()
    try index.advance(to: view)
    return SyncContext(state: state, texts: view, index: index, dialect: dialect)
  }

  private func decide(_ decision: SyncDecision) throws -> SyncOutcome {
    var choices = generator
    return try desk.ledger.record(at: now, using: &generator) { (state, view) throws(LogError) in
      try desk(state, view).decide(decision, at: now, using: &choices)
    }
  }

  /// The log must say what is about to leave before it does.
  private func checkAttemptIsDurable(_ request: WireRequest) throws {
    var attempts = 0
    var isThere = false
    try LogView.open(desk.ledger.directory).forEachEvent { event, _ in
      if case .syncAttempted(let data) = event.event.payload {
        attempts += 1
        isThere =
          isThere || data.method == request.method.rawValue && data.path == request.path
      }
      return true
    }
    #expect(isThere && attempts >= sent, "\(request.method) \(request.path) left unrecorded")
  }
}
