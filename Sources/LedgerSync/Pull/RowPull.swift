import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Decides what a listing means (docs/sync.md, Pulling): which rows belong to known entries, which are
/// new, and which entries were deleted.
struct RowPull<Texts: LedgerTexts> {
  private let context: SyncContext<Texts>
  private let request: PullRequest
  private let listing: RowListing
  private let now: Timestamp
  private(set) var payloads: [Event.Payload] = []
  private(set) var result = Pulled()
  /// Live entries to be deleted by ``deleteMissing()``: nothing replaces their missing rows.
  private(set) var deletions: [Int] = []
  /// Live entries whose missing rows nothing replaces, those with a correction or a conflict included.
  private(set) var missing: Set<Int> = []
  private var rows: FreeRows<Texts>
  /// Entries that unknown rows may repeat; `nil` where no row is unknown.
  private var sent: SentEntries?
  /// Entries that were bound to another row.
  private var rebound: Set<Int> = []
  /// Those bound to a row with the values of their missing one: another device has sent entries again.
  private(set) var sentAgain: Set<Int> = []

  private var state: LedgerState { context.state }

  init(
    _ context: SyncContext<Texts>, _ request: PullRequest, _ listing: RowListing, at now: Timestamp
  ) {
    (self.context, self.request) = (context, request)
    (self.listing, self.now) = (listing, now)
    rows = FreeRows(context, listing, request)
  }

  mutating func run(using generator: inout some RandomNumberGenerator) throws(LogError) {
    payloads += context.rowsSkipped(in: listing) + context.suspectsGone(listing)
    if request.isFull { payloads += context.conflictsGone(listing) }
    for row in rows.declaredEntries { pull(row, using: &generator) }
    if !rows.unknown.isEmpty { try reconcileUnresolved() }
    if !rows.unknown.isEmpty { sent = try SentEntries(context, repeatedBy: rows.unknown) }
    let missing = try rows.likeRowsFirst(context.confirmedMissing(in: listing))
    for index in missing { try findSuccessor(of: index) }
    for index in Set(request.recentEdits(state).compactMap { state.edits.row($0) }).sorted() {
      try suspectPulled(since: index)
    }
    if let sent, !rows.unknown.isEmpty {
      try settleRivals(sent)
      try bindUnsent(using: &generator)
      pullRest(sent, using: &generator)
    }
    if request.isFull { try keepSmallestDuplicates() }
    let (differed, found) = try context.differences(from: listing, except: rebound)
    payloads += differed
    result.add(found)
  }

  /// Deletes the entries of missing rows.
  mutating func deleteMissing() {
    for index in deletions {
      payloads.append(
        .progressDeleted(
          ProgressDeleted(entry: state.entry(at: index).id, reason: DeletionReason.missing)))
    }
    result.deleted += deletions.count
  }

  // MARK: Lost answers

  /// A row equal to that of an unresolved call resolves it, or is left until the call is looked up.
  private mutating func reconcileUnresolved() throws(LogError) {
    for call in try context.unresolvedCalls() {
      guard
        let row = rows.unknown.take(
          matching: call.key, isTimed: call.isTimed, for: call.entry)
      else { continue }
      guard request.reconciled.contains(call.entry) else { continue }
      payloads.append(SyncContext<Texts>.reconciled(call, row))
      result.reconciled += call.events.count
    }
  }

  // MARK: Missing rows

  private func hasOpenEdit(_ index: Int) -> Bool {
    state.edits(ofRow: index).contains { state.edits.state($0.number).isOpen }
  }

  /// Handles a missing row: another device corrected the entry, which created a new row, or deleted
  /// it.
  private mutating func findSuccessor(of index: Int) throws(LogError) {
    let base = state.acknowledgedEntry(at: index)
    let key = try context.key(of: base)
    var (found, rivals) = try rows.takeSuccessor(
      of: index, key, hasTime: base.moment != nil, sent)
    if let other = found, other.pulledAs == nil,
      let earlier = try context.rowToDelete(of: index, before: other.row.id, in: listing),
      earlier.hasTime || base.moment == nil, rows.takeFormer(earlier)
    {
      suspectUnknown([other.row] + rivals, of: base.id)
      (found, rivals) = (.init(row: earlier), [])
    }
    guard let found else { return try noteMissing(index, base, key) }
    try take(found, rivals, for: index, base, key)
  }

