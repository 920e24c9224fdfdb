public import LedgerModel
public import LedgerProjections

/// The result of a run (docs/cli.md, How a sync ends). Counts are edits, except for `sent`, which counts calls.
public struct SyncReport: Hashable, Sendable {
  /// Calls that were sent.
  public var sent = 0
  /// Edits that the backend confirmed.
  public var acknowledged = 0
  /// Edits whose answer was lost and whose row was found at the backend.
  public var reconciled = 0
  /// Edits that needed no call.
  public var elided = 0
  /// Edits rejected in this run.
  public var rejected = 0
  /// Edits that the backend does not take yet (``HoldReason``).
  public var held = 0
  /// Entries, corrections and profile fields taken from the backend.
  public var pulled = 0
  /// Entries whose rows the backend no longer has.
  public var deleted = 0
  /// The events that recorded these deletions; `nil` for none.
  public var deletions: ClosedRange<Seq>?
  /// Edits that the backend stored with another value.
  public var differing = 0
  /// How much of the backend was read.
  public var pull = PullExtent.skipped
  /// Synced sleep sessions that are missing at the backend, and were kept here.
  public var missingSessions = 0
  /// Rows at the backend that cannot be read.
  public var unreadable: [UnreadableRow] = []
  /// Held edits that another edit can release, by reason.
  public var holds: [HoldReason: Int] = [:]
  /// Held edits that no edit can release, by reason.
  public var lastingHolds: [HoldReason: Int] = [:]
  /// Conflicts that the policy decided in this run, plus all open ones.
  public var conflicts = 0
  /// Edits not confirmed yet, including those in doubt.
  public var pending = 0
  /// Of those, edits whose answer was lost.
  public var inDoubt = 0
  /// Rows at the backend newly suspected to be duplicates.
  public var suspected = 0
  /// Those that a pull suspected.
  package var suspectedRows: [ListedRow] = []
  /// Rows that other devices made when they corrected an entry that was corrected here as well, and that
  /// they should delete. They are in no view.
  public var rowsOfOthers = 0
  /// Whether the user has to act: something is rejected, held for an edit, in an open conflict,
  /// suspected to be a duplicate, unreadable, or a sleep session missing at the backend.
  public var needsUser = false
  /// Whether the backend could not be read, but a later run may succeed.
  public var mayPass = false
  /// Open suspected duplicates.
  public var suspicions = 0
  /// Open conflicts.
  public var openConflicts = 0
  /// All edits at the end of the run, by status.
  public var counts = SyncCounts()
  /// Whether all fields and rows were read in this run, no edit is pending or needs the user, and no row is
  /// left to another device: the backend has everything.
  public var hasEverything = false
  /// Whether the backend's profile has a value that a ledger cannot keep.
  var hasUnusableField = false
  /// Rows created by calls of this run, minus those deleted.
  var rowsCreated = 0
  /// Sleep sessions that calls of this run created.
  var sessionsCreated = 0
  /// Whether edits were to be sent.
  package var pushes = true
  /// For the next run (``SyncConfiguration/lastListing``); `nil` if nothing was listed.
  package var listing: ListingFacts?
  /// Why the run ended early.
  public var stop: Stop?
  /// Messages for the user: rejections, lost answers.
  public var remarks: [String] = []

  /// Why a run ended early. No edit is lost in any case.
  public enum Stop: Hashable, Sendable {
    /// No connection; retry later.
    case offline(String)
    /// Another run, perhaps of another process, holds a lock of the ledger; retry later.
    case busy(String)
    /// The backend asked to wait.
    case rateLimited(seconds: Int)
    /// Sign in again; every edit stays pending.
    case signedOut(String)
    /// The session could not be renewed for now.
    case refreshFailed(String)
    /// The caller canceled the run.
    case cancelled
    /// The account was created again at the backend; nothing was recorded.
    case accountReplaced(AccountChange)
    /// Too many synced entries would be deleted without the user's consent; nothing was recorded.
    case massDeletion(missing: Int, of: Int)
    /// This many deleted rows are listed again, as after a restored backup; nothing was recorded.
    case returnedRows(Int)

    /// Stable, for programs.
    public var code: String {
      switch self {
      case .offline: "offline"
      case .busy: "busy"
      case .rateLimited: "rate-limited"
      case .signedOut: "signed-out"
      case .refreshFailed: "refresh-failed"
      case .cancelled: "canceled"
      case .accountReplaced: "account-replaced"
      case .massDeletion: "rows-missing"
      case .returnedRows: "rows-returned"
      }
    }

    /// Whether the cause lies outside the ledger.
    package var isOutside: Bool {
      switch self {
      case .offline, .busy, .rateLimited, .signedOut, .refreshFailed, .cancelled: true
      case .accountReplaced, .massDeletion, .returnedRows: false
      }
    }

    /// Which of two to report: those that need the user come first.
    var weight: Int {
      switch self {
      case .accountReplaced, .massDeletion, .returnedRows: 6
      case .signedOut: 5
      case .cancelled: 4
      case .rateLimited: 3
      case .refreshFailed: 2
      case .offline, .busy: 1
      }
    }
  }

  /// The report of a run that did nothing.
  public init() {}

  mutating func note(_ hold: Plan.Hold) {
    if hold.reason.missingFields.isEmpty {
      lastingHolds[hold.reason, default: 0] += hold.events.count
    } else {
      holds[hold.reason, default: 0] += hold.events.count
    }
  }

