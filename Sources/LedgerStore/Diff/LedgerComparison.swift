package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// A ledger as it was after an event.
public struct LedgerMoment: Hashable, Sendable {
  /// `nil` before the first event.
  public let seq: Seq?
  /// The event's `at`.
  public let at: Timestamp?

  /// - Parameter line: `nil` for the empty ledger.
  package init(after line: LogView.StoredLine?) throws(LogError) {
    seq = line.map { Seq($0.seq) }
    at = try line?.event().event.at
  }

  /// 0 before the first event.
  package var number: Int { seq?.number ?? 0 }
}

/// Two moments of a ledger and what changed between them.
public struct LedgerComparison: Sendable {
  /// A changed entry, with the texts that only the log's lines contain.
  public struct Entry: Sendable {
    /// How the entry changed.
    public let kind: EntryDifference.Kind
    /// `nil` for an entry that was added.
    public let before: DetailedEntry?
    /// `nil` for an entry that does not exist any more.
    public let after: DetailedEntry?
    /// The edits that changed it.
    public let edits: [Seq]
    /// The newest of them that gave the entry a value or deleted it, besides the one that logged it.
    public let changedBy: Seq?

    fileprivate init(
      _ difference: EntryDifference, changedBy: Seq?, in view: LogView
    ) throws(LogError) {
      kind = difference.kind
      (edits, self.changedBy) = (difference.edits, changedBy)
      before = try difference.before.map { entry throws(LogError) in
        try DetailedEntry(entry, in: view)
      }
      after = try difference.after.map { entry throws(LogError) in
        try DetailedEntry(entry, in: view)
      }
    }
  }

  /// The removal of an event's content. Neither state has what was removed.
  public struct Erasure: Sendable {
    /// The event that records the erasure.
    public let seq: Seq
    /// What was erased, and why.
    public let data: EventErased
  }

  /// The earlier moment.
  public let first: LedgerMoment
  /// The later moment.
  public let last: LedgerMoment
  /// What changed, without the texts of the log's lines.
  public let difference: LedgerDifference
  /// The changed entries.
  public let entries: [Entry]
  /// The erasures between the moments.
  public let erasures: [Erasure]
  /// The unit system at the later moment.
  public let units: UnitSystem

  /// Folds the log once: up to the first moment, and from there to the last.
  ///
  /// - Parameters:
  ///   - folded: a fold of `view`.
  ///   - limit: the most entries of each kind; the newest are kept.
  ///   - onBytes: reports how many more bytes were read.
  /// - Throws: ``LogError``, damage included.
  package init(
    _ first: LedgerMoment, _ last: LedgerMoment, of folded: FoldedLog, in view: LogView,
    keeping limit: Int, onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    precondition(first.number <= last.number, "the earlier moment comes first")
    (self.first, self.last) = (first, last)
    let changers: [Seq?]
    (difference, changers, erasures, units) = try folded.ask(
      from: first.number, until: last.number, onBytes: onBytes
    ) { before, after throws(LogError) in
      if let damage = try after.erasureDamage(in: view) { throw .damaged(damage) }
      let difference = LedgerDifference(from: before, to: after, keeping: limit)
      return (
        difference, difference.entries.map { after.changer(of: $0, since: first) },
        after.erasureLog.records.filter { $0.seq > first.number }
          .map { Erasure(seq: Seq($0.seq), data: $0.data) },
        after.profileView().unitSystem ?? .metric
      )
    }
    entries = try zip(difference.entries, changers).map { entry, changer throws(LogError) in
      try Entry(entry, changedBy: changer, in: view)
    }
  }
}

extension LedgerState {
  /// - Returns: `nil` as well if the entry's logging was undone: what undid it is no edit of the entry.
  fileprivate func changer(of difference: EntryDifference, since first: LedgerMoment) -> Seq? {
    guard let row = difference.after.flatMap({ row(of: $0.id) }) else { return nil }
    return origins(ofRow: row).values.filter { $0.number > first.number }.max()
  }
}
