package import LedgerModel

/// A reference from one event to another: an answer names its edit, a decision its conflict.
struct Mention: ColumnElement, Equatable {
  static let placeholder = Mention(target: 0, by: 1)

  /// The seq of the named event; 0 if it is not named by seq.
  var target: UInt32
  var by: UInt32

  /// Sorts by `target`, then by `by`.
  fileprivate var place: UInt64 { UInt64(target) << 32 | UInt64(by) }

  /// `target` is unchecked: an answer may name an event that the log does not have.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { bounds.holdsSeq(by) }
}

/// The references between events, so that an event's history can be found without reading the log.
struct MentionTable: Sendable {
  /// The snapshot's references in the order of targets.
  private var stored: StoredColumn<Mention>?
  /// All references, or those after the snapshot; in no order.
  private(set) var own: [Mention] = []

  init() {}

  init(_ stored: StoredColumn<Mention>) {
    self.stored = stored
  }

  mutating func add(_ target: Int, by seq: Int) {
    own.append(Mention(target: UInt32(clamping: target), by: UInt32(clamping: seq)))
  }

  /// Makes room for more, at least doubling it: small batches must not copy the table each time.
  mutating func reserve(_ count: Int) {
    guard own.count + count > own.capacity else { return }
    own.reserveCapacity(max(own.count + count, 2 * own.count))
  }

  /// The events that name one of these.
  func mentions(of targets: Set<Int>) -> Set<Int> {
    var found: Set<Int> = []
    forEachMention(of: targets) { found.insert($0.by) }
    return found
  }

  /// The events that name each of these, in one pass.
  func mentions(ofEach targets: Set<Int>) -> [Int: [Int]] {
    var found: [Int: [Int]] = [:]
    forEachMention(of: targets) { found[$0.target, default: []].append($0.by) }
    return found
  }

  private func forEachMention(
    of targets: Set<Int>, _ body: ((target: Int, by: Int)) -> Void
  ) {
    for mention in own where targets.contains(Int(mention.target)) {
      body((Int(mention.target), Int(mention.by)))
    }
    guard let stored else { return }
    for target in targets {
      var place = stored.firstIndex { $0.target < target }
      while place < stored.count {
        let mention = stored.element(place)
        guard mention.target == target else { break }
        body((target, Int(mention.by)))
        place += 1
      }
    }
  }

  /// The events named by events after `seq`.
  func targets(namedAfter seq: Int) -> Set<Int> {
    var found: Set<Int> = []
    for mention in own where Int(mention.by) > seq { found.insert(Int(mention.target)) }
    guard let stored else { return found }
    for place in 0..<stored.count {
      let mention = stored.element(place)
      if Int(mention.by) > seq { found.insert(Int(mention.target)) }
    }
    return found
  }

  /// In the order of targets, as a snapshot stores them.
  var sorted: [Mention] { Self.sorted(own) }

  private static func sorted(_ mentions: [Mention]) -> [Mention] {
    guard let last = mentions.lazy.map(\.target).max(), last < 4 * mentions.count else {
      return mentions.sorted { $0.place < $1.place }
    }
    // Targets are dense: counting is faster than comparing.
    var next = [UInt32](repeating: 0, count: Int(last) + 2)
    for mention in mentions { next[Int(mention.target) + 1] += 1 }
    for target in 1..<next.count { next[target] += next[target - 1] }
    return [Mention](unsafeUninitializedCapacity: mentions.count) { sorted, count in
      for mention in mentions {
        sorted[Int(next[Int(mention.target)])] = mention
        next[Int(mention.target)] += 1
      }
      count = mentions.count
      // Each target's place is the end of its mentions now.
      for place in sorted.indices.dropFirst() where sorted[place].place < sorted[place - 1].place {
        let target = Int(sorted[place].target)
        let start = target == 0 ? 0 : Int(next[target - 1])
        sorted[start..<Int(next[target])].sort { $0.by < $1.by }
      }
    }
  }

  /// Whether a snapshot's table equals one folded from line 1.
  ///
  /// - Parameter seq: the snapshot's last event.
  func hasSameValues(as whole: MentionTable, upTo seq: Int) throws(SnapshotFault) -> Bool {
    let older = whole.own.filter { $0.by <= seq }
    let newer = whole.own.filter { $0.by > seq }
    guard let stored, stored.count == older.count else { return false }
    return try stored.hasBytes(of: Self.sorted(older), except: [:])
      && sorted == Self.sorted(newer)
  }

  func loaded() throws(SnapshotFault) -> MentionTable {
    guard let stored else { return self }
    var table = MentionTable()
    table.own = try stored.all() + own
    return table
  }
}

extension LedgerState {
  /// The events named by events after `seq`, such as edits that were sent or answered since.
  package func targets(namedAfter seq: Int) -> Set<Int> { mentions.targets(namedAfter: seq) }

  /// All events that may be about an entry, undone edits included; see ``mentions(of:)``.
  package func mentions(ofEntry id: EntryID) -> [Int] {
    var seqs: Set<Int> = []
    for row in allRows(of: id.uuid) { seqs.formUnion(allEdits(ofRow: row).map(\.number)) }
    for session in allSessions(of: id) {
      seqs.formUnion(allEdits(ofSession: session).map(\.number))
    }
    for conflict in conflicts() where conflict.subject == id.description {
      seqs.insert(conflict.seq.number)
    }
    return mentions(of: seqs)
  }

  /// These events and all that name one of them, directly or through others. Always includes the
  /// events that name an entry only by its id.
  ///
  /// - Returns: seqs, oldest first.
  package func mentions(of seqs: Set<Int>) -> [Int] {
    var all = seqs
    var asked = seqs.union([0])
    while !asked.isEmpty {
      let found = mentions.mentions(of: asked)
      asked = found.subtracting(all)
      all.formUnion(found)
    }
    // An answer may name an event that the log does not have.
    return all.filter { (1...max(1, edits.lastSeq)).contains($0) }.sorted()
  }
}
