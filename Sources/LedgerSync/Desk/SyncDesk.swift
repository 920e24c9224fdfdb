public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Where the machine's questions are answered and its decisions are made, from the log as it is at
/// that moment. It writes nothing: a decision is the events that it comes to.
public struct SyncDesk<Texts: LedgerTexts> {
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
  public func answer(_ question: SyncQuestion) throws(LogError) -> SyncSighting {
    switch question {
    case .doubts: .doubts(try doubts(), notBefore: state.notBefore)
    case .missing(let listed): .missing(try missing(from: listed))
    case .plan(let wish): .plan(try Planner.plan(state, texts: texts, dialect: dialect, wish))
    case .standing: .standing(state.syncCounts())
    }
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
    case .merge(let person, let policy):
      let (payloads, merged) = try merge(person, policy: policy)
      return (payloads, .merged(merged))
    case .take(let rows, let settled):
      let (payloads, pulled) = try take(rows, settled: settled, at: now, using: &generator)
      return (payloads, .taken(pulled))
    case .drop(let missing, let listed, let policy):
      let (payloads, dropped) = try drop(missing, unlessIn: listed, policy: policy)
      return (payloads, .dropped(dropped))
    }
  }
}

/// What the machine asks of the log.
public enum SyncQuestion: Hashable, Sendable {
  /// What is in doubt, and whether the backend asked for patience.
  case doubts
  /// Entries whose rows were not listed; by the hashes of the ids that were.
  case missing(listed: Set<UInt64>)
  case plan(PlanWish)
  /// How many edits stand where.
  case standing
}

public enum SyncSighting: Hashable, Sendable {
  case doubts(Doubts, notBefore: Timestamp?)
  case missing([MissingRow])
  case plan(Plan)
  case standing(SyncCounts)
}

/// What is decided under the log's lock, so that no edit comes in between.
public enum SyncDecision: Hashable, Sendable {
  case settle([Doubt], [ListedRow])
  case merge(RemotePerson, policy: ConflictDecision)
  case take([ListedRow], settled: Set<EntryID>)
  case drop([MissingRow], listed: Set<UInt64>, policy: ConflictDecision)
}

public enum SyncOutcome: Hashable, Sendable {
  case settled(Settlement)
  case merged(Merged)
  case taken(Pulled)
  case dropped(Int)
}
