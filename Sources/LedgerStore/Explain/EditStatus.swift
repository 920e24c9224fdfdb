import LedgerLog
public import LedgerModel
public import LedgerProjections

/// The sync status of an edit, entry, conflict or call, with its cause.
public indirect enum EditStatus: Sendable {
  /// Not sent since it was made.
  case unsent
  /// The last call failed; the next one may succeed.
  case deferred(DeferralReason)
  /// Sent, and the answer is unknown.
  case inDoubt
  /// Cannot be sent until another edit lifts the reason; a ``HoldReason`` or a sentence of a later
  /// version.
  case held(reason: String)
  /// The backend refused it, with an HTTP status and its message.
  case rejected(status: Int, message: String)
  /// The backend has other values. `nil` if only its answer says so.
  case differing(ConflictView?)
  /// An entry that the backend has; `nil` for one that needs no call.
  case synced(BackendID?)
  /// An edit of fields that the backend has, and the edits that set all its fields since.
  case acknowledged(neededCall: Bool, replacedBy: [Seq])
  /// A deleted entry, with nothing left to send.
  case deleted(wasSent: Bool)
  /// It was undone before it was sent.
  case undone
  /// The user must decide.
  case openConflict(ConflictView)
  /// A conflict that a later one over the same field replaced.
  case replacedConflict(by: Seq)
  /// - Parameter resolution: the status of the decision until the backend has it.
  case decidedConflict(ConflictView, resolution: EditStatus?)
  /// Several edits, counted.
  case several([Code: Int])
  /// Its content was erased.
  case erased
  /// It is never sent.
  case notEdit(NonEdit)

  /// An event that is never sent.
  public enum NonEdit: Sendable {
    /// Of a type that this version does not know.
    case unknownType
    /// Records the backend's values.
    case pulled
    /// A change of an entry that did not exist.
    case noEntry
    /// Any other event.
    case other
  }

  /// A status without its cause, for programs.
  public enum Code: String, Sendable {
    /// Not sent.
    case pending
    /// Sent, without an answer.
    case inDoubt = "in_doubt"
    /// Cannot be sent until another edit lifts the reason.
    case held
    /// The backend refused it.
    case rejected
    /// The user must decide between two values.
    case conflict
    /// The backend has it.
    case synced
    /// Undone before it was sent.
    case undone
    /// Its content was erased.
    case erased
    /// Deleted on both sides, or before it was sent.
    case deleted
    /// A conflict that needs no decision.
    case decided
    /// Not an edit, so it is not sent.
    case recorded

    /// The codes of edits, most urgent first.
    public static let byUrgency: [Code] = [
      .inDoubt, .conflict, .pending, .held, .rejected, .synced, .undone,
    ]
  }

  /// The status without its cause.
  public var code: Code {
    switch self {
    case .unsent, .deferred: .pending
    case .inDoubt: .inDoubt
    case .held: .held
    case .rejected: .rejected
    case .differing, .openConflict: .conflict
    case .synced, .acknowledged: .synced
    case .deleted: .deleted
    case .undone: .undone
    case .replacedConflict: .decided
    case .decidedConflict(_, let resolution): resolution?.code ?? .decided
    case .several(let counts): Code.byUrgency.first { counts[$0] != nil } ?? .recorded
    case .erased: .erased
    case .notEdit: .recorded
    }
  }
}

/// Determines statuses from a state and the answers in its log.
struct EditStatusReader {
  let state: LedgerState
  let view: LogView

  /// A subject that is not a single entry.
  func status(of subject: ExplainedSubject) throws(LogError) -> EditStatus {
    switch subject {
    case .entry(let row): try status(ofRow: row, DetailedEntry(state.entry(at: row), in: view))
    case .session(let index):
      try status(
        ofSession: index, DetailedSession(state.session(at: index), in: view).backendID)
    case .edit(let seq, let fields): try status(of: seq, setting: fields)
    case .conflict(let conflict): try status(of: conflict)
    case .call(_, _, let events): try status(of: events)
    case .event(let recorded): Self.status(of: recorded.event.payload)
    }
  }

  /// An entry has the most urgent status of its edits.
  func status(ofRow row: Int, _ shown: DetailedEntry) throws(LogError) -> EditStatus {
    let entry = shown.entry
    guard state.isMade(row: row) else { return .undone }
    return try status(
      of: entry.id, state.edits(ofRow: row), isInConflict: entry.failure == .conflict,
      entry.isDeleted, shown.backendID)
  }

