import LedgerLog
public import LedgerModel
import LedgerProjections

/// A POST whose answer was lost: the backend may have made a row, or not.
public struct UnresolvedCall: Hashable, Sendable {
  public var entry: EntryID
  /// The newest attempt.
  public var call: CallID
  public var attemptSeq: Seq
  public var attemptedAt: Timestamp
  /// The edits it carried.
  public var events: [Seq]
  /// The values it carried.
  public var key: RowKey
  /// Whether they had a time of day.
  public var isTimed: Bool

  /// Where to look for its row: its day, and one on each side.
  var listing: Listing { .around(key.day, key.metric) }
}

/// All that is in doubt when a run begins.
public struct Doubts: Hashable, Sendable {
  /// Oldest attempt first.
  public var entries: [UnresolvedCall] = []
  /// Whether edits of the person wait, on whose way a GET of the profile must decide.
  public var concernsPerson = false
  /// How many edits wait, for who shows how far a run has come.
  public var openEdits = 0
  /// The `user_id`s of the account that the ledger belongs to and of the one that is signed in.
  public var owner: String?
  public var current: String?
  /// Whether the backend is known to have had a profile.
  public var hadProfile = false
  /// Whether only a listing of all rows will do: a row is to become an entry, or is to be deleted
  /// for one that another device may have deleted.
  public var needsAllRows = false

  public init() {}
}

extension SyncContext {
  private var finder: DoubtFinder<Texts> { DoubtFinder(state: state, texts: texts) }

  func key(of entry: EntryView) throws(LogError) -> RowKey { try finder.key(of: entry) }

  func doubts() throws(LogError) -> Doubts {
    var doubts = Doubts()
    for row in state.rowsWithOpenEdits() {
      if let doubt = try finder.doubt(ofRow: row) { doubts.entries.append(doubt) }
    }
    doubts.entries.sort { $0.attemptSeq < $1.attemptSeq }
    let counts = state.syncCounts()
    doubts.openEdits = counts.pending + counts.inDoubt
    doubts.owner = state.account.owner?.userID
    doubts.current = state.account.current?.userID
    doubts.hadProfile = ProfileSubject.profile.fields.contains {
      state.profile.agreed($0)?.isNothing == false
    }
    doubts.needsAllRows = index.hasAdmitted
    if !doubts.needsAllRows {
      doubts.needsAllRows = try !state.rowsToDelete(texts.backendID).isEmpty
    }
    doubts.concernsPerson = [ProfileSubject.profile, .physical].contains { subject in
      state.profile.edits(of: subject).contains { state.edits.state($0).isOpen }
    }
    return doubts
  }
}

/// Reads from the log what an attempt carried.
struct DoubtFinder<Texts: LedgerTexts> {
  let state: LedgerState
  let texts: Texts

  /// What is in doubt of an entry: a POST without an answer. A DELETE is simply sent again.
  func doubt(ofRow row: Int) throws(LogError) -> UnresolvedCall? {
    for seq in state.edits(ofRow: row) where state.edits.state(seq.number) == .inDoubt {
      guard let marker = state.edits.marker(seq.number).flatMap(Seq.init(exactly:)) else {
        continue
      }
      let recorded = try texts.event(marker)
      guard case .syncAttempted(let attempt) = recorded.event.payload,
        attempt.method == WireRequest.Method.post.rawValue
      else { continue }
      let values = state.entry(at: row, carriedBy: attempt.events, attempt: marker)
      return UnresolvedCall(
        entry: values.id, call: attempt.call, attemptSeq: marker, attemptedAt: recorded.event.at,
        events: attempt.events, key: try key(of: values), isTimed: values.moment != nil)
    }
    return nil
  }

  func key(of entry: EntryView) throws(LogError) -> RowKey {
    let notes = try entry.notesIn.map { seq throws(LogError) in try texts.notes(in: seq) }
    return RowKey(entry, notes: (notes ?? nil) ?? "")
  }
}

extension RowKey {
  /// What an entry with these values looks like in a listing.
  init(_ entry: EntryView, notes: String) {
    let moment = entry.moment ?? ZonedTime(time: .midnight, zone: .utc)
    self.init(
      metric: entry.metric, moment: moment.instant(on: entry.date), quantity: entry.quantity,
      notes: notes)
  }
}
