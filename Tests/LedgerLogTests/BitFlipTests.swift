import Foundation
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// `verify` finds any single changed bit of a log.
struct BitFlipTests {
  /// By default one half of the bits with `head` and the other half without.
  @Test("Every flipped bit is found", arguments: [true, false])
  func everyBit(withHead: Bool) throws {
    let events = TestSize.of(5, full: 20)
    var log = SampleLog(events: events)
    // An erased line, whose digest and hash are checked differently.
    log.plain[4].data = #"{"event":4,"reason":"mistake"}"#
    log.plain[4].type = "event.erased"
    log = SampleLog(log.plain)
    var bytes = log.bytes
    bytes.replaceSubrange(
      log.ends[3]..<log.ends[4],
      with: Array((log.plain[3].erased(after: log.hashes[2]) + "\n").utf8))
    let lengths = bytes.split(separator: 0x0A).map { $0.count + 1 }
    let end = bytes.count
    let head = log.head(after: events).replacing(String(log.ends[events]), with: String(end))
    let ledger = TemporaryLedger(log: bytes, head: withHead ? head : nil)
    #expect(lengths.reduce(0, +) == end)
    #expect(try Verification.verify(ledger.directory).isOK)

    let descriptor = open(ledger.directory.events, O_WRONLY)
    defer { close(descriptor) }
    for place in bytes.indices {
      for bit in 0..<8 where TestSize.of((place + bit).isMultiple(of: 2) == withHead, full: true) {
        var flipped = bytes[place] ^ (1 << UInt8(bit))
        pwrite(descriptor, &flipped, 1, off_t(place))
        let found = try Verification.verify(ledger.directory)
        if found.isOK { Issue.record("bit \(bit) of byte \(place)") }
      }
      pwrite(descriptor, &bytes[place], 1, off_t(place))
    }
    #expect(try Verification.verify(ledger.directory).isOK)
  }

  @Test("Damage before the last line is reported with its line")
  func damagedLine() throws {
    let log = SampleLog(events: 12)
    let ledger = TemporaryLedger(log)
    for line in 0..<10 {
      var bytes = log.bytes
      // In the salt: only the chain check finds it.
      let start = log.ends[line] + log.plain[line].front.utf8.count + 8
      bytes[start] = bytes[start] == 0x61 ? 0x62 : 0x61
      ledger.write(bytes, to: ledger.directory.events)
      let found = try Verification.verify(ledger.directory)
      #expect(found.problems.map(\.line) == [line + 1])
      #expect(found.problems.map(\.byte) == [log.ends[line + 1] - 1 - 75])
      #expect(found.events == line)
      #expect(found.head.offsetBytes == log.ends[line])
    }
  }
}
