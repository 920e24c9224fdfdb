import LedgerJSON
package import LedgerModel

/// A query for the rows of a range of days. Both ends are always given: without them the backend lists
/// only the last thirty days.
package struct Listing: Hashable, Sendable {
  package var metric: Metric?
  package var from: CalendarDate
  package var to: CalendarDate
  /// Whether it lists sleep sessions instead of rows.
  private(set) var isOfSleep = false

  /// The largest page of the backend.
  static let pageSize = 100
  /// Four pages: with the profile, the preferences, the total and a page of sleep sessions, a run makes
  /// at most eight requests.
  static let mostRecentRows = 4 * pageSize

  /// How many requests list so many rows.
  static func pages(of count: Int) -> Int { max(1, (count + pageSize - 1) / pageSize) }

  package init(_ metric: Metric? = nil, from: CalendarDate, to: CalendarDate) {
    self.metric = metric
    self.from = from
    self.to = to
  }

  /// All rows (docs/sync.md, Pulling).
  package static let everything = Listing(
    from: CalendarDate(year: 1900, month: 1, day: 1) ?? .first,
    to: CalendarDate(year: 2100, month: 12, day: 31) ?? .last)

  /// Whether it would list a row of a day.
  func has(_ day: CalendarDate) -> Bool { from <= day && day <= to }

  /// The rows of the last thirty days and later.
  static func recent(at now: Timestamp) -> Listing {
    let today = now.utc?.date ?? .first
    return Listing(from: today.clampedAdding(days: -30), to: everything.to)
  }

  /// The sleep sessions of the same days.
  var ofSleep: Listing {
    var listing = self
    listing.isOfSleep = true
    return listing
  }

  /// A day and the days next to it.
  package static func around(_ day: CalendarDate, _ metric: Metric) -> Listing {
    Listing(metric, from: day.clampedAdding(days: -1), to: day.clampedAdding(days: 1))
  }

  /// For more days than this, everything is listed.
  private static let mostDays = 31

  /// The rows of some days.
  static func days(_ days: Set<CalendarDate>) -> [Listing] {
    days.count > mostDays ? [.everything] : days.sorted().map { Listing(from: $0, to: $0) }
  }

  func request(offset: Int, limit: Int = pageSize) -> WireRequest {
    var query: [WireRequest.QueryItem] = []
    if let metric { query.append(.init("type", metric.name)) }
    query.append(.init("from", "\(from)"))
    query.append(.init("to", "\(to)"))
    query.append(.init("limit", "\(limit)"))
    query.append(.init("offset", "\(offset)"))
    return WireRequest(.get, isOfSleep ? "/api/v1/sleep" : "/api/v1/progress", query: query)
  }
}

extension CalendarDate {
  fileprivate func clampedAdding(days: Int) -> CalendarDate {
    CalendarDate(daysSince1970: Int(daysSince1970) + days) ?? self
  }
}

/// One page of a listing.
struct ListingPage: Hashable, Sendable {
  var rows: [ListedRow] = []
  /// Those of a listing of sleep.
  var sessions: [ListedSession] = []
  var unreadable: [UnreadableRow] = []
  /// The number of rows in the whole listing; `nil` if not reported.
  var total: Int?

  var count: Int { rows.count + sessions.count + unreadable.count }

  /// - Returns: `nil` if the answer is no page, or its total no number of rows.
  init?(_ response: WireAnswer.Response, ofSleep isOfSleep: Bool = false) {
    let name = isOfSleep ? "sessions" : "entries"
    guard let object = response.value?.object, let list = object[name],
      // Some servers write an empty list as null.
      let values = list.isNull ? [] : list.array
    else { return nil }
    for value in values {
      do throws(UnreadableRow) {
        if isOfSleep {
          sessions.append(try ListedSession(json: value))
        } else {
          rows.append(try ListedRow.read(value).get())
        }
      } catch {
        unreadable.append(error)
      }
    }
    guard let number = object["total"]?.number else { return }
    guard let total = Int(exactly: number), total >= count else { return nil }
    self.total = total
  }
}

/// Why the backend's rows could not be read.
public struct HistoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// For a log: the backend's message or the connection's failure.
  public var description: String
}

/// A page of the backend's rows, newest first.
public struct HistoryPage: Hashable, Sendable {
  /// The rows on this page.
  public var rows: [ListedRow]
  /// The number of rows on all pages; `nil` if not reported.
  public var total: Int?
  /// As requested.
  public var limit: Int
  /// As requested.
  public var offset: Int

  /// The offset of a page, counted from 1.
  package static func offset(page: Int, limit: Int) -> Int {
    let (offset, isTooLarge) = (max(page, 1) - 1).multipliedReportingOverflow(by: max(limit, 0))
    return isTooLarge ? .max : offset
  }

  /// Requests a page from the backend.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: ``HistoryFailure``.
  package static func fetch(
    over connection: some BackendConnection, _ metric: Metric?, from: CalendarDate?,
    to: CalendarDate?, offset: Int, limit: Int
  ) async throws(HistoryFailure) -> HistoryPage {
    let everything = Listing.everything
    let listing = Listing(metric, from: from ?? everything.from, to: to ?? everything.to)
    let limit = min(max(limit, 1), Listing.pageSize)
    let answer = await connection.send(listing.request(offset: offset, limit: limit))
    switch answer {
    case .response(let response) where response.isSuccess:
      guard let page = ListingPage(response) else {
        throw HistoryFailure(description: "the backend's answer is no page of a listing")
      }
      return HistoryPage(rows: page.rows, total: page.total, limit: limit, offset: offset)
    case .response(let response):
      throw HistoryFailure(
        description: "the backend answered \(response.status): \(response.message)")
    case .notSent(let reason), .lost(let reason), .signedOut(let reason),
      .refreshFailed(let reason):
      throw HistoryFailure(description: reason)
    }
  }
}
