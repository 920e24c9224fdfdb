public import LedgerLog
public import LedgerModel
public import LedgerProjections
import LedgerStore

/// Where the machine's questions are answered and its decisions are made, from the log as it is at
/// that moment. It writes nothing: a decision is the events that it comes to.
public struct SyncContext<Texts: LedgerTexts> {
  public let state: LedgerState
  let texts: Texts
  let index: RowIndex
  let dialect: Dialect
  let zone: LocalZone

  public init(
    state: LedgerState, texts: Texts, index: RowIndex, dialect: Dialect,
    zone: LocalZone = .current
  ) {
    self.state = state
    self.texts = texts
    self.index = index
    self.dialect = dialect
    self.zone = zone
  }

  /// - Throws: only when the log cannot be read.
  public func answer(_ question: SyncQuery) throws(LogError) -> SyncQueryResult {
    switch question {
    case .doubts: .doubts(try doubts(), notBefore: state.notBefore)
    case .unlisted(let hashes): .unlisted(hashes.contains { !index.isOnRecord($0) })
    case .missing(let listed): .missing(try missing(from: listed))
    case .plan(let wish): .plan(try Planner.plan(state, texts: texts, dialect: dialect, wish))
    case .standing: .standing(try standing())
    }
  }

  func standing() throws(LogError) -> SyncStanding {
    var counts = state.syncCounts()
    counts.pending += try state.rowsToDelete(texts.backendID).count
    return SyncStanding(
      counts: counts, openConflicts: state.openConflicts().count,
      openSuspicions: state.openSuspicions().count)
  }

  /// What a decision comes to, were it recorded now.
  ///
  /// - Throws: only when the log cannot be read.
  public func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], outcome: SyncOutcome) {
    switch decision {
    case .settle(let doubts, let rows):
      let (payloads, settlement) = settle(doubts, rows)
      return (payloads, .settled(settlement))
    case .pull(let request):
      var (payloads, pulled) = try pull(request, at: now, using: &generator)
      pulled.lastSeq = state.position.seq
      return (payloads, .pulled(pulled))
    }
  }
}

/// What the machine asks of the log.
public enum SyncQuery: Hashable, Sendable {
  /// What is in doubt, and whether the backend asked for patience.
  case doubts
  /// Whether any of these rows, by the hashes of their ids, is not on record.
  case unlisted(Set<UInt64>)
  /// Entries whose rows were not listed; by the hashes of the ids that were.
  case missing(listed: Set<UInt64>)
  case plan(PlanRequest)
  /// How many edits stand where.
  case standing
}

public enum SyncQueryResult: Hashable, Sendable {
  case doubts(Doubts, notBefore: Timestamp?)
  case unlisted(Bool)
  case missing([MissingRow])
  case plan(Plan)
  case standing(SyncStanding)
}

/// What is left to do when a run ends.
public struct SyncStanding: Hashable, Sendable {
  public var counts = SyncCounts()
  public var openConflicts = 0
  public var openSuspicions = 0

  public init(
    counts: SyncCounts = SyncCounts(), openConflicts: Int = 0, openSuspicions: Int = 0
  ) {
    self.counts = counts
    self.openConflicts = openConflicts
    self.openSuspicions = openSuspicions
  }
}

/// What is decided under the log's lock, so that no edit comes in between.
public enum SyncDecision: Hashable, Sendable {
  case settle([UnresolvedCall], [ListedRow])
  case pull(PullRequest)
}

public enum SyncOutcome: Hashable, Sendable {
  case settled(Settlement)
  case pulled(Pulled)
}
