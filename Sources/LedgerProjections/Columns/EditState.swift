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

/// The states of all edits by seq, in ten bytes an event. Texts (reasons, messages, paths) stay in
/// the log: `markedBy` says which line to read them from.
public struct EditTable: Sendable {
  private var states: [EditState] = [.none]
  private var markers: [UInt32] = [0]
  /// The entry row that an edit belongs to, plus one; 0 for none.
  private var rows: [UInt32] = [0]
  /// How often calls were attempted for an edit before it was acknowledged; 255 stands for more.
  private var attemptCounts: [UInt8] = [0]

  /// The seq that the table reaches to.
  var lastSeq: Int { states.count - 1 }

  mutating func grow(to seq: Int) {
    let missing = seq + 1 - states.count
    guard missing > 0 else { return }
    states.append(contentsOf: repeatElement(.none, count: missing))
    markers.append(contentsOf: repeatElement(0, count: missing))
    rows.append(contentsOf: repeatElement(0, count: missing))
    attemptCounts.append(contentsOf: repeatElement(0, count: missing))
  }

  public func state(_ seq: Int) -> EditState {
    states.indices.contains(seq) ? states[seq] : .none
  }

  /// The event that put the edit into its state; `nil` while it is as it was recorded.
  public func marker(_ seq: Int) -> Int? {
    states.indices.contains(seq) && markers[seq] > 0 ? Int(markers[seq]) : nil
  }

  /// The entry row that the edit belongs to.
  public func row(_ seq: Int) -> Int? {
    states.indices.contains(seq) && rows[seq] > 0 ? Int(rows[seq]) - 1 : nil
  }

  /// How many calls were attempted for the edit until it was acknowledged; at most 255. What tidies
  /// up after it later makes no row, and does not count.
  public func attempts(_ seq: Int) -> Int {
    states.indices.contains(seq) ? Int(attemptCounts[seq]) : 0
  }

  mutating func begin(_ seq: Int, as state: EditState, row: Int?) {
    states[seq] = state
    if let row { rows[seq] = UInt32(row + 1) }
  }

  /// Puts an edit into a state; what was undone stays undone, and what is no edit has no state.
  mutating func mark(_ seq: Int, _ state: EditState, by marker: Int) {
    guard states.indices.contains(seq), marker > seq else { return }
    switch states[seq] {
    case .none, .undone: return
    case .acknowledged where state != .acknowledged && state != .undone: return
    case .pending, .inDoubt, .acknowledged, .rejected, .held: break
    }
    if state == .inDoubt { countAttempt(seq) }
    states[seq] = state
    markers[seq] = UInt32(marker)
  }

  private mutating func countAttempt(_ seq: Int) {
    if attemptCounts[seq] < .max { attemptCounts[seq] += 1 }
  }

  /// All seqs in one of these states, oldest first.
  public func seqs(where isWanted: (EditState) -> Bool) -> [Int] {
    states.indices.filter { isWanted(states[$0]) }
  }

  public func count(_ state: EditState) -> Int {
    states.reduce(0) { $0 + ($1 == state ? 1 : 0) }
  }
}
