/// The delivery state of an edit.
///
/// Next states: `pending` → `inDoubt` (an attempt is recorded), `held`, `acknowledged` (elided),
/// `undone`; `inDoubt` → `acknowledged`, `rejected`, `pending` (deferred); `held` → `inDoubt`,
/// `acknowledged`; `rejected` → `inDoubt` (sent again with a correction), `acknowledged`;
/// `differed` → `pending` or `acknowledged` (a person decided), `inDoubt` (sent again with a
/// correction). `acknowledged` is final, unless the backend is found to have another value
/// (`differed`) or the account was created again (`pending`): later calls for the edit only clean up.
public enum EditState: String, CaseIterable, Sendable {
  /// Not an edit.
  case none
  /// Not sent yet, or to be sent again.
  case pending
  /// Sent without an answer.
  case inDoubt
  /// The backend has it.
  case acknowledged
  /// The backend refused it.
  case rejected
  /// Cannot be sent until another edit lifts the reason.
  case held
  /// Taken back before it was sent.
  case undone
  /// The backend has another value than was sent; a person decides.
  case differed

  /// Whether it is unsent or unanswered.
  public var isOpen: Bool {
    switch self {
    case .pending, .inDoubt, .held: true
    case .none, .acknowledged, .rejected, .undone, .differed: false
    }
  }

  /// Whether a call for a later edit of the same subject covers it.
  public var isFailed: Bool { self == .rejected || self == .differed }

  /// Whether the next call of its subject has its value.
  package var needsCall: Bool { isOpen || isFailed }

  /// Its number in tables and snapshots.
  var code: UInt8 {
    switch self {
    case .none: 0
    case .pending: 1
    case .inDoubt: 2
    case .acknowledged: 3
    case .rejected: 4
    case .held: 5
    case .undone: 6
    case .differed: 7
    }
  }

  init?(code: UInt8) {
    switch code {
    case 0: self = .none
    case 1: self = .pending
    case 2: self = .inDoubt
    case 3: self = .acknowledged
    case 4: self = .rejected
    case 5: self = .held
    case 6: self = .undone
    case 7: self = .differed
    default: return nil
    }
  }
}

/// Counts of edits by state. Branchless: the next state is unpredictable.
struct StateCounts {
  static let lastPlace: UInt8 = 7
  /// By code.
  private var counts = [Int](repeating: 0, count: Int(lastPlace) + 1)

  subscript(state: EditState) -> Int { counts[Int(state.code)] }

  mutating func count(_ state: EditState, _ number: Int) { counts[Int(state.code)] += number }

  /// - Parameter place: a state's code.
  @inline(__always)
  mutating func count(at place: Int) { counts[place] &+= 1 }
}

/// The state of one edit, in twelve bytes.
struct EditCell: ColumnElement {
  static let placeholder = EditCell()

  /// The event that set the state; 0 for the first state.
  var marker: UInt32 = 0
  /// The index of the edit's entry row, plus one; 0 for none.
  var row: UInt32 = 0
  private var stateByte: UInt8 = EditState.none.code
  /// The number of calls attempted before the edit was acknowledged, at most 255.
  var attempts: UInt8 = 0
  /// Initialized, so that equal cells have equal bytes.
  private var padding: UInt16 = 0

  init() {}

  init(row: UInt32, _ state: EditState) {
    self.row = row
    stateByte = state.code
  }

  @inline(__always)
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    marker <= bounds.lastSeq && row <= bounds.rowCount && stateByte <= StateCounts.lastPlace
  }

  var state: EditState {
    @inline(__always) get { EditState(code: stateByte) ?? .none }
    @inline(__always) set { stateByte = newValue.code }
  }

  /// An index into ``StateCounts``.
  @inline(__always)
  var statePlace: Int { Int(stateByte & StateCounts.lastPlace) }
}

/// The states that occur on one page of a snapshot's cells: searches skip pages without the wanted ones.
struct EditStates: ColumnElement, Equatable {
  static let placeholder = EditStates()

  private var bits: UInt8 = 0

  init() {}

  init(_ states: some Sequence<EditState>) { for state in states { bits |= 1 << state.code } }

  @inline(__always)
  private mutating func insert(of cell: EditCell) { bits |= 1 << UInt8(cell.statePlace) }

  func has(anyOf others: EditStates) -> Bool { bits & others.bits != 0 }

  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { true }

  /// Page by page.
  static func onPages(of cells: ArraySlice<EditCell>) -> [EditStates] {
    let perPage = StoredColumn<EditCell>.perPage
    return stride(from: cells.startIndex, to: cells.endIndex, by: perPage).map { start in
      var states = EditStates()
      for cell in cells[start..<min(start + perPage, cells.endIndex)] { states.insert(of: cell) }
      return states
    }
  }
}

