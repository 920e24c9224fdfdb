import LedgerLog
import LedgerModel
import LedgerProjections

/// Prefixes of entry ids that are unique in a ledger: 13 characters, which are the millisecond of the
/// id, and more of an id that shares them with another one.
final class ShortIDs {
  private static let leastDigits = 12
  /// Those that tell thousands of ids of one millisecond apart.
  private static let usualDigits = 20

  private let ledger: ReadLedger
  /// How many digits the ids need that 12 do not tell apart.
  private var digits: [LedgerUUID: Int] = [:]
  /// The most that an id of each millisecond needs, if 12 are not enough.
  private var mostDigits: [UInt64: Int] = [:]
  /// The milliseconds that were looked up.
  private var known: Set<UInt64> = []
  private var hasAll = false
  /// The ids of sleep sessions, and of the entries that the snapshot does not have, by their milliseconds.
  private lazy var unsorted = Dictionary(
    grouping: (try? ledger.ask { $0.madeSessionIDs() + $0.newerIDs() }) ?? [], by: Self.millisecond)
  /// After so many lookups one pass over all entries is cheaper.
  private let mostLookups: Int
  /// The width of a column of them: that of all ids of the milliseconds that ``text(_:)`` was asked
  /// about, in steps, so that ids of later rows rarely widen it.
  private(set) var columnWidth = 13
  private static let wholeWidth = 36

  init(_ ledger: ReadLedger) {
    self.ledger = ledger
    // About as many as take as long as loading all entries.
    mostLookups = max(512, ledger.view.endBytes / 16_384)
  }

  private static func millisecond(of id: LedgerUUID) -> UInt64 { id.high >> 16 }

  func text(_ entry: EntryID) -> String {
    if !hasAll, known.insert(Self.millisecond(of: entry.uuid)).inserted { lookUp(entry) }
    if let most = mostDigits[Self.millisecond(of: entry.uuid)] {
      let width = most <= Self.usualDigits ? Self.width(digits: Self.usualDigits) : Self.wholeWidth
      columnWidth = max(columnWidth, width)
    }
    return String("\(entry)".prefix(Self.width(digits: digits[entry.uuid] ?? Self.leastDigits)))
  }

  /// The characters of so many digits: hyphens follow 8, 12, 16 and 20.
  private static func width(digits: Int) -> Int { digits + [8, 12, 16, 20].count { $0 < digits } }

  /// Ignores errors: a short id is only shorter.
  private func lookUp(_ entry: EntryID) {
    var others = unsorted[Self.millisecond(of: entry.uuid)] ?? []
    let stored = try? ledger.ask { state in
      hasAll = !state.findsByOrder || known.count > mostLookups
      // One alone is the entry itself, unless that is among the others.
      return hasAll
        ? state.madeIDs()
        : state.storedIDs(
          withPrefix: EntryText.short(entry), atLeast: others.isEmpty ? 2 : 1)
    }
    if hasAll { others = Array(unsorted.values.joined()) }
    note((stored ?? []) + others)
  }

  private func note(_ ids: [LedgerUUID]) {
    let sorted = ids.sorted()
    for (id, next) in zip(sorted, sorted.dropFirst()) where id != next {
      let needed = id.sharedDigits(with: next) + 1
      guard needed > Self.leastDigits else { continue }
      digits[id] = max(digits[id] ?? 0, needed)
      digits[next] = max(digits[next] ?? 0, needed)
      let millisecond = Self.millisecond(of: id)
      mostDigits[millisecond] = max(mostDigits[millisecond] ?? 0, needed)
    }
  }
}

extension LedgerUUID {
  /// How many leading hexadecimal digits are equal.
  fileprivate func sharedDigits(with other: LedgerUUID) -> Int {
    let first = (high ^ other.high).leadingZeroBitCount / 4
    return first < 16 ? first : 16 + (low ^ other.low).leadingZeroBitCount / 4
  }
}
