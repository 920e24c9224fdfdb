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
    var changes: [(seq: Int, change: Event.Payload, isBySync: Bool)] = []
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
  var conflicts: [ConflictView] = []
  /// The edits of each group of fields.
  var groups: [ProfileSubject: [Int]] = [:]
  var account: String?
  var types: [String: Int] = [:]
  var hasErased = false
  var hasReplacedAccount = false
  var suspicions: Set<Seq> = []

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
    case .progressCorrected(let data):
      change(data.entry, line.payload, isBySync: line.by == .sync)
      if line.by == .sync, data.backendID != nil, let entry = edits[seq]?.entry { bind(entry) }
    case .progressDeleted(let data):
      change(data.entry, line.payload, isBySync: line.by == .sync)
    case .profileUpdated(let data): setFields(data.data, of: .profile)
    case .physicalUpdated(let data): setFields(data.data, of: .physical)
    case .preferencesUpdated(let data): setFields(data.data, of: .preferences)
    case .syncAttempted(let data): mark(data.events, .inDoubt)
    case .syncDeferred(let data): mark(data.events, .pending)
    case .syncRejected(let data): mark(data.events, .rejected)
    case .syncHeld(let data): mark(data.events, .held)
    case .editUndone(let data): mark([data.event], .undone)
    case .syncAcknowledged(let data): acknowledge(data)
    case .syncDiffered(let data): differ(data)
    case .duplicateSuspected: suspicions.insert(Seq(seq))
    case .duplicateResolved(let data) where suspicions.contains(data.suspicion):
      edits[seq] = Edit(state: data.decision == .one ? .pending : .acknowledged)
    case .accountReplaced(let data):
      replaceAccount(withPerson: data.from == nil || data.from != data.to)
    case .profilePulled(let data): pull(data.fields)
    case .conflictDetected(let data): detect(data)
    case .conflictResolved(let data): resolve(data)
    case .accountSignedIn(let data): account = data.account
    case .accountSignedOut: account = nil
    case .eventErased: hasErased = true
    default: break
    }
  }

  private mutating func makeEntry(_ data: ProgressLogged, isPulled: Bool) {
    let entry = Entry(
      id: data.entry, seq: seq, logged: data, isPulled: isPulled, boundBy: isPulled ? seq : nil)
    entries.append(entry)
    edits[seq] = Edit(state: isPulled ? .acknowledged : .pending, entry: entries.count - 1)
  }

  private mutating func change(_ id: EntryID, _ payload: Event.Payload, isBySync: Bool) {
    let state: EditState = isBySync ? .acknowledged : .pending
    guard let entry = entries.lastIndex(where: { $0.id == id }) else {
      // Of an entry that was erased, its row at the backend is asked to go.
      if hasErased, state == .pending, case .progressDeleted = payload {
        edits[seq] = Edit(state: .pending)
      }
      return
    }
    entries[entry].changes.append((seq, payload, isBySync))
    edits[seq] = Edit(state: state, entry: entry)
  }

  private mutating func mark(_ events: [Seq], _ state: EditState) {
    for event in events {
      guard let edit = edits[event.number], edit.state != .undone else { continue }
      // What was accepted once stays so; what is called for it later only tidies up.
      if edit.state == .acknowledged, state != .undone, state != .differed { continue }
      edits[event.number]?.state = state
      edits[event.number]?.marker = seq
    }
  }

  private mutating func acknowledge(_ data: SyncAcknowledged) {
    mark(data.events, .acknowledged)
    if data.backendID != nil, data.status != 204, data.status != 404 {
      for event in data.events where event.number < seq {
        guard let entry = edits[event.number]?.entry else { continue }
        bind(entry)
        if hasReplacedAccount { askDeletionAgain(of: entry) }
      }
    }
    for member in data.remote?.members ?? [] {
      if let field = ProfileField(rawValue: member.name) {
        fields[field, default: Field()].agreed = member.value
      }
    }
  }
}

// MARK: Rows at the backend

extension PlainFold {
  /// A new row settles what was open about the one before.
  private mutating func bind(_ entry: Int) {
    guard entries[entry].boundBy != seq else { return }
    for index in conflicts.indices
    where conflicts[index].subject == entries[entry].id.description && conflicts[index].isOpen {
      conflicts[index].replacedBy = Seq(seq)
    }
    entries[entry].boundBy = seq
  }

  private mutating func differ(_ data: SyncDiffered) {
    mark(data.events, .differed)
    if data.backendID != nil {
      for event in data.events where event.number < seq {
        guard let entry = edits[event.number]?.entry else { continue }
        bind(entry)
        if hasReplacedAccount { askDeletionAgain(of: entry) }
      }
    }
    guard data.entry == nil else { return }
    for member in data.remote.members {
      if let field = ProfileField(rawValue: member.name) {
        fields[field, default: Field()].agreed = member.value
      }
    }
  }

