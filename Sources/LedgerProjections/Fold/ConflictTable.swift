import LedgerModel

/// All conflicts, in the order of seq, and by seq.
struct ConflictTable: Sendable {
  private(set) var all: [ConflictView] = []
  private var places: [Seq: Int] = [:]
  /// The places of a subject's conflicts, oldest first.
  private var bySubject: [String: [Int]] = [:]
  private var openOfEntries: Set<Seq> = []

  /// Whether a conflict over an entry waits for a person.
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