  /// Finds the rows that replace missing ones before the other missing ones are sent again. An equal
  /// row is left to its entry, or taken at once if a correction is to replace it; a timed entry takes
  /// another row of its moment; a row that may be the entry's, moved, is suspected.
  mutating func takeCorrections() throws(LogError) {
    guard !rows.unknown.isEmpty else { return }
    sent = try SentEntries(context, repeatedBy: rows.unknown)
    var others: [(index: Int, base: EntryView, key: RowKey)] = []
    for index in context.confirmedMissing(in: listing) {
      let base = state.acknowledgedEntry(at: index)
      let key = try context.key(of: base)
      guard
        let row = rows.unknown.take(
          matching: key, isTimed: base.moment != nil, for: base.id)
      else {
        others.append((index, base, key))
        continue
      }
      if hasOpenEdit(index) { try take(.init(row: row), [], for: index, base, key) }
    }
    for (index, base, key) in others {
      let hasTime = base.moment != nil
      if hasTime, let (found, rivals) = rows.takeOfMoment(of: index, key, sent) {
        try take(found, rivals, for: index, base, key)
      } else {
        suspectMoved(from: EntryVersion(key: key, hasTime: hasTime), of: base.id)
      }
    }
  }

  /// Gives an entry whose row is missing another row.
  private mutating func take(
    _ found: FreeRows<Texts>.Candidate, _ rivals: [ListedRow], for index: Int, _ base: EntryView,
    _ key: RowKey
  ) throws(LogError) {
    // Binding a new row closes conflicts over the old one, so a conflict that stays open comes after
    // it. Edits that the policy elides come before it, so that the row's values override them.
    let isOpen = request.policy == .open
    if hasOpenEdit(index), !isOpen { try noteConflicts(index, key, with: found.row) }
    try rebind(index, to: found.row, key)
    if key.matches(found.row.key) { sentAgain.insert(index) }
    if hasOpenEdit(index), isOpen { try noteConflicts(index, key, with: found.row) }
    if let gone = try state.binding(ofRow: index).flatMap({ seq throws(LogError) in
      try context.texts.backendID(boundBy: seq)
    }) {
      // Must not cover an open edit, which would then never be sent.
      let covered = state.edits(ofRow: index).last { seq in
        state.edits.state(seq.number) == .acknowledged
      }
      payloads.append(
        .syncAcknowledged(
          SyncAcknowledged(
            events: [covered ?? base.seq], status: 404, via: .reconciled, entry: base.id,
            backendID: gone)))
    }
    if let pulledAs = found.pulledAs {
      rows.taken.insert(pulledAs)
      payloads.append(
        .progressDeleted(
          ProgressDeleted(
            entry: state.entry(at: pulledAs).id, reason: DeletionReason.rowBelongs(to: base.id))))
    }
    result.entries += 1
    suspectUnknown(rivals, of: base.id)
  }

  /// No row replaces the missing one: the entry was deleted at the backend. A local correction wins
  /// over the deletion; an entry in a conflict waits for the user's decision.
  private mutating func noteMissing(
    _ index: Int, _ base: EntryView, _ key: RowKey
  ) throws(LogError) {
    missing.insert(index)
    guard hasOpenEdit(index) else {
      guard !state.hasOpenConflict(of: base.id) else { return }
      guard try context.hasDeletedLarger(of: index, request, at: now) else {
        return deletions.append(index)
      }
      payloads.append(
        .syncDiffered(
          SyncDiffered(
            events: state.edits(ofRow: index), status: 404, via: .reconciled, entry: base.id,
            backendID: try base.boundBy.flatMap { seq throws(LogError) in
              try context.texts.backendID(boundBy: seq)
            }, remote: [:])))
      return noteDeletion(of: base, local: "kept", .open)
    }
    if base.moment == nil { suspectUnknown(rows.unknown.takeDay(of: key), of: base.id) }
    suspectMoved(from: EntryVersion(key: key, hasTime: base.moment != nil), of: base.id)
    if !context.isDeletionOnRecord(base) { noteDeletion(of: base, local: "corrected", .local) }
  }

  private mutating func noteDeletion(
    of entry: EntryView, local: JSONValue, _ decision: ConflictDecision
  ) {
    result.conflicts += 1
    payloads.append(
      .conflictDetected(
        ConflictDetected(
          subject: entry.id.description, field: "entry", local: local, remote: "deleted",
          decision: decision)))
  }

  // MARK: Corrections

