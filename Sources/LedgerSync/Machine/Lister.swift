/// Listings, each to its last page (backend.md: pages until the total is reached).
struct Lister: Sendable {
  /// What an answer came to.
  enum News: Hashable, Sendable {
    case rows([ListedRow])
    case stopped(SyncReport.Stop)
  }

  private struct Pages: Sendable {
    var listing: Listing
    /// Pages that are asked for and not there yet.
    var open = 1
    var failure: String?
  }

  private var fetcher: Fetcher
  private var listings: [Pages] = []
  /// For each key of the fetcher: which listing, from which row on.
  private var keys: [(index: Int, offset: Int)] = []

  init(limit: Int) {
    fetcher = Fetcher(limit: limit)
  }

  var isIdle: Bool { fetcher.isIdle }

  /// Listings of which at least one page could not be had, and why.
  var failures: [(listing: Listing, why: String)] {
    listings.compactMap { pages in pages.failure.map { (pages.listing, $0) } }
  }

  mutating func add(_ listing: Listing) {
    listings.append(Pages(listing: listing))
    ask(for: listings.count - 1, from: 0)
  }

  private mutating func ask(for index: Int, from offset: Int) {
    keys.append((index, offset))
    fetcher.add(listings[index].listing.request(offset: offset), as: keys.count - 1)
  }

  mutating func cancel() { fetcher.cancel() }

  mutating func launch(_ tickets: inout TicketRoll) -> [SyncMachine.Effect] {
    fetcher.launch(&tickets)
  }

  mutating func rested(_ ticket: Ticket) -> Bool { fetcher.rested(ticket) }

  mutating func handle(
    _ answer: WireAnswer, to ticket: Ticket, _ tickets: inout TicketRoll,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> News? {
    guard
      let (key, outcome) = fetcher.handle(answer, to: ticket, &tickets, &effects, using: &generator)
    else { return nil }
    let (index, offset) = keys[key]
    switch outcome {
    case .found(let response):
      guard let page = ListingPage(response) else {
        listings[index].failure = "the backend's answer is no page of a listing"
        return nil
      }
      turn(page, of: index, at: offset)
      return .rows(page.rows)
    case .absent: listings[index].failure = "the backend has no listing"
    case .failed(let why): listings[index].failure = why
    case .stopped(let stop):
      listings[index].failure = "not listed"
      return .stopped(stop)
    }
    return nil
  }

  /// The first page says how many there are, and all others are asked for at once. Where the
  /// backend does not say, or has grown meanwhile, the last page asks for one more.
  private mutating func turn(_ page: ListingPage, of index: Int, at offset: Int) {
    guard page.count > 0 else { return }
    let next = offset + page.count
    guard let total = page.total else {
      if page.count >= Listing.pageSize { ask(for: index, from: next) }
      return
    }
    guard offset == 0 else { return }
    for start in stride(from: next, to: total, by: page.count) { ask(for: index, from: start) }
  }
}
