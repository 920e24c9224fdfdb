import LedgerModel
import LedgerProjections

/// Prefixes of entry ids that are unique in a ledger: 13 characters, which are the millisecond of the
/// id, and more of an id that shares them with another one.
final class ShortIDs {
  private static let leastDigits = 12
  /// After so many lookups one pass over all entries is cheaper.
  private static let mostLookups = 512

  private let ledger: ReadLedger
  /// How many digits the ids need that 12 do not tell apart.
  private var digits: [LedgerUUID: Int] = [:]
  /// The milliseconds that were looked up.
  private var known: Set<UInt64> = []
  private var hasAll = false
  /// The characters of the longest one so far.
  private(set) var longest = 13

  init(_ ledger: ReadLedger) { self.ledger = ledger }

  func text(_ entry: EntryID) -> String {
    let millisecond = entry.uuid.high >> 16
    if !hasAll, known.insert(millisecond).inserted { lookUp(entry) }
    let digits = digits[entry.uuid] ?? Self.leastDigits
    // Hyphens follow 8, 12, 16 and 20 digits.
    let hyphens = [8, 12, 16, 20].count { $0 < digits }
    longest = max(longest, digits + hyphens)
    return String("\(entry)".prefix(digits + hyphens))
  }

  /// Ignores errors: a short id is only shorter.
  private func lookUp(_ entry: EntryID) {
    let prefix = EntryText.short(entry)
    let isMany = known.count > Self.mostLookups
    let found = try? ledger.ask { state -> [LedgerUUID] in
      hasAll = isMany || !state.findsByOrder
      let rows = hasAll ? Array(state.rows.indices) : state.rows(withPrefix: prefix)
      let sessions = state.sessions(withPrefix: hasAll ? "" : prefix)
      return rows.map { state.rows[$0].id } + sessions.map { state.session(at: $0).id.uuid }
    }
    note(found ?? [])
  }

  private func note(_ ids: [LedgerUUID]) {
    let sorted = ids.sorted()
    for (id, next) in zip(sorted, sorted.dropFirst()) where id != next {
      let needed = id.sharedDigits(with: next) + 1
      guard needed > Self.leastDigits else { continue }
      digits[id] = max(digits[id] ?? 0, needed)
      digits[next] = max(digits[next] ?? 0, needed)
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
