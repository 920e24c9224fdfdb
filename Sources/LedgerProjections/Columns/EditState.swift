/// How far an edit has come on its way to the backend.
///
/// Next states: `pending` → `inDoubt` (an attempt is recorded), `held`, `acknowledged` (elided),
/// `undone`; `inDoubt` → `acknowledged`, `rejected`, `pending` (deferred); `held` → `inDoubt`,
/// `acknowledged`; `rejected` → `inDoubt` (sent again with a correction), `acknowledged`.
/// `acknowledged` stays: what is called on behalf of such an edit later only tidies up after it.
public enum EditState: UInt8, Sendable {
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
