import LedgerLog
import LedgerModel
import LedgerProjections

/// The rows that an entry may take whose own row is missing: unknown ones, those of entries that were
/// pulled and not edited since, suspected duplicates, and earlier rows of the entry.
struct FreeRows<Texts: LedgerTexts> {
  /// A row that may belong to the entry.
  struct Candidate {
    var row: ListedRow
    /// The entry row of the unedited entry that was pulled from it.
    var pulledAs: Int?
  }

  private let context: SyncContext<Texts>
  private let listing: RowListing
  private let lastFullSeq: Int
  /// Rows that the user has declared to be entries of their own, oldest first.
  let declaredEntries: [ListedRow]
  /// Rows that no entry is bound to, oldest first.
  var unknown: UnknownRows
  /// Pulled entries whose rows turned out to belong to other entries.
  var taken: Set<Int> = []
  /// Formerly suspected and earlier rows that an entry has taken.
  private var former: Set<BackendID> = []
  /// Unedited entries that were pulled by the previous full listing or after it, with their rows.
  private lazy var pulled = listing.pulledRows(state, context.index).filter {
    $0.seq > lastFullSeq
  }
  /// The number of live entries by metric and moment; `nil` until needed.
  private var countsAtMoments: [RowMoment: Int]?

  private var state: LedgerState { context.state }

  init(_ context: SyncContext<Texts>, _ listing: RowListing, _ request: PullRequest) {
    let returned = request.returned
    (self.context, self.listing) = (context, listing)
    lastFullSeq = request.lastFullSeq ?? 0
    // The backend lists newest first.
    let oldestFirst = listing.rows.reversed()
    declaredEntries = oldestFirst.filter { context.index.isAdmitted($0.id) }
    unknown = UnknownRows(
      oldestFirst.filter { row in
        (!context.index.knows(row.id) || returned.contains(row.id))
          && !context.index.isAdmitted(row.id)
      }, context.state.openConflicts())
  }

  /// Takes a row that is known, once. A returned one is also among the unknown ones.
  mutating func takeFormer(_ row: ListedRow) -> Bool {
    unknown.remove(row)
    return former.insert(row.id).inserted
  }

  /// How many live timed entries have this metric and moment.
  mutating func entriesAt(_ key: RowKey) -> Int {
    if let counts = countsAtMoments { return counts[RowMoment(key), default: 0] }
    let counts = context.entryCountsByMoment()
    countsAtMoments = counts
    return counts[RowMoment(key), default: 0]
  }

  /// The row that another device created for a correction, and further rows of the entry.
  mutating func takeSuccessor(
    of index: Int, _ key: RowKey, hasTime: Bool, _ sent: SentEntries?
  ) throws(LogError) -> (found: Candidate?, rivals: [ListedRow]) {
    if hasTime, let (found, rivals) = takeOfMoment(of: index, key, sent) { return (found, rivals) }
    let entry = EntryID(state.rows[index].id)
    var ofValues = unknown.rows(likeIn: key).filter { unknown.isFree($0, for: entry) }
      .map { Candidate(row: $0) }
    ofValues += pulledSince(index).filter { key.hasValues(of: $0.row.key) }
    ofValues.removeAll { hasTime && !$0.row.hasTime }
    // Of equal rows any will do: another device has sent equal entries again.
    let equal = ofValues.filter { $0.pulledAs == nil && key.matches($0.row.key) }
    if !hasTime, let smallest = equal.min(by: { $0.row.id.text < $1.row.id.text }) {
      ofValues = [smallest]
    }
    guard ofValues.count == 1 else {
      let row = try context.formerRow(of: index, key, hasTime, in: listing, except: former)
      guard let row, takeFormer(row) else { return (nil, []) }
      return (Candidate(row: row), [])
    }
    unknown.remove(ofValues[0].row)
    return (ofValues[0], [])
  }

  /// Rows of one moment belong to one entry; the smallest id wins. If another entry has that moment,
  /// they may be its rows: then only the most similar row is taken, and none that repeats a call of a
  /// deleted entry.
  mutating func takeOfMoment(
    of index: Int, _ key: RowKey, _ sent: SentEntries?
  ) -> (found: Candidate, rivals: [ListedRow])? {
    let entry = EntryID(state.rows[index].id)
    var ofMoment = unknown.rows(at: key).filter { row in
      sent?.isOfDeleted(row, besides: entry) != true && unknown.isFree(row, for: entry)
    }.map { Candidate(row: $0) }
    ofMoment += pulledSince(index).filter {
      $0.row.hasTime && RowMoment($0.row.key) == RowMoment(key)
    }
    if entriesAt(key) > 1 + ofMoment.count(where: { $0.pulledAs != nil }) {
      let alike = ofMoment.filter { $0.row.key.isLike(key) }
      ofMoment =
        (alike.isEmpty ? ofMoment : alike).min { $0.row.id.text < $1.row.id.text }
        .map { [$0] } ?? []
    }
    guard let smallest = ofMoment.min(by: { $0.row.id.text < $1.row.id.text }) else { return nil }
    for candidate in ofMoment { unknown.remove(candidate.row) }
    let rivals = ofMoment.filter { $0.row.id != smallest.row.id && $0.pulledAs == nil }
    return (smallest, rivals.map(\.row))
  }

  /// Missing entries with an unknown row of their moment that has their quantity or notes come first, so that
  /// no other entry of the moment takes it.
  func likeRowsFirst(_ missing: [Int]) throws(LogError) -> [Int] {
    guard missing.count > 1, !unknown.isEmpty else { return missing }
    var (first, others): ([Int], [Int]) = ([], [])
    for index in missing {
      let key = try context.key(of: state.acknowledgedEntry(at: index))
      let hasLike = unknown.rows(at: key).contains { $0.key.isLike(key) }
      if hasLike { first.append(index) } else { others.append(index) }
    }
    return first + others
  }

  /// Entries that were pulled since an entry was bound, by the previous full listing or after it, and not
  /// edited, with their rows. An entry that two full listings show beside the other one is not its
  /// correction, nor is one that a person said to be another entry.
  private mutating func pulledSince(_ index: Int) -> [Candidate] {
    let since = state.binding(ofRow: index)?.number ?? 0
    return pulled.filter { other in
      other.seq > since && !taken.contains(other.index)
        && !context.isDeclaredEntry(other.row.id, besides: index)
    }.map { Candidate(row: $0.row, pulledAs: $0.index) }
  }
}
