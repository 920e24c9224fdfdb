import LedgerJSON
public import LedgerModel

/// A stretch of days asked of the backend, always with both ends: without them it lists only the
/// last thirty days.
public struct Listing: Hashable, Sendable {
  public var metric: Metric?
  public var from: CalendarDate
  public var to: CalendarDate

  /// The most that the backend puts on one page.
  static let pageSize = 100

  public init(_ metric: Metric? = nil, from: CalendarDate, to: CalendarDate) {
    self.metric = metric
    self.from = from
    self.to = to
  }

  /// All there is (docs/sync.md, Pulling).
  public static let everything = Listing(
    from: CalendarDate(year: 1900, month: 1, day: 1) ?? .first,
    to: CalendarDate(year: 2100, month: 12, day: 31) ?? .last)

  /// The newest rows: those of the last thirty days, and what is dated later.
  static func recent(at now: Timestamp) -> Listing {
    let today = now.utc?.date ?? .first
    return Listing(from: today.clampedAdding(days: -30), to: everything.to)
  }

  /// The day with one on each side.
  public static func around(_ day: CalendarDate, _ metric: Metric) -> Listing {
    Listing(metric, from: day.clampedAdding(days: -1), to: day.clampedAdding(days: 1))
  }

  func request(offset: Int, limit: Int = pageSize) -> WireRequest {
    var query: [WireRequest.QueryItem] = []
    if let metric { query.append(.init("type", metric.name)) }
    query.append(.init("from", "\(from)"))
    query.append(.init("to", "\(to)"))
    query.append(.init("limit", "\(limit)"))
    query.append(.init("offset", "\(offset)"))
    return WireRequest(.get, "/api/v1/progress", query: query)
  }
}

extension CalendarDate {
  fileprivate func clampedAdding(days: Int) -> CalendarDate {
    CalendarDate(daysSince1970: Int(daysSince1970) + days) ?? self
  }
}

/// One page of a listing.
struct ListingPage: Hashable, Sendable {
  var rows: [ListedRow]
  /// Rows that this ledger cannot read; they exist all the same.
  var unreadable: [UnreadableRow] = []
  /// How many rows the whole listing has; `nil` where the backend does not say.
  var total: Int?

  /// How many rows the page has, those included that could not be read.
  var count: Int { rows.count + unreadable.count }

  /// - Returns: `nil` when the answer is no page.
  init?(_ response: WireAnswer.Response) {
    guard let object = response.value?.object, let entries = object["entries"]?.array else {
      return nil
    }
    rows = []
    for entry in entries {
      switch ListedRow.read(entry) {
      case .success(let row): rows.append(row)
      case .failure(let row): unreadable.append(row)
      }
    }
    total = object["total"]?.number.flatMap { Int(exactly: $0) }
  }
}