  /// As of an entry.
  func status(ofSession index: Int, _ backendID: BackendID?) throws(LogError) -> EditStatus {
    let session = state.session(at: index)
    guard state.isMade(session: index) else { return .undone }
    return try status(
      of: session.id, state.edits(ofSession: index), isInConflict: session.failure == .conflict,
      session.isDeleted, backendID)
  }

  private func status(
    of id: EntryID, _ edits: [Seq], isInConflict: Bool, _ isDeleted: Bool, _ backendID: BackendID?
  ) throws(LogError) -> EditStatus {
    if isInConflict || state.hasOpenConflict(of: id) {
      return .differing(state.openConflicts().last { $0.subject == id.description })
    }
    for wanted: EditState in [.inDoubt, .pending, .held, .rejected] {
      if let edit = edits.last(where: { state.edits.state($0.number) == wanted }) {
        return try waitingStatus(of: edit)
      }
    }
    return isDeleted ? .deleted(wasSent: backendID != nil) : .synced(backendID)
  }

  /// Edits of different entries or fields.
  private func status(of events: [Seq]) throws(LogError) -> EditStatus {
    let known = events.filter { $0.number <= state.position.seq }
    if known.count == 1 { return try status(of: known[0], setting: []) }
    let codes = known.map(code).filter { $0 != .recorded }
    return .several(Dictionary(codes.map { ($0, 1) }, uniquingKeysWith: +))
  }

  private static func status(of payload: Event.Payload) -> EditStatus {
    switch payload {
    case .erased: .erased
    case .unknown: .notEdit(.unknownType)
    case .profilePulled: .notEdit(.pulled)
    case .progressCorrected, .progressDeleted, .sleepCorrected, .sleepDeleted:
      .notEdit(.noEntry)
    default: .notEdit(.other)
    }
  }

  private func code(_ seq: Seq) -> EditStatus.Code {
    let waiting: EditStatus.Code
    switch state.edits.state(seq.number) {
    case .none: return .recorded
    case .inDoubt: return .inDoubt
    case .acknowledged: return .synced
    case .undone: return .undone
    case .differed: return .conflict
    case .pending: waiting = .pending
    case .held: waiting = .held
    case .rejected: waiting = .rejected
    }
    return state.editsInConflict().contains(seq.number) ? .conflict : waiting
  }

  /// An edit of profile fields.
  private func status(
    of seq: Seq, setting fields: Set<ProfileField>
  ) throws(LogError) -> EditStatus {
    switch code(seq) {
    case .conflict:
      return .differing(
        state.conflicts().last { conflict in
          guard conflict.isOpen, let field = conflict.field else { return false }
          return state.profile.edits(setting: field).contains(seq.number)
        })
    case .synced:
      let later = Set(fields.compactMap { state.setter(of: $0) })
      return .acknowledged(
        neededCall: try !isElided(seq), replacedBy: later.contains(seq) ? [] : later.sorted())
    case .undone: return .undone
    case .pending, .inDoubt, .held, .rejected: return try waitingStatus(of: seq)
    case .recorded, .erased, .deleted, .decided: return .notEdit(.other)
    }
  }

  private func isElided(_ seq: Seq) throws(LogError) -> Bool {
    guard case .syncAcknowledged(let data) = try answer(to: seq) else { return false }
    return data.via == .elided
  }

  private func status(of conflict: ConflictView) throws(LogError) -> EditStatus {
    guard conflict.decision != .open else {
      return conflict.replacedBy.map { .replacedConflict(by: $0) } ?? .openConflict(conflict)
    }
    guard let seq = conflict.resolution?.seq, state.edits.state(seq.number).isOpen
    else { return .decidedConflict(conflict, resolution: nil) }
    return .decidedConflict(conflict, resolution: try status(of: seq, setting: []))
  }

  /// An edit that the backend has not accepted.
  private func waitingStatus(of seq: Seq) throws(LogError) -> EditStatus {
    let answer = try answer(to: seq)
    switch (state.edits.state(seq.number), answer) {
    case (.inDoubt, _): return .inDoubt
    case (.held, .syncHeld(let data)?): return .held(reason: data.reason)
    case (.rejected, .syncRejected(let data)?):
      return .rejected(status: data.status, message: data.message)
    case (_, .syncDeferred(let data)?): return .deferred(data.reason)
    default: return .unsent
    }
  }

  /// The last answer to an edit, or the hold.
  private func answer(to seq: Seq) throws(LogError) -> Event.Payload? {
    guard let marker = state.edits.marker(seq.number).flatMap({ Seq(exactly: $0) }) else {
      return nil
    }
    return try view.line(marker).event().event.payload
  }
}
