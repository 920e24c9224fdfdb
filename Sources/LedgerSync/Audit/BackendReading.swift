import LedgerJSON

/// The profile and all rows at the backend.
package struct BackendReading: Sendable {
  var person = RemoteProfile()
  var listing = RowListing()

  /// Reads the profile, the preferences and all rows. Sends only GETs.
  ///
  /// - Parameter pause: waits before a GET is retried.
  package static func read(
    over connection: some BackendConnection, pause: @escaping @Sendable (Duration) async -> Void
  ) async throws(BackendAuditFailure) -> BackendReading {
    let reader = BackendReader(connection: connection, pause: pause)
    var reading = BackendReading()
    reading.person.profile = try await reader.object("/api/v1/users/me", "the profile")
    if let profile = reading.person.profile, !ProfileFetch.isProfile(profile) {
      throw .unread(part: "the profile", reason: "its answer is no profile", mayPass: true)
    }
    reading.person.preferences = try await reader.object(
      "/api/v1/users/me/preferences", "the preferences")
    if let preferences = reading.person.preferences, !ProfileFetch.isPreferences(preferences) {
      throw .unread(
        part: "the preferences", reason: "its answer holds no preferences", mayPass: true)
    }
    reading.listing = try await reader.allRows()
    let sleep = BackendReader(
      connection: connection, pause: pause, listing: .everything.ofSleep,
      part: "the backend's sleep sessions")
    if try await sleep.get(sleep.listing.request(offset: 0, limit: 1), sleep.part) != nil {
      let sessions = try await sleep.allRows()
      reading.listing.sessions = sessions.sessions ?? []
      reading.listing.unreadable += sessions.unreadable
    }
    return reading
  }
}

private struct BackendReader<Connection: BackendConnection>: Sendable {
  typealias Failure = BackendAuditFailure

  let connection: Connection
  let pause: @Sendable (Duration) async -> Void
  var listing = Listing.everything
  var part = "the backend's entries"

  private static var mostRounds: Int { 3 }
  private static var pagesAtATime: Int { 4 }

  // MARK: Single answers

  /// - Returns: `nil` for 404.
  func object(_ path: String, _ part: String) async throws(Failure) -> JSONObject? {
    guard let response = try await get(WireRequest(.get, path), part) else { return nil }
    guard let object = response.value?.object else {
      throw .unread(part: part, reason: "the answer is no JSON object", mayPass: true)
    }
    return object
  }

  /// Retries failures that may pass, unless the backend asks to wait.
  ///
  /// - Returns: `nil` for 404.
  func get(
    _ request: WireRequest, _ part: String
  ) async throws(Failure) -> WireAnswer.Response? {
    var generator = SystemRandomNumberGenerator()
    var answer = await connection.send(request)
    for tries in 1..<Backoff.mostTries where Self.mayPass(answer) {
      let wait = Backoff.withinRun.milliseconds(after: tries, using: &generator)
      await pause(.milliseconds(wait))
      answer = await connection.send(request)
    }
    switch answer {
    case .response(let response) where response.isSuccess && !response.reportsFailure:
      return response
    case .response(let response) where response.status == 404: return nil
    case .response(let response):
      throw .unread(
        part: part, reason: "the backend answered \(response.status): \(response.message)",
        mayPass: response.status == 429 || Self.mayPass(answer))
    case .notSent(let reason), .lost(let reason), .refreshFailed(let reason):
      throw .unread(part: part, reason: reason, mayPass: true)
    case .signedOut(let reason): throw .signedOut(reason: reason)
    }
  }

  /// Whether the same request may succeed in a moment. A redirect may come from a captive portal.
  private static func mayPass(_ answer: WireAnswer) -> Bool {
    switch answer {
    case .response(let response):
      (300..<400).contains(response.status) || response.mayPassLater || response.status == 401
        || response.reportsFailure
    case .notSent, .lost, .refreshFailed: true
    case .signedOut: false
    }
  }

  // MARK: All rows

  /// Restarts if the total changes between pages or rows are missing: rows that appear or disappear
  /// move others between pages.
  func allRows() async throws(Failure) -> RowListing {
    for _ in 0..<Self.mostRounds {
      if let listing = try await round() { return listing }
    }
    throw .unread(part: part, reason: "they changed while they were listed", mayPass: true)
  }

  private func round() async throws(Failure) -> RowListing? {
    let first = try await page(from: 0)
    guard let total = first.total else { return try await allRows(after: first) }
    guard total <= Lister.mostRows, total <= first.count * Lister.mostPages || first.count == 0
    else {
      throw .unread(
        part: part, reason: "the backend says that it has \(total) rows", mayPass: false)
    }
    var listing = RowListing()
    listing.add(first)
    let offsets = first.count > 0 ? stride(from: first.count, to: total, by: first.count) : nil
    for page in try await pages(from: offsets.map { Array($0) } ?? []) {
      guard page.total == total else { return nil }
      listing.add(page)
    }
    return listing.count == total && !listing.hasRepeatedRows ? listing : nil
  }

  /// Without a total, a page that is not full is the last one.
  private func allRows(after first: ListingPage) async throws(Failure) -> RowListing? {
    var listing = RowListing()
    var page = first
    listing.add(page)
    while page.count >= Listing.pageSize {
      guard listing.count < Lister.mostRows else {
        throw .unread(part: part, reason: "the backend lists ever more rows", mayPass: false)
      }
      page = try await self.page(from: listing.count)
      listing.add(page)
      if listing.hasRepeatedRows { return nil }
    }
    return listing
  }

  private func pages(from offsets: [Int]) async throws(Failure) -> [ListingPage] {
    var found: [Int: Result<ListingPage, Failure>] = [:]
    await withTaskGroup(of: (Int, Result<ListingPage, Failure>).self) { group in
      var waiting = offsets[...]
      func begin() {
        guard let offset = waiting.popFirst() else { return }
        group.addTask { (offset, await self.result(from: offset)) }
      }
      for _ in 0..<Self.pagesAtATime { begin() }
      for await (offset, result) in group {
        found[offset] = result
        if case .failure = result { waiting = [] }
        begin()
      }
    }
    var pages: [ListingPage] = []
    for offset in found.keys.sorted() {
      if let page = try found[offset]?.get() { pages.append(page) }
    }
    return pages
  }

  private func result(from offset: Int) async -> Result<ListingPage, Failure> {
    do throws(Failure) {
      return .success(try await page(from: offset))
    } catch {
      return .failure(error)
    }
  }

  private func page(from offset: Int) async throws(Failure) -> ListingPage {
    let request = listing.request(offset: offset)
    guard let response = try await get(request, part) else {
      throw .unread(part: part, reason: "the backend has no listing", mayPass: false)
    }
    guard let page = ListingPage(response, ofSleep: listing.isOfSleep) else {
      throw .unread(part: part, reason: "the answer is no page of a listing", mayPass: true)
    }
    return page
  }
}

extension RowListing {
  /// Whether a row was on two pages, because rows appeared or disappeared meanwhile.
  fileprivate var hasRepeatedRows: Bool {
    hashes.count < rows.count + unreadable.count { $0.id != nil }
      || Set((sessions ?? []).map(\.id)).count < sessions?.count ?? 0
  }
}
