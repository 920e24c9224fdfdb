import LedgerModel
import LedgerPlatform
import Testing

@testable import LedgerLog

/// Every line is read once and whole, wherever windows end.
struct LineWindowsTests {
  private static let window = LineWindows.bufferBytes

  /// All windows joined, and the number of bytes left over.
  private func read(
    _ bytes: [UInt8], in range: Range<Int>? = nil
  ) throws -> (whole: [UInt8], rest: Int, windows: Int) {
    let ledger = TemporaryLedger(log: bytes)
    let file = try OpenFile(ledger.directory.events, .read)
    let range = range ?? 0..<bytes.count
    var whole: [UInt8] = []
    var windows = 0
    let rest = try LineWindows.forEach(of: file, in: range) { span, offset in
      #expect(offset == range.lowerBound + whole.count)
      span.withUnsafeBytes { whole.append(contentsOf: $0) }
      #expect(whole.last == 0x0A)
      windows += 1
    }
    return (whole, rest, windows)
  }

  @Test(
    "Lines that end before, at and after a window's end are read whole",
    arguments: [1, 2, 65_535, 65_536, 65_537])
  func equalLines(_ length: Int) throws {
    let count = (Self.window * 5 / 2) / length
    var bytes = [UInt8](repeating: 0x78, count: count * length)
    for place in stride(from: length - 1, to: bytes.count, by: length) { bytes[place] = 0x0A }
    let read = try read(bytes)
    #expect(isSame(read.whole, bytes))
    #expect(read.rest == 0)
    #expect(read.windows >= 3)
  }

  @Test(
    "A line may end any number of bytes past the first window's end",
    arguments: [-65_537, -2, -1, 0, 1, 2, 65_536, 65_537])
  func straddlingLine(_ past: Int) throws {
    var bytes = [UInt8](repeating: 0x0A, count: Self.window + past)
    for place in max(0, bytes.count - 65_537)..<bytes.count - 1 { bytes[place] = 0x79 }
    bytes += Array("tail\n".utf8)
    let read = try read(bytes)
    #expect(isSame(read.whole, bytes))
    #expect(read.rest == 0)
  }

  @Test(
    "A torn tail is counted, or rejected if it exceeds a window",
    arguments: [0, 1, 65_536, 65_537, window - 6, window, window * 2 + 9])
  func tornTail(_ torn: Int) throws {
    let bytes = Array("whole\n".utf8) + [UInt8](repeating: 0x78, count: torn)
    do {
      let read = try read(bytes)
      #expect(read.whole == Array("whole\n".utf8))
      #expect(read.rest == torn)
    } catch LogError.damaged(let damage) {
      #expect(torn >= Self.window, "only a tail that does not fit is refused here")
      #expect(damage.byte == 6)
    }
  }

  @Test("Only the requested range is read")
  func ranges() throws {
    let bytes = Array("one\ntwo\nthree\nfour\n".utf8)
    #expect(try read(bytes, in: 4..<14).whole == Array("two\nthree\n".utf8))
    #expect(try read(bytes, in: 4..<13).rest == 5)
    #expect(try read(bytes, in: 8..<8).windows == 0)
    #expect(damage { try read(bytes, in: 4..<99) }?.byte == bytes.count)
  }

  @Test("A log of lines of the maximum length verifies", arguments: [1, 2, 3, 4])
  func longestLines(_ seed: UInt64) throws {
    let empty = SampleLog(events: 3).lines[2].utf8.count - 3
    let log = SampleLog(events: 60, seed: seed) { seq in
      // 65,536 exactly, however many digits seq has.
      seq % 2 == 0 ? 65_536 - empty - (seq > 9 ? 1 : 0) : Int(seed) * 100 + seq
    }
    #expect(log.lines.map(\.utf8.count).max() == 65_536)
    let ledger = TemporaryLedger(log)
    let found = try Verification.verify(ledger.directory)
    #expect(found.isOK && found.events == 60)
    #expect(found.head.hash.description == log.hashes[59])
    #expect(found.head.offsetBytes == log.bytes.count)
    #expect(try ledger.events().map(\.hash) == log.hashes)
    try EventLog(ledger.directory).append([note()])
    try ledger.expectSound(events: 61)
  }

  @Test("Damage in a later window is reported with its file offset")
  func laterWindow() throws {
    let log = SampleLog(events: 80) { _ in 40_000 }
    var bytes = log.bytes
    bytes[log.ends[70] + 300] = 0x22
    let ledger = TemporaryLedger(log: bytes, head: log.head(after: 80))
    let found = try Verification.verify(ledger.directory)
    #expect(found.problems.map(\.line) == [71])
    #expect(found.events == 70)
    let byte = try #require(found.problems.first?.byte)
    #expect(log.ends[70]..<log.ends[71] ~= byte)
    // A reader that does not check the chain reports the same byte.
    let same = damage {
      try LogView.open(ledger.directory).forEachEvent { _, _ in true }
    }
    #expect(same?.line == 71)
    #expect(same?.byte == log.ends[70] + 301)
  }
}
