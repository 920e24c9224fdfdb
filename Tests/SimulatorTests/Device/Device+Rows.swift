import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerSync
import ReferenceBackend

/// What both sides must have of one another when all is quiet.
extension Device {
  /// One row an entry, with its values; rows beyond that, and entries with other values, are on record
  /// as suspected doubles or wait for a decision.
  func checkRows(_ backend: SimulatedBackend) throws {
    let view = try LogView.open(directory)
    let state = try app.state()
    try checkBindings(view, except: backend.returned)
    let rows = Dictionary(uniqueKeysWithValues: backend.rows.map { ($0.id.text, $0) })
    let conflicts = state.openConflicts()
    let undecided = Set(conflicts.compactMap(\.entry))
    var bound: Set<String> = []
    for index in state.rows.indices {
      let entry = state.entry(at: index)
      guard !entry.isDeleted else { continue }
      let id = try entry.boundBy.flatMap { seq throws(LogError) in
        try view.backendID(boundBy: seq)?.text
      }
      let row = id.flatMap { rows[$0] }
      // What the backend refused stays here, and says so.
      if entry.status != .failed, !undecided.contains(entry.id) {
        guard entry.status == .synced, let row, row.quantity == entry.quantity else {
          throw Violation(
            .oneRow, "device \(name): \(entry), at the backend \(row.map { "\($0)" } ?? "nothing")")
        }
      }
      if let id, row != nil, !bound.insert(id).inserted {
        throw Violation(.oneRow, "device \(name): two entries have the row \(id)")
      }
    }
    var suspected = Set(state.suspicions().flatMap(\.backendIDs).map(\.text))
    suspected.formUnion(conflicts.compactMap(\.backendID?.text))
    // No row of an entry in a conflict is deleted before the decision.
    for (row, id) in try state.rowsToDelete(view.backendID) where undecided.contains(row.entry) {
      suspected.insert(id.text)
    }
    for row in backend.rows where !bound.contains(row.id.text) {
      guard !suspected.contains(row.id.text) else { continue }
      throw Violation(.oneRow, "device \(name): a row too many that nobody suspects: \(row)")
    }
  }

  /// Of the rows that a device sent itself, only late rows may look like another device's, or like
  /// doubles: a lost answer alone makes neither.
  func checkLateRows(_ backend: SimulatedBackend) throws {
    let state = try app.state()
    let pulled = state.rows.count { $0.isPulled }
    let suspected = Set(state.suspicions().flatMap(\.backendIDs)).count
    guard pulled + suspected <= backend.lateRows else {
      throw Violation(
        .oneRow,
        "\(pulled) rows were taken for another device's and \(suspected) for doubles; "
          + "\(backend.lateRows) arrived late")
    }
  }

  /// What counts as synced of the person is what the backend has. Height and sex cannot be read back, so
  /// nothing tells of an earlier call that arrived after a later one.
  func checkPerson(_ backend: SimulatedBackend) throws {
    guard let account = backend.account else { return }
    let view = try app.state().profileView()
    let known = [view.profile, view.physical, view.preferences]
    let there = [
      account.profileJSON?.object, account.physicalJSON.object, account.preferences?.json.object,
    ]
    for (field, status) in view.status where status == .synced {
      if backend.hasLatePhysical, field == .heightCM || field == .biologicalSex { continue }
      let value = known.lazy.compactMap { $0[field.rawValue] }.first
      let theirs = there.lazy.compactMap { $0?[field.rawValue] }.first
      guard value == theirs || value == nil else {
        throw Violation(
          .onePerson,
          "device \(name): \(field) is \(value?.serialized ?? "absent"), at the backend "
            + (theirs?.serialized ?? "absent"))
      }
    }
  }

  /// - Parameter restored: rows that may have come back after their entry was deleted.
  private func checkBindings(_ view: LogView, except restored: Set<String>) throws {
    var entries: [String: EntryID] = [:]
    var deletions: Set<CallID> = []
    var givenUp: Set<EntryID> = []
    var violation: Violation?
    try view.forEachEvent { event, _ in
      if case .syncAcknowledged(let data) = event.event.payload {
        experience.note("acknowledged by \(data.via)")
      }
      switch event.event.payload {
      case .progressDeleted(let data) where event.event.by == .sync: givenUp.insert(data.entry)
      case .syncAttempted(let data) where data.method == "DELETE": deletions.insert(data.call)
      case .accountReplaced: entries = [:]
      case .syncRejected(let data) where deletions.contains(data.call):
        // Nobody refuses one here: a row that is gone is what was asked for.
        violation = Violation(.oneRow, "device \(name): a deletion counts as refused: \(event.seq)")
        return false
      default: break
      }
      let binding: (BackendID?, EntryID?) =
        switch event.event.payload {
        case .syncAcknowledged(let data) where !data.isOfDeletion: (data.backendID, data.entry)
        case .progressPulled(let data): (data.backendID, data.entry)
        case .progressCorrected(let data): (data.backendID, data.entry)
        default: (nil, nil)
        }
      guard let id = binding.0?.text, let entry = binding.1 else { return true }
      let earlier = entries.updateValue(entry, forKey: id) ?? entry
      // The row of an entry that was pulled turns out to be another entry's.
      if case .progressCorrected = event.event.payload { return true }
      // So does the row of one that was pulled and then suspected to repeat another entry.
      if earlier != entry, !givenUp.contains(earlier), !restored.contains(id) {
        violation = Violation(
          .oneBinding, "device \(name): \(id) is bound to another entry by event \(event.seq)")
      }
      return violation == nil
    }
    if let violation { throw violation }
  }
}
