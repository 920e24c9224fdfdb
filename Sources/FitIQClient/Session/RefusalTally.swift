/// Tells a token that ran out from a session that is over, by what became of the pairs that this
/// process fetched itself.
///
/// A backend whose tokens live for one request refuses fresh ones too, whenever another call was
/// faster. So a session counts as over only when two pairs in a row were refused, no call was
/// answered otherwise in between, and none is still under way that may have been.
struct RefusalTally: Sendable {
  private var onTheWire = 0
  private var fetchedGeneration: Int?
  private var refusedInARow = 0
  /// The generation that the present row of refusals began with.
  private(set) var firstRefused = 0

  var isHopeless: Bool { refusedInARow >= 2 && onTheWire == 0 }

  mutating func left() { onTheWire += 1 }

  /// No whole answer: this says nothing about the token.
  mutating func vanished() { onTheWire -= 1 }

  /// Any answer but 401.
  mutating func accepted() {
    onTheWire -= 1
    refusedInARow = 0
  }

  mutating func refused(generation: Int) {
    onTheWire -= 1
    guard generation == fetchedGeneration else { return }
    // Many calls may have carried it; it counts once.
    fetchedGeneration = nil
    if refusedInARow == 0 { firstRefused = generation }
    refusedInARow += 1
  }

  mutating func fetched(generation: Int) { fetchedGeneration = generation }

  /// Another process renewed the session: what it got accepted is not seen here.
  mutating func foundAnothersPair() {
    fetchedGeneration = nil
    refusedInARow = 0
  }
}
