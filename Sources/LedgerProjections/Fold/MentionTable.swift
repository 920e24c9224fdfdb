public import LedgerModel

/// That one event names another: an answer its edit, a decision its conflict.
struct Mention: ColumnElement {
  static let placeholder = Mention(target: 0, by: 1)

  /// What is named; 0 where it is named otherwise than by its seq.
  var target: UInt32
  var by: UInt32

  /// An answer may name what the log does not have.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { bounds.holdsSeq(by) }
}

/// Which events name which, so that a life can be told without going through the log.
struct MentionTable: Sendable {
  /// Those of a snapshot, in the order of their targets.
  private var stored: StoredColumn<Mention>?
  /// In the order of the log, except those that came out of a snapshot.
  private(set) var own: [Mention] = []

  init() {}

  init(_ stored: StoredColumn<Mention>) {
    self.stored = stored
  }

  mutating func add(_ target: Int, by seq: Int) {
    own.append(Mention(target: UInt32(clamping: target), by: UInt32(clamping: seq)))
  }

  mutating func reserve(_ count: Int) { own.reserveCapacity(own.count + count) }

  /// The events that name one of these, in no order.
  func mentions(of targets: Set<Int>) -> Set<Int> {
    var found: Set<Int> = []
    for mention in own where targets.contains(Int(mention.target)) { found.insert(Int(mention.by)) }
    guard let stored else { return found }
    for target in targets {
      var place = stored.firstIndex { $0.target < target }
      while place < stored.count {
        let mention = stored.element(place)
        guard mention.target == target else { break }
        found.insert(Int(mention.by))
        place += 1
      }
    }
    return found
  }

  /// What events after `seq` name.
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

  /// In the order of their targets, as a snapshot keeps them.
  var sorted: [Mention] { own.sorted { ($0.target, $0.by) < ($1.target, $1.by) } }

  func whole() throws(SnapshotFault) -> MentionTable {
    guard let stored else { return self }
    var table = MentionTable()
    table.own = try stored.all() + own
    return table
  }
}

extension LedgerState {
  /// The events that others after `seq` name: edits that were sent or answered since, for example.
  package func targets(namedAfter seq: Int) -> Set<Int> { mentions.targets(namedAfter: seq) }

  /// All events that may be about an entry, whether it counts or not; see ``mentions(of:)``.
  public func mentions(ofEntry id: EntryID) -> [Int] {
    var seqs: Set<Int> = []
    for row in allRows(of: id.uuid) { seqs.formUnion(allEdits(ofRow: row).map(\.number)) }
    for conflict in conflicts() where conflict.subject == id.description {
      seqs.insert(conflict.seq.number)
    }
    return mentions(of: seqs)
  }

  /// All events that belong to the lives of these: that name one of them, or something that does.
  /// Events that name an entry by its id alone are always among them.
  ///
  /// - Returns: seqs, oldest first, those asked for included.
  public func mentions(of seqs: Set<Int>) -> [Int] {
    var all = seqs
    var asked = seqs.union([0])
    while !asked.isEmpty {
      let found = mentions.mentions(of: asked)
      asked = found.subtracting(all)
      all.formUnion(found)
    }
    // An answer may name what the log does not have.
    return all.filter { (1...max(1, edits.lastSeq)).contains($0) }.sorted()
  }
}