  mutating func forgetHolds(where isForgotten: (HoldReason) -> Bool) {
    holds = holds.filter { !isForgotten($0.key) }
    lastingHolds = lastingHolds.filter { !isForgotten($0.key) }
    held = holds.values.reduce(0, +) + lastingHolds.values.reduce(0, +)
  }

  mutating func note(_ stop: Stop) {
    if let earlier = self.stop, earlier.weight >= stop.weight { return }
    self.stop = stop
  }

  private static let mostRemarks = 20

  mutating func remark(_ text: String) {
    switch remarks.count {
    case ..<Self.mostRemarks: remarks.append(text)
    case Self.mostRemarks: remarks.append("… and more of the same; the log has them all")
    default: break
    }
  }

  mutating func note(_ what: String, _ failure: Fetcher.Failure) {
    mayPass = mayPass || failure.mayPass
    remark("\(what): \(failure.why)")
  }

  /// - Parameter earlier: what an earlier full listing found, if this one is not full.
  mutating func note(_ listing: RowListing, _ earlier: ListingFacts?) {
    let unlisted = earlier?.unreadable.filter { row in
      row.id.map { !listing.hashes.contains(RowIndex.hash($0)) }
        ?? !listing.unreadable.contains(row)
    }
    unreadable = listing.unreadable + (unlisted ?? [])
    missingSessions = earlier?.missingSessions ?? 0
  }

  mutating func noteFailedPull(_ what: String, _ failure: Fetcher.Failure) {
    pull = .failed
    note(what, failure)
  }

  mutating func add(_ pulled: Pulled) {
    self.pulled += pulled.entries + pulled.fields
    deleted += pulled.deleted
    deletions = deletions ?? pulled.deletions
    reconciled += pulled.reconciled
    suspected += pulled.suspected
    suspectedRows += pulled.suspectedRows
    rowsOfOthers += pulled.rowsOfOthers.count
    conflicts += pulled.conflicts
    differing += pulled.differs
    for difference in pulled.differences { remark(difference) }
    missingSessions += pulled.missingSessions
    for field in pulled.unusable {
      remark(
        "the backend's \(field.rawValue) cannot be read, is missing, or is longer than a ledger keeps"
      )
    }
    hasUnusableField = hasUnusableField || !pulled.unusable.isEmpty
  }

  /// Adds the counts of the calls.
  mutating func add(_ calls: SyncReport) {
    sent += calls.sent
    acknowledged += calls.acknowledged
    elided += calls.elided
    rejected += calls.rejected
    held += calls.held
    differing += calls.differing
    rowsCreated += calls.rowsCreated
    sessionsCreated += calls.sessionsCreated
    holds.merge(calls.holds, uniquingKeysWith: +)
    lastingHolds.merge(calls.lastingHolds, uniquingKeysWith: +)
    if let stop = calls.stop { note(stop) }
    for text in calls.remarks { remark(text) }
  }

  mutating func summarize(_ summary: SyncSummary, _ configuration: SyncConfiguration) {
    if pull == .skipped, configuration.pulls, configuration.lists, stop?.isOutside == true {
      pull = .failed
    }
    counts = summary.counts
    pending = counts.pending + counts.inDoubt
    inDoubt = counts.inDoubt
    conflicts = max(conflicts, summary.openConflicts)
    suspicions = summary.openSuspicions
    openConflicts = summary.openConflicts
    pushes = configuration.pushes
    needsUser =
      counts.rejected > 0 || rejected > 0 || openConflicts > 0 || suspicions > 0
      || !holds.isEmpty || !unreadable.isEmpty || hasUnusableField || missingSessions > 0
    // A run without pushing does not learn whether an edit can release a hold.
    hasEverything =
      pull == .full && stop == nil && pending == 0 && !needsUser && rowsOfOthers == 0
      && (configuration.pushes || counts.held == 0)
  }
}

/// How many of the backend's rows a run has read (docs/cli.md, How a sync ends).
public enum PullExtent: String, CaseIterable, Sendable {
  /// All of them.
  case full
  /// The newest ones; the total was as expected.
  case recent
  /// The listing is incomplete.
  case failed
  /// None were requested.
  case skipped
}

/// An account that was created again at the backend.
public struct AccountChange: Hashable, Sendable {
  /// The `user_id` that the ledger belongs to, as far as known.
  public var from: String?
  /// The backend's `user_id` now, as far as known.
  public var to: String?
  /// How it was recognized.
  public var reason: String

  /// A change from one account to another of the same address.
  public init(from: String?, to: String?, reason: String) {
    self.from = from
    self.to = to
    self.reason = reason
  }
}

/// The progress of a run.
public struct SyncProgress: Hashable, Sendable {
  /// A stage of a run.
  public enum Stage: String, Hashable, Sendable {
    /// Waiting until the backend shows what calls have made, or looking up calls whose answer was lost.
    case settling
    /// Listing the backend's rows.
    case pulling
    /// Sending edits.
    case pushing
  }

  /// The current stage.
  public var stage: Stage
  /// How much of this stage is done.
  public var done: Int
  /// As far as known.
  public var total: Int

  /// The progress within a stage.
  public init(stage: Stage, done: Int, total: Int) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
