import LedgerModel
import LedgerStore

/// Which edits of entries and sessions count after all undos and redos of a log.
///
/// An edit that an `edit.undone` names never counts again: its redo is another event. One that the backend
/// had is undone by a correction, a deletion or another logging, and counts again if that one is undone.
struct EditHistory {
  /// What an event does.
  struct Edit {
    /// Who made it; of a redo, who made it first.
    var author: Event.Actor
    /// The earlier event that it takes back.
    var undoes: Int?
  }

  /// Corrections, deletions, and loggings that take back a deletion, by their events.
  private var edits: [Int: Edit] = [:]
  /// What each `edit.undone` names.
  private var cancelled: [Int: Int] = [:]
  private var deletions: [Int: EntryID] = [:]
  /// What redos, and undos of deletions, logged again under another id, in order.
  private(set) var copies: [Copy] = []

  /// An entry or session that was logged again with its values at that time.
  struct Copy {
    enum Original {
      case entry(EntryID)
      /// The one that this event logged.
      case logging(Int)
    }

    var entry: EntryID
    var original: Original
  }

  /// Takes an event of a log, in order.
  @discardableResult
  mutating func note(_ payload: Event.Payload, by author: Event.Actor, at seq: Int) -> Edit {
    let target = payload.undone.map(\.number).flatMap { $0 < seq ? $0 : nil }
    var edit = Edit(author: author, undoes: target)
    if let again = target.flatMap({ cancelled[$0] }) {
      edit = edits[again] ?? Edit(author: author)
    }
    switch payload {
    case .editUndone: cancelled[seq] = target
    case .progressLogged(let data): noteLogging(of: data.entry, edit, target, at: seq)
    case .sleepLogged(let data): noteLogging(of: data.entry, edit, target, at: seq)
    case .progressDeleted(let data): (edits[seq], deletions[seq]) = (edit, data.entry)
    case .sleepDeleted(let data): (edits[seq], deletions[seq]) = (edit, data.entry)
    case .progressCorrected, .sleepCorrected: edits[seq] = edit
    default: break
    }
    return edit
  }

  private mutating func noteLogging(
    of entry: EntryID, _ edit: Edit, _ target: Int?, at seq: Int
  ) {
    if edit.undoes != nil { edits[seq] = edit }
    guard let target else { return }
    if let logging = cancelled[target] {
      copies.append(Copy(entry: entry, original: .logging(logging)))
    } else if let original = deletions[target] {
      copies.append(Copy(entry: entry, original: .entry(original)))
    }
  }

  /// What does not count at the end of a log.
  struct Undone {
    /// Edits that were undone, and not made again.
    var events: Set<Int> = []
    /// Deleted entries and sessions that were logged again under another id when their deletion was undone.
    var replaced: Set<EntryID> = []
  }

  var undone: Undone {
    var undone = Undone(events: Set(cancelled.values))
    // An undoing follows what it undoes, so that the last one is decided first.
    let undoings = edits.compactMap { seq, edit in edit.undoes.map { (seq, target: $0) } }
    for (seq, target) in undoings.sorted(by: { $0.0 > $1.0 })
    where !undone.events.contains(seq) {
      undone.events.insert(target)
      if let entry = deletions[target] { undone.replaced.insert(entry) }
    }
    return undone
  }
}

/// The changes of a log's entries.
struct EntryJournal {
  private struct Line {
    var seq: Int
    var entry: EntryID
    /// `nil` for a logging after sync has deleted the entry.
    var change: KnownEntries.Change?
  }

  private var lines: [Line] = []
  private var deletedBySync: Set<EntryID> = []
  /// Whether a person, or sync for one, has corrected an entry.
  private(set) var isTouched = false

  mutating func note(_ change: KnownEntries.Change, of entry: EntryID, at seq: Int) {
    lines.append(Line(seq: seq, entry: entry, change: change))
    switch change {
    case .deletedBySync: deletedBySync.insert(entry)
    case .touched, .resent: isTouched = true
    case .grown, .deleted, .undone: break
    }
  }

  /// After sync has deleted an entry, its id may be logged again.
  mutating func noteLogging(of entry: EntryID, at seq: Int) {
    guard !deletedBySync.isEmpty, deletedBySync.remove(entry) != nil else { return }
    lines.append(Line(seq: seq, entry: entry))
  }

  /// The last relevant change of each entry. What a person changed stays so in its copies.
  ///
  /// - Parameter copies: in the order in which they were logged.
  func changes(
    without undone: EditHistory.Undone, copies: [(original: EntryID, copy: EntryID)]
  ) -> [EntryID: KnownEntries.Change] {
    var changes: [EntryID: KnownEntries.Change] = [:]
    var touched: Set<EntryID> = []
    for line in lines where !undone.events.contains(line.seq) {
      switch line.change {
      case .touched, .resent: touched.insert(line.entry)
      case .grown, .deleted, .deletedBySync, .undone, nil: break
      }
      switch (changes[line.entry], line.change) {
      case (.deletedBySync, nil): changes[line.entry] = nil
      case (_, nil), (.deleted, _): break
      case (_, .deleted), (_, .deletedBySync), (_, .undone): changes[line.entry] = line.change
      case (.touched, _), (.deletedBySync, _), (.undone, _): break
      case (.grown, _), (.resent, _), (nil, _): changes[line.entry] = line.change
      }
    }
    for (original, copy) in copies where touched.contains(original) {
      touched.insert(copy)
      switch changes[copy] {
      case .grown, .resent, nil: changes[copy] = .touched
      case .touched, .deleted, .deletedBySync, .undone: break
      }
    }
    for entry in undone.replaced { changes[entry] = .undone }
    return changes
  }
}
