import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections

extension UndoPlanner {
  /// Undoes the user's newest edit that can be undone. Undone edits and those that undid them are
  /// skipped, so that undoing again goes one step further back; a redo is a plain edit.
  ///
  /// - Parameter passesImports: whether newer imports stay as they are.
  /// - Throws: ``UndoRefusal`` if a goal, a decision, an erasure or, on request, an import is newer, instead
  ///   of taking back an earlier edit.
  func undoNewest(passesImports: Bool) throws -> Undoing {
    guard let found = try newest(.editAlone, passesImports: passesImports).found else {
      throw UndoRefusal.nothingToUndo
    }
    return found
  }

  /// The user's newest edit that can be undone, or an earlier one.
  ///
  /// - Parameter count: how many later ones to skip.
  func edit(lastBut count: Int) throws -> Seq {
    let search = try newest(.edit, skipping: count)
    guard let found = search.found else { throw UndoRefusal.nothingToUndo }
    return found.target
  }

  /// The newest undoing in force and those of the same write, newest first, unless the user has made
  /// another edit, goal, decision or erasure since, or taken back an undoing that was not the newest change.
  ///
  /// - Returns: `skipped`: why the newest of all is not among them, if it is not: its edit was replaced
  ///   before it was undone, say.
  /// - Throws: ``UndoRefusal``.
  mutating func newestUndoings() throws -> (seqs: [Seq], skipped: UndoRefusal?) {
    let search = try newest(.undoing)
    guard let newest = search.found?.target else { throw UndoRefusal.nothingToRedo }
    // The events of one write have one time, and each of them undoes another event.
    let at = try recorded(newest).event.at
    var found = [newest]
    for number in (1..<newest.number).reversed() {
      let seq = Seq(number)
      let recorded = try recorded(seq)
      guard recorded.event.at == at, recorded.undone != nil else { break }
      if try undoneEdit(by: seq) != nil { found.append(seq) }
    }
    try indexUndoers(since: found[found.count - 1])
    let undoers = try undoersInForce(of: found)
    return (found.filter { undoers[$0] == nil }, search.refusal)
  }

  private func newest(
    _ wanted: NewestSearch.Wanted, skipping count: Int = 0, passesImports: Bool = true
  ) throws -> NewestSearch {
    var search = NewestSearch(planner: self, wanted: wanted, skipping: count)
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      let isImported = envelope.by == .import
      guard envelope.by == .user || isImported && !passesImports, !envelope.isErased else { return }
      let payload = try EventReader.payload(envelope, in: window)
      let undone = payload.undone(at: Seq(envelope.seq))
      let kind = EventKind(rawValue: payload.type)
      let isWanted = kind?.isEdit == true || wanted != .edit && kind?.isOtherStep == true
      if undone != nil || isWanted {
        let milliseconds = envelope.milliseconds(in: window)
        search.edits.append(
          (
            Seq(envelope.seq), Timestamp(millisecondsSince1970: milliseconds), undone, isImported
          ))
      }
    } while: { _ in
      search.advance()
    }
    _ = search.advance()
    if let failure = search.failure { throw failure }
    if let last = search.imported {
      throw UndoRefusal.notAnEdit(last, .imported(since: try firstOfWrite(of: last)))
    }
    if let redone = try search.redoneByNumber() { throw UndoRefusal.undoIsUndone(by: redone) }
    if let step = search.otherStep { throw UndoRefusal.isSinceUndo(step) }
    if search.found == nil, let refusal = search.refusal { throw refusal }
    return search
  }

  /// The first of the events that were written together, which have one time.
  private func firstOfWrite(of seq: Seq) throws -> Seq {
    let at = try recorded(seq).event.at
    var (low, high) = (1, seq.number)
    while low < high {
      let middle = (low + high) / 2
      if try recorded(Seq(middle)).event.at < at { low = middle + 1 } else { high = middle }
    }
    return Seq(high)
  }
}

extension LedgerStore {
  /// The user's newest edit that can be undone, or an earlier one.
  ///
  /// - Parameter count: how many later ones to skip.
  /// - Throws: ``UndoRefusal/nothingToUndo``; `LogError`.
  package func undoableEdit(lastBut count: Int) throws -> Seq {
    // Undoing a deletion that was sent logs the entry again; only whether it can be is of interest.
    var generator = SystemEntropy()
    let entry = EntryID.make(at: Timestamp(millisecondsSince1970: 0), using: &generator)
    func planner(_ state: LedgerState) throws -> UndoPlanner {
      try UndoPlanner(state: state, view: view(), isSyncing: false, newEntry: entry)
    }
    return try askLines(
      since: { state in
        let planner = try planner(state)
        return try planner.firstLine(toUndo: planner.edit(lastBut: count))
      }, { state in try planner(state).edit(lastBut: count) })
  }
}

