import LedgerModel
import Testing

@testable import LedgerProjections

@Suite struct EntryRowTests {
  @Test("A row keeps every day, time, zone, metric and flag")
  func keepsEveryDayTimeZoneMetricAndFlag() {
    let days = [CalendarDate.first, .last].map(\.daysSince1970) + [-1, 0, 1, 20_454]
    let flags = EntryRow.hasNotes | EntryRow.isPulled
    for day in days {
      for time in [-1, 0, 1, 43_200, 86_399] as [Int32] {
        for zone in [-959, -210, 0, 1, 840, 959] as [Int16] {
          for metric in Metric.allCases {
            let row = EntryRow(
              id: LedgerUUID(high: 1, low: 2), metricIndex: metric.index, quantity: 1, day: day,
              time: time, zone: zone, seq: 3, flags: flags)
            #expect(row.day == day && row.time == time && row.zone == zone)
            #expect(row.metric == metric && row.flags == flags && row.isPulled)
          }
        }
      }
    }
  }

  @Test("A row takes 40 bytes") func isFortyBytes() {
    #expect(MemoryLayout<EntryRow>.stride == 40)
  }
}

/// Changes are joined to their rows at any distance.
@Suite struct EntryJoinTests {
  /// Rows are searched in blocks of 8192, from the newest on.
  @Test("Changes find rows at block boundaries, and the newer row of an entry made twice")
  func blocks() throws {
    let count = 3 * 8192 + 5
    var batch = ColumnBatch(after: 0)
    for seq in 1...count {
      // The last row makes the entry of row 101 again.
      batch.rows.append(Self.row(seq == count ? 101 : seq, seq: seq))
    }
    batch.lastSeq = count
    var state = LedgerState()
    state.apply(&batch)

    let numbers = [1, 2, 8191, 8192, 8193, 16_383, 16_384, 16_385, count - 1]
    var later = ColumnBatch(after: count)
    for (place, number) in (numbers + [101]).enumerated() {
      later.changes.append(Self.correction(of: number, seq: count + 1 + place))
    }
    later.lastSeq = count + numbers.count + 1
    state.apply(&later)
    #expect(state.changes.dropLast().map { Int($0.row) } == numbers.map { $0 - 1 })
    #expect(state.changes.last?.row == UInt32(count - 1))
    let changed = state.rows.indices.filter { state.rows[$0].lastChange != 0 }
    #expect(changed == numbers.map { $0 - 1 } + [count - 1])
  }

  @Test("A change finds only rows before it")
  func order() {
    var batch = ColumnBatch(after: 0)
    batch.rows = [Self.row(7, seq: 1), Self.row(7, seq: 3), Self.row(8, seq: 5)]
    batch.changes = [Self.correction(of: 7, seq: 2), Self.correction(of: 8, seq: 4)]
    batch.lastSeq = 5
    var state = LedgerState()
    state.apply(&batch)
    #expect(state.changes.map(\.row) == [0, .max])
  }

  private static func row(_ number: Int, seq: Int) -> EntryRow {
    EntryRow(
      id: id(number), metricIndex: 0, quantity: 1, day: 0, time: -1, zone: 0, seq: seq, flags: 0)
  }

  private static func correction(of number: Int, seq: Int) -> EntryChange {
    var change = EntryChange(id: id(number), seq: seq)
    change.quantity = 2
    return change
  }

  private static func id(_ number: Int) -> LedgerUUID {
    LedgerUUID(high: 0x0195_512F_5C00_7123, low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
  }
}
