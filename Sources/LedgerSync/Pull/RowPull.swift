import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Decides what a listing of the backend's rows comes to (docs/sync.md, Pulling): which rows belong to
/// entries that are here, which are new, and which entries are gone.
struct RowPull<Texts: LedgerTexts> {
  /// A row that may be the one of an entry whose own row is gone.
  private struct Candidate {
    var row: ListedRow
    /// The entry row of an entry that was pulled for it and not edited here.
    var pulledAs: Int?
  }

  private let desk: SyncContext<Texts>
  private let request: PullRequest
  private let listing: RowListing
  private let now: Timestamp
  private(set) var payloads: [Event.Payload] = []
  private(set) var result = Pulled()
  /// Live entries whose rows are gone and that nothing speaks for; deleted by ``deleteMissing()``.
  private(set) var deletions: [Int] = []
  /// Rows that no entry is bound to, the oldest first.
  private var unknown: UnknownRows
  /// Entries that unknown rows may repeat; `nil` where no row is unknown.
  private var sent: SentEntries?
  /// Entries whose row is gone and that took another one.
  private var rebound: Set<Int> = []
  /// Entries that were pulled and whose rows turned out to be other entries'.
  private var taken: Set<Int> = []

  /// Rows that were suspected before and that an entry has taken.
  private var formerRows: Set<BackendID> = []
  /// How many live entries there are by metric and moment, once it was asked.
  private var countsAtMoments: [RowMoment: Int]?

  private var state: LedgerState { desk.state }

  init(_ desk: SyncContext<Texts>, _ request: PullRequest, _ listing: RowListing, at now: Timestamp)
  {
    self.desk = desk
    self.request = request
    self.listing = listing
    self.now = now
    // The backend lists newest first.
    unknown = UnknownRows(
      listing.rows.reversed().filter { row in
        !desk.index.knows(row.id) || request.returned.contains(row.id)
      })
  }

  mutating func run(using generator: inout some RandomNumberGenerator) throws(LogError) {
    payloads += desk.rowsSkipped(in: listing) + desk.suspectsGone(listing)
    if !unknown.isEmpty { try settleDoubts() }
    if !unknown.isEmpty { sent = try SentEntries(desk, repeatedBy: unknown) }
    for index in try confirmedMissing() { try findSuccessor(of: index) }
    for index in Set(request.recentEdits(state).compactMap { state.edits.row($0) }).sorted() {
      try suspectPulled(since: index)
    }
    if let sent, !unknown.isEmpty {
      try settleRivals(sent)
      try bindUnsent(using: &generator)
      pullRest(sent, using: &generator)
    }
    let (differed, edits) = try desk.differences(from: listing)
    payloads += differed
    result.differs += edits
  }

  /// Entries whose rows are gone are deleted.
  mutating func deleteMissing() {
    for index in deletions {
      payloads.append(
        .progressDeleted(
          ProgressDeleted(entry: state.entry(at: index).id, reason: "deleted at the backend")))
    }
    result.deleted += deletions.count
  }

  // MARK: Lost answers

  /// A row that looks like one whose answer was lost settles that call, or waits until its day has
  /// been listed for it.
  private mutating func settleDoubts() throws(LogError) {
    for doubt in try desk.doubts().entries {
      guard let row = unknown.take(matching: doubt.key, isTimed: doubt.isTimed) else { continue }
      guard request.settled.contains(doubt.entry) else { continue }
      payloads.append(SyncContext<Texts>.reconciled(doubt, row))
      result.reconciled += doubt.events.count
    }
  }

  // MARK: Rows that are gone

  /// Entries whose rows neither listing shows, as far as they are still bound as they were then.
  private func confirmedMissing() throws(LogError) -> [Int] {
    var found: [Int] = []
    for row in listing.missing
    where !row.isSuspected && !listing.listedAgain.contains(row.hash) {
      guard let index = state.row(of: row.entry), state.binding(ofRow: index) == row.boundBy,
        !state.entry(at: index).isDeleted
      else { continue }
      // A call that may have made another row is settled first.
      let edits = state.edits(ofRow: index)
      let isInDoubt = edits.contains { state.edits.state($0.number) == .inDoubt }
      if !isInDoubt { found.append(index) }
    }
    return found
  }

