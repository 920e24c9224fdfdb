import LedgerModel
import Testing

@testable import LedgerProjections

@Suite struct EntryRowTests {
  @Test func keepsEveryDayTimeZoneMetricAndFlag() {
    let days = [CalendarDate.first, .last].map(\.daysSince1970) + [-1, 0, 1, 20_454]
    let flags = EntryRow.hasNotes | EntryRow.isPulled
    for day in days {
      for time in [-1, 0, 1, 43_200, 86_399] as [Int32] {
        for zone in [-959, -210, 0, 1, 840, 959] as [Int16] {
          for metric in Metric.allCases {
            let row = EntryRow(
              id: LedgerUUID(high: 1, low: 2), metricIndex: metric.rawValue, quantity: 1, day: day,
              time: time, zone: zone, seq: 3, flags: flags)
            #expect(row.day == day && row.time == time && row.zone == zone)
            #expect(row.metric == metric && row.flags == flags && row.isPulled)
          }
        }
      }
    }
  }

  @Test func isFortyBytes() {
    #expect(MemoryLayout<EntryRow>.stride == 40)
  }
}