  /// Records fields that were changed both by an unsent edit and by another device.
  private mutating func noteConflicts(
    _ index: Int, _ base: RowKey, with row: ListedRow
  ) throws(LogError) {
    // A correction cannot remove a time, so an entry that has one keeps it.
    let isUntimedThere = state.entry(at: index).moment != nil && !row.hasTime
    let policy = isUntimedThere && request.policy == .remote ? .local : request.policy
    let local = try context.key(of: state.entry(at: index))
    for difference in local.compare(with: row).differences {
      let isChangedHere = base.compare(with: row.replacing(key: local)).has(difference.field)
      let isChangedThere = base.compare(with: row).has(difference.field)
      guard isChangedHere, isChangedThere || policy == .remote else { continue }
      detect(difference, of: state.entry(at: index).id, row, policy)
    }
    guard policy == .remote else { return }
    let open = state.edits(ofRow: index).filter { state.edits.state($0.number).isOpen }
    payloads.append(
      .syncAcknowledged(
        SyncAcknowledged(events: open, via: .elided, entry: state.entry(at: index).id)))
  }

  private mutating func detect(
    _ difference: ValueDifference, of entry: EntryID, _ row: ListedRow, _ decision: ConflictDecision
  ) {
    result.conflicts += 1
    payloads.append(
      .conflictDetected(
        ConflictDetected(
          subject: entry.description, field: difference.field, local: difference.local,
          remote: difference.remote, decision: decision, backendID: row.id)))
  }

  /// Gives the entry a row's values and id.
  private mutating func rebind(
    _ index: Int, to row: ListedRow, _ base: RowKey
  ) throws(LogError) {
    let local = try context.key(of: state.entry(at: index))
    let fields = Set(
      (base.compare(with: row).differences + local.compare(with: row).differences).map(\.field))
    payloads += context.differencesSettled(ofRow: index)
    var correction = ProgressCorrected(entry: state.entry(at: index).id, backendID: row.id)
    if fields.contains(RowField.quantity.rawValue) {
      correction.quantity = JSONNumber.writable(row.key.quantity)
    }
    // A comparison does not distinguish midnight UTC from a day without a time.
    let gainsTime = row.hasTime && state.acknowledgedEntry(at: index).moment == nil
    if fields.contains(RowField.moment.rawValue) || gainsTime, let when = context.wall(of: row) {
      correction.date = when.date
      correction.moment = when.moment
    }
    if fields.contains(RowField.notes.rawValue) {
      correction.notes = row.key.notes.isEmpty ? .clear : .set(row.key.notes)
    }
    payloads.append(.progressCorrected(correction))
    rebound.insert(index)
  }

  /// Records another row of an entry, once. The device that created it will delete it.
  private mutating func noteRival(
    _ row: ListedRow, of index: Int, _ key: RowKey, _ decision: ConflictDecision
  ) throws(LogError) {
    let entry = state.entry(at: index).id
    guard !context.index.hasSeen(row.id.text) else { return suspect([row], of: entry) }
    let differences = key.compare(with: row).differences
    for difference in differences { detect(difference, of: entry, row, decision) }
    // A call that arrived twice also creates an equal row, which no device deletes.
    if differences.isEmpty, decision == .local { return suspect([row], of: entry) }
    let both = ValueDifference(field: "entry", local: "corrected", remote: "corrected")
    if differences.isEmpty { detect(both, of: entry, row, decision) }
  }

  /// Entries corrected both here and on another device have several rows; the smallest id wins. The
  /// user decides where the rows may belong to different entries: untimed rows, a row that this device
  /// moved, or another entry of the same moment.
  private mutating func settleRivals(_ sent: SentEntries) throws(LogError) {
    let recent = request.recentEdits(state)
    let unsettled = request.unsettledEdits(state)
    for index in state.rows.indices where state.rows[index].isChanged {
      guard let boundBy = state.binding(ofRow: index), state.isMade(row: index),
        let own = context.index.hash(boundBy: boundBy),
        listing.hashes.contains(own) || rebound.contains(index)
      else { continue }
      let entry = state.entry(at: index)
      guard !entry.isDeleted, let corrected = context.lastCorrection(ofRow: index) else { continue }
      let versions = try context.earlierVersions(ofRow: index, before: corrected)
      let key = try context.key(of: state.acknowledgedEntry(at: index))
      var rivals: [ListedRow] = []
      for version in versions where version.hasTime {
        let found = rows.unknown.takeTimed(at: version.key)
        // A call of this device that arrived twice or late, or a row that was deleted or missing before,
        // is not another device's correction.
        let repeated = found.filter { row in
          request.returned.contains(row.id)
            || !key.matches(row.key) && sent.owner(of: row, preferring: entry.id) != nil
        }
        let others = found.filter { !repeated.contains($0) }
        suspectUnknown(repeated, of: entry.id)
        // Another device makes its row before it sees this one: a later row may be another entry. So may the
        // correction of a suspected row.
        if request.lastFullSeq == nil || unsettled.contains(corrected.number),
          version.key.second == key.second, !rebound.contains(index), !others.isEmpty,
          rows.entriesAt(version.key) == 1, sent.deleted[RowMoment(version.key)] == nil,
          !state.openSuspicions().contains(where: { $0.entry == entry.id })
        {
          rivals += others
        } else {
          suspectUnknown(others, of: entry.id)
        }
      }
      try settleRivals(rivals, of: index, boundBy)
      guard recent.contains(corrected.number) else { continue }
      for version in versions {
        if !version.hasTime { suspectUnknown(rows.unknown.takeDay(of: version.key), of: entry.id) }
        suspectMoved(from: version, of: entry.id)
      }
    }
  }

