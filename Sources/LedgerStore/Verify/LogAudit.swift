public import LedgerLog
public import LedgerModel
import LedgerPlatform
package import LedgerProjections

/// A complete check of a log: format and chain of each line, the erasure rule, and optionally that it
/// still contains a reference kept elsewhere.
public struct LogAudit: Sendable {
  /// Evidence of an earlier log, kept elsewhere.
  public enum Reference: Hashable, Sendable {
    case hash(HashPrefix)
    case checkpoint(Checkpoint)
  }

  public let verification: Verification
  /// Those of the verification, and contradictions of the reference.
  public private(set) var problems: [Damage]
  /// The reference's event; `nil` if the log does not contain it.
  public private(set) var referenceSeq: Int?
  /// Events up to it that were erased since, ascending.
  public private(set) var erasedSince: [Int] = []
  /// The comparison of `views.snapshot` with the log; `nil` without a snapshot or for a damaged log.
  package let snapshot: SnapshotAudit?

  /// A torn tail is not damage, but not a complete log either.
  public var isOK: Bool { problems.isEmpty && verification.tornTailBytes == 0 }

  /// Reads a whole log. Damage is in the result, not thrown.
  ///
  /// - Throws: ``LogError`` only if the log cannot be read at all.
  public init(
    of directory: LedgerDirectory, against reference: Reference? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) {
    let hash: HashPrefix? =
      switch reference {
      case .hash(let prefix): prefix
      case .checkpoint(let checkpoint): HashPrefix(checkpoint.hash)
      case nil: nil
      }
    // On its own thread; folding takes less time than checking.
    let snapshot = SnapshotAudit.begin(directory)
    let checked = Result { () throws(LogError) in
      try Verification.verify(directory, lookingFor: hash, onProgress: onProgress)
    }
    let compared = snapshot?.wait() ?? nil
    var verification = try checked.get()
    self.snapshot = verification.problems.isEmpty ? compared : nil
    problems = verification.problems
    if problems.isEmpty, let view = verification.view,
      let damage = try view.remainder(of: verification.erasures)
    {
      problems = [damage]
    }
    // Close the file: many ledgers may be checked.
    verification.view = nil
    self.verification = verification
    switch reference {
    case .hash(let prefix): compare(prefix)
    case .checkpoint(let checkpoint): compare(checkpoint)
    case nil: break
    }
  }

  private var end: Head { verification.head }

  private mutating func compare(_ prefix: HashPrefix) {
    guard let seq = verification.lookedForAt, !verification.isAmbiguous else {
      report(
        verification.isAmbiguous
          ? "several events of this chain have a hash that begins with \(prefix): give more of it"
          : "no event of this chain has the hash \(prefix): the log was cut off before it, or "
            + "rewritten")
      return
    }
    referenceSeq = seq
    erasedSince = verification.erasures.erased(since: seq)
  }

  private mutating func compare(_ checkpoint: Checkpoint) {
    if let ledger = verification.ledger, ledger != checkpoint.ledger {
      return report("the checkpoint is of ledger \(checkpoint.ledger), and this is \(ledger)")
    }
    let seq = checkpoint.seq.number
    guard verification.lookedForAt == seq, !verification.isAmbiguous else {
      report(
        end.seq < seq
          ? "the log ends with event \(end.seq), and the checkpoint is of event \(seq): events are "
            + "missing, or the log was rewritten"
          : "event \(seq) has another hash than in the checkpoint: the log was rewritten")
      return
    }
    referenceSeq = seq
    let erased = verification.erasures.lines.map(\.seq).filter { $0 <= seq }
    erasedSince = erased.filter { !checkpoint.isErased($0) }
    var isErased = Set(erased).subtracting(erasedSince)
    let restored = checkpoint.erased.lazy.joined().first { isErased.remove($0) == nil }
    if let restored {
      report("event \(restored) was erased when the checkpoint was made, and now has content")
    }
  }

  private mutating func report(_ problem: String) {
    // The line after the last valid one.
    problems.append(Damage(line: end.seq + 1, byte: end.offsetBytes, problem: problem))
  }
}

extension LedgerStore {
  /// A checkpoint of the current log, to be kept elsewhere. The whole log is checked first.
  ///
  /// - Throws: `LogError`, damage included.
  public func checkpoint(at now: Timestamp) throws(LogError) -> Checkpoint {
    let audit = try LogAudit(of: directory)
    if let problem = audit.problems.first { throw .damaged(problem) }
    guard let checkpoint = audit.verification.checkpoint(at: now) else {
      throw .damaged(Damage(line: 1, byte: 0, problem: "line 1 does not name the ledger"))
    }
    return checkpoint
  }
}
