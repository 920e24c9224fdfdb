import LedgerJSON
import LedgerLog
import LedgerModel

@testable import LedgerProjections

/// What both folds are asked, so that they can be compared.
struct Answers: Equatable {
  var seq: Int
  var fields: [String: String] = [:]
  var fieldStatus: [String: FieldStatus] = [:]
  var agreed: [String: JSONValue] = [:]
  /// Live entries, newest first.
  var entries: [EntryView] = []
  var deleted = 0
  var edits: [String] = []
  var groups: [ProfileSubject: [Int]] = [:]
  var conflicts: [ConflictView] = []
  var counts = SyncCounts()
  var account: String?
  var types: [String: Int] = [:]
}

extension Answers {
  /// The first thing that differs, in a line that a person can read.
  func difference(from other: Answers) -> String? {
    if seq != other.seq { return "seq \(seq), not \(other.seq)" }
    for (mine, theirs) in zip(edits, other.edits) where mine != theirs {
      return "edit \(mine), not \(theirs)"
    }
    for (mine, theirs) in zip(entries, other.entries) where mine != theirs {
      return "entry \(mine), not \(theirs)"
    }
    if fields != other.fields { return "fields \(fields), not \(other.fields)" }
    if fieldStatus != other.fieldStatus {
      return "status of fields \(fieldStatus), not \(other.fieldStatus)"
    }
    if agreed != other.agreed { return "agreed \(agreed), not \(other.agreed)" }
    if groups != other.groups { return "edits of groups \(groups), not \(other.groups)" }
    for (mine, theirs) in zip(conflicts, other.conflicts) where mine != theirs {
      return "conflict \(mine), not \(theirs)"
    }
    if counts != other.counts { return "counts \(counts), not \(other.counts)" }
    if self == other { return nil }
    return "entries \(entries.count), deleted \(deleted), types \(types), account \(account ?? "")"
  }

  init(_ state: LedgerState) {
    seq = state.position.seq
    let view = state.profileView()
    for object in [view.profile, view.physical, view.preferences] {
      for member in object.members { fields[member.name] = member.value.serialized }
    }
    for (field, status) in view.status { fieldStatus[field.rawValue] = status }
    for field in ProfileField.allCases where state.profile.agreed(field) != nil {
      agreed[field.rawValue] = state.profile.agreed(field)
    }
    entries = state.progress(ProgressQuery(limit: 1_000_000)).entries
    deleted = state.entryCounts().deleted
    edits = (0...seq).map { "\($0) \(state.edits.state($0)) \(state.edits.marker($0) ?? 0)" }
    for subject in ProfileSubject.allCases { groups[subject] = state.profile.edits(of: subject) }
    conflicts = state.conflicts()
    counts = state.syncCounts()
    account = state.account.current?.account
    for (type, count) in state.tally.byType { types[type] = count }
  }

  init(_ fold: PlainFold) {
    seq = fold.seq
    for (field, history) in fold.fields {
      agreed[field.rawValue] = history.agreed
      let current = history.versions.last { fold.edits[$0.seq]!.state != .undone }
      guard let current else { continue }
      if current.value != .null { fields[field.rawValue] = current.value.serialized }
      fieldStatus[field.rawValue] = fold.status(of: current.seq, history)
    }
    let made = fold.entries.filter { fold.edits[$0.seq]!.state != .undone }.map(fold.view)
    entries = made.filter { !$0.isDeleted }.sorted { $0.key > $1.key }
    deleted = made.count { $0.isDeleted }
    edits = (0...seq).map { seq in
      let edit = fold.edits[seq]
      return "\(seq) \(edit?.state ?? .none) \(edit?.marker ?? 0)"
    }
    for subject in ProfileSubject.allCases { groups[subject] = fold.groups[subject] ?? [] }
    conflicts = fold.conflicts
    counts = fold.counts
    account = fold.account
    types = fold.types
  }
}

extension PlainFold {
  func status(of seq: Int, _ history: Field) -> FieldStatus {
    if history.openConflict != nil { return .conflict }
    return switch edits[seq]!.state {
    case .pending, .inDoubt: .pending
    case .held: .held
    case .rejected: .rejected
    case .differed: .conflict
    case .acknowledged, .none, .undone: .synced
    }
  }

