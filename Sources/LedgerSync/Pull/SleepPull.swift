import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Decides what listed sleep sessions mean (docs/sync.md, Sleep). The backend can neither change nor
/// delete a session, and has one for each `source_id`.
struct SleepPull<Texts: LedgerTexts> {
  private let context: SyncContext<Texts>
  private let sessions: [ListedSession]
  private let now: Timestamp
  private(set) var payloads: [Event.Payload] = []
  private(set) var result = Pulled()
  /// Sessions here by the hash of the id that is bound to them.
  private let bound: [UInt64: Int]

  private var state: LedgerState { context.state }

  init(_ context: SyncContext<Texts>, _ listing: RowListing, at now: Timestamp) {
    self.context = context
    sessions = listing.sessions ?? []
    self.now = now
    bound = sessions.isEmpty ? [:] : context.boundSessions()
  }

  mutating func run(using generator: inout some RandomNumberGenerator) throws(LogError) {
    var bySource: [String: Int]?
    let listed = Set(sessions.map { RowIndex.hash($0.id) })
    let erased = sessions.isEmpty ? [] : Set(state.erasedSessions().map(\.entry))
    // The backend lists newest first.
    for row in sessions.reversed() {
      if let index = bound[RowIndex.hash(row.id)] {
        try compare(index, with: row)
        continue
      }
      if bySource == nil { bySource = try context.sessions(notIn: listed) }
      if let index = row.sourceID.flatMap({ bySource?[$0] }) {
        if state.isDeletedBySync(session: index) {
          // Another device has sent it again.
          pull(row, using: &generator)
        } else {
          try bind(index, to: row, using: &generator)
        }
      } else if !context.index.knows(row.id) {
        if !row.isAny(of: erased) { pull(row, using: &generator) }
      } else if let index = try context.formerSession(of: row.id) {
        try bind(index, to: row, using: &generator)
      }
    }
  }

  /// Another device sent it too, or sent it again after the backend lost it. An unsent session with other
  /// values is left to its POST, whose answer shows them; one that was deleted here has none, and its
  /// deletion is about the row.
  private mutating func bind(
    _ index: Int, to row: ListedSession, using generator: inout some RandomNumberGenerator
  ) throws(LogError) {
    let deletion = state.deletion(ofSession: index)
    let edits = state.edits(ofSession: index).filter { $0 != deletion }
    var covered: [Seq]?
    for edit in edits.reversed() where covered == nil {
      let version = state.session(at: index, upTo: edit)
      let values = try state.sleepValues(version, at: index, context.texts)
      if values.differences(from: row.json).isEmpty { covered = edits.filter { $0 <= edit } }
    }
    if deletion != nil, covered == nil { covered = edits }
    guard let covered else {
      if state.binding(ofSession: index) != nil { try compare(index, with: row) }
      return
    }
    payloads.append(
      .syncAcknowledged(
        SyncAcknowledged(
          call: .make(at: now, using: &generator), events: covered, status: 200, via: .reconciled,
          entry: state.session(at: index).id, backendID: row.id)))
    result.reconciled += covered.count
  }

  /// The user decides about differences.
  private mutating func compare(_ index: Int, with row: ListedSession) throws(LogError) {
    let session = state.session(at: index)
    guard !session.isDeleted, session.status == .synced, !state.hasOpenConflict(of: session.id)
    else { return }
    let found = try state.sleepValues(session, at: index, context.texts)
      .differences(from: row.json)
    guard !found.isEmpty else { return }
    let edits = state.edits(ofSession: index).filter {
      state.edits.state($0.number) == .acknowledged
    }
    result.differs += edits.count
    payloads.append(
      .syncDiffered(
        SyncDiffered(
          events: edits, status: 200, via: .reconciled, entry: session.id, backendID: row.id,
          remote: SleepValues.recordable(row.json))))
    payloads += found.map { difference in
      .conflictDetected(
        ConflictDetected(
          subject: session.id.description, field: difference.field, local: difference.local,
          remote: difference.remote, decision: .open, backendID: row.id))
    }
  }

  private mutating func pull(
    _ row: ListedSession, using generator: inout some RandomNumberGenerator
  ) {
    let id = EntryID.make(at: now, using: &generator)
    guard let pulled = row.pulled(as: id, in: context.zone) else { return }
    payloads.append(.sleepPulled(pulled))
    result.entries += 1
  }
}

extension ListedSession {
  /// Whether another device has sent one of these sessions again, which were erased here: its own id is
  /// its `source_id`.
  func isAny(of erased: Set<EntryID>) -> Bool {
    sourceID.flatMap { EntryID($0) }.map(erased.contains) ?? false
  }
}

extension SyncContext {
  /// Sessions, deleted ones too, by the hash of the id that is bound to them.
  func boundSessions() -> [UInt64: Int] {
    var found: [UInt64: Int] = [:]
    for place in state.sessions {
      if let seq = state.binding(ofSession: place), let hash = index.hash(boundBy: seq) {
        found[hash] = place
      }
    }
    return found
  }

  /// Sessions without an id, or with one that is not listed, by their `source_id`.
  ///
  /// - Parameter listed: hashes of ids.
  func sessions(notIn listed: Set<UInt64>) throws(LogError) -> [String: Int] {
    var found: [String: Int] = [:]
    for place in state.sessions {
      if let seq = state.binding(ofSession: place), let hash = index.hash(boundBy: seq),
        listed.contains(hash)
      {
        continue
      }
      let values = try state.sleepValues(state.session(at: place), at: place, texts)
      found[values.sourceID] = place
    }
    return found
  }

  /// The session that had a backend id before the account was created again.
  func formerSession(of id: BackendID) throws(LogError) -> Int? {
    guard let seq = index.binding(of: id) else { return nil }
    let entry = try texts.event(seq).event.payload.entryID
    return entry.flatMap(state.session(of:)).flatMap { place in
      state.binding(ofSession: place) == nil ? place : nil
    }
  }

  /// Live sessions of which a listing of all shows neither the id nor the `source_id`.
  func missingSessions(in listing: RowListing) throws(LogError) -> [Int] {
    guard let sessions = listing.sessions else { return [] }
    let listed = Set(sessions.map { RowIndex.hash($0.id) })
      .union(listing.unreadable.compactMap(\.id).map(RowIndex.hash))
    let sources = Set(sessions.compactMap(\.sourceID))
    var missing: [Int] = []
    for (hash, place) in boundSessions() where !listed.contains(hash) {
      let session = state.session(at: place)
      guard !session.isDeleted else { continue }
      let values = try state.sleepValues(session, at: place, texts)
      if !sources.contains(values.sourceID) { missing.append(place) }
    }
    return missing.sorted()
  }
}
