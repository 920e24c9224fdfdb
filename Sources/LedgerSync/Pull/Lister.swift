import LedgerModel

/// Reads listings completely, page by page until the total is reached (docs/api).
struct Lister: Sendable {
  /// A page of one of the listings.
  struct Position: Hashable, Sendable {
    var listing: Int
    /// Pages of an earlier round are outdated.
    var round: Int
    var offset: Int
  }

  private struct Progress: Sendable {
    var listing: Listing
    /// The most rows to request; `nil` for all.
    var mostRows: Int?
    /// How often the listing was restarted.
    var round = 0
    var openPages = 0
    /// Hashes of the ids that were read: a backend may repeat a page, or move rows between two.
    var hashes: Set<UInt64> = []
    /// The number of different rows.
    var count = 0
    /// What the pages of this round have shown.
    var shown = RowListing()
    /// The number of rows that the backend reports.
    var total: Int?
    var failure: Fetcher.Failure?

    var wanted: Int? { total.map { min($0, mostRows ?? $0) } }

    /// - Returns: how many of the rows are new.
    mutating func note(_ page: ListingPage) -> Int {
      let known = hashes.count
      let ids = page.hashes + page.sessions.map { RowIndex.hash($0.id) }
      hashes.formUnion(ids)
      let new = hashes.count - known + page.count - ids.count
      count += new
      shown.add(page)
      return new
    }
  }

  /// More rows are rejected as unreadable, and so are more pages than they would need.
  static let mostRows = 10_000_000
  static let mostPages = mostRows / Listing.pageSize

  private var listings: [Progress] = []

  /// Listings that were not read completely, and why.
  var failures: [(listing: Listing, failure: Fetcher.Failure)] {
    listings.compactMap { progress in progress.failure.map { (progress.listing, $0) } }
  }

  /// Whether the ledger has sessions that are at the backend.
  private let hasSessions: Bool
  /// Whether the backend does not have a listing of sleep.
  private var isWithoutSleep = false
  /// Whether all sessions asked for were listed.
  var hasSleep: Bool { !isWithoutSleep && failure(ofSleep: true) == nil }

  init(hasSessions: Bool = false) { self.hasSessions = hasSessions }

  func failure(ofSleep isOfSleep: Bool) -> Fetcher.Failure? {
    failures.first { $0.listing.isOfSleep == isOfSleep }?.failure
  }

  /// What a listing of everything says about later runs, without its ``ListingFacts/fullSeq``.
  ///
  /// - Returns: `nil` if the next run should list all rows again.
  func facts(at now: Timestamp, _ listing: RowListing) -> ListingFacts? {
    guard listing.unreadable.count <= ListingFacts.mostUnreadable else { return nil }
    return ListingFacts(
      fullAt: now, fullSeq: 0, expectedRows: total(ofSleep: false),
      expectedSessions: total(ofSleep: true))
  }

  /// How many rows or sessions there are: as reported, or else as counted.
  func total(ofSleep isOfSleep: Bool) -> Int {
    listings.first { $0.listing.isOfSleep == isOfSleep }.map { $0.total ?? $0.count } ?? 0
  }

  mutating func add(_ listing: Listing, mostRows: Int? = nil, to fetcher: inout Fetcher) {
    listings.append(Progress(listing: listing, mostRows: mostRows))
    request(listings.count - 1, from: 0, &fetcher)
  }

  private mutating func request(_ index: Int, from offset: Int, _ fetcher: inout Fetcher) {
    listings[index].openPages += 1
    let position = Position(listing: index, round: listings[index].round, offset: offset)
    fetcher.add(listings[index].listing.request(offset: offset), for: .page(position))
  }

  /// What the listings have shown, each in its last round: rows of an earlier one may be gone.
  var shown: RowListing {
    listings.dropFirst().reduce(into: listings.first?.shown ?? RowListing()) { all, progress in
      all.add(progress.shown)
    }
  }

  /// How many rows the listings have shown so far.
  var shownCount: Int { listings.reduce(0) { $0 + $1.shown.count } }

  mutating func handle(
    _ outcome: Fetcher.Outcome, at position: Position, _ fetcher: inout Fetcher
  ) {
    let index = position.listing
    switch outcome {
    case .found(let response):
      let isOfSleep = listings[index].listing.isOfSleep
      guard let page = ListingPage(response, ofSleep: isOfSleep) else {
        listings[index].failure = .init(why: "the backend's answer is no page of a listing")
        return
      }
      if position.round == listings[index].round { add(page, at: position, &fetcher) }
    case .absent where listings[index].listing.isOfSleep && !hasSessions: isWithoutSleep = true
    case .absent:
      listings[index].failure = .init(why: "the backend has no listing", mayPass: false)
    case .failed(let failure): listings[index].failure = failure
    case .stopped: listings[index].failure = .init(why: "not listed")
    }
  }

  /// The first page gives the total, so all others are requested at once. Without a total, each full
  /// page requests the next one.
  ///
  /// Rows that appear or disappear meanwhile move others between pages. So a listing is restarted
  /// when its total changes or is not the number of its different rows: a skipped row would be taken
  /// for a missing one, and a repeated row would hide that.
  private mutating func add(_ page: ListingPage, at position: Position, _ fetcher: inout Fetcher) {
    let index = position.listing
    listings[index].openPages -= 1
    let new = listings[index].note(page)
    if position.offset == 0 {
      listings[index].total = page.total
      requestOthers(index, after: page, &fetcher)
    } else if page.total != listings[index].total {
      return restart(index, &fetcher)
    } else if page.total == nil, page.count >= Listing.pageSize {
      guard new > 0, listings[index].count < Self.mostRows else {
        let why = new > 0 ? "the backend lists ever more rows" : "the backend repeats a page"
        listings[index].failure = .init(why: why)
        return
      }
      request(index, from: position.offset + page.count, &fetcher)
    }
    let progress = listings[index]
    guard progress.openPages == 0, let total = progress.total, let wanted = progress.wanted
    else { return }
    if !(wanted...total).contains(progress.count) { restart(index, &fetcher) }
  }

  private mutating func requestOthers(
    _ index: Int, after first: ListingPage, _ fetcher: inout Fetcher
  ) {
    guard first.count > 0 else { return }
    guard let total = first.total else {
      if first.count >= Listing.pageSize { request(index, from: first.count, &fetcher) }
      return
    }
    guard total <= Self.mostRows else {
      listings[index].failure = .init(why: "the backend says that it has \(total) rows")
      return
    }
    let wanted = listings[index].wanted ?? total
    guard wanted / first.count <= Self.mostPages else {
      listings[index].failure = .init(
        why: "the backend says that it has \(total) rows, and lists \(first.count) at a time")
      return
    }
    for offset in stride(from: first.count, to: wanted, by: first.count) {
      request(index, from: offset, &fetcher)
    }
  }

  private mutating func restart(_ index: Int, _ fetcher: inout Fetcher) {
    guard listings[index].round + 1 < Backoff.mostTries else {
      listings[index].failure = .init(why: "it changed while it was read, or its total is wrong")
      return
    }
    var progress = Progress(listing: listings[index].listing, mostRows: listings[index].mostRows)
    progress.round = listings[index].round + 1
    progress.failure = listings[index].failure
    listings[index] = progress
    request(index, from: 0, &fetcher)
  }
}