  var counts: SyncCounts {
    var counts = SyncCounts()
    var inConflict: Set<Int> = []
    for history in fields.values where history.openConflict != nil {
      let current = history.versions.last { edits[$0.seq]!.state != .undone }
      if let current { inConflict.insert(current.seq) }
      for version in history.versions where edits[version.seq]!.state.isOpen {
        inConflict.insert(version.seq)
      }
    }
    for conflict in conflicts where conflict.isOpen {
      guard let entry = entries.last(where: { $0.id == conflict.entry && isMade($0) }),
        !view(entry).isDeleted
      else { continue }
      for seq in [entry.seq] + entry.changes.map(\.seq) where edits[seq]!.state.isOpen {
        inConflict.insert(seq)
      }
    }
    for (seq, edit) in edits {
      // A change of an entry that was never made is about nothing.
      let isMade = edit.entry.map { edits[entries[$0].seq]!.state != .undone } ?? true
      guard isMade || edit.state == .inDoubt else { continue }
      switch edit.state {
      case .inDoubt: counts.inDoubt += 1
      case .pending where inConflict.contains(seq), .held where inConflict.contains(seq),
        .rejected where inConflict.contains(seq):
        counts.conflicts += 1
      case .pending: counts.pending += 1
      case .held: counts.held += 1
      case .rejected: counts.rejected += 1
      case .differed: counts.conflicts += 1
      case .acknowledged, .undone, .none: break
      }
    }
    return counts
  }

  /// The entry's changes by the order in which their values count: a correction made here lies over
  /// another device's unless the backend had it before.
  private func changesInForce(_ entry: Entry) -> [(seq: Int, change: Event.Payload)] {
    let changes = entry.changes.filter { edits[$0.seq]!.state != .undone }
    let isCorrectedElsewhere = entry.changes.contains { change in
      guard case .progressCorrected = change.change else { return false }
      return change.isBySync
    }
    guard isCorrectedElsewhere else { return changes.map { ($0.seq, $0.change) } }
    let ordered = changes.map { change in
      let edit = edits[change.seq]!
      let order =
        change.isBySync
        ? change.seq
        : edit.state == .acknowledged ? edit.marker ?? change.seq : Int.max
      return (order: order, change: change)
    }
    return ordered.sorted { ($0.order, $0.change.seq) < ($1.order, $1.change.seq) }
      .map { ($0.change.seq, $0.change.change) }
  }

  func view(_ entry: Entry) -> EntryView {
    var view = EntryView(
      id: entry.id, metric: entry.logged.metric, quantity: entry.logged.quantity,
      date: entry.logged.date, moment: entry.logged.moment,
      notesIn: entry.logged.notes == nil ? nil : Seq(entry.seq), seq: Seq(entry.seq),
      boundBy: entry.boundBy.map { Seq($0) }, isDeleted: false, status: .synced)
    var states = [edits[entry.seq]!.state]
    for (seq, change) in changesInForce(entry) {
      states.append(edits[seq]!.state)
      switch change {
      case .progressDeleted: view.isDeleted = true
      case .progressCorrected(let data):
        view.quantity = data.quantity ?? view.quantity
        view.date = data.date ?? view.date
        view.moment = data.moment ?? view.moment
        if let notes = data.notes { view.notesIn = notes.value == nil ? nil : Seq(seq) }
      default: break
      }
    }
    if states.contains(.inDoubt) {
      view.status = .syncing
    } else if states.contains(.pending) || states.contains(.held) {
      view.status = .pending
    } else if states.contains(.rejected) || states.contains(.differed) {
      view.status = .failed
      view.failure = states.contains(.differed) ? .conflict : .rejected
    }
    return view
  }

  /// Days from nothing but the list of entries.
  static func days(of entries: [EntryView]) -> [DayGroup] {
    struct Key: Hashable {
      var date: CalendarDate
      var metric: Metric
    }
    let groups = Dictionary(grouping: entries) { Key(date: $0.date, metric: $0.metric) }
    return groups.map { key, unordered in
      let entries = unordered.sorted { $0.seq < $1.seq }
      let values = entries.map(\.quantity)
      return DayGroup(
        date: key.date, metric: key.metric, count: values.count, sum: values.reduce(0, +),
        min: values.min()!, max: values.max()!, last: entries.max { $0.key < $1.key }!.quantity)
    }.sorted { ($0.date, $0.metric.index) < ($1.date, $1.metric.index) }
  }
}

extension EntryView {
  var key: EntryKey {
    EntryKey(
      day: date.daysSince1970, time: moment?.time.secondsSinceMidnight ?? 0,
      seq: UInt32(seq.number))
  }
}
