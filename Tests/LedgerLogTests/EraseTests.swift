import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// Erasing replaces the log by one without the content of some events.
struct EraseTests {
  private let ledger = TemporaryLedger(SampleLog(events: 6) { $0 })

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
    let events = seqs.flatMap { erased($0) }
    try log.withSession { session in
      try session.erase(Set(seqs), recording: events, check: check)
    }
  }

  private var lines: [String] {
    String(decoding: ledger.log, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("An erased line keeps its front, its body's digest and its hash")
  func erasedLines() throws {
    let before = lines
    try erase(3, 5, in: EventLog(ledger.directory))
    let after = lines
    #expect(after.count == 8)
    for seq in [1, 2, 4, 6] { #expect(after[seq - 1] == before[seq - 1]) }
    for seq in [3, 5] {
      // Composed as docs/log-format.md says, without the code under test.
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

  @Test("Progress counts every byte of the old log")
  func progress() throws {
    var reported = 0
    _ = try LogReplacement(of: ledger.view(), without: [3]) { reported += $0 }
    #expect(reported == ledger.log.count)
  }

  @Test("The snapshot and temporary files are removed")
  func derivedFiles() throws {
    let paths = [
      ledger.directory.snapshot, ledger.directory.snapshot + ".tmp",
      ledger.directory.events + ".new",
    ]
    for path in paths { ledger.write([1, 2, 3], to: path) }
    try erase(3, in: EventLog(ledger.directory))
    for path in paths { #expect(ledger.contents(path).isEmpty, "\(path)") }
    try ledger.expectSound(events: 7)
  }

  @Test("Other writers continue in the new log")
  func otherWriters() throws {
    // As two processes, both share only the lock and the path.
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

  @Test("The same session appends to the new log")
  func sameSession() throws {
    var random = SplitMix()
    try EventLog(ledger.directory).withSession { session in
      try session.erase([2], recording: erased(2))
      _ = try session.append([note("more")], using: &random)
      #expect(try session.view().endBytes == ledger.log.count)
    }
    try ledger.expectSound(events: 8)
  }

  @Test("What was appended after the log was copied is kept, or erased too")
  func appendedMeanwhile() throws {
    let copy = try LogReplacement(of: ledger.view(), without: [3])
    try EventLog(ledger.directory).append([note("kept"), note("erased")])
    var random = SplitMix()
    try EventLog(ledger.directory).withSession { session in
      let events = erased(3, 8)
      try copy.extend(to: session.view(), without: [8])
      try copy.record(events, after: session, using: &random) {
        try $0.forEachVerifiedWindow { _, _ in true }
      }
      try session.replaceLog(by: copy)
    }
    try ledger.expectSound(events: 10)
    #expect(try ledger.verify().erased == 2)
    #expect(lines[6].contains("kept") && !lines[7].contains("salt"))
  }

  @Test("A copy is refused once another file is the log")
  func otherFile() throws {
    let copy = try LogReplacement(of: ledger.view(), without: [3])
    ledger.write(ledger.log, to: ledger.directory.path + "/other")
    try Folder.rename(
      ledger.directory.path + "/other", to: ledger.directory.events, on: SystemDisk.shared)
    let before = ledger.log
    var random = SplitMix()
    let found = damage {
      try EventLog(ledger.directory).withSession { session in
        try copy.record(erased(3), after: session, using: &random)
        try session.replaceLog(by: copy)
      }
    }
    #expect(found != nil)
    #expect(ledger.log == before)
  }

  @Test("Two erasures do not run at once")
  func twice() throws {
    let copy = try LogReplacement(of: ledger.view(), without: [3])
    #expect {
      _ = try LogReplacement(of: ledger.view(), without: [4])
    } throws: { error in
      if case LogError.locked = error { true } else { false }
    }
    withExtendedLifetime(copy) {}
  }

  /// A repair removes files that no process has locked, and holds the log's lock meanwhile. A check holds
  /// the lock of a crashed erasure's file for an instant.
  @Test(
    "An erasure waits for repairs and checks before it makes its file", arguments: [true, false])
  func besideDoctor(_ repairs: Bool) throws {
    let folder = ledger.directory
    if !repairs { ledger.write([0x78], to: folder.replacement) }
    let held = Mutex<FileLock?>(
      try FileLock(
        repairs ? folder.ledgerLock : folder.replacement, repairs ? .exclusive : .shared,
        waitSeconds: 0))
    let disk = DiskStandIn(ledger)
    disk.onNap {
      held.withLock { lock in
        guard lock != nil else { return }
        let status = try? Folder.status(of: folder.replacement, on: SystemDisk.shared)
        #expect((status == nil) == repairs)
        lock = nil
      }
    }
    let view = try LogView.open(LedgerDirectory(folder.path, on: disk))
    let copy = try LogReplacement(of: view, without: [3])
    #expect(held.withLock { $0 == nil } && copy.erased == [3])
  }

  @Test("A reader of the old log can read it to its end")
  func oldReader() throws {
    let view = try ledger.view()
    let before = ledger.log
    try erase(4, in: EventLog(ledger.directory))
    #expect(try view.line(Seq(4)).event().event.payload.type == "a")
    #expect(view.endBytes == before.count)
    #expect(try !view.isCurrent())
    #expect(try ledger.view().line(Seq(4)).salt().isEmpty)
  }

  private struct Objection: Error {}

  @Test("An error of the check leaves the log unchanged")
  func failedCheck() throws {
    let before = (ledger.log, ledger.headText)
    let log = EventLog(ledger.directory)
    #expect(throws: Objection.self) { try erase(4, in: log) { _ in throw Objection() } }
    #expect(ledger.log == before.0)
    #expect(ledger.headText == before.1)
    #expect(ledger.contents(ledger.directory.events + ".new").isEmpty)
    try log.append([note()])
    try ledger.expectSound(events: 7)
  }

  @Test("The check sees the new log before it replaces the old one")
  func checkBeforeReplacing() throws {
    let before = ledger.log
    try erase(4, in: EventLog(ledger.directory)) { view in
      let salt = try view.line(Seq(4)).salt()
      #expect(salt.isEmpty)
      #expect(ledger.log == before)
    }
  }

  @Test("Erasing an erased or missing event is rejected")
  func erasedOrMissing() throws {
    let log = EventLog(ledger.directory)
    try erase(4, in: log)
    let before = ledger.log
    #expect(damage { try erase(4, in: log) }?.line == 4)
    #expect(throws: LogError.noSuchEvent(Seq(40))) { try erase(40, in: log) }
    #expect(ledger.log == before)
    try ledger.expectSound(events: 7)
  }

  @Test("An erasure without its event.erased is rejected")
  func unnamed() throws {
    let before = ledger.log
    let found = damage {
      try EventLog(ledger.directory).withSession { session in
        try session.erase([3], recording: erased(2))
      }
    }
    #expect(found?.problem.contains("no event.erased names it") == true)
    #expect(ledger.log == before)
    try ledger.expectSound(events: 6)
  }

  @Test("Damage elsewhere in the log stops the erasure")
  func damageElsewhere() throws {
    var bytes = ledger.log
    bytes[bytes.count / 3] ^= 1
    ledger.write(bytes, to: ledger.directory.events)
    #expect(damage { try erase(6, in: EventLog(ledger.directory)) } != nil)
    #expect(ledger.log == bytes)
  }

  // MARK: Copies

  @Test("Copies in quarantine are removed, other files with the content are listed")
  func copies() throws {
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
    #expect(sweep.foreignFiles.sorted() == ["notes.txt", "quarantine/mine.txt"])
    try sweep.removeCopies()
    #expect(ledger.quarantine.keys.sorted() == ["events-99-y.torn", "mine.txt"])
  }

  @Test("A file that another process removes during the search is no failure")
  func removedMeanwhile() throws {
    let names = ["verified.1.2.tmp", "quarantine/events-12-x.torn"]
    _ = try Folder.make(ledger.directory.quarantine, on: ledger.directory.disk)
    for name in names {
      ledger.write(Array("secret".utf8), to: ledger.directory.path + "/" + name)
    }
    let disk = DiskStandIn(ledger)
    disk.onStatus { path in
      if names.contains(where: { path.hasSuffix($0) }) { unlink(path) }
    }
    let folder = LedgerDirectory(ledger.directory.path, on: disk)
    let sweep = try FolderSweep(folder, repeating: [Array("secret".utf8)])
    #expect(sweep.copies.isEmpty && sweep.foreignFiles.isEmpty)
    #expect(names.allSatisfy { access(folder.path + "/" + $0, F_OK) != 0 })
  }

  @Test(
    "A text is found at any offset of a file",
    arguments: [0, 1, 5, (1 << 20) - 3, (1 << 20) - 1, 1 << 20])
  func textAt(_ before: Int) throws {
    let text = Array("needle".utf8)
    let bytes = [UInt8](repeating: 0x6E, count: before) + text + [0x6E]
    ledger.write(bytes, to: ledger.directory.path + "/other")
    #expect(try FolderSweep(ledger.directory, repeating: [text]).foreignFiles == ["other"])
  }
}

extension LogSession {
  /// Copies the log and puts the copy in its place, both under the lock.
  mutating func erase(
    _ seqs: Set<Int>, recording events: [Event], check: (LogView) throws -> Void = { _ in }
  ) throws {
    var random = SplitMix()
    let copy = try LogReplacement(of: view(), without: seqs, isLocked: true)
    try copy.record(events, after: self, using: &random) { view in
      try view.forEachVerifiedWindow { _, _ in true }
      try check(view)
    }
    try replaceLog(by: copy)
  }
}

extension LogReplacement {
  fileprivate func record(
    _ events: [Event], after session: LogSession, using random: inout SplitMix,
    check: (LogView) throws -> Void = { _ in }
  ) throws {
    let salts = events.map { _ in random.next() }
    try record(events, salts: salts, after: ChainPosition(session.head), check: check)
  }
}
