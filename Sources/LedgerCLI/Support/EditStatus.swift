import LedgerLog
import LedgerModel
import LedgerProjections

/// Where something stands now, and what a person can do.
struct EditStatus {
  enum Status: String {
    case pending
    case inDoubt = "in_doubt"
    case held, rejected, conflict, synced, undone, erased
    /// Deleted on both sides, or before the backend ever heard of it.
    case deleted
    /// A conflict that waits for nobody.
    case decided
    /// An event that is no edit: nothing of it is sent.
    case recorded

    var words: String { self == .inDoubt ? "in doubt" : rawValue }
  }

  var status: Status
  /// Begins in lower case and ends without a full stop.
  var why: String
  var entry: EntryID?
  var backendID: BackendID?

  init(_ status: Status, _ why: String) {
    (self.status, self.why) = (status, why)
  }

  init(
    _ subject: ExplainedSubject, _ state: LedgerState, _ lines: [EventHistory.Line],
    in view: LogView
  ) throws(LogError) {
    switch subject {
    case .entry(let row): self = try .entry(row, state, in: view)
    case .edit(let seq, let fields): self = try .edit(seq, fields, state, in: view)
    case .conflict(let conflict): self = try .conflict(conflict, state, in: view)
    case .call(_, _, let events): self = try .edits(events, state, in: view)
    case .event(_, let payload): self = .event(payload)
    }
  }

  private static func event(_ payload: Event.Payload) -> EditStatus {
    switch payload {
    case .erased:
      EditStatus(.erased, "its content was removed; its place in the log and its proof stay")
    case .unknown:
      EditStatus(
        .recorded, "this version does not know its type; it is kept, and shows in no view")
    case .profilePulled:
      EditStatus(.recorded, "it says what the backend had; nothing is to be sent")
    case .progressCorrected, .progressDeleted:
      EditStatus(.recorded, "there was no such entry then, so it changed nothing and is not sent")
    default: EditStatus(.recorded, "it is no edit, so nothing of it is sent")
    }
  }

  /// What several edits have come to that may be about different things.
  private static func edits(
    _ events: [Seq], _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    let rows = Set(events.map { state.edits.row($0.number) })
    if rows.count == 1, let row = rows.first, let row { return try entry(row, state, in: view) }
    let known = events.filter { $0.number <= state.position.seq }
    if known.count == 1 { return try edit(known[0], [], state, in: view) }
    let statuses = known.map { Status($0, state) }
    let all: [Status] = [.inDoubt, .conflict, .pending, .held, .rejected, .synced, .undone]
    let found = all.filter { statuses.contains($0) }
    let counts = found.map { status in
      "\(NumberText.count(statuses.count { $0 == status })) \(status.words)"
    }
    return EditStatus(
      found.first ?? .recorded,
      counts.isEmpty
        ? "none of what it names is an edit"
        : "of the edits that it was about, \(counts.joined(separator: ", "))")
  }
}

extension EditStatus.Status {
  /// An edit's own.
  init(_ seq: Seq, _ state: LedgerState) {
    switch state.edits.state(seq.number) {
    case .none: self = .recorded
    case .inDoubt: self = .inDoubt
    case .acknowledged: self = .synced
    case .undone: self = .undone
    case .differed: self = .conflict
    case .pending, .held, .rejected:
      if state.editsInConflict().contains(seq.number) {
        self = .conflict
      } else {
        switch state.edits.state(seq.number) {
        case .held: self = .held
        case .rejected: self = .rejected
        default: self = .pending
        }
      }
    }
  }

  var style: Paint.Style {
    switch self {
    case .synced, .decided: .green
    case .pending, .inDoubt, .held: .yellow
    case .rejected, .conflict: .red
    case .undone, .erased, .deleted, .recorded: .dim
    }
  }
}
