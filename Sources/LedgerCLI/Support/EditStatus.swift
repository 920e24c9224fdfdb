import LedgerLog
import LedgerModel
import LedgerProjections

/// The sync status of an entry, edit, conflict or call, with what the user can do about it.
struct EditStatus {
  enum Status: String {
    case pending
    case inDoubt = "in_doubt"
    case held, rejected, conflict, synced, undone, erased
    /// Deleted on both sides, or before it was sent.
    case deleted
    /// A conflict that needs no decision.
    case decided
    /// Not an edit, so it is not sent.
    case recorded

    var words: String { self == .inDoubt ? "in doubt" : rawValue }
  }

  var status: Status
  /// Starts in lower case, without a full stop.
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

  /// The common status of edits that may concern different entries or fields.
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
  /// The status of one edit.
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

extension EditStatus {
  /// An entry has the least advanced status of its edits.
  private static func entry(
    _ index: Int, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    let entry = state.entry(at: index)
    let shown = try ShownEntry(entry, in: view)
    var status = try entryStatus(index, entry, shown.backendID, state, in: view)
    status.entry = entry.id
    status.backendID = shown.backendID
    return status
  }

  private static func entryStatus(
    _ index: Int, _ entry: EntryView, _ row: BackendID?, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    guard state.isMade(row: index) else {
      return EditStatus(.undone, "it counts as never made, and nothing of it is sent")
    }
    let edits = state.edits(ofRow: index)
    if entry.failure == .conflict || state.hasOpenConflict(of: entry.id) {
      let open = state.openConflicts().last { $0.subject == entry.id.description }
      return EditStatus(
        .conflict, "the backend has other values: \(open?.remedy ?? "ledger conflicts")")
    }
    for wanted: EditState in [.inDoubt, .pending, .held, .rejected] {
      guard let edit = edits.last(where: { state.edits.state($0.number) == wanted }) else {
        continue
      }
      return try waiting(edit, state, in: view, correction: "ledger append correction \(entry.seq)")
    }
    guard entry.isDeleted else {
      return EditStatus(
        .synced, row.map { "the backend has it as \($0)" } ?? "nothing is to be sent")
    }
    return EditStatus(
      .deleted,
      row == nil
        ? "it was deleted before it was ever sent, so there is nothing to say to the backend"
        : "it was deleted here, and the backend no longer has it")
  }

  /// The status of an edit of profile fields.
  private static func edit(
    _ seq: Seq, _ fields: Set<ProfileField>, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    switch Status(seq, state) {
    case .conflict:
      let conflict = state.conflicts().last { $0.isOpen && touches($0, seq, state) }
      return EditStatus(
        .conflict, "the backend changed it too: \(conflict?.remedy ?? "ledger conflicts")")
    case .synced: return try synced(seq, fields, state, in: view)
    case .undone: return EditStatus(.undone, "it counts as never made, and nothing of it is sent")
    case .pending, .inDoubt, .held, .rejected:
      return try waiting(
        seq, state, in: view, correction: "ledger append profile, physical or preferences")
    case .recorded, .erased, .deleted, .decided:
      return EditStatus(.recorded, "it is no edit, so nothing of it is sent")
    }
  }

  private static func touches(_ conflict: ConflictView, _ edit: Seq, _ state: LedgerState) -> Bool {
    conflict.field.map { state.profile.edits(setting: $0).contains(edit.number) } ?? false
  }

  private static func synced(
    _ seq: Seq, _ fields: Set<ProfileField>, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    var why = "the backend has it"
    if let marker = state.edits.marker(seq.number).flatMap({ Seq(exactly: $0) }),
      case .syncAcknowledged(let data) = try view.line(marker).event().event.payload,
      data.via == .elided
    {
      why = "there was nothing left to send of it"
    }
    let later = Set(fields.compactMap { state.setter(of: $0) })
    if !later.isEmpty, !later.contains(seq) {
      why += "; since replaced by \(SyncText.list(later.sorted()))"
    }
    return EditStatus(.synced, why)
  }

  private static func conflict(
    _ conflict: ConflictView, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> EditStatus {
    let seq = conflict.seq
    if let later = conflict.replacedBy, conflict.decision == .open {
      return EditStatus(.decided, "conflict \(later) over the same field took its place")
    }
    guard conflict.decision != .open else {
      return EditStatus(.conflict, "decide it: \(conflict.remedy)")
    }
    let (whose, other) =
      conflict.decision == .local ? ("your value", "remote") : ("the backend's value", "local")
    let who = conflict.resolution == nil ? "the policy chose" : "you chose"
    let again = "the other way: ledger resolve \(seq) --take \(other)"
    guard let resolution = conflict.resolution?.seq, state.edits.state(resolution.number).isOpen
    else { return EditStatus(.decided, "\(who) \(whose); \(again)") }
    var status = try edit(resolution, [], state, in: view)
    status.why = "\(who) \(whose); \(status.why)"
    return status
  }

  /// The status of an edit that the backend has not accepted, with its last answer.
  private static func waiting(
    _ seq: Seq, _ state: LedgerState, in view: LogView, correction: String
  ) throws(LogError) -> EditStatus {
    let marker = state.edits.marker(seq.number).flatMap { Seq(exactly: $0) }
    let answer = try marker.map { seq throws(LogError) in
      try view.line(seq).event().event.payload
    }
    switch (state.edits.state(seq.number), answer) {
    case (.inDoubt, _):
      return EditStatus(
        .inDoubt, "it was sent and no answer is known; the next 'ledger sync' finds out")
    case (.held, .syncHeld(let data)?):
      return EditStatus(.held, SyncText.advice(onHold: data.reason))
    case (.rejected, .syncRejected(let data)?):
      return EditStatus(
        .rejected,
        "the backend refused it (\(data.status)), \(data.message); "
          + "correct it with '\(correction) …', and sync again")
    case (_, .syncDeferred(let data)?):
      return EditStatus(.pending, "\(SyncText.words(data.reason)); try again: ledger sync")
    default: return EditStatus(.pending, "send it: ledger sync")
    }
  }
}
