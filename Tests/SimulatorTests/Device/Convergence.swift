import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerSync
import LedgerTestSupport
import ReferenceBackend

/// What all devices and the backend must agree in when all is quiet (docs/sync.md, Two devices, one
/// entry).
struct Convergence {
  private let statuses: [DeviceStatus]
  private let rows: [String: ListedRow]
  /// The values of all rows that there ever were.
  private let history: [String: RowKey]
  /// Rows that no device knows to have made: of calls that arrived twice or late, or whose answer was
  /// lost and whose row another device changed before its maker could ask for it.
  private let orphans: Set<String>
  /// Rows that a restored backup brought back.
  private let returned: Set<String>
  /// These, and rows that it lacked.
  private let restored: Set<String>

  init(_ devices: [Device], _ backend: SimulatedBackend) throws {
    statuses = try devices.map { try DeviceStatus($0, backend.dialect) }
    rows = Dictionary(
      uniqueKeysWithValues: backend.rows.compactMap { row in
        ListedRow(json: row.json).map { (row.id.text, $0) }
      })
    history = backend.history.compactMapValues { ListedRow(json: $0.json)?.key }
    returned = backend.returned
    restored = backend.lost.union(returned)
    orphans = Set(history.keys).subtracting(statuses.flatMap(\.acknowledged))
  }

  /// - Throws: ``Violation``.
  func check() throws {
    for device in statuses {
      try checkEntries(device)
      try checkRows(device)
      try checkDays(device)
    }
    guard !statuses.contains(where: \.hasErased) else { return }
    try checkFamilies()
  }

  /// What counts as synced has a row with the same values.
  private func checkEntries(_ device: DeviceStatus) throws {
    for entry in device.live
    where entry.status == .synced && !device.conflicted.contains(entry.id) {
      guard let id = entry.rowID, let row = rows[id],
        entry.key.compare(with: row).differences.isEmpty
      else {
        let row = entry.rowID.flatMap { rows[$0] }.map { "\($0)" } ?? "nothing"
        throw Violation(
          .syncedIsTrue, "\(device.name): \(entry), at the backend \(row)")
      }
    }
    for entry in device.live where entry.status == .pending || entry.status == .syncing {
      guard device.conflicted.contains(entry.id) else {
        throw Violation(.oneRow, "\(device.name): \(entry) waits for nothing on record")
      }
    }
  }

  /// Every row belongs to one entry, or a suspicion or conflict that waits for a person says why not.
  private func checkRows(_ device: DeviceStatus) throws {
    let bound = device.live.compactMap(\.rowID)
    let known = Set(bound)
    if known.count != bound.count {
      throw Violation(.oneRow, "\(device.name): two entries have one row: \(bound.sorted())")
    }
    for (id, row) in rows where !known.contains(id) && !device.waiting.contains(id) {
      throw Violation(
        .oneRow, "\(device.name): a row without an entry, and nothing on record: \(row)")
    }
  }

  /// The sums of each day are those of the rows, without the ones that wait for a person.
  private func checkDays(_ device: DeviceStatus) throws {
    guard let zone = device.zone, device.live.allSatisfy({ $0.status == .synced }) else {
      return
    }
    let zones = Dictionary(
      device.live.compactMap { entry in entry.rowID.map { ($0, entry.zone ?? zone) } },
      uniquingKeysWith: { first, _ in first })
    var sums: [CalendarDate: Double] = [:]
    for (id, row) in rows {
      guard let zone = zones[id] else { continue }
      let day = row.hasTime ? row.moment.localTime(at: zone)?.date : row.moment.utc?.date
      if let day { sums[day, default: 0] += row.key.quantity }
    }
    let shown = Dictionary(
      device.days.map { ($0.date, $0.sum) }, uniquingKeysWith: { $0 + $1 })
    guard Set(sums.keys) == Set(shown.keys),
      sums.allSatisfy({ abs($0.value - (shown[$0.key] ?? 0)) < 1e-6 })
    else {
      throw Violation(.sameSums, "\(device.name): shows \(shown), the backend has \(sums)")
    }
  }