  private mutating func settleRivals(
    _ rivals: [ListedRow], of index: Int, _ boundBy: Seq
  ) throws(LogError) {
    guard let own = try context.texts.backendID(boundBy: boundBy),
      let smallest = rivals.min(by: { $0.id.text < $1.id.text })
    else { return }
    let key = try context.key(of: state.acknowledgedEntry(at: index))
    let isOwnSmallest = own.text < smallest.id.text
    result.rowsOfOthers.formUnion(rivals.map(\.id))
    if !isOwnSmallest, request.policy != .open {
      guard try !context.isNewlyReconciled(index, request) else { return }
      let earlier = try context.rowToDelete(of: index, before: smallest.id, in: listing)
      guard earlier == nil else { return }
    }
    for rival in rivals {
      let isTaken = !isOwnSmallest && rival.id == smallest.id
      let decision = request.policy == .open ? .open : isTaken ? .remote : ConflictDecision.local
      try noteRival(rival, of: index, key, decision)
    }
    guard !isOwnSmallest, request.policy != .open else { return }
    try rebind(index, to: smallest, key)
    result.rowsOfOthers.remove(smallest.id)
    result.entries += 1
  }

  /// A row of the same moment that was pulled as an entry of its own before this entry was corrected
  /// may be another device's correction of it: that device can no longer show it by deleting the row
  /// that both had.
  private mutating func suspectPulled(since index: Int) throws(LogError) {
    guard state.isMade(row: index), !state.entry(at: index).isDeleted,
      context.lastCorrection(ofRow: index) != nil
    else { return }
    let base = state.acknowledgedEntry(at: index)
    let key = RowKey(base, notes: "")
    guard base.moment != nil, rows.entriesAt(key) == 2 else { return }
    for other in listing.pulledRows(state, context.index)
    where other.row.hasTime && !rows.taken.contains(other.index)
      && other.index != index && RowMoment(other.row.key) == RowMoment(key)
    {
      if try context.isAnotherEntry(other.row, pulledBy: Seq(other.seq), than: index) { continue }
      rows.taken.insert(other.index)
      payloads.append(
        .progressDeleted(
          ProgressDeleted(
            entry: state.entry(at: other.index).id,
            reason: DeletionReason.rowMayBelong(to: base.id))))
      suspect([other.row], of: base.id)
    }
  }

  /// Suspects rows with the values of an earlier version at another moment: another device may have
  /// moved the row.
  private mutating func suspectMoved(from version: EntryVersion, of entry: EntryID) {
    let alike = rows.unknown.rows(likeIn: version.key).filter { $0.hasTime || !version.hasTime }
    for row in alike { rows.unknown.remove(row) }
    suspectUnknown(alike, of: entry)
  }

  // MARK: Duplicates

  /// Gives an entry a row that the user declared to be its duplicate, if that row is equal and has a
  /// smaller id than the entry's own, which is deleted instead: on another device the two may be the
  /// other way around, and each device would delete the row that the other one keeps.
  private mutating func keepSmallestDuplicates() throws(LogError) {
    for (index, row, key) in try context.smallerDuplicates(in: listing)
    where !rebound.contains(index) && !rows.taken.contains(index) && !hasOpenEdit(index) {
      guard try !context.isNewlyReconciled(index, request), rows.takeFormer(row) else { continue }
      try rebind(index, to: row, key)
    }
  }

  // MARK: New rows

