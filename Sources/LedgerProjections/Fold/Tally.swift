public import LedgerModel

/// What a log holds, counted.
public struct Tally: Hashable, Sendable {
  var known = [Int](repeating: 0, count: EventKind.allCases.count)
  /// Types that this version does not know, with their counts.
  public internal(set) var unknown: [String: Int] = [:]
  public var erased = 0
  public var firstAt: Timestamp?
  public var lastAt: Timestamp?
  /// When the newest event of the sync projector was recorded.
  public var lastSyncAt: Timestamp?

  /// Counts by type, known types in the order of docs/log-format.md, then unknown ones by name.
  public var byType: [(type: String, count: Int)] {
    let knownCounts = EventKind.allCases.indices.filter { known[$0] > 0 }
      .map { (type: EventKind.allCases[$0].rawValue, count: known[$0]) }
    return knownCounts + unknown.sorted { $0.key < $1.key }.map { (type: $0.key, count: $0.value) }
  }

  public var unknownCount: Int { unknown.values.reduce(0, +) }

  var hasPulledEntries: Bool { known[KindIndex.pulled.value] > 0 }

  mutating func count(_ index: KindIndex, _ number: Int = 1) { known[index.value] += number }

  mutating func count(_ payload: Event.Payload) {
    if case .erased = payload { erased += 1 }
    if let kind = EventKind(rawValue: payload.type) {
      count(KindIndex(kind))
    } else {
      unknown[payload.type, default: 0] += 1
    }
  }

  mutating func add(_ later: Tally) {
    for index in known.indices { known[index] += later.known[index] }
    if !later.unknown.isEmpty { unknown.merge(later.unknown, uniquingKeysWith: +) }
    erased += later.erased
    firstAt = firstAt ?? later.firstAt
    lastAt = later.lastAt ?? lastAt
    lastSyncAt = later.lastSyncAt ?? lastSyncAt
  }
}

/// The place of a kind in `EventKind.allCases`.
struct KindIndex: Hashable, Sendable {
  let value: Int

  init(_ kind: EventKind) {
    // A dictionary would have to be built in every process that folds.
    value = EventKind.allCases.firstIndex(of: kind)!
  }

  static let logged = KindIndex(.progressLogged)
  static let pulled = KindIndex(.progressPulled)
  static let corrected = KindIndex(.progressCorrected)
  static let deleted = KindIndex(.progressDeleted)
  static let acknowledged = KindIndex(.syncAcknowledged)
  static let attempted = KindIndex(.syncAttempted)
  static let rejected = KindIndex(.syncRejected)
  static let profile = KindIndex(.profileUpdated)
  static let physical = KindIndex(.physicalUpdated)
  static let preferences = KindIndex(.preferencesUpdated)
  static let signedOut = KindIndex(.accountSignedOut)
}