extension UndoPlanner {
  /// Refuses to log again what is in the ledger already, since its file was imported again.
  func checkIsSingle(_ source: String?, _ id: String?, _ undone: Seq) throws {
    guard let source, let id else { return }
    for later in try loggings.seqs(of: source, id, after: undone, in: view).reversed()
    where isLive(later) {
      throw UndoRefusal.nothingLeft(undone, why: ["event \(later) has logged it again"])
    }
  }

  private func isLive(_ logging: Seq) -> Bool {
    if let row = state.edits.row(logging.number) {
      return state.isMade(row: row) && !state.entry(at: row).isDeleted
    }
    return state.session(ofEdit: logging.number).map {
      state.isMade(session: $0) && !state.session(at: $0).isDeleted
    } ?? false
  }
}

extension RecordedEvent {
  /// The earlier event that this one undoes, as that of its payload.
  package var undone: Seq? { event.payload.undone(at: seq) }
}

extension Event.Payload {
  /// Whether it is an edit of the profile.
  var setsFields: Bool {
    switch self {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated: true
    default: false
    }
  }

  /// Whether it replaces values that earlier edits have set.
  var setsValues: Bool {
    switch self {
    case .progressCorrected, .sleepCorrected: true
    default: setsFields
    }
  }

  /// The event that this one undoes.
  public var undone: Seq? {
    if case .editUndone(let data) = self { return data.event }
    return unknownMembers[Undoing.member]?.integer.flatMap { Seq(exactly: $0) }
  }

  /// The earlier event that event `seq` undoes. Any other reference is ignored: following it might not
  /// end.
  func undone(at seq: Seq) -> Seq? { undone.flatMap { $0 < seq ? $0 : nil } }

  /// The member by which event `seq` names an event that it cannot undo, if any, and its value.
  package func undoneProblem(at seq: Seq) -> (member: String, value: String)? {
    let found: (String, String)? =
      if case .editUndone(let data) = self {
        ("event", data.event.description)
      } else {
        unknownMembers[Undoing.member].map { (Undoing.member, $0.serialized) }
      }
    return undone(at: seq) == nil ? found : nil
  }

  /// The members that no edit has by itself, without encoding the others.
  private var unknownMembers: JSONObject {
    switch self {
    case .profileUpdated(let data): data.unknown
    case .physicalUpdated(let data): data.unknown
    case .preferencesUpdated(let data): data.unknown
    case .progressLogged(let data): data.unknown
    case .progressCorrected(let data): data.unknown
    case .progressDeleted(let data): data.unknown
    case .sleepLogged(let data): data.unknown
    case .sleepCorrected(let data): data.unknown
    case .sleepDeleted(let data): data.unknown
    default: data
    }
  }
}

extension UndoPlanner {
  /// The first of the lines that tell how an event is undone, as far as the state knows; `nil` if that takes
  /// all lines.
  func firstLine(toUndo seq: Seq) throws(LogError) -> Seq? {
    let payload = try recorded(seq).event.payload
    if case .editUndone(let data) = payload {
      guard data.event < seq else { return seq }
      return try recorded(data.event).event.payload.setsFields
        ? seq : state.logging(ofEdit: data.event.number)
    }
    guard payload.setsFields else { return state.logging(ofEdit: seq.number) }
    if way([seq]) == .cancelled { return seq }
    let fields = payload.data.members.compactMap { ProfileField(rawValue: $0.name) }
    let setters = fields.map { state.profile.value(of: $0, before: seq, state.edits)?.seq ?? 0 }
    return setters.min().flatMap { Seq(exactly: $0) }
  }
}

/// The events of a log after some seq that undo others.
struct LoggedUndoers {
  /// For each undone event those events, oldest first.
  private(set) var byEvent: [Seq: [Seq]] = [:]
  private let view: LogView
  let since: Seq

  init(in view: LogView, since seq: Seq) throws(LogError) {
    (self.view, since) = (view, seq)
    byEvent = try Self.read(view, after: seq)
  }

