package import LedgerJSON
package import LedgerModel

/// The ten profile fields, in the three groups that the backend accepts.
public enum ProfileField: String, CaseIterable, Codable, Sendable {
  /// 1 to 100 characters.
  case name
  /// At most 500 characters.
  case bio
  /// ``UnitSystem``.
  case preferredUnitSystem = "preferred_unit_system"
  /// A BCP 47 tag.
  case languageCode = "language_code"
  /// ``BiologicalSex``.
  case biologicalSex = "biological_sex"
  /// In centimetres.
  case heightCM = "height_cm"
  /// A day, never after today.
  case dateOfBirth = "date_of_birth"
  /// A list of texts.
  case allergies
  /// A list of texts.
  case dietaryRestrictions = "dietary_restrictions"
  /// A list of texts.
  case foodDislikes = "food_dislikes"

  /// Its index in `allCases`.
  var place: Int {
    switch self {
    case .name: 0
    case .bio: 1
    case .preferredUnitSystem: 2
    case .languageCode: 3
    case .biologicalSex: 4
    case .heightCM: 5
    case .dateOfBirth: 6
    case .allergies: 7
    case .dietaryRestrictions: 8
    case .foodDislikes: 9
    }
  }

  /// The group it belongs to.
  public var subject: ProfileSubject {
    switch self {
    case .name, .bio, .preferredUnitSystem, .languageCode: .profile
    case .biologicalSex, .heightCM, .dateOfBirth: .physical
    case .allergies, .dietaryRestrictions, .foodDislikes: .preferences
    }
  }
}

/// A group of profile fields that the backend stores together.
public enum ProfileSubject: String, CaseIterable, Codable, Sendable {
  /// The public profile.
  case profile
  /// The person's body.
  case physical
  /// Food preferences.
  case preferences

  /// Its index in `allCases`.
  var place: Int {
    switch self {
    case .profile: 0
    case .physical: 1
    case .preferences: 2
    }
  }

  /// Its fields, in their order.
  public var fields: [ProfileField] { ProfileField.allCases.filter { $0.subject == self } }
}

