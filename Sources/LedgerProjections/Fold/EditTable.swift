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

/// How far one edit has come, in twelve bytes.
struct EditCell: ColumnElement {
  static let placeholder = EditCell()

  /// The event that put the edit into its state; 0 while it is as it was recorded.
  var marker: UInt32 = 0
  /// The entry row that the edit belongs to, plus one; 0 for none.
  var row: UInt32 = 0
  private var stateByte: UInt8 = EditState.none.rawValue
  /// How often calls were attempted for the edit before it was acknowledged; 255 stands for more.
  var attempts: UInt8 = 0
  /// Written, so that the same state always has the same bytes.
  private var padding: UInt16 = 0

  init() {}

  init(row: UInt32, _ state: EditState) {
    self.row = row
    stateByte = state.rawValue
  }

  @inline(__always)
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    marker <= bounds.lastSeq && row <= bounds.rowCount && stateByte <= StateCounts.lastPlace
  }

  var state: EditState {
    @inline(__always) get { EditState(rawValue: stateByte) ?? .none }
    @inline(__always) set { stateByte = newValue.rawValue }
  }

  /// The state as a place in ``StateCounts``.
  @inline(__always)
  var statePlace: Int { Int(stateByte & StateCounts.lastPlace) }
}

/// The states of all edits by seq. Texts (reasons, messages, paths) stay in the log: ``marker(_:)``
/// says which line to read them from.
public struct EditTable: Sendable {
  var cells = Column<EditCell>([EditCell()])

  /// The seq that the table reaches to.
  var lastSeq: Int { cells.count - 1 }

  /// Moves the edits of the next stretch behind the others.
  ///
  /// - Parameter rowsBefore: how many rows stand before those of the stretch.
  mutating func take(_ later: inout BatchEdits, rowsBefore: Int) {
    precondition(later.firstSeq == (lastSeq == 0 ? 0 : lastSeq + 1), "stretches come in order")
    var new = later.takeCells(rowsBefore: rowsBefore)
    if lastSeq == 0 { cells = Column() }
    cells.take(&new)
  }

  @inline(__always)
  private func cell(_ seq: Int) -> EditCell? {
    seq >= 0 && seq < cells.count ? cells[seq] : nil
  }

  @inline(__always)
  public func state(_ seq: Int) -> EditState {
    cells.pick(seq, or: .none) { $0.state }
  }

  /// The event that put the edit into its state; `nil` while it is as it was recorded.
  public func marker(_ seq: Int) -> Int? {
    cell(seq).flatMap { $0.marker > 0 ? Int($0.marker) : nil }
  }

  /// The entry row that the edit belongs to.
  @inline(__always)
  public func row(_ seq: Int) -> Int? {
    let row = cells.pick(seq, or: 0) { $0.row }
    return row > 0 ? Int(row) - 1 : nil
  }

  /// How many calls were attempted for the edit until it was acknowledged; at most 255. What tidies
  /// up after it later makes no row, and does not count.
  public func attempts(_ seq: Int) -> Int { cell(seq).map { Int($0.attempts) } ?? 0 }

  @inline(__always)
  mutating func begin(_ seq: Int, as state: EditState, row: Int?) {
    var cell = cells[seq]
    cell.state = state
    if let row { cell.row = UInt32(row + 1) }
    cells[seq] = cell
  }

  /// Puts an edit into a state; what was undone stays undone, and what is no edit has no state. The
  /// marker of an acknowledged edit is the first acknowledgement.
  mutating func mark(_ seq: Int, _ state: EditState, by marker: Int) {
    guard var cell = cell(seq), marker > seq else { return }
    switch cell.state {
    case .none, .undone: return
    case .acknowledged where state != .undone && state != .differed: return
    case .pending, .inDoubt, .acknowledged, .rejected, .held, .differed: break
    }
    if state == .inDoubt, cell.attempts < .max { cell.attempts += 1 }
    cell.state = state
    cell.marker = UInt32(marker)
    cells[seq] = cell
  }

  /// Forgets how far edits up to a seq have come: the account was created again, and the backend has
  /// none of them.
  mutating func restart(_ seq: Int, _ state: EditState, by marker: Int) {
    guard var cell = cell(seq) else { return }
    cell.state = state
    cell.marker = UInt32(marker)
    cell.attempts = 0
    cells[seq] = cell
  }

  /// All seqs in one of these states, oldest first.
  public func seqs(where isWanted: (EditState) -> Bool) -> [Int] {
    cells.indices.filter { isWanted(cells[$0].state) }
  }

  public func count(_ state: EditState) -> Int {
    cells.reduce(0) { $0 + ($1.state == state ? 1 : 0) }
  }
}