  /// The same for a later view. Reads only what was appended since, or everything if the log file was
  /// replaced.
  func upToDate(in later: LogView) throws(LogError) -> LoggedUndoers {
    guard try view.isCurrent(), later.endBytes >= view.endBytes, let last = try view.lastLine()
    else {
      return try LoggedUndoers(in: later, since: since)
    }
    var all = self
    for (seq, new) in try Self.read(later, after: max(since, Seq(last.seq))) {
      all.byEvent[seq, default: []] += new
    }
    return all
  }

  private static func read(
    _ view: LogView, after seq: Seq
  ) throws(LogError) -> [Seq: [Seq]] {
    var found: [Seq: [Seq]] = [:]
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      guard envelope.seq > seq.number, envelope.mayUndo(in: window) else { return }
      let payload = try EventReader.payload(envelope, in: window)
      let seq = Seq(envelope.seq)
      if let undone = payload.undone(at: seq) { found[undone, default: []].append(seq) }
    } while: { before in
      before.seq > seq.number
    }
    return found
  }
}

/// What a planner has found so far.
final class RecentUndoers {
  var undoers: LoggedUndoers?
}

/// Which events of a log undo another one; those that make an undone edit again do not.
final class LoggedRedoes {
  var isUndoing: [Seq: Bool] = [:]
}

/// The events that log what has a source id, by source and source id.
final class SourceLoggings {
  struct Key: Hashable {
    var source: String
    var id: String

    init(source: String, id: String) { (self.source, self.id) = (source, id) }

    /// `nil` for an event that logs nothing.
    init?(_ payload: Event.Payload) {
      switch payload {
      case .progressLogged(let data): self.init(source: data.source ?? "", id: data.sourceID ?? "")
      case .sleepLogged(let data): self.init(source: data.source ?? "", id: data.sourceID ?? "")
      default: return nil
      }
    }
  }

  private var seqs: [Key: [Seq]] = [:]
  /// The number of the event after which ``seqs`` are known.
  private var start: Int?

  /// - Returns: those after an event, oldest first.
  func seqs(
    of source: String, _ id: String, after seq: Seq, in view: LogView
  ) throws(LogError) -> [Seq] {
    if start.map({ $0 > seq.number }) ?? true {
      // An undo of many entries asks from the newest to the oldest: twice as far each time.
      let last = try view.lastLine()?.seq ?? seq.number
      try read(view, after: max(0, 2 * seq.number - last))
    }
    return (seqs[Key(source: source, id: id)] ?? []).filter { $0 > seq }
  }

  private func read(_ view: LogView, after number: Int) throws(LogError) {
    var found: [Key: [Seq]] = [:]
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      guard envelope.seq > number, envelope.mayHaveTwin(in: window) else { return }
      guard let key = Key(try EventReader.payload(envelope, in: window)) else { return }
      found[key, default: []].append(Seq(envelope.seq))
    } while: { before in
      before.seq > number
    }
    (seqs, start) = (found.mapValues { $0.sorted() }, number)
  }
}

/// Tries the newest edits first until one can be undone.
private struct NewestSearch {
  enum Wanted {
    case edit
    /// Fails at a goal, a decision, an erasure or an import.
    case editAlone
    /// Ends at the newest edit that undoes and redoes nothing, and fails at a goal, a decision or an erasure.
    case undoing
  }

  let planner: UndoPlanner
  let wanted: Wanted
  /// Edits of the log range read last, in log order, and what each undoes.
  var edits: [(seq: Seq, at: Timestamp, undone: Seq?, isImported: Bool)] = []
  private(set) var found: Undoing?
  /// The last event of an import that is newer.
  private(set) var imported: Seq?
  private(set) var failure: (any Error)?
  /// Why the newest undoing in force cannot be redone.
  private(set) var refusal: UndoRefusal?
  /// Undoings that were undone again, by which event, and when.
  private var redone: [(undoing: Seq, by: Seq, at: Timestamp)] = []
  /// The edit at which the search for an undoing ended.
  private var end: Seq?
  /// The same, if it is a goal, a decision or an erasure.
  private(set) var otherStep: Seq?
  private var hasEnded = false
  private var left: Int
  /// Undone by a later edit.
  private var settled: Set<Seq> = []

  /// - Parameter count: how many matches to skip.
  init(planner: UndoPlanner, wanted: Wanted, skipping count: Int) {
    (self.planner, self.wanted, left) = (planner, wanted, count)
  }