  /// All conflicts found since the newest differing answer are decided: what differs is sent again,
  /// or is what the backend has.
  private mutating func settleDiffered(_ conflict: ConflictView) {
    let entry = EntryID(conflict.subject)
    var seqs: [Int] = []
    if let entry {
      if let place = entries.lastIndex(where: { $0.id == entry && isMade($0) }) {
        seqs = [entries[place].seq] + entries[place].changes.map(\.seq)
      }
    } else {
      seqs = ProfileSubject(rawValue: conflict.subject).flatMap { groups[$0] } ?? []
    }
    let differed = seqs.filter { edits[$0]!.state == .differed }
    let since = differed.compactMap { edits[$0]!.marker }.max() ?? 0
    let found = conflicts.filter { $0.subject == conflict.subject && $0.seq.number > since }
    guard !found.contains(where: \.isOpen) else { return }
    let isSentAgain = entry != nil && found.contains { $0.resolution?.decision == .local }
    for seq in differed {
      edits[seq]!.state = isSentAgain ? .pending : .acknowledged
      edits[seq]!.marker = conflict.seq.number
    }
  }

  func isMade(_ entry: Entry) -> Bool { edits[entry.seq]!.state != .undone }

  private mutating func replaceAccount(withPerson: Bool) {
    hasReplacedAccount = true
    for place in entries.indices {
      entries[place].boundBy = nil
      let entry = entries[place]
      guard isMade(entry), !view(entry).isDeleted else { continue }
      for seq in [entry.seq] + entry.changes.map(\.seq)
      where [.acknowledged, .inDoubt, .differed].contains(edits[seq]!.state) {
        edits[seq]!.state = .pending
        edits[seq]!.marker = self.seq
      }
    }
    for (field, history) in fields where withPerson {
      fields[field]!.agreed = nil
      guard let last = history.versions.last(where: { edits[$0.seq]!.state != .undone }) else {
        continue
      }
      edits[last.seq]!.state = .pending
      edits[last.seq]!.marker = seq
      let group = groups[field.subject, default: []]
      if !group.contains(last.seq) { groups[field.subject] = (group + [last.seq]).sorted() }
    }
  }

  /// The new account has a row of an entry deleted here.
  private mutating func askDeletionAgain(of entry: Int) {
    for change in entries[entry].changes where !change.isBySync {
      guard case .progressDeleted = change.change, edits[change.seq]!.state == .acknowledged else {
        continue
      }
      edits[change.seq]!.state = .pending
      edits[change.seq]!.marker = seq
    }
  }
}

extension PlainFold {
  private mutating func setFields(_ data: JSONObject, of subject: ProfileSubject) {
    edits[seq] = Edit(state: .pending)
    groups[subject, default: []].append(seq)
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
        [.pending, .inDoubt, .held, .rejected, .differed].contains(edits[version.seq]!.state)
      }
      if !waits { set(field, member.value) }
    }
  }

  private mutating func detect(_ data: ConflictDetected) {
    conflicts.append(
      ConflictView(
        seq: Seq(seq), subject: data.subject, fieldName: data.field, base: data.base ?? .null,
        local: data.local ?? .null, remote: data.remote ?? .null, detected: data.decision,
        backendID: data.backendID))
    if EntryID(data.subject) != nil {
      for index in conflicts.indices.dropLast()
      where conflicts[index].subject == data.subject && conflicts[index].fieldName == data.field
        && conflicts[index].replacedBy == nil
      {
        conflicts[index].replacedBy = Seq(seq)
      }
    }
    guard let field = conflicts.last!.field else { return }
    if let open = fields[field]?.openConflict {
      let index = conflicts.firstIndex { $0.seq.number == open }!
      conflicts[index].replacedBy = Seq(seq)
    }
    let remote = data.remote ?? .null
    fields[field, default: Field()].openConflict = data.decision == .open ? seq : nil
    fields[field]!.agreed = remote
    if data.decision == .remote { set(field, remote, as: .acknowledged) }
  }

  private mutating func resolve(_ data: ConflictResolved) {
    guard let index = conflicts.firstIndex(where: { $0.seq == data.conflict }) else { return }
    defer { settleDiffered(conflicts[index]) }
    guard data.decision != .open else { return }
    conflicts[index].resolution = .init(seq: Seq(seq), decision: data.decision)
    guard let field = conflicts[index].field else { return }
    if fields[field]!.openConflict == data.conflict.number { fields[field]!.openConflict = nil }
    let value = data.value ?? .null
    let versions = fields[field]!.versions
    let isInDoubt = versions.contains { edits[$0.seq]!.state == .inDoubt }
    let isAtBackend = fields[field]!.agreed == value && !isInDoubt
    if let current = versions.last(where: { edits[$0.seq]!.state != .undone }),
      current.value == value
    {
      let state = edits[current.seq]!.state
      if state.isOpen || state == .acknowledged && isAtBackend { return }
    }
    if !isAtBackend { groups[field.subject, default: []].append(seq) }
    set(field, value, as: isAtBackend ? .acknowledged : .pending)
  }

  private mutating func set(_ field: ProfileField, _ value: JSONValue, as state: EditState) {
    edits[seq] = Edit(state: state)
    set(field, value)
  }
}
