import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Erasing replaces the log: content goes, place and proof stay, and everybody notices.
struct EraseTests {
  private let ledger = TemporaryLedger(SampleLog(events: 6) { $0 })

  /// What is recorded with an erasure.
  private func erased(_ seqs: Int...) -> [Event] {
    seqs.map { seq in
      var event = note()
      event.payload = .eventErased(EventErased(event: Seq(seq), reason: "a test"))
      return event
    }
  }

  private func erase(
    _ seqs: Int..., in log: EventLog, check: (LogView) throws -> Void = { _ in }
  ) throws {
    var random = SplitMix()
    let events = seqs.flatMap { erased($0) }
    try log.withSession { session in
      _ = try session.erase(Set(seqs), recording: events, using: &random, check: check)
    }
  }

  private var lines: [String] {
    String(decoding: ledger.log, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func contentGoesAndPlaceAndProofStay() throws {
    let before = lines
    try erase(3, 5, in: EventLog(ledger.directory))
    let after = lines
    #expect(after.count == 8)
    for seq in [1, 2, 4, 6] { #expect(after[seq - 1] == before[seq - 1]) }
    for seq in [3, 5] {
      // By hand, as docs/log-format.md says: the digest of the body stands where the body stood.
      let line = before[seq - 1]
      let bodyStart = try #require(line.firstRange(of: #""salt":"#)).lowerBound
      let bodyEnd = line.index(line.endIndex, offsetBy: -75)
      let digest = sha256Hex(String(line[bodyStart..<bodyEnd]))
      #expect(
        after[seq - 1] == line[..<bodyStart] + #""erased":"\#(digest)""# + line[bodyEnd...])
    }
    try ledger.expectSound(events: 8)
    #expect(try ledger.verify().erased == 2)
  }

  @Test("Who watches is told of every byte: of the old log as it is copied, then of the new one")
  func progress() throws {
    let before = ledger.log.count
    var random = SplitMix()
    var told = 0
    let events = erased(3)
    try EventLog(ledger.directory).withSession { session in
      _ = try session.erase([3], recording: events, using: &random, onBytes: { told += $0 })
    }
    #expect(told == before + ledger.log.count)
  }

  @Test func derivedFilesAndHalvesOfThemGo() throws {
    let halves = [
      ledger.directory.snapshot, ledger.directory.snapshot + ".tmp",
      ledger.directory.events + ".new",
    ]
    for path in halves { ledger.write([1, 2, 3], to: path) }
    try erase(3, in: EventLog(ledger.directory))
    for path in halves { #expect(ledger.contents(path).isEmpty, "\(path)") }
    try ledger.expectSound(events: 7)
  }

  /// Two handles of one process stand for two processes: the lock and the path are all they share.
  @Test func otherWritersGoOnInTheNewLog() throws {
    let other = EventLog(ledger.directory)
    try other.append([note("before")])
    let own = EventLog(ledger.directory)
    try erase(7, in: own)
    try other.append([note("after")])
    try own.append([note("last")])
    try ledger.expectSound(events: 10)
    #expect(try ledger.verify().erased == 1)
    #expect(lines[8].contains("after") && lines[9].contains("last"))
  }

  /// A session may go on behind its own erasure.
  @Test func theSameSessionAppendsToTheNewLog() throws {
    var random = SplitMix()
    try EventLog(ledger.directory).withSession { session in
      _ = try session.erase([2], recording: erased(2), using: &random)
      _ = try session.append([note("more")], using: &random)
      #expect(try session.view().endBytes == ledger.log.count)
    }
    try ledger.expectSound(events: 8)
  }

  @Test func aReaderOfTheOldLogReadsItToItsEnd() throws {
    let view = try ledger.view()
    let before = ledger.log
    try erase(4, in: EventLog(ledger.directory))
    #expect(try view.line(Seq(4)).event().event.payload.type == "a")
    #expect(view.endBytes == before.count)
    #expect(try !view.isCurrent())
    #expect(try ledger.view().line(Seq(4)).salt().isEmpty)
  }

  private struct Objection: Error {}

  @Test func anObjectionLeavesTheLogAsItWas() throws {
    let before = (ledger.log, ledger.headText)
    let log = EventLog(ledger.directory)
    #expect(throws: Objection.self) { try erase(4, in: log) { _ in throw Objection() } }
    #expect(ledger.log == before.0)
    #expect(ledger.headText == before.1)
    #expect(ledger.contents(ledger.directory.events + ".new").isEmpty)
    try log.append([note()])
    try ledger.expectSound(events: 7)
  }

  /// The check sees the new log, and not yet in the old one's place.
  @Test func theNewLogIsLookedAtBeforeItCounts() throws {
    let before = ledger.log
    try erase(4, in: EventLog(ledger.directory)) { view in
      let salt = try view.line(Seq(4)).salt()
      #expect(salt.isEmpty)
      #expect(ledger.log == before)
    }
  }

  @Test func whatIsErasedOrMissingIsRefused() throws {
    let log = EventLog(ledger.directory)
    try erase(4, in: log)
    let before = ledger.log
    #expect(damage { try erase(4, in: log) }?.line == 4)
    #expect(throws: LogError.noSuchEvent(40)) { try erase(40, in: log) }
    #expect(ledger.log == before)
    try ledger.expectSound(events: 7)
  }

  /// An erasure that nobody answers for never gets as far as the log.
  @Test func anUnnamedErasureIsRefused() throws {
    let before = ledger.log
    var random = SplitMix()
    let found = damage {
      try EventLog(ledger.directory).withSession { session in
        _ = try session.erase([3], recording: erased(2), using: &random)
      }
    }
    #expect(found?.problem.contains("no event.erased names it") == true)
    #expect(ledger.log == before)
    try ledger.expectSound(events: 6)
  }

  @Test func damageElsewhereEndsIt() throws {
    var bytes = ledger.log
    bytes[bytes.count / 3] ^= 1
    ledger.write(bytes, to: ledger.directory.events)
    #expect(damage { try erase(6, in: EventLog(ledger.directory)) } != nil)
    #expect(ledger.log == bytes)
  }

  // MARK: Copies

  @Test func copiesInQuarantineAreFoundAndStrangersNamed() throws {
    let folder = ledger.directory
    _ = try Folder.make(folder.quarantine, on: folder.disk)
    let files = [
      "quarantine/events-12-x.torn": "abc secret def", "quarantine/events-99-y.torn": "harmless",
      "quarantine/mine.txt": "secret", "notes.txt": "my secret", "other.txt": "nothing",
      "quarantine/events.jsonl.new-019b": String(repeating: "x", count: 1 << 20) + "secret",
    ]
    for (name, text) in files { ledger.write(Array(text.utf8), to: folder.path + "/" + name) }
    let sweep = try FolderSweep(folder, repeating: [Array("secret".utf8), []])
    #expect(
      sweep.copies == ["quarantine/events-12-x.torn", "quarantine/events.jsonl.new-019b"])
    #expect(sweep.strangers.sorted() == ["notes.txt", "quarantine/mine.txt"])
    try sweep.removeCopies()
    #expect(ledger.quarantine.keys.sorted() == ["events-99-y.torn", "mine.txt"])
  }

  @Test(arguments: [0, 1, 5, (1 << 20) - 3, (1 << 20) - 1, 1 << 20])
  func aTextIsFoundWhereverItStands(_ before: Int) throws {
    let text = Array("needle".utf8)
    let bytes = [UInt8](repeating: 0x6E, count: before) + text + [0x6E]
    ledger.write(bytes, to: ledger.directory.path + "/other")
    #expect(try FolderSweep(ledger.directory, repeating: [text]).strangers == ["other"])
  }
}