/// The history of each profile field, the value last agreed with the backend, and all conflicts.
package struct ProfileTable: Sendable {
  struct History: Sendable {
    var versions = VersionList()
    /// The backend's last known value; `nil` if unknown.
    var agreed: JSONValue?
    /// The event that reported it.
    var agreedAt: Int?
    var openConflict: Int?
  }

  private(set) var histories: [ProfileField: History] = [:]
  private(set) var edits: [ProfileSubject: Column<UInt32>] = [:]
  private(set) var conflicts = ConflictTable()

  func history(_ field: ProfileField) -> History { histories[field] ?? History() }

  /// The seqs of all edits of a group, oldest first.
  package func edits(of subject: ProfileSubject) -> [Int] { edits[subject]?.map { Int($0) } ?? [] }

  /// Those after an event. Lazy.
  func edits(of subject: ProfileSubject, after seq: Int) -> some Sequence<Int> {
    let seqs = edits[subject] ?? Column()
    return (seqs.partitioningIndex { $0 > seq }..<seqs.count).lazy.map { Int(seqs[$0]) }
  }

  /// The group that an edit changed fields of, the first one if it was pulled with several; `nil` for
  /// other edits.
  func subject(ofEdit seq: Int) -> ProfileSubject? {
    ProfileSubject.allCases.first { subject in
      guard let seqs = edits[subject] else { return false }
      let place = seqs.partitioningIndex { $0 >= seq }
      return place < seqs.count && seqs[place] == seq
    }
  }

  /// The backend's last known value.
  package func agreed(_ field: ProfileField) -> JSONValue? { history(field).agreed }

  /// The event that reported the backend's last known value.
  package func agreedAt(_ field: ProfileField) -> Int? { history(field).agreedAt }

  /// The current value and the event that set it; `null` if cleared.
  package func current(_ field: ProfileField, _ edits: EditTable) -> (value: JSONValue, seq: Int)? {
    history(field).versions.last { edits.state($0.seq) != .undone }.map { ($0.value, $0.seq) }
  }

  /// The value before an event, ignoring edits undone at any time.
  package func value(
    of field: ProfileField, before seq: Seq, _ edits: EditTable
  ) -> (value: JSONValue, seq: Int)? {
    history(field).versions.last { $0.seq < seq.number && edits.state($0.seq) != .undone }
      .map { ($0.value, $0.seq) }
  }

  /// The seqs of all events that gave the field a value, oldest first.
  package func edits(setting field: ProfileField) -> [Int] { history(field).versions.map(\.seq) }

  package func hasOpenConflict(_ field: ProfileField) -> Bool {
    history(field).openConflict != nil
  }

  package func openConflict(_ field: ProfileField) -> Seq? {
    history(field).openConflict.flatMap { Seq(exactly: $0) }
  }

  /// The newest value that a person entered after an event.
  package func lastTyped(_ field: ProfileField, after seq: Seq, _ edits: EditTable) -> JSONValue? {
    history(field).versions.last {
      $0.isTyped && $0.seq > seq.number && edits.state($0.seq) != .undone
    }?.value
  }

  /// The newest event before another in which a person entered a value.
  package func lastTyped(_ field: ProfileField, before seq: Seq, _ edits: EditTable) -> Seq? {
    history(field).versions.last {
      $0.isTyped && $0.seq < seq.number && edits.state($0.seq) != .undone
    }.flatMap { Seq(exactly: $0.seq) }
  }

  // MARK: Folding

  /// Adds the edits of a batch, before any answer to them.
  ///
  /// - Parameter batch: its values are moved out.
  mutating func begin(_ batch: inout ProfileEdits, _ table: inout EditTable) {
    for subject in ProfileSubject.allCases {
      var seqs = batch.takeSeqs(of: subject)
      guard !seqs.isEmpty else { continue }
      for seq in seqs { table.begin(Int(seq), as: .pending, row: nil) }
      edits[subject, default: Column()].take(&seqs)
    }
    for field in ProfileField.allCases {
      var values = batch.takeValues(of: field)
      guard !values.cells.isEmpty else { continue }
      histories[field, default: History()].versions.take(&values)
    }
  }

  /// Takes the backend's values for fields without an open or failed edit.
  mutating func pull(_ fields: JSONObject, at seq: Seq, _ table: inout EditTable) {
    table.begin(seq.number, as: .acknowledged, row: nil)
    for member in fields.members {
      guard let field = ProfileField(rawValue: member.name) else { continue }
      var history = histories[field] ?? History()
      history.agreed = member.value
      history.agreedAt = seq.number
      let isOpen = history.versions.contains {
        $0.seq < seq.number && table.state($0.seq).needsCall
      }
      if !isOpen { history.versions.insert(member.value, seq: seq.number) }
      histories[field] = history
    }
  }

  /// Records values that both sides have.
  mutating func agree(_ remote: JSONObject, at seq: Seq) {
    for member in remote.members {
      guard let field = ProfileField(rawValue: member.name) else { continue }
      histories[field, default: History()].agreed = member.value
      histories[field]?.agreedAt = seq.number
    }
  }

  /// Adds a conflict. Whatever the decision, the backend's value is known now, so later pulls do not
  /// find the same conflict again.
  mutating func detect(_ data: ConflictDetected, at seq: Seq, _ table: inout EditTable) {
    let conflict = ConflictView(data, at: seq)
    if EntryID(data.subject) != nil {
      // A later conflict over the same field of an entry replaces the earlier one.
      for earlier in conflicts.all(of: data.subject)
      where earlier.fieldName == data.field && earlier.replacedBy == nil {
        conflicts.replace(earlier.seq, by: seq)
      }
    }
    conflicts.add(conflict)
    guard let field = conflict.field else { return }
    var history = history(field)
    if let earlier = history.openConflict { conflicts.replace(Seq(earlier), by: seq) }
    history.openConflict = data.decision == .open ? seq.number : nil
    history.agreed = conflict.remote
    history.agreedAt = seq.number
    if data.decision == .remote {
      table.begin(seq.number, as: .acknowledged, row: nil)
      history.versions.insert(conflict.remote, seq: seq.number)
    }
    histories[field] = history
  }

  /// Closes the open conflicts of an entry that has a new row at the backend.
  mutating func closeConflicts(of entry: EntryID, by seq: Seq) {
    for conflict in conflicts.all(of: entry.description) where conflict.isOpen && conflict.seq < seq
    {
      conflicts.replace(conflict.seq, by: seq)
    }
  }

  /// Applies a decision. A value that the backend does not have becomes an edit of the field's group.
  mutating func resolve(_ data: ConflictResolved, at seq: Seq, _ table: inout EditTable) {
    guard data.decision != .open, let conflict = conflicts[data.conflict] else { return }
    conflicts.resolve(conflict.seq, .init(seq: seq, decision: data.decision))
    guard let field = conflict.field else { return }
    if history(field).openConflict == conflict.seq.number {
      histories[field]?.openConflict = nil
    }
    let value = data.value ?? .null
    guard let state = state(ofSetting: field, to: value, before: seq.number, table) else { return }
    table.begin(seq.number, as: state, row: nil)
    histories[field, default: History()].versions.insert(value, seq: seq.number)
    if state == .pending { list(seq.number, of: field.subject) }
  }

  /// The first state of a decision for a value: `acknowledged` if the backend has the value.
  ///
  /// - Parameter seq: only events before it are considered.
  /// - Returns: `nil` if the current value is the same, and its edit open or acknowledged.
  package func state(
    ofSetting field: ProfileField, to value: JSONValue, before seq: Int, _ table: EditTable
  ) -> EditState? {
    let history = history(field)
    let earlier = history.versions.prefix { $0.seq < seq }
    let current = earlier.last { table.state($0.seq) != .undone }
    let isInForce = current?.value == value
    if isInForce, let current, table.state(current.seq).isOpen { return nil }
    // An edit in doubt may have changed the backend since its last known value.
    let isThere =
      history.agreed == value && !earlier.contains { table.state($0.seq) == .inDoubt }
    guard isThere else { return .pending }
    return isInForce && current.map { table.state($0.seq) } == .acknowledged ? nil : .acknowledged
  }

  /// The backend lost all values with the account: every current one is to be sent.
  mutating func replaceAccount(at seq: Seq, _ table: inout EditTable) {
    for field in ProfileField.allCases {
      guard var history = histories[field] else { continue }
      history.agreed = nil
      history.agreedAt = nil
      histories[field] = history
      let last = history.versions.last { $0.seq < seq.number && table.state($0.seq) != .undone }
      guard let last else { continue }
      table.restart(last.seq, .pending, by: seq.number)
      list(last.seq, of: field.subject)
    }
  }

  /// Adds an event to the edits of a group, once.
  private mutating func list(_ seq: Int, of subject: ProfileSubject) {
    guard edits[subject]?.contains(UInt32(seq)) != true else { return }
    let index = edits[subject]?.lastIndex { $0 < seq }.map { $0 + 1 } ?? 0
    edits[subject, default: Column()].insert(UInt32(seq), at: index)
  }
}