  // MARK: What became of each entry

  /// Everything that is known to be of one entry: its names on all devices and its rows.
  private struct Family {
    var logged = 0
    var rows: Set<String> = []
    var facts = UserEdits()
    var authors: Set<Int> = []
    var loggedBy: (device: Int, entry: EntryID)?
    /// How often a correction changed the moment and other values at once: for other devices that
    /// is a deletion and a new entry, and where they corrected the first, there are two entries.
    var jumps = 0
    /// How many entries each device has had of it.
    var entries: [Int: Int] = [:]
    /// How many of those that were pulled its person corrected. Where there was more than one, one of
    /// them was of a row about to be deleted, and the correction wins.
    var corrected: [Int: Int] = [:]
    /// Whether a suspicion or conflict that waits for a person is about it.
    var isDisputed = false

    var mostRows: Int {
      guard authors.count > 1 else { return logged }
      let revived = corrected.reduce(0) { $0 + (entries[$1.key, default: 0] > 1 ? $1.value : 0) }
      return logged + jumps + revived
    }
  }

  /// Entries neither vanish without a deletion nor come twice, and no correction is lost.
  private func checkFamilies() throws {
    var tooMany = 0
    for family in families() {
      let there = family.rows.filter { rows[$0] != nil }
      if !family.isDisputed { tooMany += max(0, there.count - mostRows(of: family)) }
      guard family.logged > 0, family.facts.deletions == 0 else { continue }
      let isRefused = statuses.contains { device in
        device.live.contains { $0.status != .synced && device.conflicted.contains($0.id) }
          || device.hasFailed
      }
      // A few missing rows count as deletions.
      guard !there.isEmpty || isRefused || !family.rows.isDisjoint(with: restored) else {
        throw Violation(.nothingVanishes, "no row is left of \(family)")
      }
      try checkValues(family, there)
    }
    guard tooMany <= orphans.count else {
      throw Violation(
        .nothingDoubles,
        "\(tooMany) rows more than entries; \(orphans.count) were made unknown to all")
    }
  }

  /// A person may take rows that came back as entries. And while a correction is under way, another
  /// device may pull both rows as entries: if it sends all again then, it cannot know that one of them
  /// was to be deleted.
  private func mostRows(of family: Family) -> Int {
    let most = family.mostRows + family.rows.count { returned.contains($0) }
    guard statuses.contains(where: \.hasSentAgain) else { return most }
    return max(most, family.entries.values.max() ?? 0)
  }

  /// An entry that only one device has edited has the values that its person gave it last; one that
  /// several devices have edited has values that some person gave it.
  private func checkValues(_ family: Family, _ there: Set<String>) throws {
    guard family.logged == 1, let origin = family.loggedBy, family.rows.isDisjoint(with: strange)
    else { return }
    for id in there {
      guard let row = rows[id] else { continue }
      guard family.facts.quantities.contains(row.key.quantity) else {
        throw Violation(.editsCount, "nobody gave \(row) its quantity: \(family)")
      }
    }
    // A correction that the backend refused is not there.
    guard family.authors == [origin.device], there.count == 1, !statuses[origin.device].hasFailed,
      family.rows.isDisjoint(with: restored),
      let row = there.first.flatMap({ rows[$0] })
    else { return }
    guard row.key.quantity == family.facts.lastQuantity else {
      throw Violation(
        .editsCount, "\(row) does not have the last quantity of its only editor: \(family)")
    }
  }

  /// Rows that wait for a person, or that may be of another entry than devices take them for.
  private var strange: Set<String> {
    statuses.reduce(into: orphans) { $0.formUnion($1.suspected) }
  }

