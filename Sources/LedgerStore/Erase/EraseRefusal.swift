public import LedgerModel
public import LedgerProjections

/// Why something is not erased; nothing was written.
public enum EraseRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case noSuchEvent(Seq, last: Int)
  case isErased(Seq)
  /// It is one edit of an entry, and what is erased is the entry.
  case isPartOfEntry(Seq, logged: Seq)
  /// A correction or a deletion of an entry that is not there: only entries are erased.
  case hasNoEntry(Seq)
  /// A call for it went out, and what became of it is not known.
  case inDoubt(Seq)
  /// An edit of the person that the backend has not taken.
  case notAcknowledged(Seq)
  /// A value that it set is the person's still.
  case inForce(Seq, ProfileField)
  /// A later value has yet to reach the backend, which has the old one until then.
  case notReplaced(Seq, ProfileField)
  case inConflict(Seq, ProfileField)
  /// Lines that other things hang on carry its values.
  case entangled(Seq)
  /// Nothing that a person wrote about themselves.
  case notContent(Seq, type: String)
  case newerVersion(Seq)
  case badReason(characters: Int)

  public var description: String {
    switch self {
    case .noSuchEvent(let seq, let last):
      "there is no event \(seq); the log ends with event \(last)"
    case .isErased(let seq): "event \(seq) is erased already; its content is gone"
    case .isPartOfEntry(let seq, let logged):
      "event \(seq) is one edit of the entry that event \(logged) logged, and an entry is erased as "
        + "a whole"
    case .hasNoEntry(let seq):
      "event \(seq) is an edit of an entry that this ledger does not have, and only whole entries "
        + "are erased"
    case .inDoubt(let seq):
      "event \(seq) was sent and its answer is not known, so nobody can say whether the backend has "
        + "it; nothing was erased"
    case .notAcknowledged(let seq):
      "event \(seq) waits for the backend, and what is sent is made of it; nothing was erased"
    case .inForce(let seq, let field):
      "\(field.rawValue) still has the value that event \(seq) gave it; nothing was erased"
    case .notReplaced(let seq, let field):
      "the backend still has the \(field.rawValue) of event \(seq), until the later one is sent; "
        + "nothing was erased"
    case .inConflict(let seq, let field):
      "\(field.rawValue) of event \(seq) is in a conflict that waits for a decision; nothing was "
        + "erased"
    case .entangled(let seq):
      "what event \(seq) set also stands in answers of the backend that other values hang on; "
        + "nothing was erased"
    case .notContent(let seq, let type):
      "event \(seq) is \(type): it tells what this program did, and holds nothing that you logged"
    case .newerVersion(let seq):
      "event \(seq) was written by a newer version, which alone can erase it"
    case .badReason(let count):
      count == 0
        ? "the reason is empty; say why, since it is all that the log will tell"
        : "the reason has \(count) characters; it may have 500"
    }
  }
}
