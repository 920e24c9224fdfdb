import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// The edits that the backend has not taken, gathered by what they are about and why they wait.
/// Every one of them stands in exactly one item, so the items add up to the counts of `status`.
struct Outbox {
  enum State: String {
    case pending
    case inDoubt = "in_doubt"
    case held
    case rejected
    case conflict
  }

  /// What an edit is about: one group of the profile, or one entry.
  enum Subject: Hashable {
    case profile(ProfileSubject)
    case entry(EntryID, Metric)
    /// An entry of which only the row at the backend is left.
    case erasedEntry(EntryID)
  }

  struct Item {
    var subject: Subject
    var state: State
    /// Why it is held, or what the backend said.
    var text: String?
    var events: [Seq]
  }

  private(set) var items: [Item] = []

  init(_ state: LedgerState, in view: LogView) throws(LogError) {
    let conflicts = state.editsInConflict()
    let profile = Self.profileSubjects(state)
    var places: [Key: Int] = [:]
    for number in state.edits.seqs(where: { $0.isOpen || $0 == .rejected }) {
      guard let seq = Seq(exactly: number), state.isWaiting(number),
        let itemState = State(state.edits.state(number), isInConflict: conflicts.contains(number)),
        let subject = Subject(ofEdit: number, in: state) ?? profile[number].map(Subject.profile)
      else { continue }
      let text = try Self.text(itemState, state.edits.marker(number), in: view)
      let key = Key(subject: subject, state: itemState, text: text)
      if let place = places[key] {
        items[place].events.append(seq)
      } else {
        places[key] = items.count
        items.append(Item(subject: subject, state: itemState, text: text, events: [seq]))
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

  /// Reasons and messages stay in the log; the marker says in which line.
  private static func text(
    _ state: State, _ marker: Int?, in view: LogView
  ) throws(LogError) -> String? {
    guard state == .held || state == .rejected, let seq = marker.flatMap({ Seq(exactly: $0) })
    else { return nil }
    return switch try view.line(seq).event().event.payload {
    case .syncHeld(let data): data.reason
    case .syncRejected(let data): data.message
    default: nil
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
      guard let id = state.erasedEntry(ofEdit: seq) else { return nil }
      self = .erasedEntry(id)
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
    }
  }
}

extension Outbox.Item {
  var json: JSONObject {
    var object = JSONObject()
    switch subject {
    case .profile(let subject): object["subject"] = .string(subject.rawValue)
    case .entry(let id, _), .erasedEntry(let id):
      object["subject"] = "progress"
      object["entry"] = .string(id.description)
    }
    object["events"] = .array(events.map { JSONValue($0.number) })
    object["state"] = .string(state.rawValue)
    if let text { object[state == .held ? "reason" : "message"] = .string(text) }
    return object
  }
}
