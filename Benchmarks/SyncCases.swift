import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerSync

extension Case {
  /// How many rows the backend has in the cases of a sync with nothing new; a smoke run takes a
  /// twentieth of each.
  static let idleSizes = [1_000, 10_000, 50_000]

  static func idleName(_ rows: Int) -> String { "sync idle \(rows / 1_000)k" }

  /// A sync with nothing new on either side: what it costs is requests, whose number must not grow
  /// with the history (docs/sync.md).
  static func idleSyncs(_ options: Options, in folder: BenchmarkFolder) throws -> [Case] {
    let asked = idleSizes.filter {
      options.names.isEmpty || options.names.contains(idleName($0))
    }
    return try asked.map { size in
      let rows = options.isSmoke ? size / 20 : size
      let sync = try IdleSync(rows: rows, at: folder.path + "/idle-\(size)", seed: options.seed)
      let first = try sync.run()
      let requests = try sync.run()
      return Case(
        idleName(size), about: "\(requests) requests, \(rows) rows; first run \(first)",
        prepare: {}, run: { _ in try sync.run() },
        check: { _, found in
          guard found <= 8 else {
            throw Failure(description: "a sync with nothing new made \(found) requests")
          }
        })
    }
  }
}

/// A ledger and a backend's listing, both in this process.
private final class IdleSync {
  private let ledger: LedgerStore
  private let rows: [String]
  private var generator: SplitMix64
  private var configuration = SyncConfiguration()
  private let index = RowIndexCache()
  private static let now = Timestamp(millisecondsSince1970: 1_767_225_600_000)
  private static let pageSize = 100

  init(rows count: Int, at path: String, seed: UInt64) throws {
    generator = SplitMix64(seed: seed)
    let directory = LedgerDirectory(path)
    _ = try EventLog.create(directory, device: "bench", at: Self.now, using: &generator)
    ledger = LedgerStore(directory)
    // Ten a day, newest first.
    rows = (0..<count).map { number in
      let back = Int64(number) * 8_640_000 + 1_000
      let at = Timestamp(millisecondsSince1970: Self.now.millisecondsSince1970 - back)
      return #"{"id":"row-\#(number)","type":"water_liters","quantity":0.25,"#
        + #""date":"\#(at.rfc3339Seconds)"}"#
    }
  }

  /// - Returns: how many requests it made.
  func run() throws -> Int {
    var driver = SyncDriver(StoredLedger(ledger, index, .dateTime, in: .current), configuration)
    var requests = 0
    while true {
      var inputs: [SyncMachine.Input] = []
      func perform(_ effect: SyncDriver<StoredLedger>.External) throws {
        switch effect {
        case .send(let id, let request):
          requests += 1
          inputs.append(.answered(id, answer(request)))
        case .wait(let id, _): inputs.append(.elapsed(id))
        case .progress: break
        }
      }
      try driver.step(at: { Self.now }, using: &generator, perform)
      for input in inputs { driver.receive(input) }
      guard let report = driver.report else { continue }
      guard report.pull != .failed, report.stop == nil else {
        throw Failure(description: "the run ended early: \(report)")
      }
      configuration.lastListing = report.listing
      return requests
    }
  }

  private func answer(_ request: WireRequest) -> WireAnswer {
    guard request.path == "/api/v1/progress" else {
      return .response(.init(status: 404, body: Array(#"{"error":{"message":"none"}}"#.utf8)))
    }
    let query = Dictionary(
      request.query.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    let from = query["from"] ?? ""
    let listed =
      from == "1900-01-01" ? rows[...] : rows.prefix { Self.day(of: $0) >= from }
    let offset = min(Int(query["offset"] ?? "") ?? 0, listed.count)
    let page = listed.dropFirst(offset).prefix(Int(query["limit"] ?? "") ?? Self.pageSize)
    let body = #"{"entries":[\#(page.joined(separator: ","))],"total":\#(listed.count)}"#
    return .response(.init(status: 200, body: Array(body.utf8)))
  }

  private static func day(of row: String) -> String {
    row.firstRange(of: #""date":""#).map { String(row[$0.upperBound...].prefix(10)) } ?? ""
  }
}
