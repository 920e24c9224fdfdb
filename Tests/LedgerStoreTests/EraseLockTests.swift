import Foundation
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Synchronization
import Testing

/// What an erasure does while other processes wait for the log's lock.
@Suite struct EraseLockTests {
  private static let entries = 1000
  private static let at = HandWrittenLog.at(1)
  /// Of the few lines that are appended and recorded, and of the log's end, several times. The log has
  /// 800,000.
  private static let fewBytes = 100_000
  private static let padding = String(repeating: "p", count: 600)

  private let folder: TemporaryFolder
  private let disk = LockWatchingDisk()
  private let ledger: LedgerStore

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.ledger.path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (name, data) in try Self.files.get() {
      let isWritten = FileManager.default.createFile(
        atPath: "\(path)/\(name)", contents: data, attributes: [.posixPermissions: 0o600])
      try #require(isWritten, "\(name)")
    }
    ledger = LedgerStore(LedgerDirectory(path, on: disk))
    #expect(try ledger.view().endBytes > 8 * Self.fewBytes)
  }

  /// The files of the ledger that each test begins with, by their names.
  private static let files = Result {
    let folder = try TemporaryFolder()
    var random = SplitMix(5)
    _ = try EventLog.create(folder.ledger, device: "test", at: at, using: &random)
    try add((2...entries + 1).map(logging), to: LedgerStore(folder.ledger))
    let path = folder.ledger.path
    return try FileManager.default.contentsOfDirectory(atPath: path).map { name in
      (name: name, data: try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }
  }

  private static func entry(_ number: Int) -> EntryID {
    EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
  }

  private static func logging(_ number: Int) -> Event.Payload {
    .progressLogged(
      ProgressLogged(
        entry: entry(number), metric: .weight, quantity: Double(number % 90 + 1), date: .first,
        notes: "note \(number) \(padding)"))
  }

  private static func correction(_ number: Int) -> Event.Payload {
    .progressCorrected(ProgressCorrected(entry: entry(number), quantity: 9))
  }

  private static func add(
    _ payloads: [Event.Payload], by: Event.Actor = .user, to store: LedgerStore
  ) throws {
    var random = SplitMix(UInt64(payloads.count))
    let events = payloads.map { payload in
      Event(id: .make(at: at, using: &random), at: at, by: by, payload: payload)
    }
    _ = try store.log.append(events, using: &random)
  }

  /// - Parameter meanwhile: called once while the log is copied; appends as another process would.
  private func erase(
    _ seqs: [Int], _ meanwhile: @escaping @Sendable (LedgerStore) throws -> Void = { _ in }
  ) throws -> (outcome: ErasureOutcome, bytesUnderLock: Int) {
    var random = SplitMix(7)
    let lock = try FileLock(folder.ledger.syncLock, .exclusive)
    let directory = folder.ledger
    let isFirst = Mutex(true)
    _ = disk.takeBytes()
    let outcome = try ledger.erase(
      seqs.map { Seq($0) }, reason: "a test", holding: lock, at: Self.at, using: &random
    ) { _ in
      let isCalled = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if isCalled { #expect(throws: Never.self) { try meanwhile(LedgerStore(directory)) } }
    }
    return (outcome, disk.takeBytes())
  }

  private func expectSound(events: Int, erased: [Int]) throws {
    let view = try LogView.open(folder.ledger)
    let outcome = try Replay.run(view)
    #expect(outcome.damage == nil)
    #expect(outcome.state.position.seq == events)
    #expect(outcome.state.erasureLog.lines.map(\.seq) == erased)
    #expect(try AllViews(ledger.state()) == AllViews(outcome.state))
  }

  @Test("Under the lock it reads the lines that were appended since, and no others")
  func bounded() throws {
    let last = Self.entries + 1
    let alone = try erase([2, 3])
    #expect(alone.bytesUnderLock < Self.fewBytes)
    let beside = try erase([4, 5]) { store in
      try Self.add([Self.logging(9000), Self.correction(6), Self.correction(7)], to: store)
      try Self.add([.profileUpdated(ProfileUpdated(name: "A"))], to: store)
    }
    #expect(beside.bytesUnderLock < Self.fewBytes)
    #expect(beside.outcome.recorded.map(\.seq.number) == [last + 7, last + 8])
    try expectSound(events: last + 8, erased: [2, 3, 4, 5])
  }

  @Test("What was appended about the erased is erased too, and planned without the lock")
  func concerned() throws {
    let last = Self.entries + 1
    let (outcome, bytes) = try erase([2, 3]) { store in
      try Self.add([Self.correction(8), Self.correction(3), Self.logging(9000)], to: store)
    }
    #expect(bytes < 2 * Self.fewBytes)
    #expect(outcome.erasures.map(\.seqs) == [[Seq(2)], [Seq(3), Seq(last + 2)]])
    try expectSound(events: last + 6, erased: [2, 3, last + 2])
  }

  @Test("A large import meanwhile is copied without the lock")
  func imported() throws {
    let last = Self.entries + 1
    let (_, bytes) = try erase([2]) { store in
      try Self.add((10_000..<11_000).map(Self.logging), to: store)
    }
    #expect(bytes < 2 * Self.fewBytes)
    try expectSound(events: last + 1001, erased: [2])
  }

  @Test(
    "However many are erased, their records are written without the lock, also if more is appended")
  func many() throws {
    let last = Self.entries + 1
    #expect(try erase(Array(2...500)).bytesUnderLock < Self.fewBytes)
    let beside = try erase(Array(501...950)) { store in
      try Self.add([Self.logging(9000), Self.correction(970)], to: store)
    }
    #expect(beside.bytesUnderLock < Self.fewBytes)
    let end = last + 499 + 2
    #expect(beside.outcome.recorded.map(\.seq.number) == Array(end + 1...end + 450))
    try expectSound(events: end + 450, erased: Array(2...950))
  }

  @Test("How many were erased before makes no difference")
  func erasedBefore() throws {
    _ = try erase(Array(2...500))
    let (_, bytes) = try erase([600]) { try Self.add([Self.logging(9000)], to: $0) }
    #expect(bytes < Self.fewBytes)
    try expectSound(
      events: Self.entries + 1 + 499 + 2, erased: Array(2...500) + [600])
  }

  @Test("An erasure that the other lines contradict is refused, and the ledger stays as it is")
  func contradicted() throws {
    let last = Self.entries + 1
    var random = SplitMix(3)
    // As some generated logs have it: a refusal of a call that was never recorded.
    let refusal = SyncRejected(
      call: .make(at: Self.at, using: &random), events: [Seq(5)], status: 422, message: "no")
    try Self.add([.syncRejected(refusal)], by: .sync, to: ledger)
    let view = try ledger.view()
    try FoldedLog(view).keepSnapshot()
    // The snapshot ends before the log does.
    try Self.add([Self.logging(9000)], to: ledger)
    #expect(try Replay.run(ledger.view()).damage == nil)
    let paths = [folder.ledger.events, folder.ledger.snapshot, folder.ledger.path + "/head"]
    let before = try paths.map { try #require(try AtomicFile.read($0)) }
    let error = #expect(throws: EraseRefusal.self) { try erase([4, 5]) }
    guard case .contradicted(Seq(5), let damage) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(damage.line == last + 1)
    for (path, bytes) in zip(paths, before) { #expect(try AtomicFile.read(path) == bytes) }
    #expect(!FileManager.default.fileExists(atPath: folder.ledger.events + ".new"))
    _ = try erase([4])
    try expectSound(events: last + 3, erased: [4])
  }
}