  private func hasOpenEdit(_ index: Int) -> Bool {
    state.edits(ofRow: index).contains { state.edits.state($0.number).isOpen }
  }

  /// An entry's row is gone: it was corrected on another device, which made a row instead, or deleted.
  private mutating func findSuccessor(of index: Int) throws(LogError) {
    let base = state.acknowledgedEntry(at: index)
    let key = try desk.key(of: base)
    let (found, rivals) = try successor(of: index, base, key)
    guard let found else { return try noteMissing(index, base, key) }
    // A new row settles what was open about the one before, so a conflict that is to stay open
    // comes after it; what the policy elides comes before it, to lie below the row's values.
    let isOpen = request.policy == .open
    if hasOpenEdit(index), !isOpen { try noteConflicts(index, key, with: found.row) }
    try rebind(index, to: found.row, key)
    if hasOpenEdit(index), isOpen { try noteConflicts(index, key, with: found.row) }
    if let gone = try state.binding(ofRow: index).flatMap({ seq throws(LogError) in
      try desk.texts.backendID(boundBy: seq)
    }) {
      // It must not cover an edit that waits: that one would never be sent.
      let covered = state.edits(ofRow: index).last { seq in
        state.edits.state(seq.number) == .acknowledged
      }
      payloads.append(
        .syncAcknowledged(
          SyncAcknowledged(
            events: [covered ?? base.seq], status: 404, via: .reconciled, entry: base.id,
            backendID: gone)))
    }
    rebound.insert(index)
    if let pulledAs = found.pulledAs {
      taken.insert(pulledAs)
      payloads.append(
        .progressDeleted(
          ProgressDeleted(
            entry: state.entry(at: pulledAs).id, reason: "its row belongs to \(base.id)")))
    }
    result.entries += 1
    for rival in rivals { try noteRival(rival, of: index, found.row.key, .local) }
  }

  /// The row that another device made for a correction. Rows of the same moment are rows of one entry,
  /// of which the one with the smallest id stays. With another entry of that moment they may be that
  /// one's: then the row that is most like the one before is taken, and no other.
  private mutating func successor(
    of index: Int, _ base: EntryView, _ key: RowKey
  ) throws(LogError) -> (found: Candidate?, rivals: [ListedRow]) {
    let hasTime = base.moment != nil
    let pulled = pulledSince(index)
    if hasTime {
      var ofMoment = unknown.rows(at: key).map { Candidate(row: $0) }
      ofMoment += pulled.filter {
        $0.row.hasTime && $0.row.key.metric == key.metric && $0.row.key.second == key.second
      }
      if entriesAt(key) > 1 + ofMoment.count(where: { $0.pulledAs != nil }) {
        let alike = ofMoment.filter {
          $0.row.key.notes == key.notes || $0.row.key.hasQuantity(of: key)
        }
        ofMoment =
          (alike.isEmpty ? ofMoment : alike).min { $0.row.id.text < $1.row.id.text }
          .map { [$0] } ?? []
      }
      if let smallest = ofMoment.min(by: { $0.row.id.text < $1.row.id.text }) {
        for candidate in ofMoment { unknown.remove(candidate.row) }
        let rivals = ofMoment.filter { $0.row.id != smallest.row.id && $0.pulledAs == nil }
        return (smallest, rivals.map(\.row))
      }
    }
    var ofValues = unknown.rows(likeIn: key).map { Candidate(row: $0) }
    ofValues += pulled.filter { key.hasValues(of: $0.row.key) }
    ofValues.removeAll { hasTime && !$0.row.hasTime }
    guard ofValues.count == 1 else {
      let former = try desk.formerRow(of: index, key, hasTime, in: listing, except: formerRows)
      if let former { formerRows.insert(former.id) }
      return (former.map { Candidate(row: $0) }, [])
    }
    unknown.remove(ofValues[0].row)
    return (ofValues[0], [])
  }

  /// How many live entries have this metric and moment, with a time.
  private mutating func entriesAt(_ key: RowKey) -> Int {
    if let counts = countsAtMoments { return counts[RowMoment(key), default: 0] }
    let counts = desk.entryCountsByMoment()
    countsAtMoments = counts
    return counts[RowMoment(key), default: 0]
  }

