import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Finding single lines without reading the rest.
struct LineFinderTests {
  @Test("Every line of a large log is found")
  func largeLog() throws {
    let count = TestSize.of(700, full: 5_000)
    let seed: UInt64 = 77
    var random = SplitMix(seed)
    // Mostly short lines, some long, a few close to the longest.
    let log = SampleLog(events: count, seed: seed) { _ in
      switch Int.random(in: 0..<1_000, using: &random) {
      case 0..<980: Int.random(in: 0...40, using: &random)
      case 980..<998: Int.random(in: 500...5_000, using: &random)
      default: Int.random(in: 20_000...60_000, using: &random)
      }
    }
    let ledger = TemporaryLedger(log)
    let view = try LogView.open(ledger.directory)
    for seq in 1...count {
      let line = try view.line(Seq(seq))
      if line.seq != seq || line.offsetBytes != log.ends[seq - 1]
        || !isSame(line.bytes, Array(log.lines[seq - 1].utf8))
      {
        Issue.record("seed \(seed), seq \(seq): \(line.seq) at \(line.offsetBytes)")
      }
    }
    for missing in [count + 1, count + 2, 2 * count, 999_999_999_999_999, .max] {
      #expect(throws: LogError.noSuchEvent(Seq(missing))) { try view.line(Seq(missing)) }
    }
    #expect(try view.lastLine()?.seq == count)
    #expect(try view.lastLines(3).map(\.seq) == [count - 2, count - 1, count])
    #expect(try view.lastLines(300).map(\.offsetBytes) == Array(log.ends[(count - 300)..<count]))
    #expect(try view.line(Seq(1)).event().event.by == .system)
  }

  @Test("Every line of a short log is found", arguments: 1...4) func shortLog(_ count: Int) throws {
    let view = try TemporaryLedger(SampleLog(events: count)).view()
    for seq in 1...count { #expect(try view.line(Seq(seq)).seq == seq) }
    #expect(throws: LogError.noSuchEvent(Seq(count + 1))) { try view.line(Seq(count + 1)) }
    #expect(try view.lastLines(100).map(\.seq) == Array(1...count))
    #expect(try view.lastLines(0).isEmpty)
    #expect(try view.lastLines(-1).isEmpty)
  }

  @Test("A torn tail is not a line")
  func tornTail() throws {
    let log = SampleLog(events: 4)
    let ledger = TemporaryLedger(log: log.bytes.dropLast(1), head: log.head(after: 2))
    let view = try LogView.open(ledger.directory)
    #expect(try view.lastLine()?.seq == 3)
    #expect(try view.lastLines(9).map(\.seq) == [1, 2, 3])
    #expect(throws: LogError.noSuchEvent(Seq(4))) { try view.line(Seq(4)) }
    // Nothing but a torn tail.
    let none = TemporaryLedger(log: Array(log.bytes.prefix(50)))
    #expect(try LogView.open(none.directory).lastLine() == nil)
    #expect(try LogView.open(none.directory).lastLines(2).isEmpty)
  }

  @Test("Every byte of a line, its end of line included, finds that line")
  func everyByte() throws {
    let log = SampleLog(events: 7) { $0 % 3 == 0 ? 3_000 : 2 }
    let ledger = TemporaryLedger(log)
    let view = try LogView.open(ledger.directory)
    for place in 0..<log.bytes.count {
      let line = try view.line(containing: place)
      if line.seq != log.wholeLines(in: place) + 1 { Issue.record("byte \(place): \(line.seq)") }
    }
  }

  @Test("A checked line is refused when any of its bytes or the hash before it was changed")
  func checkedLines() throws {
    let log = SampleLog(events: 6)
    let whole = try TemporaryLedger(log).view()
    for seq in 1...6 {
      #expect(isSame(try whole.checkedLine(Seq(seq)).bytes, Array(log.lines[seq - 1].utf8)))
    }
    #expect(throws: LogError.noSuchEvent(Seq(7))) { try whole.checkedLine(Seq(7)) }
    // The last letter of the data of line 4, then a digit of its `id`.
    for offset in [log.lines[3].utf8.count - 78, 10] {
      var bytes = log.bytes
      bytes[log.ends[3] + offset] = bytes[log.ends[3] + offset] == 0x61 ? 0x62 : 0x61
      let view = try TemporaryLedger(log: bytes, head: log.head(after: 6)).view()
      #expect(damage { try view.checkedLine(Seq(4)) }?.line == 4)
      #expect(try view.checkedLine(Seq(3)).seq == 3)
      // Its own stored hash is unchanged, so the next line still follows.
      #expect(try view.checkedLine(Seq(5)).seq == 5)
    }
    var bytes = log.bytes
    let lastDigit = log.ends[4] - 4
    bytes[lastDigit] = bytes[lastDigit] == 0x61 ? 0x62 : 0x61
    let view = try TemporaryLedger(log: bytes, head: log.head(after: 6)).view()
    #expect(damage { try view.checkedLine(Seq(4)) }?.line == 4)
    #expect(damage { try view.checkedLine(Seq(5)) }?.line == 5)
  }

  @Test("Lines asked for in any order are those of the log, and a changed one is refused")
  func nearbyLines() throws {
    let log = SampleLog(events: 400) { $0 % 7 == 0 ? 900 : 2 }
    let view = try TemporaryLedger(log).view()
    var random = SplitMix(5)
    for jump in [1, 3, 400] {
      let lines = NearbyLines(view)
      var seq = 1
      for _ in 0..<300 {
        #expect(isSame(try lines.checkedLine(Seq(seq)).bytes, Array(log.lines[seq - 1].utf8)))
        let isBack = Int.random(in: 0..<9, using: &random) == 0
        seq += isBack ? -40 : Int.random(in: 1...jump, using: &random)
        seq = (seq + 399) % 400 + 1
      }
    }
    var bytes = log.bytes
    let place = log.ends[200] + 10
    bytes[place] = bytes[place] == 0x61 ? 0x62 : 0x61
    let lines = NearbyLines(try TemporaryLedger(log: bytes, head: log.head(after: 400)).view())
    for seq in 190...200 { #expect(try lines.checkedLine(Seq(seq)).seq == seq) }
    #expect(damage { try lines.checkedLine(Seq(201)) }?.line == 201)
    #expect(try lines.checkedLine(Seq(202)).seq == 202)
  }

  @Test("Damage met during a search is reported")
  func damageDuringSearch() throws {
    let log = SampleLog(events: 9)
    var bytes = log.bytes
    bytes[log.ends[3] + 2] = 0x58
    let view = try TemporaryLedger(log: bytes, head: log.head(after: 9)).view()
    let found = damage { try view.line(Seq(4)) }
    #expect(found?.byte == log.ends[3])
    var noNewline = SampleLog(events: 3) { _ in 60_000 }.bytes
    for place in noNewline.indices.dropLast() where noNewline[place] == 0x0A {
      noNewline[place] = 0x20
    }
    let long = try TemporaryLedger(log: noNewline).view()
    #expect(damage { try long.line(Seq(2)) } != nil)
    #expect(damage { try long.lastLine() } != nil)
  }
}
