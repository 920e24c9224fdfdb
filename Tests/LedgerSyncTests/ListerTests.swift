import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerSync

/// Which listings count as complete.
@Suite struct ListerTests {
  /// Answers every page from a list of rows.
  private func read(
    _ page: (_ offset: Int) -> Range<Int>, total: Int?
  ) -> (rows: Set<BackendID>, failure: String?) {
    var fetcher = Fetcher(limit: 10_000)
    var lister = Lister()
    lister.add(.everything, to: &fetcher)
    var rows: Set<BackendID> = []
    var requests = RequestPool()
    var round = -1
    while case let effects = fetcher.launch(&requests), !effects.isEmpty {
      for case .send(_, let request) in effects {
        let offset = request.query.last { $0.name == "offset" }.flatMap { Int($0.value) } ?? 0
        if offset == 0 { round += 1 }
        let entries = page(offset).map { number in
          #"{"id":"row-\#(number)","type":"weight","quantity":70,"date":"2026-01-01"}"#
        }.joined(separator: ",")
        let body = #"{"entries":[\#(entries)]"# + (total.map { #","total":\#($0)}"# } ?? "}")
        let found = lister.handle(
          .found(.init(status: 200, body: Array(body.utf8))),
          at: .init(listing: 0, round: round, offset: offset), &fetcher)
        rows.formUnion(found?.rows.map(\.id) ?? [])
      }
    }
    return (rows, lister.failures.first?.failure.why)
  }

  @Test("All pages of different rows are a whole listing", arguments: [250, nil] as [Int?])
  func whole(total: Int?) {
    let read = read({ $0..<min($0 + 100, 250) }, total: total)
    #expect(read.rows.count == 250 && read.failure == nil)
  }

  @Test("A page that repeats another one stands for none", arguments: [110, nil] as [Int?])
  func repeated(total: Int?) {
    let read = read({ _ in 0..<100 }, total: total)
    #expect(read.failure != nil)
  }
}
