public import LedgerModel

/// How a sync run behaves.
public struct SyncConfiguration: Hashable, Sendable {
  /// Whether changes at the backend are taken in.
  public var pulls = true
  /// Whether a pull lists rows; the profile is merged in any case.
  public var lists = true
  /// Whether edits are sent.
  public var pushes = true
  /// The most requests in flight (setting `sync.concurrency`).
  public var concurrency = 4
  /// Seconds after an attempt until a lost answer is looked up, and after an answer until a listing has
  /// to show what it made (`sync.settle_seconds`).
  public var settleSeconds = 5
  /// Which side wins when both changed a field (`sync.conflicts`); `open` leaves it to the user.
  public var conflicts = ConflictDecision.local
  /// Whether all rows are listed, however recent the last full listing is.
  public var listsAll = false
  /// What to do about an account that was created again, or many missing rows; `nil` stops the run
  /// and leaves the decision to the user.
  public var onReplacedAccount: ReplacementPolicy?
  /// What an earlier run learned about the backend's rows; `nil` to list all.
  package var lastListing: ListingFacts?
  /// Until when an earlier run was asked to wait, where the log does not tell: by an answer to a GET.
  package var notBefore: Timestamp?
  /// The most entries that are planned at once.
  package var entriesAtATime = 1_000

  /// Before a correction of a timed entry is sent, rows are listed in any case: one of its moment may be
  /// another entry's (docs/sync.md, Two devices, one entry).
  mutating func listBeforeCorrections() { (pulls, lists) = (true, true) }

  var listsRows: Bool { pulls && lists }

  /// At most a day.
  var settleMilliseconds: Int64 { Int64(min(max(settleSeconds, 0), 86_400)) * 1000 }

  /// How long to wait until listings show what was made at this time.
  package func waitMilliseconds(after time: Timestamp?, at now: Timestamp) -> Int {
    guard let time else { return 0 }
    let wait = time.millisecondsSince1970 + settleMilliseconds - now.millisecondsSince1970
    // Limited in case the clock was set back.
    return Int(max(0, min(wait, settleMilliseconds)))
  }

  /// Whether a run may list the newest rows only.
  func allowsRecent(at now: Timestamp, given start: StartingState) -> Bool {
    !listsAll && !start.needsAllRows && onReplacedAccount == nil
      && lastListing?.allowsRecent(at: now) == true
  }

  /// Pull and push, four requests in flight; the local side wins conflicts.
  public init() {}
}

/// The user's decision on an account that was created again, or many missing rows (docs/sync.md, A
/// backend that forgot).
public enum ReplacementPolicy: String, Hashable, Sendable {
  /// Send again what the backend lacks.
  case resend
  /// Delete the entries whose rows are missing.
  case acceptDeletions
}

/// Corrections whose entries' days were listed after they were answered, and had no other row of their
/// moment.
package struct SettledCorrections: Hashable, Sendable {
  /// The last event then.
  package var lastSeq: Int
  /// When that was.
  package var at: Timestamp

  package init(lastSeq: Int, at: Timestamp) { (self.lastSeq, self.at) = (lastSeq, at) }

  /// How long another device's call may have been under way, with its retries.
  private static let longestCallMilliseconds: Int64 = 120_000

  /// Whether no row that another device made at the same time can be new now.
  func isOver(at now: Timestamp) -> Bool {
    let age = now.millisecondsSince1970 - at.millisecondsSince1970
    return age >= Self.longestCallMilliseconds
  }
}

/// What the last full listing and the calls since tell about the backend's rows. It decides whether
/// the next run may list the newest rows only (docs/sync.md, Pulling). A cache: without it the next
/// run lists all.
package struct ListingFacts: Hashable, Sendable {
  /// When all rows were listed.
  package var fullAt: Timestamp
  /// The last event then.
  package var fullSeq: Int
  /// Corrections that no other device made of the same entries at the same time; `nil` if unknown.
  package var settled: SettledCorrections?
  /// How many rows the backend has, unless another device changed some.
  package var expectedRows: Int
  /// How many sleep sessions it has, unless another device made some.
  package var expectedSessions: Int
  /// Rows that could not be read then.
  package var unreadable: [UnreadableRow] = []
  /// Synced sleep sessions that were missing then.
  package var missingSessions = 0

  package init(fullAt: Timestamp, fullSeq: Int, expectedRows: Int, expectedSessions: Int = 0) {
    self.fullAt = fullAt
    self.fullSeq = fullSeq
    self.expectedRows = expectedRows
    self.expectedSessions = expectedSessions
  }

  /// The last event before which no other device can have corrected the same entry at the same time.
  var unsettledSince: Int { max(fullSeq, settled?.lastSeq ?? 0) }

  /// Takes what a run listed, and counts what its calls made.
  mutating func add(_ report: SyncReport) {
    expectedRows += report.rowsCreated
    expectedSessions += report.sessionsCreated
    guard report.pull == .full else { return }
    (unreadable, missingSessions) = (report.unreadable, report.missingSessions)
  }

  /// With more unreadable rows, the next run lists all.
  static let mostUnreadable = 100

  /// Up to this many rows are listed by every run.
  package static let fewRows = 500
  /// The most pages of rows and sessions together that every run lists. With the profile and the
  /// preferences they make eight requests.
  private static let fewPages = 6
  /// How long a full listing is valid.
  private static let longestMilliseconds: Int64 = 86_400_000

  /// Whether a run at this time may list the newest rows only. A listing dated in the future came
  /// from a wrong clock.
  func allowsRecent(at now: Timestamp) -> Bool {
    let age = now.millisecondsSince1970 - fullAt.millisecondsSince1970
    return hasMany && age >= 0 && age < Self.longestMilliseconds
  }

  private var hasMany: Bool {
    expectedRows > Self.fewRows
      || Listing.pages(of: expectedRows) + Listing.pages(of: expectedSessions) > Self.fewPages
  }
}