  /// Entries pulled since an entry was bound and not edited here, with their rows.
  private func pulledSince(_ index: Int) -> [Candidate] {
    let boundBy = state.binding(ofRow: index)?.number ?? 0
    var found: [Candidate] = []
    for other in listing.pulledRows(state, desk.index)
    where other.seq > boundBy && !taken.contains(other.index) {
      found.append(Candidate(row: other.row, pulledAs: other.index))
    }
    return found
  }

  /// Neither a row nor a person speaks for the entry: it was deleted at the backend. A correction made
  /// here wins over that.
  private mutating func noteMissing(
    _ index: Int, _ base: EntryView, _ key: RowKey
  ) throws(LogError) {
    guard hasOpenEdit(index) else {
      deletions.append(index)
      return
    }
    if base.moment == nil { suspectUnknown(unknown.takeDay(of: key), of: base.id) }
    suspectMoved(from: EntryVersion(key: key, hasTime: base.moment != nil), of: base.id)
    guard !isOnRecord(base) else { return }
    result.conflicts += 1
    payloads.append(
      .conflictDetected(
        ConflictDetected(
          subject: base.id.description, field: "entry", local: "corrected", remote: "deleted",
          decision: .local)))
  }

  private func isOnRecord(_ entry: EntryView) -> Bool {
    state.conflicts().contains { conflict in
      conflict.subject == entry.id.description && conflict.fieldName == "entry"
        && conflict.seq > entry.boundBy ?? entry.seq
    }
  }

  // MARK: Corrections

