public import LedgerLog
public import LedgerModel
import LedgerPlatform
package import LedgerProjections
import Synchronization

/// A check of a whole log: form and chain of each line, the rule for erasures, the snapshot, and
/// optionally whether the log continues what was stored elsewhere.
public struct LogAudit: Sendable {
  /// What was stored elsewhere.
  public enum Reference: Hashable, Sendable {
    /// A hash that the log must have.
    case hash(HashPrefix)
    /// A checkpoint that the log must agree with.
    case checkpoint(Checkpoint)

    fileprivate var hash: HashPrefix {
      switch self {
      case .hash(let prefix): prefix
      case .checkpoint(let checkpoint): HashPrefix(checkpoint.hash)
      }
    }
  }

  /// The ledger's folder.
  public let directory: LedgerDirectory
  /// What the log was compared with.
  public let reference: Reference?
  /// The check of form and chain.
  public let verification: Verification
  /// Those of the verification, erasures that are wrong or cannot be checked, and contradictions of the
  /// reference. Each has a line.
  public private(set) var problems: [Damage]
  /// Whether an event that cannot be understood, the first of ``problems``, left the erasures unchecked.
  public private(set) var areErasuresUnchecked = false
  /// How the log contradicts ``reference``; the last of ``problems``. No line is wrong for it.
  package private(set) var contradiction: Damage?
  /// The first problem that is not a contradiction.
  private let own: Damage?
  /// The log that was read.
  private let file: FileIdentity?
  /// The reference's event; `nil` without one that the log contains.
  public private(set) var referenceSeq: Seq?
  /// The events up to `referenceSeq` that were erased since, ascending.
  public private(set) var erasedSince: [Seq] = []
  /// `views.snapshot` compared with the log; `nil` if there is none or the log has problems.
  package let snapshot: SnapshotAudit?

  /// A torn tail is not damage, but it is not what was written either.
  public var isOK: Bool { problems.isEmpty && verification.tornTailBytes == 0 }

  /// Reads the whole log. Problems are in the result, not thrown.
  ///
  /// - Parameter onProgress: called on several threads.
  /// - Throws: `LogError` if the log cannot be read at all.
  package init(
    of directory: LedgerDirectory, against reference: Reference? = nil,
    onProgress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) {
    var (verification, compared, checksErasures) = try Self.verify(
      directory, matching: reference?.hash, onProgress: onProgress)
    (self.directory, self.reference) = (directory, reference)
    self.snapshot = verification.problems.isEmpty ? compared : nil
    problems = verification.problems
    if problems.isEmpty, !checksErasures, let view = verification.view,
      let problem = try view.remainder(of: verification.erasures)
    {
      problems = [problem.damage]
      if case .unchecked = problem { areErasuresUnchecked = true }
    }
    for index in problems.indices where problems[index].line == nil {
      problems[index].line = verification.events + 1
    }
    file = try? verification.view?.file.identity()
    // Closes the file: many ledgers may be audited.
    verification.view = nil
    self.verification = verification
    own = problems.first
    switch reference {
    case .hash(let prefix): compare(prefix)
    case .checkpoint(let checkpoint): compare(checkpoint)
    case nil: break
    }
  }

  /// - Returns: the verification, the comparison with the snapshot if there is one, and whether a fold
  ///   has checked the rule for erasures.
  private static func verify(
    _ directory: LedgerDirectory, matching hash: HashPrefix?,
    onProgress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
  ) throws(LogError) -> (Verification, SnapshotAudit?, checksErasures: Bool) {
    let view: LogView
    let headDamage: Damage?
    do throws(LogError) {
      (view, headDamage) = try LogView.openDamaged(directory)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return (Verification(damage), nil, false)
    }
    let stored = headDamage == nil ? Snapshot.open(view) : nil
    var comparison: BackgroundWork<SnapshotAudit?>?
    if let stored, hash == nil {
      if let (verification, audit) = SnapshotAudit.verify(
        view, beside: stored, onProgress: onProgress)
      {
        return (verification, audit, true)
      }
    } else if let stored {
      // On its own thread; faster than the verification.
      comparison = SnapshotAudit.begin(view, beside: stored)
    }
    let verification = Result { () throws(LogError) in
      try Verification.verify(view, headDamage: headDamage, matching: hash, onProgress: onProgress)
    }
    let audit = comparison?.wait()
    return (try verification.get(), audit ?? nil, false)
  }

