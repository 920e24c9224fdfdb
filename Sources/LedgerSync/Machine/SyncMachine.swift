public import LedgerModel

/// One run of the projector, as a pure machine: inputs come in, effects go out, and whoever drives
/// it performs them and reports back. Time and randomness come in from outside. All it remembers
/// between runs is in the log.
///
/// Stages, each skipped where it has nothing to do: look for calls in doubt → get the profile, and see
/// whether the account is still the one it was → wait until late rows have had their time → settle
/// what is in doubt → list the newest rows, or all → list the days of missing rows again → decide what
/// was pulled → push, a stretch of the outbox at a time → merge what answers said of the profile →
/// summarize → done. A stop (offline, signed out, …) lets calls in flight end, and goes on at
/// «summarize».
public struct SyncMachine: Sendable {
  public enum Input: Sendable {
    case begin
    case answered(RequestID, WireAnswer)
    /// An alarm that was set by ``Effect/wait(_:milliseconds:)``.
    case elapsed(RequestID)
    case seen(SyncQueryResult)
    /// The events of the last ``Effect/record(_:)`` are durable.
    case recorded
    /// So are those of the last ``Effect/decide(_:)``.
    case decided(SyncOutcome)
    /// Start nothing more, and end as soon as what is under way has ended.
    case cancel
  }

  public enum Effect: Hashable, Sendable {
    /// Send, and say what came back. A call that changes something was recorded before.
    case send(RequestID, WireRequest)
    case wait(RequestID, milliseconds: Int)
    /// Answer from the log as it is now.
    case look(SyncQuery)
    /// Append these, durably.
    case record([Event.Payload])
    /// Decide by the log as it is under its lock, and append what that comes to.
    case decide(SyncDecision)
    case progress(SyncProgress)
    case finish(SyncReport)
  }

  enum Stage: Sendable {
    case idle
    case lookingForDoubts
    case meeting
    case resting(RequestID)
    case settling
    case settled
    case listingRecent
    case comparingRecent
    case listingAll
    case lookingForMissing
    case lookingAgain
    case pulled
    case planning
    case pushing
    case mergingAnswers
    case takingStock
    case done
  }

  let options: SyncConfiguration
  var stage = Stage.idle
  /// Whether a look, a decision or a record is under way: there is one at a time.
  var isBusy = false
  var tickets = RequestIDGenerator()
  var report = SyncReport()
  var remote = RemoteProfile.unknown

  var doubts = Doubts()
  /// Entries whose doubt was looked into, whatever came of it.
  var settled: Set<EntryID> = []
  var notFound: Set<EntryID> = []
  var lister: Lister
  /// Rows of the days of calls in doubt.
  var doubtRows: [ListedRow] = []
  var listing = RowListing()
  var fetcher: Fetcher
  var person = RemotePerson()
  var skipsPerson = false
  /// How many rows the backend has, where that was asked.
  var total: Int?
  var account: AccountChange?
  var facts: ListingFacts?
  var courier: CallDispatcher
  var nextRow: Int?
  var hasPlannedHeldAgain = false
  var signedOutIsRecorded = false

  public init(_ options: SyncConfiguration = SyncConfiguration()) {
    self.options = options
    facts = options.lastListing
    lister = Lister(limit: options.concurrency)
    fetcher = Fetcher(limit: options.concurrency)
    courier = CallDispatcher(limit: options.concurrency, remote: .unknown)
  }

  /// Takes in what has happened, and says what to do now. Several things that happened together
  /// come in together: their answers then share one durable write.
  public mutating func handle(
    _ inputs: [Input], at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    var effects: [Effect] = []
    for input in inputs { take(input, at: now, &effects, using: &generator) }
    proceed(at: now, &effects, using: &generator)
    return effects
  }