  /// The fields that an edit here, not sent yet, and another device have both changed.
  private mutating func noteConflicts(
    _ index: Int, _ base: RowKey, with row: ListedRow
  ) throws(LogError) {
    // No correction can take a time away, so an entry that was given one here keeps it.
    let isUntimedThere = state.entry(at: index).moment != nil && !row.hasTime
    let policy = isUntimedThere && request.policy == .remote ? .local : request.policy
    let local = try desk.key(of: state.entry(at: index))
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

  /// The entry takes a row's values and its id.
  private mutating func rebind(
    _ index: Int, to row: ListedRow, _ base: RowKey
  ) throws(LogError) {
    let local = try desk.key(of: state.entry(at: index))
    let fields = Set(
      (base.compare(with: row).differences + local.compare(with: row).differences).map(\.field))
    var correction = ProgressCorrected(entry: state.entry(at: index).id, backendID: row.id)
    if fields.contains(RowField.quantity.rawValue) {
      correction.quantity = JSONNumber.writable(row.key.quantity)
    }
    // Midnight in UTC and the day without a time look the same to a comparison.
    let gainsTime = row.hasTime && state.acknowledgedEntry(at: index).moment == nil
    if fields.contains(RowField.moment.rawValue) || gainsTime, let when = desk.wall(of: row) {
      correction.date = when.date
      correction.moment = when.moment
    }
    if fields.contains(RowField.notes.rawValue) {
      correction.notes = row.key.notes.isEmpty ? .clear : .set(row.key.notes)
    }
    payloads.append(.progressCorrected(correction))
  }

  /// Another row of an entry, which its owner will delete; on record once.
  private mutating func noteRival(
    _ row: ListedRow, of index: Int, _ key: RowKey, _ decision: ConflictDecision
  ) throws(LogError) {
    let entry = state.entry(at: index).id
    guard !desk.index.hasSeen(row.id.text) else { return suspect([row], of: entry) }
    let differences = key.compare(with: row).differences
    for difference in differences { detect(difference, of: entry, row, decision) }
    // A call that arrived twice makes an equal row, too; no device deletes that one.
    if differences.isEmpty, decision == .local { suspect([row], of: entry) }
    if differences.isEmpty, decision != .local {
      detect(
        ValueDifference(field: "entry", local: "corrected", remote: "corrected"), of: entry, row,
        decision)
    }
  }

  /// Entries that were corrected here and on another device: several rows of one entry, of which the
  /// one with the smallest id stays. Where it is not sure that they are of one entry, a person
  /// decides: without a time, where the row of this device was moved, and where another entry has the
  /// same moment.
  private mutating func settleRivals(_ sent: SentEntries) throws(LogError) {
    let recent = request.recentEdits(state)
    for index in state.rows.indices where state.rows[index].isChanged {
      guard let boundBy = state.binding(ofRow: index), state.isMade(row: index),
        let own = desk.index.hash(boundBy: boundBy),
        listing.hashes.contains(own) || rebound.contains(index)
      else { continue }
      let entry = state.entry(at: index)
      guard !entry.isDeleted, let corrected = desk.lastCorrection(ofRow: index) else { continue }
      let versions = try desk.earlierVersions(ofRow: index, before: corrected)
      let key = try desk.key(of: state.acknowledgedEntry(at: index))
      var rivals: [ListedRow] = []
      for version in versions where version.hasTime {
        let rows = unknown.takeTimed(at: version.key)
        // A call of this device that arrived twice or late, not another device's correction.
        let repeated = rows.filter { row in
          !key.matches(row.key) && sent.owner(of: row, preferring: entry.id) != nil
        }
        let others = rows.filter { !repeated.contains($0) }
        suspectUnknown(repeated, of: entry.id)
        if version.key.second == key.second, !rebound.contains(index), !others.isEmpty,
          entriesAt(version.key) == 1
        {
          rivals += others
        } else {
          suspectUnknown(others, of: entry.id)
        }
      }
      try settleRivals(rivals, of: index, boundBy)
      guard recent.contains(corrected.number) else { continue }
      for version in versions {
        if !version.hasTime { suspectUnknown(unknown.takeDay(of: version.key), of: entry.id) }
        suspectMoved(from: version, of: entry.id)
      }
    }
  }

  private mutating func settleRivals(
    _ rivals: [ListedRow], of index: Int, _ boundBy: Seq
  ) throws(LogError) {
    guard let own = try desk.texts.backendID(boundBy: boundBy),
      let smallest = rivals.min(by: { $0.id.text < $1.id.text })
    else { return }
    let key = try desk.key(of: state.acknowledgedEntry(at: index))
    let isOwnSmallest = own.text < smallest.id.text
    if !isOwnSmallest, try isDeleting(rowOf: index, before: smallest.id) { return }
    for rival in rivals {
      let isTaken = !isOwnSmallest && rival.id == smallest.id
      let decision: ConflictDecision =
        request.policy == .open ? .open : isTaken ? .remote : .local
      try noteRival(rival, of: index, key, decision)
    }
    guard !isOwnSmallest, request.policy != .open else { return }
    try rebind(index, to: smallest, key)
    result.entries += 1
  }

  /// Whether an earlier row of an entry with a smaller id than another device's is yet to be deleted:
  /// that device may have taken it and delete its own. The next listing shows which is left.
  private func isDeleting(rowOf index: Int, before id: BackendID) throws(LogError) -> Bool {
    guard request.policy != .open else { return false }
    let entry = EntryID(state.rows[index].id)
    return try state.rowsToDelete(desk.texts.backendID).contains { row, old in
      row.entry == entry && old.text < id.text && listing.hashes.contains(RowIndex.hash(old))
    }
  }

  /// A row of the same moment that was pulled as an entry of its own before this entry was corrected
  /// may be another device's correction of it: that device can no longer show it by deleting the row
  /// that both had.
  private mutating func suspectPulled(since index: Int) throws(LogError) {
    guard state.isMade(row: index), !state.entry(at: index).isDeleted,
      desk.lastCorrection(ofRow: index) != nil
    else { return }
    let base = state.acknowledgedEntry(at: index)
    let key = RowKey(base, notes: "")
    guard base.moment != nil, entriesAt(key) == 2 else { return }
    for other in listing.pulledRows(state, desk.index)
    where other.seq > base.seq.number && other.row.hasTime && !taken.contains(other.index)
      && other.index != index && RowMoment(other.row.key) == RowMoment(key)
    {
      // Rows that were listed together are two entries.
      let pulledAt = try desk.texts.event(Seq(other.seq)).event.at
      guard try desk.texts.event(base.seq).event.at != pulledAt else { continue }
      taken.insert(other.index)
      payloads.append(
        .progressDeleted(
          ProgressDeleted(
            entry: state.entry(at: other.index).id, reason: "its row may be one of \(base.id)")))
      suspect([other.row], of: base.id)
    }
  }

  /// Rows with an earlier version's values at another moment: another device may have moved the row.
  private mutating func suspectMoved(from version: EntryVersion, of entry: EntryID) {
    let alike = unknown.rows(likeIn: version.key).filter { $0.hasTime || !version.hasTime }
    for row in alike { unknown.remove(row) }
    suspectUnknown(alike, of: entry)
  }

  // MARK: New rows

  /// A row equal to an entry that was never sent is that entry's: both devices logged or imported it.
  /// Without a time only entries of imports are matched; two entries of one day may both be meant.
  private mutating func bindUnsent(
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) {
    var unmatched: [(RowKey, EntryID)] = []
    for index in state.rowsWithOpenEdits() where state.binding(ofRow: index) == nil {
      let entry = state.entry(at: index)
      guard !entry.isDeleted, entry.status != .syncing, unknown.hasMoment(of: entry)
      else { continue }
      let key = try desk.key(of: entry)
      let isTimed = entry.moment != nil
      if !isTimed, !request.bindsUntimed {
        guard try desk.texts.event(entry.seq).event.by == .import else { continue }
      }
      guard let row = unknown.take(matching: key, isTimed: isTimed) else {
        if !isTimed, state.edits.marker(entry.seq.number) != nil {
          unmatched.append((key, entry.id))
        }
        continue
      }
      let edits = state.edits(ofRow: index).filter { seq in
        state.edits.state(seq.number).isOpen || state.edits.state(seq.number).isFailed
      }
      payloads.append(
        .syncAcknowledged(
          SyncAcknowledged(
            call: .make(at: now, using: &generator), events: edits, status: 200, via: .reconciled,
            entry: entry.id, backendID: row.id, remote: key.agreed(with: row))))
      result.reconciled += edits.count
    }
    // Another device may have corrected an entry that both had, and sent it before.
    guard request.bindsUntimed else { return }
    for (key, entry) in unmatched { suspectUnknown(unknown.takeDay(of: key), of: entry) }
  }

  /// What is left is suspected to be a duplicate, or becomes an entry.
  private mutating func pullRest(
    _ sent: SentEntries, using generator: inout some RandomNumberGenerator
  ) {
    var duplicates: [EntryID: [ListedRow]] = [:]
    var fresh = RowTable<EntryID>()
    for row in unknown.left {
      if desk.index.isAdmitted(row.id) {
        pull(row, using: &generator)
      } else if row.hasTime, sent.waiting.contains(RowMoment(row.key)) {
        continue
      } else if let entry = sent.mayRepeat.first(matching: row.key)
        ?? (row.hasTime ? sent.own.first(matching: row.key) ?? fresh.first(matching: row.key) : nil)
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

  /// So few that they fit a line of the log (64 KiB) at the length that an id may have.
  private static var mostDuplicatesInAnEvent: Int { 8 }

  /// Rows that may be rows of an entry, but for those with another one's values, which repeat that.
  private mutating func suspectUnknown(_ rows: [ListedRow], of entry: EntryID) {
    let owners = Dictionary(grouping: rows) { sent?.owner(of: $0, preferring: entry) ?? entry }
    for (owner, rows) in owners.sorted(by: { $0.key.description < $1.key.description }) {
      suspect(rows, of: owner)
    }
  }

  private mutating func suspect(_ rows: [ListedRow], of entry: EntryID) {
    let new = rows.filter { desk.index.knows($0.id) || !desk.isWaitingForItsOwner($0, at: now) }
    for first in stride(from: 0, to: new.count, by: Self.mostDuplicatesInAnEvent) {
      let ids = new[first...].prefix(Self.mostDuplicatesInAnEvent).map(\.id)
      payloads.append(.duplicateSuspected(DuplicateSuspected(entry: entry, backendIDs: ids)))
      result.suspected += ids.count
    }
  }

  @discardableResult
  private mutating func pull(
    _ row: ListedRow, using generator: inout some RandomNumberGenerator
  ) -> EntryID? {
    guard let quantity = JSONNumber.writable(row.key.quantity), let when = desk.wall(of: row) else {
      return nil
    }
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
