import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerSync

/// Which listings count as complete.
@Suite struct ListerTests {
  /// Answers every page from a list of rows.
  private func read(
    _ page: (_ offset: Int, _ round: Int) -> Range<Int>, total: Int?
  ) -> (rows: Set<BackendID>, failure: String?) {
    var fetcher = Fetcher(limit: 10_000)
    var lister = Lister()
    lister.add(.everything, to: &fetcher)
    var requests = RequestPool()
    var round = -1
    while case let effects = fetcher.launch(&requests), !effects.isEmpty {
      for case .send(_, let request) in effects {
        let offset = request.query.last { $0.name == "offset" }.flatMap { Int($0.value) } ?? 0
        if offset == 0 { round += 1 }
        let entries = page(offset, round).map { number in
          #"{"id":"row-\#(number)","type":"weight","quantity":70,"date":"2026-01-01"}"#
        }.joined(separator: ",")
        let body = #"{"entries":[\#(entries)]"# + (total.map { #","total":\#($0)}"# } ?? "}")
        lister.handle(
          .found(.init(status: 200, body: Array(body.utf8))),
          at: .init(listing: 0, round: round, offset: offset), &fetcher)
      }
    }
    return (Set(lister.shown.rows.map(\.id)), lister.failures.first?.failure.why)
  }

  @Test("All pages of different rows are a whole listing", arguments: [250, nil] as [Int?])
  func whole(total: Int?) {
    let read = read({ offset, _ in offset..<min(offset + 100, 250) }, total: total)
    #expect(read.rows.count == 250 && read.failure == nil)
  }

  @Test("A page that repeats another one stands for none", arguments: [110, nil] as [Int?])
  func repeated(total: Int?) {
    let read = read({ _, _ in 0..<100 }, total: total)
    #expect(read.failure != nil)
  }

  @Test("A total that would need endless pages is not followed")
  func endlessPages() {
    let read = read({ offset, _ in offset..<offset + 1 }, total: 10_000_000)
    #expect(read.failure != nil && read.rows.count == 1)
  }

  @Test("A listing of more rows than its total is not whole")
  func moreThanTotal() {
    let read = read({ offset, _ in offset..<min(offset + 100, 250) }, total: 150)
    #expect(read.failure != nil)
  }

  @Test("A row that was gone when the listing was read again is not listed")
  func goneInTheNextRound() {
    let read = read(
      { offset, round in
        switch (round, offset) {
        // Row 0 is deleted before the second page, which the rows behind it move away from.
        case (0, 0): 0..<100
        case (0, _): 101..<120
        default: offset + 1..<min(offset + 101, 121)
        }
      }, total: 120)
    #expect(read.failure == nil)
    #expect(read.rows.count == 120 && !read.rows.contains { $0.text == "row-0" })
  }
}