  private mutating func take(
    _ input: Input, at now: Timestamp, _ effects: inout [Effect],
    using generator: inout some RandomNumberGenerator
  ) {
    switch input {
    case .begin:
      stage = .lookingForDoubts
      look(.doubts, &effects)
    case .answered(let ticket, let answer):
      if courier.handle(answer, to: ticket, at: now, &tickets, &effects, using: &generator) {
        watchPushing(&effects)
      } else if let news = lister.handle(
        answer, to: ticket, &tickets, &effects, using: &generator)
      {
        note(news, &effects)
      } else if let (key, outcome) = fetcher.handle(
        answer, to: ticket, &tickets, &effects, using: &generator)
      {
        meet(key, outcome)
      }
    case .elapsed(let ticket):
      if case .resting(let awaited) = stage, awaited == ticket {
        beginSettling()
      } else if !courier.rested(ticket), !lister.rested(ticket) {
        _ = fetcher.rested(ticket)
      }
    case .seen(let sighting):
      isBusy = false
      see(sighting, at: now, &effects)
    case .recorded:
      isBusy = false
      effects += courier.recorded(&tickets)
    case .decided(let outcome):
      isBusy = false
      conclude(outcome, at: now)
    case .cancel: stop(.cancelled)
    }
  }

  // MARK: The small change

  mutating func look(_ question: SyncQuery, _ effects: inout [Effect]) {
    isBusy = true
    effects.append(.look(question))
  }

  mutating func decide(_ decision: SyncDecision, _ effects: inout [Effect]) {
    isBusy = true
    effects.append(.decide(decision))
  }

  /// Nothing new begins; answers that are on their way are waited for if they change something.
  mutating func stop(_ stop: SyncReport.Stop) {
    report.note(stop)
    noteUnfinishedPull(stop)
    lister.cancel()
    fetcher.cancel()
    courier.stop(stop)
    doubtRows = []
  }

  /// Rows were asked for, and not all came.
  private mutating func noteUnfinishedPull(_ stop: SyncReport.Stop) {
    if case .accountReplaced = stop { return }
    guard options.pulls, options.lists else { return }
    switch stage {
    case .meeting, .listingRecent, .comparingRecent, .listingAll, .lookingForMissing, .lookingAgain:
      report.pull = .failed
    case .idle, .lookingForDoubts, .resting, .settling, .settled, .pulled, .planning, .pushing,
      .mergingAnswers, .takingStock, .done:
      break
    }
  }

  var isStopped: Bool { report.stop != nil || courier.report.stop != nil }
}

/// How a run is to behave.
public struct SyncConfiguration: Hashable, Sendable {
  /// Whether what the backend has is brought in.
  public var pulls = true
  /// Whether pulling lists all rows; the person is merged in any case.
  public var lists = true
  /// Whether edits are sent.
  public var pushes = true
  /// How many calls are under way at a time (setting `sync.concurrency`).
  public var concurrency = 4
  /// How long after an attempt a lost answer is looked into, in seconds (`sync.settle_seconds`).
  public var settleSeconds = 5
  /// Who wins where both sides changed a field (`sync.conflicts`); `open` leaves it to a person.
  public var conflicts = ConflictDecision.local
  /// Whether all rows are listed, however long ago that was.
  public var listsAll = false
  /// What to do about an account that was created again, or rows that are gone in numbers; `nil` to
  /// stop and leave it to a person.
  public var onReplacedAccount: ReplacementPolicy?
  /// What an earlier run knew of the backend's rows; `nil` to list all.
  package var lastListing: ListingFacts?
  /// The most entries that are planned at a time.
  package var entriesAtATime = 1_000

  /// Everything, four calls at a time; what was said here wins.
  public init() {}
}

/// What a person decided about an account that was created again, or rows that are gone in numbers
/// (docs/sync.md, A backend that forgot).
public enum ReplacementPolicy: String, Hashable, Sendable {
  /// The backend is rebuilt from the ledger: what it lacks is sent again.
  case resend
  /// The entries whose rows are gone are deleted here, too.
  case acceptDeletions
}
