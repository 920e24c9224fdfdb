public import LedgerModel

/// One run of the projector, as a pure machine: inputs come in, effects go out, and whoever drives
/// it performs them and reports back. Time and randomness come in from outside. All it remembers
/// between runs is in the log.
///
/// Stages, each skipped where it has nothing to do: look for doubts → wait until late rows have
/// had their time → settle → the person, field by field → pull rows → look again for rows that
/// vanished → push, a stretch of the outbox at a time → take stock → done. A stop (offline, signed
/// out, …) lets land what flies, and goes on at «take stock».
public struct SyncMachine: Sendable {
  public enum Input: Sendable {
    case begin
    case answered(Ticket, WireAnswer)
    /// An alarm that was set by ``Effect/wait(_:milliseconds:)``.
    case elapsed(Ticket)
    case seen(SyncSighting)
    /// The events of the last ``Effect/record(_:)`` are durable.
    case recorded
    /// So are those of the last ``Effect/decide(_:)``.
    case decided(SyncOutcome)
    /// Start nothing more, and end as soon as what is under way has ended.
    case cancel
  }

  public enum Effect: Hashable, Sendable {
    /// Send, and say what came back. A call that changes something was recorded before.
    case send(Ticket, WireRequest)
    case wait(Ticket, milliseconds: Int)
    /// Answer from the log as it is now.
    case look(SyncQuestion)
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
    case resting(Ticket)
    case settling
    case meeting
    case pulling
    case lookingForMissing
    case lookingAgain
    case planning
    case pushing
    case takingStock
    case done
  }

  let options: SyncWishes
  var stage = Stage.idle
  /// Whether a look, a decision or a record is under way: there is one at a time.
  var isBusy = false
  var tickets = TicketRoll()
  var report = SyncReport()
  var remote = RemoteProfile.unknown

  var doubts = Doubts()
  /// Entries whose doubt was looked into, whatever came of it.
  var settled: Set<EntryID> = []
  var notFound: Set<EntryID> = []
  var lister: Lister
  /// Rows that were listed and not yet decided upon.
  var rows: [ListedRow] = []
  var listed: Set<UInt64> = []
  var listedCount = 0
  /// Rows that were listed and cannot be read.
  var strangers = 0
  var missing: [MissingRow] = []
  var fetcher: Fetcher
  var person = RemotePerson()
  var skipsPerson = false
  var courier: Courier
  var nextRow: Int?
  var signedOutIsRecorded = false

  public init(_ options: SyncWishes = SyncWishes()) {
    self.options = options
    lister = Lister(limit: options.concurrency)
    fetcher = Fetcher(limit: options.concurrency)
    courier = Courier(limit: options.concurrency, remote: .unknown)
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
      conclude(outcome)
    case .cancel: stop(.cancelled)
    }
  }

  // MARK: The small change

  mutating func look(_ question: SyncQuestion, _ effects: inout [Effect]) {
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
    lister.cancel()
    fetcher.cancel()
    courier.stop(stop)
    rows = []
  }

  var isStopped: Bool { report.stop != nil || courier.report.stop != nil }
}

/// How a run is to behave.
public struct SyncWishes: Hashable, Sendable {
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
  /// The most entries that are planned at a time.
  package var entriesAtATime = 1_000

  /// Everything, four calls at a time; what was said here wins.
  public init() {}
}