  private mutating func compare(_ prefix: HashPrefix) {
    guard let seq = verification.matchingSeq, !verification.isAmbiguous else {
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
    let seq = checkpoint.seq
    guard verification.matchingSeq == seq, !verification.isAmbiguous else {
      let last = verification.head.seq
      report(
        last < seq.number
          ? "the log ends with event \(last), and the checkpoint is of event \(seq): events are "
            + "missing, or the log was rewritten"
          : "event \(seq) has another hash than in the checkpoint: the log was rewritten")
      return
    }
    referenceSeq = seq
    let erased = verification.erasures.lines.map { Seq($0.seq) }.filter { $0 <= seq }
    erasedSince = erased.filter { !checkpoint.isErased($0) }
    var isErased = Set(erased).subtracting(erasedSince)
    let restored = checkpoint.erased.lazy
      .flatMap { $0.lowerBound.number...$0.upperBound.number }
      .first { isErased.remove(Seq($0)) == nil }
    if let restored {
      report("event \(restored) was erased when the checkpoint was made, and now has content")
    }
  }

  /// At the line after the last correct one.
  private mutating func report(_ problem: String) {
    let end = verification.head
    let damage = Damage(line: end.seq + 1, byte: end.offsetBytes, problem: problem)
    contradiction = damage
    problems.append(damage)
  }

  /// Stores the result in the ledger's `verified` file, but not that the log contradicts what was stored
  /// elsewhere: that may be of another log.
  package func remember(at now: Timestamp) {
    // Neither damage nor a whole check.
    guard !areErasuresUnchecked else { return }
    if let damage = own {
      VerificationRecord.keep(damage, at: now, in: directory)
      return
    }
    let end = verification.head
    VerificationRecord.keep(
      .init(ChainPosition(end), offsetBytes: end.offsetBytes, at: now, of: file), in: directory)
  }

  /// Removes a snapshot that contradicts the log.
  ///
  /// - Returns: `nil` if the snapshot is not wrong.
  package func discardWrongSnapshot() -> WrongSnapshot? {
    snapshot.flatMap { WrongSnapshot(discarding: $0) }
  }
}

extension PartialVerification {
  /// As ``verify(_:mostBytes:at:remainder:)``, with the whole rule for erasures.
  package static func verify(
    _ directory: LedgerDirectory, mostBytes: Int, at now: Timestamp
  ) throws(LogError) -> PartialVerification {
    try verify(directory, mostBytes: mostBytes, at: now) { (view, erasures) throws(LogError) in
      try view.remainder(of: erasures)
    }
  }
}

/// A snapshot that contradicts the log. It is removed when it is found, because no command may use
/// it.
package struct WrongSnapshot: Sendable {
  package let isRemoved: Bool

  /// - Returns: `nil` if the snapshot is not wrong; one older than an erasure is removed all the same.
  package init?(discarding audit: SnapshotAudit) {
    if case .outdated = audit.result { _ = audit.discard() }
    guard audit.isWrong else { return nil }
    isRemoved = audit.discard()
  }
}

extension LedgerStore {
  /// A checkpoint of the log as it is now, after checking the whole log.
  ///
  /// - Throws: `LogError`, including damage.
  package func checkpoint(at now: Timestamp) throws(LogError) -> Checkpoint {
    let audit = try LogAudit(of: directory)
    // The verification's own, which may have no line.
    if let problem = audit.verification.problems.first ?? audit.problems.first {
      throw .damaged(problem)
    }
    guard let checkpoint = audit.verification.checkpoint(at: now) else {
      throw .damaged(Damage(line: 1, byte: 0, problem: "line 1 does not name the ledger"))
    }
    return checkpoint
  }
}

/// Work on many ledgers: one per core at a time, results in the given order.
package enum ManyLedgers {
  /// Ledgers per batch. Limits the results held in memory; threads wait for each other only at a
  /// batch's end.
  private static let batchCount = 2048

  /// - Parameters:
  ///   - work: runs on several threads; what it throws becomes the result.
  ///   - onDone: called on several threads after each ledger.
  ///   - take: called on the caller's thread, in the order of `paths`.
  package static func forEach<Answer: Sendable>(
    _ paths: [String], _ work: @escaping @Sendable (String) throws -> Answer,
    onDone: @escaping @Sendable () -> Void, take: (Result<Answer, any Error>) throws -> Void
  ) throws {
    for first in stride(from: 0, to: paths.count, by: batchCount) {
      let batch = Batch<Answer>(paths[first..<min(first + batchCount, paths.count)])
      Threads.run(min(Threads.available, batch.paths.count)) { _ in
        while let index = batch.next() {
          batch.put(Result { try work(batch.paths[index]) }, at: index)
          onDone()
        }
      }
      for answer in batch.answers { try take(answer) }
    }
  }

  /// Threads take one ledger at a time, so that a long one delays no others.
  private final class Batch<Answer: Sendable>: Sendable {
    let paths: [String]
    private let taken = Mutex(0)
    private let results: Mutex<[Result<Answer, any Error>?]>

    init(_ paths: ArraySlice<String>) {
      self.paths = Array(paths)
      results = Mutex(Array(repeating: nil, count: paths.count))
    }

    func next() -> Int? {
      taken.withLock { taken in
        guard taken < paths.count else { return nil }
        taken += 1
        return taken - 1
      }
    }

    func put(_ answer: Result<Answer, any Error>, at index: Int) {
      results.withLock { $0[index] = answer }
    }

    var answers: [Result<Answer, any Error>] { results.withLock { $0.compactMap(\.self) } }
  }
}