  /// Rows that differ from an earlier row of the entry both in the moment and in other values: a
  /// device that has seen nothing in between cannot know that they are of one entry.
  private func jumps(_ rows: [String]) -> Int {
    let keys = rows.compactMap { history[$0] }
    return keys.indices.count { place in
      keys[..<place].contains { before in
        before.second != keys[place].second
          && (before.quantity != keys[place].quantity || before.notes != keys[place].notes)
      }
    }
  }

  private func families() -> [Family] {
    var sets = Sets()
    for (index, device) in statuses.enumerated() {
      for entry in device.entries { sets.add("\(index) \(entry)") }
      for link in device.links + device.disputes {
        sets.join("\(index) \(link.entry)", link.row)
      }
    }
    for id in rows.keys { sets.add(id) }
    var families: [String: Family] = [:]
    for (index, device) in statuses.enumerated() {
      for entry in device.entries {
        let root = sets.root("\(index) \(entry)")
        var family = families[root] ?? Family()
        if device.logged.contains(entry) {
          family.logged += 1
          family.loggedBy = (index, entry)
        }
        family.entries[index, default: 0] += 1
        if device.disputed.contains(entry) { family.isDisputed = true }
        if let edits = device.edits[entry] {
          family.facts.add(edits)
          family.authors.insert(index)
          if !device.logged.contains(entry) { family.corrected[index, default: 0] += 1 }
          family.jumps += jumps(device.links.filter { $0.entry == entry }.map(\.row))
        }
        families[root] = family
      }
      for link in device.links {
        families[sets.root(link.row), default: Family()].rows.insert(link.row)
      }
    }
    for id in rows.keys { families[sets.root(id), default: Family()].rows.insert(id) }
    return Array(families.values)
  }
}

/// What people did to an entry.
struct UserEdits {
  var quantities: Set<Double> = []
  var lastQuantity = 0.0
  var deletions = 0

  mutating func add(_ other: UserEdits) {
    quantities.formUnion(other.quantities)
    lastQuantity = other.lastQuantity
    deletions += other.deletions
  }

  fileprivate mutating func set(_ quantity: Double?) {
    guard let quantity else { return }
    quantities.insert(quantity)
    lastQuantity = quantity
  }
}

/// How one device's ledger stands.
private struct DeviceStatus {
  struct Live {
    var id: EntryID
    var status: EntryStatus
    var rowID: String?
    var key: RowKey
    /// That of its time; a moment taken from the backend has another one than the device.
    var zone: ZoneOffset?
  }

  let name: String
  var live: [Live] = []
  let zone: ZoneOffset?
  let days: [DayGroup]
  /// Rows that an open suspicion or conflict is about.
  var waiting: Set<String> = []
  /// Rows that were ever suspected.
  let suspected: Set<String>
  /// Entries that an open conflict or suspicion is about.
  let disputed: Set<EntryID>
  /// Of those, the ones in a conflict, which are not sent.
  let conflicted: Set<EntryID>
  /// Whether the backend refused anything.
  var hasFailed = false
  var hasErased = false
  /// Whether all entries were sent again that the backend lacked.
  var hasSentAgain = false

  /// All entries that the log names.
  var entries: Set<EntryID> = []
  /// Entries that were logged here.
  var logged: Set<EntryID> = []
  /// Which rows were ever bound to which entries.
  var links: [(entry: EntryID, row: String)] = []
  /// Rows that answers to calls of this device, or listings asked for them, showed to be its own.
  var acknowledged: Set<String> = []
  /// Which rows were in a conflict with which entries, or suspected to repeat them.
  var disputes: [(entry: EntryID, row: String)] = []
  var edits: [EntryID: UserEdits] = [:]
  private var entriesOfSuspicions: [Seq: EntryID] = [:]
  /// Of conflicts over the backend's deletion of an entry.
  private var entriesOfDeletions: [Seq: EntryID] = [:]

