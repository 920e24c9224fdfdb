import Foundation
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// A crash can leave any prefix of a log; each opens as the recovery table says.
struct PrefixTests {
  private static let count = TestSize.of(3, full: 100)
  private static let full = SampleLog(events: count)
  private static let bytes = full.bytes

  /// The event in `head` while the log is cut.
  enum Memory: CaseIterable {
    case lastWholeEvent, fullLog, olderEvent, nothing
  }

  private struct Cut {
    var bytes: ArraySlice<UInt8>
    /// The number of whole ones.
    var events: Int
    /// Bytes after the last whole one.
    var torn: Int
    var remembered: Int?

    init(_ count: Int, _ memory: Memory) {
      bytes = PrefixTests.bytes[..<count]
      events = PrefixTests.full.wholeLines(in: count)
      torn = count - PrefixTests.full.ends[events]
      remembered =
        switch memory {
        case .lastWholeEvent: events > 0 ? events : nil
        case .fullLog: PrefixTests.count
        case .olderEvent: events > 0 ? max(1, events - 4) : nil
        case .nothing: nil
        }
    }

    var head: String { remembered.map { PrefixTests.full.head(after: $0) } ?? "" }
  }

  @Test("Every prefix of a log opens as the recovery table says", arguments: Memory.allCases)
  func everyPrefix(_ memory: Memory) throws {
    let ledger = TemporaryLedger(log: [])
    for count in 0...Self.bytes.count {
      let cut = Cut(count, memory)
      ledger.write(Array(cut.bytes), to: ledger.directory.events)
      unlink(ledger.directory.head)
      if cut.remembered != nil { ledger.write(Array(cut.head.utf8), to: ledger.directory.head) }
      if cut.events == 0 || (memory == .fullLog && count < Self.bytes.count) {
        expectRefused(ledger, cut)
      } else {
        if memory == .lastWholeEvent { try expectReadable(ledger, cut) }
        try expectRepaired(ledger, cut)
      }
    }
  }

  private func expectRefused(_ ledger: TemporaryLedger, _ cut: Cut) {
    let found = damage { try EventLog(ledger.directory).repairs() }
    // Without a head only a pass over all lines shows that none is whole.
    let isSeen =
      cut.head.isEmpty
      ? (try? ledger.verify())?.problems.count == 1
      : damage { try LogView.open(ledger.directory) } == found
    if found == nil || !isSeen || !isSame(ledger.log, cut.bytes)
      || ledger.headText != cut.head
      || FileManager.default.fileExists(atPath: ledger.directory.quarantine)
    {
      Issue.record("cut at \(cut.bytes.count): \(String(describing: found))")
    }
  }

  /// Readers see the whole events before a repair, and change nothing.
  private func expectReadable(_ ledger: TemporaryLedger, _ cut: Cut) throws {
    // All prefixes share the lines before the last ones.
    let view = try LogView.open(ledger.directory)
    let last = try view.lastLine()
    let whole =
      cut.torn > 3 || cut.events % 10 > 0 ? nil : try Verification.verify(ledger.directory)
    if view.tornTailBytes != cut.torn || last?.seq != cut.events || !isSame(ledger.log, cut.bytes)
      || ledger.headText != cut.head
    {
      Issue.record("cut at \(cut.bytes.count): \(view), \(String(describing: last))")
    }
    if let whole, (whole.events, whole.isOK) != (cut.events, cut.torn == 0) {
      Issue.record("cut at \(cut.bytes.count): \(whole)")
    }
  }

  private func expectRepaired(_ ledger: TemporaryLedger, _ cut: Cut) throws {
    let repairs = try EventLog(ledger.directory).repairs()
    let quarantine = ledger.quarantine
    let name = quarantine.first?.key ?? "nothing"
    var expected: [LogRepair] = []
    if let known = cut.remembered, known < cut.events {
      expected.append(.adopted(events: cut.events - known))
    }
    if cut.torn > 0 { expected.append(.quarantined(bytes: cut.torn, file: name)) }
    if cut.remembered == nil { expected.append(.headWasMissing) }
    #expect(repairs == expected, "cut at \(cut.bytes.count)")

    // Nothing is lost: the rest is in quarantine.
    let log = ledger.log
    let kept = cut.bytes.count - cut.torn
    let torn = quarantine.first?.value ?? []
    if !isSame(log.prefix(kept), cut.bytes.prefix(kept)) || !isSame(torn, cut.bytes.dropFirst(kept))
      || quarantine.count != (cut.torn > 0 ? 1 : 0) || (cut.torn == 0 && log.count > kept)
    {
      Issue.record("cut at \(cut.bytes.count): something is lost, or too much is there")
    }
    guard cut.torn > 0 else { return }
    unlink(ledger.directory.quarantine + "/" + name)
    let view = try LogView.open(ledger.directory)
    let last = try view.lastLine()?.event()
    let payload = Event.Payload.logRepaired(LogRepaired(bytes: cut.torn, quarantined: name))
    if last?.event.payload != payload || last?.event.by != .system
      || view.head?.seq != cut.events + 1 || view.head?.offsetBytes != log.count
      || last?.seq.number != cut.events + 1
    {
      Issue.record(
        "cut at \(cut.bytes.count): \(String(describing: last)) at \(String(describing: view.head))"
      )
    }
    if cut.torn < 3 { try ledger.expectSound(events: cut.events + 1) }
  }
}
