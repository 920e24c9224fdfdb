public import LedgerModel
import LedgerProjections

/// Why something is not undone; nothing was written.
public enum UndoRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case noSuchEvent(Seq, last: Int)
  case nothingToUndo
  case isUndone(Seq, by: Seq)
  case isErased(Seq)
  /// It is no edit of a person: who recorded what, and what to do instead.
  case notAnEdit(Seq, why: String)
  case entryIsDeleted(Seq, by: Seq?)
  case entryIsUndone(Seq)
  /// Nothing of it can be put back, and why, field by field.
  case nothingLeft(Seq, why: [String])

  public var description: String {
    switch self {
    case .noSuchEvent(let seq, let last):
      "there is no event \(seq); the log ends with event \(last)"
    case .nothingToUndo: "there is no edit of yours that could be undone"
    case .isUndone(let seq, let later): "event \(seq) was undone already, by event \(later)"
    case .isErased(let seq): "event \(seq) was erased; what it said is gone and cannot be undone"
    case .notAnEdit(let seq, let why): "event \(seq) is no edit of yours: \(why)"
    case .entryIsDeleted(let seq, let deletion):
      "the entry of event \(seq) is deleted" + (deletion.map { ", by event \($0)" } ?? "")
    case .entryIsUndone(let seq):
      "the entry of event \(seq) counts as never made, since its logging was undone"
    case .nothingLeft(let seq, let why):
      "nothing of event \(seq) can be put back: " + why.joined(separator: "; ")
    }
  }
}
