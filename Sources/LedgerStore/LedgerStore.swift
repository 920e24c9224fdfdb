public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// A ledger as those use it who write to it: a log, and the state folded from it as far as it was
/// needed. What commands and apps share; it knows nothing of networks.
///
/// Not `Sendable`: give it to one actor or one thread.
public final class LedgerStore {
  public let log: EventLog
  private var folded: LedgerState?
  /// Whether `folded` was folded from the log's own lines with each chain link checked. Once it was,
  /// new lines are checked as well.
  private var isVerified = false

  public var directory: LedgerDirectory { log.directory }

  public init(_ directory: LedgerDirectory) {
    log = EventLog(directory)
  }

  public init(log: EventLog) {
    self.log = log
  }

  /// The state up to the log's end as it is now.
  ///
  /// - Throws: ``LogError``, damage included: a view of half a log would be a lie.
  public func state() throws(LogError) -> LedgerState {
    try catchUp(to: LogView.open(directory), keepsSnapshot: true)
  }

  /// The state up to the log's end as it is now, folded from the log's own lines with the chain link
  /// of each line checked, never from a snapshot: for whatever is sent or exported.
  ///
  /// The first call reads the whole log, later ones what was appended since.
  ///
  /// - Throws: ``LogError``, damage included.
  public func verifiedState() throws(LogError) -> LedgerState {
    try catchUp(to: LogView.open(directory), keepsSnapshot: true, verifies: true)
  }

  /// Answers a question about the state up to the log's end, without folding more for it than is
  /// needed.
  ///
  /// - Parameter question: may be asked twice, and must not let the state itself out.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  public func ask<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer {
    try ask(LogView.open(directory), keepsSnapshot: true, question)
  }

  /// How much of a log is read for an answer that is only nice to have: a few milliseconds' worth.
  private static let glanceBytes = 1 << 20

  /// Answers a question about the state up to the log's end where that is cheap: the log is short, or
  /// folded already, or has a snapshot that little has come after.
  ///
  /// - Parameter question: may be asked twice, and must not let the state itself out.
  /// - Returns: `nil` where the answer would take a long fold.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  public func glance<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer? {
    let view = try LogView.open(directory)
    if folded != nil || view.endBytes <= Self.glanceBytes {
      return try question(catchUp(to: view))
    }
    return try FoldedLog(view, keepsSnapshot: false, longestTailBytes: Self.glanceBytes)
      .quickly(question)
  }

  func ask<Answer>(
    _ view: LogView, keepsSnapshot: Bool = false, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if folded == nil,
      let answer = try FoldedLog(view, keepsSnapshot: keepsSnapshot).quickly(question)
    {
      return answer
    }
    return try question(catchUp(to: view, keepsSnapshot: keepsSnapshot))
  }

  /// - Parameters:
  ///   - keepsSnapshot: not while the log is locked by this process.
  ///   - verifies: whether a state that was not verified is folded again.
  func catchUp(
    to view: LogView, keepsSnapshot: Bool = false, verifies: Bool = false
  ) throws(LogError) -> LedgerState {
    let wasVerified = isVerified
    let verifies = verifies || wasVerified
    var state = (verifies == wasVerified ? folded : nil) ?? LedgerState()
    forget()
    let continues = try isContinued(state, by: view)
    let erasures = state.erasures
    if continues { try Replay.advance(&state, to: view, verifies: verifies) }
    // An erasure rewrites lines but keeps their hashes, and maybe even their lengths: its own event
    // at the end is what tells that the state holds what the log no longer does.
    if !continues || state.erasures != erasures {
      let log = FoldedLog(view, keepsSnapshot: keepsSnapshot)
      state = try verifies ? log.verifiedState() : log.state()
    }
    (folded, isVerified) = (state, verifies)
    return state
  }

  /// Drops what was folded, such as when an erasure has replaced the log.
  func forget() { (folded, isVerified) = (nil, false) }

  /// Whether the log still has, at the same place, the line that was folded last.
  private func isContinued(_ state: LedgerState, by view: LogView) throws(LogError) -> Bool {
    guard state.offsetBytes > 0, state.offsetBytes <= view.endBytes else { return false }
    return try view.position(behind: state.offsetBytes) == state.position
  }

  /// What an append came to, edit by edit.
  public struct Outcome: Sendable {
    public enum Edit: Hashable, Sendable {
      case appended(RecordedEvent)
      /// The log had an event with this id before; nothing was written for it.
      case known(Seq)

      /// Where it stands in the log.
      public var seq: Seq {
        switch self {
        case .appended(let event): event.seq
        case .known(let seq): seq
        }
      }
    }

    public var edits: [Edit] = []
    /// The new lines as they are stored, each with its `\n`.
    public var lines: [UInt8] = []
    /// What had to be mended before.
    public var repairs: [LogSession.Repair] = []
  }

  /// Decides edits against the ledger as it is and appends what they become: all of them in one
  /// durable write, or none.
  ///
  /// - Parameter today: the day in the ledger's zone.
  /// - Throws: ``EditRefusal`` naming the first edit that the rules refuse; ``LogError``.
  public func append(
    _ edits: [Edit], at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    let needsState = edits.contains(where: \.needsState)
    // A long fold is done before the lock is taken; under it only what came in between.
    if needsState { try ask { _ in } }
    return try log.withSession { session in
      let known = try knownIDs(edits, session)
      var outcome = Outcome(repairs: session.repairs)
      func decided(_ state: LedgerState?) throws -> [Event?] {
        try decide(
          edits, BatchFacts(state: state, indexing: edits.count > 16), known, at: now,
          today: today, using: &generator)
      }
      let events =
        needsState ? try ask(session.view()) { try decided($0) } : try decided(nil)
      let appended = try session.append(events.compactMap(\.self), using: &generator)
      outcome.lines = appended.lines
      var recorded = appended.events.makeIterator()
      for (edit, event) in zip(edits, events) {
        if event == nil, let seq = edit.id.flatMap({ known[$0] }) {
          outcome.edits.append(.known(seq))
        } else if let next = recorded.next() {
          outcome.edits.append(.appended(next))
        }
      }
      return outcome
    }
  }

  private func knownIDs(_ edits: [Edit], _ session: LogSession) throws -> [EventID: Seq] {
    let ids = Set(edits.compactMap(\.id))
    guard !ids.isEmpty else { return [:] }
    let view = try session.view()
    return try view.seqs(of: ids, in: view.lineBlocks())
  }

  /// - Returns: an event for each edit, `nil` for those that the log has already.
  private func decide(
    _ edits: [Edit], _ facts: BatchFacts, _ known: [EventID: Seq], at now: Timestamp,
    today: CalendarDate, using generator: inout some RandomNumberGenerator
  ) throws(EditRefusal) -> [Event?] {
    var facts = facts
    var seen: Set<EventID> = []
    var events: [Event?] = []
    for (index, edit) in edits.enumerated() {
      if let id = edit.id {
        if known[id] != nil {
          events.append(nil)
          continue
        }
        guard seen.insert(id).inserted else {
          throw EditRefusal(index: index, refusal: .rule("id \(id) stands twice in this batch"))
        }
      }
      do throws(Refusal) {
        let payload = try LedgerModel.decide(edit.change, given: facts, today: today)
        // What comes after it in the batch may build on it.
        if index + 1 < edits.count { facts.note(payload) }
        let id = edit.id ?? .make(at: now, using: &generator)
        events.append(Event(id: id, at: now, by: edit.by, payload: payload))
      } catch {
        throw EditRefusal(index: index, refusal: error)
      }
    }
    return events
  }
}

