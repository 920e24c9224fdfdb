import LedgerJSON
import LedgerModel

/// What a run has learned from the GETs of the profile, the preferences and the row count.
struct ProfileFetch: Sendable {
  private(set) var remote = ProfilePresence.unknown
  private(set) var person = RemoteProfile()
  /// Whether a part could not be read: then nothing of the profile is merged or sent, since it might
  /// overwrite what the backend has.
  private(set) var isUnreadable = false
  /// How many rows the backend has; `nil` if unknown, and then all rows are listed.
  private(set) var rowCount: Int?
  /// Whether these are the second answers of the run.
  var isSecond = false

  static func begin(
    _ configuration: SyncConfiguration, _ start: StartingState, at now: Timestamp,
    _ fetcher: inout Fetcher
  ) {
    // Nothing is sent to an account that was created again.
    if configuration.pulls || configuration.pushes && start.openEdits > 0 {
      fetcher.add(WireRequest(.get, "/api/v1/users/me"), for: .profile)
    }
    guard configuration.pulls else { return }
    fetcher.add(WireRequest(.get, "/api/v1/users/me/preferences"), for: .preferences)
    if configuration.lists, configuration.allowsRecent(at: now, given: start) {
      fetcher.add(Listing.everything.request(offset: 0, limit: 1), for: .rowCount)
    }
  }

  /// - Returns: why the profile or the preferences could not be read.
  mutating func note(
    _ outcome: Fetcher.Outcome, of target: Fetch.Target
  ) -> Fetcher.Failure? {
    switch (target, outcome) {
    case (_, .stopped), (.page, _): break
    case (.preferences, .absent): person.hasNoPreferences = true
    case (.rowCount, .found(let response)): rowCount = ListingPage(response)?.total
    case (.rowCount, .absent), (.rowCount, .failed): break
    case (.profile, .absent): remote = .absent
    case (.profile, .found(let response)), (.preferences, .found(let response)):
      guard let object = response.value?.object else {
        isUnreadable = true
        return .init(why: "its answer is no object")
      }
      // A sign-in page of a network, for example.
      guard target == .preferences ? Self.isPreferences(object) : Self.isProfile(object) else {
        isUnreadable = true
        return .init(
          why: "its answer holds no \(target == .preferences ? "preferences" : "profile")")
      }
      if target == .profile {
        remote = .present
        person.profile = object
      } else {
        person.preferences = object
      }
    case (.profile, .failed(let failure)), (.preferences, .failed(let failure)):
      isUnreadable = true
      return failure
    }
    return nil
  }

  /// When the newest of the values that the answers contradict was agreed on: they may be older than that.
  /// `nil` for another account, and for the second answers of a run.
  func contradictedAt(since start: StartingState) -> Timestamp? {
    guard !isSecond, !isUnreadable, accountChange(since: start)?.to == nil else { return nil }
    let missing = remote == .absent ? start.agreedProfile : []
    return (missing + person.contradicted(start.agreed)).map(\.at).max()
  }

  static func isProfile(_ object: JSONObject) -> Bool {
    ["id", "user_id", "name"].contains { object[$0]?.string != nil }
  }

  /// Without any member of preferences, all lists would count as emptied.
  static func isPreferences(_ object: JSONObject) -> Bool {
    ["id", "user_profile_id", "allergies", "dietary_restrictions", "food_dislikes"]
      .contains { object[$0] != nil }
  }

  /// Whether the account at the backend is another one of the same address (docs/sync.md, A backend
  /// that forgot).
  func accountChange(since start: StartingState) -> AccountChange? {
    let theirs = person.profile?["user_id"]?.string
    let current = theirs ?? start.currentUserID
    if let owner = start.ownerUserID, let current, owner != current {
      return AccountChange(
        from: owner, to: current, reason: "the account has another user id at the backend")
    }
    guard remote == .absent, !start.agreedProfile.isEmpty, !isUnreadable else { return nil }
    // Without a profile, the user id last known may no longer be the account's.
    return AccountChange(
      from: start.ownerUserID, to: nil, reason: "the profile is missing at the backend")
  }
}