  /// - Returns: whether to read the range before.
  mutating func advance() -> Bool {
    defer { edits = [] }
    guard found == nil, failure == nil, !hasEnded else { return false }
    for (seq, at, undone, isImported) in edits.reversed() {
      do {
        let isUndone = settled.contains(seq)
        let isCancelled = planner.state.edits.state(seq.number) == .undone
        if isCancelled, let undone {
          // A cancelled undoing that was made again counts. For a redo, an undoing that was redone stays
          // so: to redo it once more is to redo the redo.
          let wasRedone = try wanted == .undoing && planner.undoneEdit(by: undone) != nil
          if !isUndone || wasRedone { settled.insert(undone) }
        }
        if isCancelled || isUndone {
          guard wanted == .undoing, undone == nil else { continue }
          // Whether or not it was redone, what was undone before this edit stays undone.
          (end, hasEnded) = (seq, true)
          return false
        }
        if isImported {
          (imported, hasEnded) = (seq, true)
          return false
        }
        if let undone { settled.insert(undone) }
        let isUndoing = try planner.undoneEdit(by: seq) != nil
        switch wanted {
        case .edit where isUndoing, .editAlone where isUndoing: continue
        case .undoing where !isUndoing:
          if let undone {
            redone.append((undone, by: seq, at))
            continue
          }
          let kind = try EventKind(rawValue: planner.recorded(seq).event.payload.type)
          if kind?.isOtherStep == true { otherStep = seq }
          (end, hasEnded) = (seq, true)
          return false
        case .edit, .editAlone, .undoing: break
        }
        let match = try planner.plan(planner.recorded(seq))
        left -= 1
        guard left < 0 else { continue }
        found = match
        return false
      } catch UndoRefusal.notAnEdit(let seq, let other) where wanted == .editAlone {
        failure = UndoRefusal.notAnEdit(seq, other)
        return false
      } catch let refused as UndoRefusal
        where wanted == .edit || wanted == .editAlone && refused.isOfConflict
      {
        if wanted == .editAlone {
          failure = refused
          return false
        }
        left -= 1
        guard left < 0 else { continue }
        found = planner.cancel(seq)
        return false
      } catch let refused as UndoRefusal {
        if wanted == .undoing, refusal == nil { refusal = refused }
      } catch {
        failure = error
        return false
      }
    }
    return true
  }

  /// The newest event that took back an undoing that a redo would not have: one before a newer edit or
  /// undoing, or one of several writes at once.
  func redoneByNumber() throws -> Seq? {
    func moment(_ seq: Seq) throws -> Timestamp { try planner.recorded(seq).event.at }
    let last = found?.target ?? end
    let lastMoment = try last.map(moment)
    var undoings: [Timestamp: Seq] = [:]
    return try redone.first { redo in
      if let last, redo.undoing < last, try moment(redo.undoing) != lastMoment { return true }
      let other = undoings.updateValue(redo.undoing, forKey: redo.at)
      return try other.map { try moment($0) != moment(redo.undoing) } ?? false
    }?.by
  }
}

extension EventKind {
  /// What a person does last and may want to take back, but is no edit.
  fileprivate var isOtherStep: Bool {
    [.goalSet, .goalRemoved, .conflictResolved, .duplicateResolved, .eventErased].contains(self)
  }
}

extension Envelope {
  /// Whether an event logs an entry or a session with a source id.
  fileprivate func mayHaveTwin(in window: RawSpan) -> Bool {
    guard !isErased else { return false }
    let kinds = [EventKind.progressLogged, .sleepLogged]
    let isLogging = window.extracting(type).withUnsafeBytes { type in
      kinds.contains { type.elementsEqual($0.rawValue.utf8) }
    }
    return isLogging
      && window.extracting(data).withUnsafeBytes { $0.holds("source_id") || $0.holds("\\") }
  }

  /// Whether an event may undo another one: a byte search, since parsing a million lines takes long.
  fileprivate func mayUndo(in window: RawSpan) -> Bool {
    guard by == .user, !isErased else { return false }
    let isUndoing = window.extracting(type).withUnsafeBytes {
      $0.elementsEqual(EventKind.editUndone.rawValue.utf8)
    }
    if isUndoing { return true }
    return window.extracting(data).withUnsafeBytes { data in
      // The name may be escaped.
      data.holds(Undoing.member) || data.holds("\\")
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func holds(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { text in
      guard let wanted = text.baseAddress, var start = baseAddress else { return false }
      let end = start + count
      while end - start >= text.count,
        let found = memchr(start, Int32(wanted[0]), end - start - text.count + 1)
      {
        if memcmp(found, wanted, text.count) == 0 { return true }
        start = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }
}