/// Which edit of a batch was refused, and why.
public struct EditRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 0.
  public var index: Int
  /// The sentence.
  public var refusal: Refusal

  public var description: String { refusal.description }
}

extension Edit {
  /// Whether the rules must look into the ledger to decide it.
  var needsState: Bool {
    switch change {
    case .logProgress: !hasFreshEntry
    case .correctProgress, .deleteProgress: true
    case .updateProfile, .updatePhysical, .updatePreferences: false
    }
  }
}

/// The ledger's entries with those of the batch that is being decided.
private struct BatchFacts: LedgerFacts {
  private let state: LedgerState?
  private let index: [LedgerUUID: Int]?
  private var batch: [EntryID: EntryFacts] = [:]

  /// - Parameter indexing: whether so many edits come that a table pays.
  init(state: LedgerState?, indexing: Bool = false) {
    self.state = state
    index = indexing && state?.findsByOrder != true ? state?.rowsByID() : nil
  }

  func entry(_ id: EntryID) -> EntryFacts? {
    if let facts = batch[id] { return facts }
    if let index {
      return index[id.uuid].flatMap { row in state?.facts(ofRow: row) }
    }
    return state?.entry(id)
  }

  mutating func note(_ payload: Event.Payload) {
    switch payload {
    case .progressLogged(let data):
      batch[data.entry] = EntryFacts(metric: data.metric, isDeleted: false)
    case .progressDeleted(let data):
      if let facts = entry(data.entry) {
        batch[data.entry] = EntryFacts(metric: facts.metric, isDeleted: true)
      }
    default: break
    }
  }
}
