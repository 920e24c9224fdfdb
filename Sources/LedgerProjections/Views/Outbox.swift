public import LedgerJSON
public import LedgerLog
public import LedgerModel

/// The edits that the backend has not taken, gathered by what they are about and why they wait.
/// Every one of them stands in exactly one item, so the items add up to the counts of `status`.
public struct Outbox: Hashable, Sendable {
  /// Why an edit waits.
  public enum State: String, CaseIterable, Sendable {
    /// It leaves with the next sync.
    case pending
    /// It was sent and its answer lost; the next sync finds out.
    case inDoubt = "in_doubt"
    /// The backend does not take it yet.
    case held
    /// The backend refused it; a correction sends it again.
    case rejected
    /// A person has to decide a conflict first.
    case conflict
  }

  /// What an edit is about: one group of the profile, or one entry.
  public enum Subject: Hashable, Sendable {
    /// Fields of the person.
    case profile(ProfileSubject)
    /// An entry, and what was measured.
    case entry(EntryID, Metric)
    /// An entry of which only the row at the backend is left.
    case erasedEntry(EntryID)
    /// Rows that a person declared to be duplicates of an entry; they are deleted.
    case duplicates(EntryID)
    /// The row that an entry had before a correction; it is deleted.
    case formerRow(EntryID)
  }

  /// Edits of one subject that wait for the same reason.
  public struct Item: Hashable, Sendable {
    /// What they are about.
    public var subject: Subject
    /// Why they wait.
    public var state: State
    /// What the backend said of those that it refused; of those that are held the code of a
    /// `HoldReason`; `nil` otherwise.
    public var text: String?
    /// The edits, oldest first.
    public var events: [Seq]
    /// The status that the backend refused them with; `nil` otherwise.
    public var status: Int?
    /// What was sent and refused, as far as it is on record.
    public var body: JSONValue?
    /// The event that made the entry; `nil` for fields of the person.
    public var logged: Seq?
    /// The conflicts that they wait for, oldest first.
    public var conflicts: [ConflictView] = []

    /// The entry that they are about; `nil` for fields of the person.
    public var entry: EntryID? {
      switch subject {
      case .profile: nil
      case .entry(let id, _), .erasedEntry(let id), .duplicates(let id), .formerRow(let id): id
      }
    }
  }

  /// In the order of the oldest edit of each.
  public private(set) var items: [Item] = []

  /// - Parameter view: the log that was folded, which holds reasons and messages.
  public init(_ state: LedgerState, in view: LogView) throws(LogError) {
    let conflicts = state.editsInConflict()
    let profile = Self.profileSubjects(state)
    var places: [Key: Int] = [:]
    for number in state.edits.seqs(where: { $0.isOpen || $0.isFailed }) {
      guard let seq = Seq(exactly: number), state.isWaiting(number),
        let itemState = State(state.edits.state(number), isInConflict: conflicts.contains(number)),
        let subject = Subject(ofEdit: number, in: state) ?? profile[number].map(Subject.profile)
      else { continue }
      var item = Item(subject: subject, state: itemState, events: [])
      try item.tell(state.edits.marker(number), in: view)
      let key = Key(subject: subject, state: itemState, text: item.text)
      let place = places[key] ?? items.count
      if place == items.count {
        places[key] = place
        item.logged = state.edits.row(number).map { Seq(Int(state.rows[$0].seq)) }
        items.append(item)
      }
      items[place].events.append(seq)
      // Of several refused calls the last one counts.
      (items[place].status, items[place].body) = (item.status, item.body)
    }
    for leftover in try state.rowsToDelete(view.boundID) {
      items.append(
        Item(subject: .formerRow(leftover.row.entry), state: .pending, events: leftover.row.events))
    }
    addConflicts(state)
  }

  private mutating func addConflicts(_ state: LedgerState) {
    guard items.contains(where: { $0.state == .conflict }) else { return }
    var bySubject: [String: [ConflictView]] = [:]
    for conflict in state.openConflicts() {
      bySubject[conflict.subject, default: []].append(conflict)
    }
    for place in items.indices where items[place].state == .conflict {
      switch items[place].subject {
      case .profile(let subject): items[place].conflicts = bySubject[subject.rawValue] ?? []
      case .entry(let id, _): items[place].conflicts = bySubject[id.description] ?? []
      case .erasedEntry, .duplicates, .formerRow: break
      }
    }
  }

  private struct Key: Hashable {
    var subject: Subject
    var state: State
    var text: String?
  }

  private static func profileSubjects(_ state: LedgerState) -> [Int: ProfileSubject] {
    var subjects: [Int: ProfileSubject] = [:]
    for subject in ProfileSubject.allCases {
      for seq in state.profile.edits(of: subject) { subjects[seq] = subject }
    }
    return subjects
  }
}

extension Outbox.Item {
  /// Reasons, messages and bodies stay in the log; the marker says in which line.
  fileprivate mutating func tell(_ marker: Int?, in view: LogView) throws(LogError) {
    guard state == .held || state == .rejected, let seq = marker.flatMap({ Seq(exactly: $0) })
    else { return }
    switch try view.line(seq).event().event.payload {
    case .syncHeld(let data): text = data.reason
    case .syncRejected(let data): (text, status, body) = (data.message, data.status, data.body)
    default: break
    }
  }
}

extension LedgerState {
  /// What is in doubt waits for its answer, even where the logging of its entry was undone since.
  fileprivate func isWaiting(_ edit: Int) -> Bool {
    edits.state(edit) == .inDoubt || isAboutSomething(edit)
  }
}

extension Outbox.Subject {
  /// The entry that an edit belongs to.
  init?(ofEdit seq: Int, in state: LedgerState) {
    guard let row = state.edits.row(seq).map({ state.rows[$0] }) else {
      if let id = state.erasedEntry(ofEdit: seq) {
        self = .erasedEntry(id)
      } else if let suspicion = state.suspicion(resolvedBy: seq) {
        self = .duplicates(suspicion.entry)
      } else {
        return nil
      }
      return
    }
    self = .entry(EntryID(row.id), row.metric)
  }
}

extension Outbox.State {
  init?(_ state: EditState, isInConflict: Bool) {
    switch state {
    case .none, .acknowledged, .undone: return nil
    case .inDoubt: self = .inDoubt
    case .pending: self = isInConflict ? .conflict : .pending
    case .held: self = isInConflict ? .conflict : .held
    case .rejected: self = isInConflict ? .conflict : .rejected
    case .differed: self = .conflict
    }
  }
}
