import LedgerModel

/// All conflicts, in the order of seq, and by seq.
struct ConflictTable: Sendable {
  private(set) var all: [ConflictView] = []
  private var places: [Seq: Int] = [:]

  subscript(_ seq: Seq) -> ConflictView? { places[seq].map { all[$0] } }

  mutating func add(_ conflict: ConflictView) {
    places[conflict.seq] = all.count
    all.append(conflict)
  }

  mutating func replace(_ seq: Seq, by later: Seq) {
    guard let place = places[seq] else { return }
    all[place].replacedBy = later
  }

  mutating func resolve(_ seq: Seq, _ resolution: ConflictView.Resolution) {
    guard let place = places[seq] else { return }
    all[place].resolution = resolution
  }
}
