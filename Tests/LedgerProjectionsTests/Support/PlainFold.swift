import LedgerJSON
import LedgerLog
import LedgerModel

@testable import LedgerProjections

/// The fold as one would explain it: event after event, in dictionaries, with no thought of speed.
/// What the columns answer must be what this answers.
struct PlainFold {
  struct Edit {
    var state: EditState
    var marker: Int?
    /// The entry's place in `entries`.
    var entry: Int?
  }

  struct Entry {
    var id: EntryID
    var seq: Int
    var logged: ProgressLogged
    var isPulled: Bool
    var changes: [(seq: Int, change: Event.Payload)] = []
    var boundBy: Int?
  }

  struct Field {
    var versions: [(seq: Int, value: JSONValue)] = []
    var agreed: JSONValue?
    var openConflict: Int?
  }

  var seq = 0
  var edits: [Int: Edit] = [:]
  var entries: [Entry] = []
  var fields: [ProfileField: Field] = [:]
  var conflicts: [Int: (field: ProfileField, remote: JSONValue?)] = [:]
  var account: String?
  var types: [String: Int] = [:]

  mutating func take(_ line: RandomStory.Line) {
    seq += 1
    types[line.payload.type, default: 0] += 1
    switch line.payload {
    case .progressLogged(let data): makeEntry(data, isPulled: false)
    case .progressPulled(let data):
      makeEntry(
        ProgressLogged(
          entry: data.entry, metric: data.metric, quantity: data.quantity, date: data.date,
          moment: data.moment, notes: data.notes), isPulled: true)
    case .progressCorrected(let data): change(data.entry, line.payload, as: .pending)
    case .progressDeleted(let data):
      change(data.entry, line.payload, as: line.by == .sync ? .acknowledged : .pending)
    case .profileUpdated(let data): setFields(data.data, as: .pending)
    case .physicalUpdated(let data): setFields(data.data, as: .pending)
    case .preferencesUpdated(let data): setFields(data.data, as: .pending)
    case .syncAttempted(let data): mark(data.events, .inDoubt)
    case .syncDeferred(let data): mark(data.events, .pending)
    case .syncRejected(let data): mark(data.events, .rejected)
    case .syncHeld(let data): mark(data.events, .held)
    case .editUndone(let data): mark([data.event], .undone)
    case .syncAcknowledged(let data): acknowledge(data)
    case .profilePulled(let data): pull(data.fields)
    case .conflictDetected(let data): detect(data)
    case .conflictResolved(let data): resolve(data)
    case .accountSignedIn(let data): account = data.account
    case .accountSignedOut: account = nil
    default: break
    }
  }

  private mutating func makeEntry(_ data: ProgressLogged, isPulled: Bool) {
    let entry = Entry(
      id: data.entry, seq: seq, logged: data, isPulled: isPulled, boundBy: isPulled ? seq : nil)
    entries.append(entry)
    edits[seq] = Edit(state: isPulled ? .acknowledged : .pending, entry: entries.count - 1)
  }

  private mutating func change(_ id: EntryID, _ payload: Event.Payload, as state: EditState) {
    guard let entry = entries.lastIndex(where: { $0.id == id }) else { return }
    entries[entry].changes.append((seq, payload))
    edits[seq] = Edit(state: state, entry: entry)
  }

  private mutating func mark(_ events: [Seq], _ state: EditState) {
    for event in events {
      guard let edit = edits[event.number], edit.state != .undone else { continue }
      // What was accepted once stays so; what is called for it later only tidies up.
      if edit.state == .acknowledged, state != .acknowledged, state != .undone { continue }
      edits[event.number]?.state = state
      edits[event.number]?.marker = seq
    }
  }

  private mutating func acknowledge(_ data: SyncAcknowledged) {
    mark(data.events, .acknowledged)
    if data.backendID != nil, data.status != 204, data.status != 404 {
      for event in data.events where event.number < seq {
        if let entry = edits[event.number]?.entry { entries[entry].boundBy = seq }
      }
    }
    for member in data.remote?.members ?? [] {
      if let field = ProfileField(rawValue: member.name) {
        fields[field, default: Field()].agreed = member.value
      }
    }
  }
}

extension PlainFold {
  private mutating func setFields(_ data: JSONObject, as state: EditState) {
    edits[seq] = Edit(state: state)
    for member in data.members {
      if let field = ProfileField(rawValue: member.name) { set(field, member.value) }
    }
  }

  private mutating func set(_ field: ProfileField, _ value: JSONValue) {
    fields[field, default: Field()].versions.append((seq, value))
  }

  private mutating func pull(_ object: JSONObject) {
    edits[seq] = Edit(state: .acknowledged)
    for member in object.members {
      guard let field = ProfileField(rawValue: member.name) else { continue }
      fields[field, default: Field()].agreed = member.value
      let waits = fields[field]!.versions.contains { version in
        [.pending, .inDoubt, .held, .rejected].contains(edits[version.seq]!.state)
      }
      if !waits { set(field, member.value) }
    }
  }

  private mutating func detect(_ data: ConflictDetected) {
    guard let field = ProfileField(rawValue: data.field) else { return }
    conflicts[seq] = (field, data.remote)
    switch data.decision {
    case .open: fields[field, default: Field()].openConflict = seq
    case .local: fields[field, default: Field()].agreed = data.remote
    case .remote: takeRemote(data.remote ?? .null, field)
    }
  }

  private mutating func resolve(_ data: ConflictResolved) {
    guard let (field, remote) = conflicts[data.conflict.number] else { return }
    fields[field]?.openConflict = nil
    if data.decision == .remote { takeRemote(data.value ?? .null, field) }
    if data.decision == .local { fields[field]?.agreed = remote ?? .null }
  }

  private mutating func takeRemote(_ value: JSONValue, _ field: ProfileField) {
    edits[seq] = Edit(state: .acknowledged)
    fields[field, default: Field()].agreed = value
    set(field, value)
  }
}
