/// Listings, each to its last page (docs/api: pages until the total is reached).
struct Lister: Sendable {
  /// What an answer came to.
  enum News: Hashable, Sendable {
    case page(ListingPage)
    case stopped(SyncReport.Stop)
  }

  private struct Pages: Sendable {
    var listing: Listing
    /// The most rows that are asked for; `nil` for all.
    var mostRows: Int?
    /// How often it was begun anew.
    var round = 0
    /// Pages that are asked for and not there yet.
    var open = 0
    /// Rows that came, and how many there are said to be.
    var count = 0
    var total: Int?
    var failure: Fetcher.Failure?

    /// How many rows are to come, as far as the backend says.
    var wanted: Int? { total.map { min($0, mostRows ?? $0) } }
  }

  /// More than anybody logs in a life: a total beyond it is taken for garbage.
  private static let mostRows = 10_000_000

  private var fetcher: Fetcher
  private var listings: [Pages] = []
  /// For each key of the fetcher: which listing, in which round, from which row on.
  private var keys: [(index: Int, round: Int, offset: Int)] = []

  init(limit: Int) {
    fetcher = Fetcher(limit: limit)
  }

  var isIdle: Bool { fetcher.isIdle }

  /// Listings of which at least one page could not be had, and why.
  var failures: [(listing: Listing, failure: Fetcher.Failure)] {
    listings.compactMap { pages in pages.failure.map { (pages.listing, $0) } }
  }

  /// How many rows the first listing has, as the backend said, or else as came.
  var total: Int { listings.first.map { $0.total ?? $0.count } ?? 0 }

  mutating func add(_ listing: Listing, mostRows: Int? = nil) {
    listings.append(Pages(listing: listing, mostRows: mostRows))
    ask(for: listings.count - 1, from: 0)
  }

  private mutating func ask(for index: Int, from offset: Int) {
    keys.append((index, listings[index].round, offset))
    listings[index].open += 1
    fetcher.add(listings[index].listing.request(offset: offset), as: keys.count - 1)
  }

  mutating func cancel() { fetcher.cancel() }

  mutating func launch(_ tickets: inout RequestIDGenerator) -> [SyncMachine.Effect] {
    fetcher.launch(&tickets)
  }

  mutating func rested(_ ticket: RequestID) -> Bool { fetcher.rested(ticket) }

  mutating func handle(
    _ answer: WireAnswer, to ticket: RequestID, _ tickets: inout RequestIDGenerator,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> News? {
    guard
      let (key, outcome) = fetcher.handle(answer, to: ticket, &tickets, &effects, using: &generator)
    else { return nil }
    let (index, round, offset) = keys[key]
    switch outcome {
    case .found(let response):
      guard let page = ListingPage(response) else {
        listings[index].failure = .init(why: "the backend's answer is no page of a listing")
        return nil
      }
      if round == listings[index].round { turn(page, of: index, at: offset) }
      return .page(page)
    case .absent:
      listings[index].failure = .init(why: "the backend has no listing", mayPass: false)
    case .failed(let failure): listings[index].failure = failure
    case .stopped(let stop):
      listings[index].failure = .init(why: "not listed")
      return .stopped(stop)
    }
    return nil
  }

  /// The first page says how many there are, and all others are asked for at once. Where the
  /// backend does not say, a full page asks for one more.
  ///
  /// Rows that come and go meanwhile move the others from page to page. So a listing whose total
  /// changes, or that has fewer rows than it says, is begun anew: a row that was passed over would be
  /// taken for one that is not there.
  private mutating func turn(_ page: ListingPage, of index: Int, at offset: Int) {
    listings[index].open -= 1
    listings[index].count += page.count
    if offset == 0 {
      listings[index].total = page.total
      askForOthers(behind: page, of: index)
    } else if page.total != listings[index].total {
      return beginAnew(index)
    } else if page.total == nil, page.count >= Listing.pageSize {
      ask(for: index, from: offset + page.count)
    }
    let pages = listings[index]
    if pages.open == 0, pages.count < pages.wanted ?? 0 { beginAnew(index) }
  }

  private mutating func askForOthers(behind first: ListingPage, of index: Int) {
    guard first.count > 0 else { return }
    guard let total = first.total else {
      if first.count >= Listing.pageSize { ask(for: index, from: first.count) }
      return
    }
    guard total <= Self.mostRows else {
      listings[index].failure = .init(why: "the backend says that it has \(total) rows")
      return
    }
    let wanted = listings[index].wanted ?? total
    for start in stride(from: first.count, to: wanted, by: first.count) {
      ask(for: index, from: start)
    }
  }

  private mutating func beginAnew(_ index: Int) {
    guard listings[index].round + 1 < Backoff.mostTries else {
      listings[index].failure = .init(why: "it changed while it was read")
      return
    }
    var pages = Pages(listing: listings[index].listing, mostRows: listings[index].mostRows)
    pages.round = listings[index].round + 1
    pages.failure = listings[index].failure
    listings[index] = pages
    ask(for: index, from: 0)
  }
}
