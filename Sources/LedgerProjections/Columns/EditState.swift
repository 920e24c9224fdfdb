/// How far an edit has come on its way to the backend.
///
/// Next states: `pending` → `inDoubt` (an attempt is recorded), `held`, `acknowledged` (elided),
/// `undone`; `inDoubt` → `acknowledged`, `rejected`, `pending` (deferred); `held` → `inDoubt`,
/// `acknowledged`; `rejected` → `inDoubt` (sent again with a correction), `acknowledged`.
/// `acknowledged` stays: what is called on behalf of such an edit later only tidies up after it.
public enum EditState: UInt8, CaseIterable, Sendable {
  /// Not an edit.
  case none
  case pending
  case inDoubt
  case acknowledged
  case rejected
  case held
  case undone

  /// Whether the backend has yet to hear of it or to answer.
  public var isOpen: Bool {
    switch self {
    case .pending, .inDoubt, .held: true
    case .none, .acknowledged, .rejected, .undone: false
    }
  }
}

/// How many edits have come how far, counted without a branch: which state comes next nobody can
/// guess.
struct StateCounts {
  static let lastPlace: UInt8 = 7
  /// By raw value.
  private var counts = [Int](repeating: 0, count: Int(lastPlace) + 1)

  subscript(state: EditState) -> Int { counts[Int(state.rawValue)] }

  mutating func count(_ state: EditState, _ number: Int) { counts[Int(state.rawValue)] += number }

  /// - Parameter place: a state's raw value.
  @inline(__always)
  mutating func count(at place: Int) { counts[place] &+= 1 }
}
