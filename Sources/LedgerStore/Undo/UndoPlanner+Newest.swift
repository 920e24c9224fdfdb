import LedgerLog
import LedgerModel
import LedgerProjections

extension UndoPlanner {
  /// Undoes the newest edit of a person that can be. What was undone, and the edits that undid it,
  /// are passed over, so that undoing again goes one step further back; what was made again by
  /// undoing an undo is an edit like others.
  func undoNewest() throws -> Undoing {
    var search = NewestSearch(desk: self)
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      guard envelope.by == .user, !envelope.isErased else { return }
      let payload = try EventReader.payload(envelope, in: window)
      if EventKind(rawValue: payload.type)?.isEdit == true {
        search.stretch.append((Seq(envelope.seq), payload.undone))
      }
    } goesOn: { _ in
      search.lookThrough()
    }
    _ = search.lookThrough()
    if let failure = search.failure { throw failure }
    guard let found = search.found else { throw UndoRefusal.nothingToUndo }
    return found
  }
}

/// The newest edits first, until one can be undone.
private struct NewestSearch {
  let desk: UndoPlanner
  /// Edits of the stretch that was read last, in the order of the log, and what each undoes.
  var stretch: [(seq: Seq, undone: Seq?)] = []
  private(set) var found: Undoing?
  private(set) var failure: (any Error)?
  /// What a later edit has taken back.
  private var settled: Set<Seq> = []

  init(desk: UndoPlanner) { self.desk = desk }

  /// - Returns: whether to go on with what stands before.
  mutating func lookThrough() -> Bool {
    defer { stretch = [] }
    guard found == nil, failure == nil else { return false }
    for (seq, undone) in stretch.reversed() where desk.state.edits.state(seq.number) != .undone {
      do {
        if settled.contains(seq) { continue }
        if let undone { settled.insert(undone) }
        if try desk.takenBack(by: seq) != nil { continue }
        found = try desk.plan(desk.recorded(seq))
        return false
      } catch is UndoRefusal {
        continue
      } catch {
        failure = error
        return false
      }
    }
    return true
  }
}