  init(_ device: Device, _ dialect: Dialect) throws {
    name = "device \(device.name)"
    zone = device.looks?.zone
    let context = try device.context(dialect)
    let state = context.state
    days = state.days()
    let conflicts = state.openConflicts()
    let suspicions = state.suspicions().filter(\.isOpen)
    disputed = Set(conflicts.compactMap(\.entry) + suspicions.map(\.entry))
    conflicted = Set(conflicts.compactMap(\.entry))
    suspected = Set(state.suspicions().flatMap(\.backendIDs).map(\.text))
    waiting = Set(conflicts.compactMap(\.backendID?.text))
    waiting.formUnion(suspicions.flatMap { $0.backendIDs.map(\.text) })
    // No row of an entry in a conflict is deleted before the decision.
    for (row, id) in try state.rowsToDelete(context.texts.backendID)
    where conflicted.contains(row.entry) { waiting.insert(id.text) }
    for index in state.rows.indices where state.isMade(row: index) {
      let entry = state.entry(at: index)
      if entry.status == .failed { hasFailed = true }
      guard !entry.isDeleted else { continue }
      let id = try entry.boundBy.flatMap { seq throws(LogError) in
        try context.texts.backendID(boundBy: seq)?.text
      }
      live.append(
        Live(
          id: entry.id, status: entry.status, rowID: id, key: try context.key(of: entry),
          zone: entry.moment?.zone))
    }
    try context.texts.forEachEvent { event, _ in
      note(event.event.payload, at: event.seq, isByUser: event.event.by != .sync)
      return true
    }
  }

  private mutating func note(_ payload: Event.Payload, at seq: Seq, isByUser: Bool) {
    switch payload {
    case .progressLogged(let data):
      entries.insert(data.entry)
      logged.insert(data.entry)
      edits[data.entry, default: UserEdits()].set(data.quantity)
    case .progressPulled(let data):
      entries.insert(data.entry)
      links.append((data.entry, data.backendID.text))
    case .progressCorrected(let data):
      entries.insert(data.entry)
      if let id = data.backendID { links.append((data.entry, id.text)) }
      if isByUser { edits[data.entry, default: UserEdits()].set(data.quantity) }
    case .progressDeleted(let data) where isByUser:
      edits[data.entry, default: UserEdits()].deletions += 1
    case .duplicateResolved(let data) where data.decision == .one:
      // A row is deleted, and it may be the one that another device counts.
      if let entry = entriesOfSuspicions[data.suspicion] {
        edits[entry, default: UserEdits()].deletions += 1
      }
    case .syncAcknowledged(let data):
      if let id = data.backendID, let entry = data.entry, !data.isOfDeletion {
        // A row that the entry took from another device before is still not of this device's calls.
        let isTaken = links.contains { $0.entry == entry && $0.row == id.text }
        if !isTaken { acknowledged.insert(id.text) }
        links.append((entry, id.text))
      }
    case .syncDiffered(let data):
      if let id = data.backendID, let entry = data.entry { links.append((entry, id.text)) }
    case .duplicateSuspected(let data):
      entriesOfSuspicions[seq] = data.entry
      disputes += data.backendIDs.map { (data.entry, $0.text) }
    case .conflictResolved(let data) where data.decision == .remote:
      if let entry = entriesOfDeletions[data.conflict] {
        edits[entry, default: UserEdits()].deletions += 1
      }
    case .conflictDetected(let data):
      if data.field == "entry", data.remote == "deleted" {
        entriesOfDeletions[seq] = EntryID(data.subject)
      }
      if let id = data.backendID, let entry = EntryID(data.subject) {
        disputes.append((entry, id.text))
      }
    case .eventErased: hasErased = true
    case .accountReplaced: hasSentAgain = true
    default: break
    }
  }
}

/// Sets that are joined (union-find).
private struct Sets {
  private var parents: [String: String] = [:]

  mutating func add(_ name: String) { if parents[name] == nil { parents[name] = name } }

  mutating func root(_ name: String) -> String {
    add(name)
    var root = name
    while let parent = parents[root], parent != root { root = parent }
    parents[name] = root
    return root
  }

  mutating func join(_ left: String, _ right: String) { parents[root(left)] = root(right) }
}