// MARK: Snapshots

extension ProfileTable {
  mutating func restore(_ history: History, of field: ProfileField) { histories[field] = history }

  mutating func restore(_ edits: Column<UInt32>, editsOf subject: ProfileSubject) {
    self.edits[subject] = edits
  }

  mutating func restore(_ conflict: ConflictView) { conflicts.add(conflict) }

  /// The table with all values in memory.
  func loaded() throws(SnapshotFault) -> ProfileTable {
    var table = self
    for (field, history) in histories {
      table.histories[field]?.versions = try history.versions.loaded()
    }
    for (subject, column) in edits { table.edits[subject] = try column.loaded() }
    return table
  }
}

extension LedgerState {
  /// Whether the backend has yet to accept an edit of the field; failed edits count.
  package func hasOpenEdit(of field: ProfileField) -> Bool {
    profile.history(field).versions.contains { version in
      edits.state(version.seq).needsCall
    }
  }

  /// Whether an edit needs no call: for each field it set, both sides have agreed on the current value
  /// since.
  package func isOvertaken(_ seq: Int, in subject: ProfileSubject) -> Bool {
    let fields = subject.fields.filter { field in
      let versions = profile.history(field).versions
      let place = versions.partitioningIndex { $0.seq >= seq }
      return place < versions.count && versions[place].seq == seq
    }
    return !fields.isEmpty
      && fields.allSatisfy { field in
        let history = profile.history(field)
        guard let agreedAt = history.agreedAt, agreedAt > seq else { return false }
        return profile.current(field, edits)?.value == history.agreed
      }
  }
}

/// All conflicts in the order of seq, with indices by seq and by subject.
struct ConflictTable: Sendable {
  private(set) var all: [ConflictView] = []
  private var places: [Seq: Int] = [:]
  /// The indices of a subject's conflicts, oldest first.
  private var bySubject: [String: [Int]] = [:]
  private var openOfEntries: Set<Seq> = []

  /// Whether any conflict over an entry is open.
  var hasOpenOfEntries: Bool { !openOfEntries.isEmpty }

  subscript(_ seq: Seq) -> ConflictView? { places[seq].map { all[$0] } }

  mutating func add(_ conflict: ConflictView) {
    places[conflict.seq] = all.count
    bySubject[conflict.subject, default: []].append(all.count)
    all.append(conflict)
    track(conflict)
  }

  private mutating func track(_ conflict: ConflictView) {
    guard conflict.entry != nil else { return }
    if conflict.isOpen {
      openOfEntries.insert(conflict.seq)
    } else {
      openOfEntries.remove(conflict.seq)
    }
  }

  mutating func replace(_ seq: Seq, by later: Seq) {
    guard let place = places[seq] else { return }
    all[place].replacedBy = later
    track(all[place])
  }

  mutating func resolve(_ seq: Seq, _ resolution: ConflictView.Resolution) {
    guard let place = places[seq] else { return }
    all[place].resolution = resolution
    track(all[place])
  }

  /// The conflicts of a subject, oldest first.
  func all(of subject: String) -> [ConflictView] { (bySubject[subject] ?? []).map { all[$0] } }
}
