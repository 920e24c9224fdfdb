import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Verifying a log in parts, and the file `verified`.
@Suite struct PartialVerificationTests {
  /// Some 400 kB: a part is at least as long as the longest line.
  private static let sample = SampleLog(events: 40) { _ in 10_000 }
  private let ledger = TemporaryLedger(Self.sample)
  private let now = Timestamp("2026-03-01T08:00:00.000Z")!

  private func part() throws -> PartialVerification {
    try PartialVerification.verify(ledger.directory, mostBytes: 1, at: now) { _, _ in nil }
  }

  private func parts() throws -> [PartialVerification] {
    var parts = [try part()]
    while let last = parts.last, !last.isComplete, last.damage == nil, parts.count < 100 {
      parts.append(try part())
    }
    return parts
  }

  private func lastWhole() throws -> VerificationRecord.Whole? {
    VerificationRecord.lastWhole(of: try LogView.open(ledger.directory))
  }

  private func change(_ seq: Int) throws {
    var lines = ledger.log.split(separator: 0x0A, omittingEmptySubsequences: false)
    let place = lines[seq - 1].index(lines[seq - 1].startIndex, offsetBy: 5_000)
    lines[seq - 1][place] = lines[seq - 1][place] == 0x61 ? 0x62 : 0x61
    ledger.write(Array(lines.joined(separator: [0x0A])), to: ledger.directory.events)
  }

  @Test("Each part begins where the last one ended; the last one completes a whole check")
  func parts() async throws {
    #expect(try lastWhole() == nil)
    let parts: [PartialVerification] = try parts()
    #expect(parts.count > 4 && parts.allSatisfy { $0.damage == nil && $0.lastSeq == Seq(40) })
    #expect(
      parts.flatMap { $0.seqs.map { Array($0.lowerBound.number...$0.upperBound.number) } ?? [] }
        == Array(1...40))
    let whole = try #require(try lastWhole())
    #expect(whole.position.seq == 40 && whole.at == now && whole.offsetBytes == ledger.log.count)
    #expect(try part().seqs?.lowerBound == Seq(1), "the next check begins at line 1")
    #expect(try lastWhole() == whole, "and is no whole one yet")
  }

  @Test("Events appended meanwhile are checked too")
  func appended() throws {
    for _ in 0..<3 { _ = try part() }
    var random = SplitMix()
    _ = try EventLog(ledger.directory).append([note(), note()], using: &random)
    let rest = try parts()
    #expect(rest.last?.seqs?.upperBound == Seq(42))
    #expect(try lastWhole()?.position.seq == 42)
  }

  @Test("Damage is reported when its part is checked, and every time after")
  func damage() throws {
    let right = ledger.log
    try change(20)
    let found = try parts()
    #expect(found.count > 2 && found.dropLast().allSatisfy { $0.damage == nil })
    #expect(found.last?.damage?.line == 20 && found.last?.isComplete == false)
    #expect(try part().damage?.line == 20)
    #expect(try lastWhole() == nil)
    #expect(VerificationRecord(ledger.directory).broken?.problem.contains("line 20") == true)
    ledger.write(right, to: ledger.directory.events)
    _ = try parts()
    #expect(VerificationRecord(ledger.directory).broken == nil)
    #expect(try lastWhole()?.position.seq == 40)
  }

  @Test("Without a readable file the check begins at line 1")
  func noFile() throws {
    for bytes in [nil, [], Array("{\"seq\":".utf8), Array(#"{"pass":{"seq":-1}}"#.utf8)] {
      _ = try part()
      try Folder.remove(ledger.directory.verified, on: SystemDisk.shared)
      if let bytes { ledger.write(bytes, to: ledger.directory.verified) }
      #expect(try part().seqs?.lowerBound == Seq(1))
    }
    let file = try OpenFile.identity(of: ledger.directory.events, on: ledger.directory.disk)
    let forged =
      #"{"file":"\#(try #require(file).inode)","seq":9000000000000000,"offset":9000000000000000,"hash":"\#(String(repeating: "0", count: 64))","#
      + #""at":"2026-03-01T08:00:00.000Z","pass":{"seq":3,"offset":77,"hash":"x"}}"#
    ledger.write(Array(forged.utf8), to: ledger.directory.verified)
    #expect(try lastWhole() == nil)
    #expect(try part().seqs?.lowerBound == Seq(1))
  }

  @Test("In a copy of the folder nothing was checked, but damage stays on record")
  func copied() throws {
    _ = try parts()
    _ = try part()
    let bytes = try #require(try AtomicFile.read(ledger.directory.events))
    // The name goes to another file, as when an archive is unpacked.
    func copy() throws {
      ledger.write(bytes, to: ledger.directory.events + ".copy")
      try FileManager.default.removeItem(atPath: ledger.directory.events)
      try FileManager.default.moveItem(
        atPath: ledger.directory.events + ".copy", toPath: ledger.directory.events)
    }
    try copy()
    #expect(try lastWhole() == nil)
    #expect(try part().seqs?.lowerBound == Seq(1))
    VerificationRecord.keep(
      Damage(line: 3, byte: 0, problem: "wrong"), at: now, in: ledger.directory)
    try copy()
    #expect(VerificationRecord(ledger.directory).broken?.problem.contains("wrong") == true)
  }

  @Test(
    "An erasure replaces the log: the check begins at line 1, and the last whole one is forgotten")
  func erased() throws {
    _ = try parts()
    #expect(try lastWhole() != nil)
    for _ in 0..<3 { _ = try part() }
    var event = note()
    event.payload = .eventErased(EventErased(event: Seq(3), reason: "a test"))
    try EventLog(ledger.directory).withSession { session in
      try session.erase([3], recording: [event])
    }
    #expect(try lastWhole() == nil)
    let again = try parts()
    #expect(again.first?.seqs?.lowerBound == Seq(1) && again.last?.seqs?.upperBound == Seq(41))
    #expect(again.last?.damage == nil)
    #expect(try lastWhole()?.position.seq == 41)
  }

  @Test("An erased line without a record is reported at the end of the log")
  func erasedWithoutRecord() throws {
    var lines = String(decoding: ledger.log, as: UTF8.self).split(separator: "\n").map(String.init)
    let start = try #require(lines[2].firstRange(of: #""salt":"#)).lowerBound
    let end = lines[2].index(lines[2].endIndex, offsetBy: -75)
    let digest = sha256Hex(String(lines[2][start..<end]))
    lines[2].replaceSubrange(start..<end, with: #""erased":"\#(digest)""#)
    ledger.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: ledger.directory.events)
    try Folder.remove(ledger.directory.head, on: SystemDisk.shared)
    let found = try parts()
    #expect(found.last?.isComplete == true && found.last?.damage?.line == 3)
    #expect(try lastWhole() == nil)
  }

  @Test("A read-only folder is checked from line 1 each time")
  func notKept() throws {
    // Root can write to any folder, but not to a folder in place of the file.
    try FileManager.default.createDirectory(
      atPath: ledger.directory.verified, withIntermediateDirectories: false)
    #expect(try part().seqs?.lowerBound == Seq(1))
    #expect(try part().seqs?.lowerBound == Seq(1))
  }
}
