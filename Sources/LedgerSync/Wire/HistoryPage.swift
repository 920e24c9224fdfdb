public import LedgerModel

/// Why the backend's rows could not be had.
public struct HistoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
}

/// A page of the backend's rows, newest first.
public struct HistoryPage: Hashable, Sendable {
  /// Those on this page.
  public var rows: [ListedRow]
  /// How many there are on all pages, as far as the backend says.
  public var total: Int?
  /// As it was asked for.
  public var limit: Int
  /// As it was asked for.
  public var offset: Int

  /// Where a page begins; pages are counted from 1.
  public static func offset(page: Int, limit: Int) -> Int {
    let (offset, isTooLarge) = max(page - 1, 0).multipliedReportingOverflow(by: max(limit, 0))
    return isTooLarge ? .max : offset
  }

  /// Asks the backend for rows, always with both ends: without them it would show the last thirty
  /// days only.
  ///
  /// - Parameter limit: 1 to 100, as the backend takes it.
  public static func fetch(
    over connection: some BackendConnection, _ metric: Metric?, from: CalendarDate?,
    to: CalendarDate?, offset: Int, limit: Int
  ) async -> Result<HistoryPage, HistoryFailure> {
    let everything = Listing.everything
    let listing = Listing(metric, from: from ?? everything.from, to: to ?? everything.to)
    let limit = min(max(limit, 1), Listing.pageSize)
    let answer = await connection.send(listing.request(offset: offset, limit: limit))
    switch answer {
    case .response(let response) where response.isSuccess:
      guard let page = ListingPage(response) else {
        return .failure(HistoryFailure(description: "the backend's answer is no page of a listing"))
      }
      return .success(
        HistoryPage(rows: page.rows, total: page.total, limit: limit, offset: offset))
    case .response(let response):
      return .failure(
        HistoryFailure(
          description: "the backend answered \(response.status): \(response.message)"))
    case .notSent(let reason), .lost(let reason), .signedOut(let reason),
      .refreshFailed(let reason):
      return .failure(HistoryFailure(description: reason))
    }
  }
}