  /// Binds rows to equal unsent entries: both devices logged or imported them.
  private mutating func bindUnsent(
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) {
    let matches = try UnsentMatches(context, bindsUntimed: request.bindsUntimed, &rows.unknown)
    for (index, key, row, matched) in matches.found {
      let edits = matched.filter { seq in
        state.edits.state(seq.number).needsCall
      }
      payloads.append(
        .syncAcknowledged(
          SyncAcknowledged(
            call: .make(at: now, using: &generator), events: edits, status: 200, via: .reconciled,
            entry: state.entry(at: index).id, backendID: row.id, remote: key.agreed(with: row))))
      result.reconciled += edits.count
    }
    // Another device may have corrected and sent an entry that both had.
    guard request.bindsUntimed else { return }
    for (key, entry) in matches.unmatched {
      suspectUnknown(rows.unknown.takeDay(of: key), of: entry)
    }
  }

  /// Makes the remaining rows suspected duplicates or new entries.
  private mutating func pullRest(
    _ sent: SentEntries, using generator: inout some RandomNumberGenerator
  ) {
    var duplicates: [EntryID: [ListedRow]] = [:]
    let deleted = Set(deletions.map { EntryID(state.rows[$0].id) })
    var fresh = RowTable<EntryID>()
    for row in rows.unknown.left {
      if row.hasTime, sent.waiting.contains(RowMoment(row.key)) {
        continue
      } else if let entry = sent.deletedEntry(of: row, where: mayBeSentAgain) {
        duplicates[entry, default: []].append(row)
      } else if let entry = sent.mayRepeat.first(matching: row.key)
        ?? (row.hasTime ? sent.own.first(matching: row.key) ?? fresh.first(matching: row.key) : nil)
        ?? sent.sentAgain(row, except: deleted)
      {
        duplicates[entry, default: []].append(row)
      } else {
        if row.hasTime, let entry = sent.deleted[RowMoment(row.key)] {
          detect(
            ValueDifference(field: "entry", local: "deleted", remote: "corrected"), of: entry, row,
            .remote)
        }
        if let entry = pull(row, using: &generator) { fresh.add(row.key, entry) }
      }
    }
    for (entry, rows) in duplicates.sorted(by: { $0.key.description < $1.key.description }) {
      suspect(rows, of: entry)
    }
  }

  /// Whether another device may have sent again an entry that was deleted here.
  private func mayBeSentAgain(_ entry: EntryID) -> Bool {
    guard request.isFull, let place = state.row(of: entry) else { return false }
    if !sentAgain.isEmpty || request.onReplacement == .resend { return true }
    let own = state.binding(ofRow: place).flatMap { context.index.hash(boundBy: $0) }
    // Its row is missing before it was deleted.
    return hasOpenEdit(place) && own.map(listing.hashes.contains) == false
  }

  /// Rows that may be rows of an entry, but for those with another one's values, which repeat that.
  private mutating func suspectUnknown(_ found: [ListedRow], of entry: EntryID) {
    let owners = Dictionary(grouping: found) { sent?.owner(of: $0, preferring: entry) ?? entry }
    for (owner, rows) in owners.sorted(by: { $0.key.description < $1.key.description }) {
      suspect(rows, of: owner)
    }
  }

  private mutating func suspect(_ found: [ListedRow], of entry: EntryID) {
    let new = found.filter { !context.isLeftToItsOwner($0, request, at: now) }
    for row in found where !new.contains(row) { result.rowsOfOthers.insert(row.id) }
    result.suspectedRows += new
    for first in stride(from: 0, to: new.count, by: DuplicateSuspected.mostRows) {
      let ids = new[first...].prefix(DuplicateSuspected.mostRows).map(\.id)
      payloads.append(.duplicateSuspected(DuplicateSuspected(entry: entry, backendIDs: ids)))
      result.suspected += ids.count
    }
  }

  @discardableResult
  private mutating func pull(
    _ row: ListedRow, using generator: inout some RandomNumberGenerator
  ) -> EntryID? {
    guard let quantity = JSONNumber.writable(row.key.quantity), let when = context.wall(of: row)
    else { return nil }
    let id = EntryID.make(at: now, using: &generator)
    payloads.append(
      .progressPulled(
        ProgressPulled(
          entry: id, backendID: row.id, metric: row.key.metric, quantity: quantity,
          date: when.date, moment: when.moment, notes: row.key.notes.isEmpty ? nil : row.key.notes)
      ))
    result.entries += 1
    return id
  }
}