/// The states of all edits by seq. Texts (reasons, messages, paths) stay in the log, in the line of
/// ``marker(_:)``.
package struct EditTable: Sendable {
  var cells = Column<EditCell>([EditCell()])
  /// The states on each page of the snapshot's cells, as it was written; `nil` if all are in memory.
  var pageStates: StoredColumn<EditStates>?

  init() {}

  /// A table that knows nothing of the edits up to an event.
  init(unknownUpTo seq: Int) { cells = Column(unknown: seq + 1) }

  var lastSeq: Int { cells.count - 1 }

  /// Appends the edits of the next batch.
  ///
  /// - Parameter rowsBefore: the number of rows before those of the batch.
  mutating func take(_ later: inout BatchEdits, rowsBefore: Int) {
    precondition(later.firstSeq == (lastSeq == 0 ? 0 : lastSeq + 1), "batches come in order")
    var new = later.takeCells(rowsBefore: rowsBefore)
    if lastSeq == 0 { cells = Column() }
    cells.take(&new)
  }

  @inline(__always)
  private func cell(_ seq: Int) -> EditCell? {
    seq >= 0 && seq < cells.count ? cells[seq] : nil
  }

  @inline(__always)
  package func state(_ seq: Int) -> EditState {
    cells.pick(seq, or: .none) { $0.state }
  }

  /// The event that set the edit's state; `nil` for its first state.
  package func marker(_ seq: Int) -> Int? {
    cell(seq).flatMap { $0.marker > 0 ? Int($0.marker) : nil }
  }

  /// The index of the edit's entry row.
  @inline(__always)
  package func row(_ seq: Int) -> Int? {
    let row = cells.pick(seq, or: 0) { $0.row }
    return row > 0 ? Int(row) - 1 : nil
  }

  /// The number of calls attempted until the edit was acknowledged, at most 255. Later calls that
  /// clean up do not count.
  package func attempts(_ seq: Int) -> Int { cell(seq).map { Int($0.attempts) } ?? 0 }

  /// Whether a call for the edit was sent and no answer to it is known. One that is simply sent again, such
  /// as a PUT or a DELETE, is deferred then, not in doubt.
  package func mayHaveArrived(_ seq: Int) -> Bool {
    switch state(seq) {
    case .inDoubt: true
    case .pending, .held: attempts(seq) > 0
    case .none, .acknowledged, .rejected, .undone, .differed: false
    }
  }

  @inline(__always)
  mutating func begin(_ seq: Int, as state: EditState, row: Int?) {
    var cell = cells[seq]
    cell.state = state
    if let row { cell.row = UInt32(row + 1) }
    cells[seq] = cell
  }

  /// Sets the state of an edit. Undone edits and other events keep theirs. The marker of an
  /// acknowledged edit is the first acknowledgement.
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

  /// Resets an edit's delivery: the account was created again, or a person decided a conflict.
  mutating func restart(_ seq: Int, _ state: EditState, by marker: Int) {
    guard var cell = cell(seq) else { return }
    cell.state = state
    cell.marker = UInt32(marker)
    cell.attempts = 0
    cells[seq] = cell
  }

  func loaded() throws(SnapshotFault) -> EditTable {
    var edits = self
    edits.cells = try cells.loaded()
    edits.pageStates = nil
    return edits
  }

  /// Where all edits in these states are, and these edits; oldest first.
  func ranges(holding states: EditStates, and seqs: Set<Int>) -> [Range<Int>] {
    guard let pageStates, let pages = try? pageStates.all() else { return [0..<cells.count] }
    let perPage = StoredColumn<EditCell>.perPage
    let named = Set(seqs.map { $0 / perPage } + cells.changedInSnapshot.map { $0 / perPage })
    let stored = cells.countInSnapshot
    let found = pages.indices.filter { pages[$0].has(anyOf: states) || named.contains($0) }
    return found.map { $0 * perPage..<min(($0 + 1) * perPage, stored) } + [stored..<cells.count]
  }

  /// Whether the states on the pages of a snapshot are those of its cells.
  ///
  /// - Parameters:
  ///   - folded: the same edits folded from line 1, possibly with later ones.
  ///   - changed: the edits whose cells differ from those in the snapshot.
  func hasPageStates(
    of folded: EditTable, except changed: some Sequence<Int>
  ) throws(SnapshotFault) -> Bool {
    guard let pageStates else { return true }
    var states = EditStates.onPages(of: folded.cells.own.prefix(cells.count))
    let perPage = StoredColumn<EditCell>.perPage
    for page in Set(changed.map { $0 / perPage }) {
      states[page] = EditStates(
        (page * perPage..<min((page + 1) * perPage, cells.count)).map(state))
    }
    return try pageStates.all() == states
  }

  /// The seqs of all edits in matching states, oldest first.
  package func seqs(where isWanted: (EditState) -> Bool) -> [Int] {
    cells.indices.filter { isWanted(cells[$0].state) }
  }
}
