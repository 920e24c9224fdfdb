/// How far an edit has come on its way to the backend.
///
/// Next states: `pending` → `inDoubt` (an attempt is recorded), `held`, `acknowledged` (elided),
/// `undone`; `inDoubt` → `acknowledged`, `rejected`, `pending` (deferred); `held` → `inDoubt`,
/// `acknowledged`; `rejected` → `inDoubt` (sent again with a correction), `acknowledged`;
/// `differed` → `pending` or `acknowledged` (a person decided), `inDoubt` (sent again with a
/// correction). `acknowledged` stays, unless the backend is found to have another value (`differed`)
/// or the account was created again (`pending`): a later call for such an edit only tidies up.
public enum EditState: UInt8, CaseIterable, Sendable {
  /// Not an edit.
  case none
  case pending
  case inDoubt
  case acknowledged
  case rejected
  case held
  case undone
  /// The backend has it with another value than was sent; a person decides.
  case differed

  /// Whether the backend has yet to hear of it or to answer.
  public var isOpen: Bool {
    switch self {
    case .pending, .inDoubt, .held: true
    case .none, .acknowledged, .rejected, .undone, .differed: false
    }
  }

  /// Whether a call for a later edit of the same subject covers it.
  public var isFailed: Bool { self == .rejected || self == .differed }
}

/// Counts of edits by state. Branchless: the next state is unpredictable.
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
