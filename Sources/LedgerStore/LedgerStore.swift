public import LedgerLog
public import LedgerModel
import LedgerPlatform
package import LedgerProjections

/// A ledger opened for writing: its log, and the state folded from it so far.
///
/// Not `Sendable`: give it to one actor or one thread.
package final class LedgerStore {
  package let log: EventLog
  /// `nil` for nothing.
  private(set) var folded: LedgerState?
  /// Whether `folded` was folded from the log's own lines with each chain link checked. From then on
  /// new lines are checked as well.
  private var isVerified = false
  /// The log's file when it was last folded, or appended to since; `nil` if another process appended at
  /// that time.
  private var seenFile: FileStatus?
  /// Whether lines before the log's end may have changed, so that the next state is folded from the
  /// log's own lines with each chain link checked.
  private var isSuspect = false
  /// Receives what happens to the log. Unused, it costs nothing.
  package var onActivity: (@Sendable (LogActivity) -> Void)?

  package var directory: LedgerDirectory { log.directory }

  package init(_ directory: LedgerDirectory) {
    log = EventLog(directory)
  }

  // MARK: Reading

  /// The log up to its last whole line, without waiting for a writer.
  ///
  /// - Throws: ``LogError``, damage included.
  package func view() throws(LogError) -> LogView {
    try LogView.open(directory, confirmsTail: false)
  }

  /// The state up to the log's current end.
  ///
  /// - Throws: ``LogError``, damage included: no state is folded from part of a log.
  package func state() throws(LogError) -> LedgerState {
    try catchUp(to: view(), keepsSnapshot: true)
  }

  /// The state up to the log's current end, folded from the log's own lines with each chain link
  /// checked, never from a snapshot: for whatever is sent or exported.
  ///
  /// The first call reads the whole log, later ones what was appended since.
  ///
  /// - Throws: ``LogError``, damage included.
  package func verifiedState() throws(LogError) -> LedgerState {
    try catchUp(to: view(), keepsSnapshot: true, verifies: true)
  }

  /// Answers a question about the state up to the log's end, folding no more than the answer needs.
  ///
  /// - Parameter question: may be asked twice, and must not let the state escape.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  package func ask<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer {
    try ask(view(), keepsSnapshot: true, question)
  }

  /// How much of a log is read for an optional answer: a few milliseconds' worth.
  private static let cheapBytes = 1 << 20

  /// Answers a question about the state up to the log's end if that is cheap: the log is short, or
  /// folded already, or has a recent snapshot.
  ///
  /// - Parameter question: may be asked twice, and must not let the state escape.
  /// - Returns: `nil` if the answer would need a long fold.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  package func askIfCheap<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer? {
    let view = try view()
    if folded != nil || isSuspect || view.endBytes <= Self.cheapBytes {
      return try question(catchUp(to: view))
    }
    return try FoldedLog(view, keepsSnapshot: false, longestTailBytes: Self.cheapBytes)
      .quickly(question)
  }

  private func ask<Answer>(
    _ view: LogView, keepsSnapshot: Bool, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if folded == nil, !isSuspect,
      let answer = try FoldedLog(view, keepsSnapshot: keepsSnapshot).quickly(question)
    {
      return answer
    }
    return try question(catchUp(to: view, keepsSnapshot: keepsSnapshot))
  }

  /// - Parameters:
  ///   - keepsSnapshot: not while this process holds the log's lock.
  ///   - verifies: whether a state that was not verified is folded again.
  func catchUp(
    to view: LogView, keepsSnapshot: Bool = false, verifies: Bool = false
  ) throws(LogError) -> LedgerState {
    let file = try Self.file(of: view)
    if isModifiedInPlace(file) { distrust() }
    let started = onActivity.map { _ in ContinuousClock.now }
    let knownSeq = folded?.position.seq ?? 0
    let wasVerified = isVerified
    let verifies = verifies || wasVerified || isSuspect
    var state = (verifies == wasVerified ? folded : nil) ?? LedgerState()
    forget()
    let continues = try isContinued(state, by: view)
    let erasures = state.erasures
    if continues { try Replay.advance(&state, to: view, verifies: verifies) }
    // An erasure keeps the hashes of the lines it rewrites, and possibly their lengths. Only its own
    // event at the end shows that the state holds content that the log no longer has.
    if !continues || state.erasures != erasures {
      let log = FoldedLog(view, keepsSnapshot: keepsSnapshot)
      state = try verifies ? log.verifiedState() : log.state()
    }
    (folded, isVerified) = (state, verifies)
    (seenFile, isSuspect) = (file, false)
    if let started, state.position.seq != knownSeq, let seq = Seq(exactly: state.position.seq) {
      onActivity?(.folded(lastSeq: seq, duration: .now - started))
    }
    return state
  }

  private func forget() { (folded, isVerified, seenFile) = (nil, false, nil) }

  /// Drops the folded state after damage was found: the next state is folded from the log's own lines
  /// with each chain link checked, without a snapshot.
  package func distrust() {
    forget()
    isSuspect = true
  }

  /// Drops everything known of the log, as a new store would have it, and allows writing again after a
  /// failed sync.
  package func reopen() {
    log.reopen()
    forget()
    isSuspect = false
  }

  /// Whether the folded file was changed other than by an append, such as by an editor: it has the same
  /// size, but another modification time or identity. Costs one `fstat`. A change that is followed by
  /// another process's append, or that leaves no trace in the file system, is found only by reading the
  /// log again.
  private func isModifiedInPlace(_ file: FileStatus?) -> Bool {
    guard let file, let seenFile, file.size == seenFile.size else { return false }
    return file.identity != seenFile.identity
      || file.modifiedNanoseconds != seenFile.modifiedNanoseconds
  }

  /// - Returns: `nil` if the log has grown since the view was opened.
  private static func file(of view: LogView) throws(LogError) -> FileStatus? {
    let status = try logErrors { () throws(IOFailure) in try view.file.status() }
    return status.size == view.endBytes + view.tornTailBytes ? status : nil
  }

  /// Whether the log still has, at the same place, the line that was folded last.
  private func isContinued(_ state: LedgerState, by view: LogView) throws(LogError) -> Bool {
    guard state.offsetBytes > 0, state.offsetBytes <= view.endBytes else { return false }
    return try view.position(after: state.offsetBytes) == state.position
  }

  // MARK: Writing

  /// What a transaction decides from: never a snapshot, which can be forged (docs/snapshot.md).
  package enum Basis { case nothing, verifiedState }

  /// The one way to append to a ledger: fold, lock, catch up, decide, append. The
  /// decision is made under the log's lock, so no other process appends in between; keep it short.
  ///
  /// - Parameter basis: folded before the lock is taken, since that may take long, unless the caller
  ///   holds it already; under the lock only what was appended meanwhile is.
  /// - Throws: ``LogError``; what `body` throws, with nothing written unless it appended.
  package func transaction<Result>(
    from basis: Basis, _ body: (inout Transaction) throws -> Result
  ) throws -> Result {
    if basis == .verifiedState, !log.holdsLock { _ = try verifiedState() }
    return try log.withSession { session in
      for repair in session.repairs { onActivity?(.repaired(repair)) }
      if folded != nil, isModifiedInPlace(try session.fileStatus()) { distrust() }
      var transaction = Transaction(store: self, session: session)
      defer {
        session = transaction.session
        if folded != nil { seenFile = try? session.fileStatus() }
      }
      return try body(&transaction)
    }
  }

  /// As ``transaction(from:_:)``, for a decision about one entry: from the log's lines since it was
  /// logged, if they are enough.
  ///
  /// - Parameters:
  ///   - first: the event that logged it; a guess, which a snapshot may answer.
  ///   - decide: may be called several times, and writes nothing.
  func transaction<Decision, Result>(
    since first: (LedgerState) throws -> Seq?,
    deciding decide: (LedgerState, LogView) throws -> Decision,
    _ body: (Decision, inout Transaction) throws -> Result
  ) throws -> Result {
    let part = sufficientPart(since: first, decide)
    return try transaction(from: part == nil ? .verifiedState : .nothing) { transaction in
      try body(transaction.decided(part, decide), &transaction)
    }
  }

  /// Answers a question for a write, from the log's own lines: from those since an entry was logged, if
  /// they are enough.
  ///
  /// - Parameters:
  ///   - first: the event that logged it; a guess, which a snapshot may answer.
  ///   - question: may be asked several times. What it throws about a part of the log does not count.
  /// - Throws: ``LogError``, damage included; what `question` throws about all of the log.
  package func askLines<Answer>(
    since first: (LedgerState) throws -> Seq?, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if let part = sufficientPart(since: first, { state, _ in try question(state) }) {
      return try question(part)
    }
    return try question(verifiedState())
  }

  /// - Returns: `nil` if all of the log is to be folded.
  private func sufficientPart<Answer>(
    since first: (LedgerState) throws -> Seq?, _ question: (LedgerState, LogView) throws -> Answer
  ) -> LedgerState? {
    guard !isVerified, !isSuspect, let view = try? view(), view.endBytes > Self.cheapBytes,
      let seq = (try? guess(first, in: view)).flatMap(\.self),
      let start = try? view.line(seq).offsetBytes, start > view.endBytes / 2,
      let part = try? Replay.part(of: view, from: seq), (try? question(part, view)) != nil
    else { return nil }
    return part
  }

  /// - Returns: `nil` also if the answer would need a long fold.
  private func guess(
    _ first: (LedgerState) throws -> Seq?, in view: LogView
  ) throws -> Seq? {
    guard folded == nil else { return try ask(first) }
    return try FoldedLog(view, keepsSnapshot: false).quickly(first).flatMap(\.self)
  }

  /// - Returns: `nil` if the log is not the one that the part was folded from, or was erased from since.
  private func advanced(_ part: LedgerState, to view: LogView) -> LedgerState? {
    var state = part
    guard (try? isContinued(part, by: view)) == true,
      (try? Replay.advance(&state, to: view, verifies: true)) != nil,
      state.erasures == part.erasures
    else { return nil }
    return state
  }

  /// The ledger while its log is locked.
  package struct Transaction {
    fileprivate let store: LedgerStore
    fileprivate var session: LogSession

    /// What recovery repaired before the transaction began.
    package var repairs: [LogRepair] { session.repairs }
    package var end: ChainPosition { ChainPosition(session.head) }

    package func view() throws(LogError) -> LogView { try session.view() }

    /// The log and the state up to its end, folded from its own lines.
    func ledger() throws(LogError) -> (state: LedgerState, view: LogView) {
      let view = try session.view()
      return (try store.catchUp(to: view, verifies: true), view)
    }

    /// Decides from a part of the log if that is enough, else from all of it.
    fileprivate func decided<Decision>(
      _ part: LedgerState?, _ decide: (LedgerState, LogView) throws -> Decision
    ) throws -> Decision {
      let view = try session.view()
      if let part, let state = store.advanced(part, to: view),
        let decision = try? decide(state, view)
      {
        return decision
      }
      return try decide(store.catchUp(to: view, verifies: true), view)
    }

    /// Appends events in one durable write.
    ///
    /// - Parameter isWhole: whether a crash keeps all of them or none, as of what was decided together.
    mutating func append(
      _ events: [Event], isWhole: Bool = true, using generator: inout some RandomNumberGenerator
    ) throws(LogError) -> Outcome {
      let started = ContinuousClock.now
      let appended = try session.append(events, isWhole: isWhole, using: &generator)
      report(appended.events.count, appended.lines.count, since: started)
      return Outcome(
        edits: appended.events.map { .appended($0) }, lines: appended.lines, repairs: repairs)
    }

    /// Begins lines that continue the log.
    func lines(expecting count: Int) -> LineBatch { session.lines(expecting: count) }

    /// Appends lines in one durable write.
    mutating func append(_ lines: LineBatch) throws(LogError) {
      let started = ContinuousClock.now
      try session.append(lines, isWhole: true)
      report(lines.seqs.count, lines.byteCount, since: started)
    }

    /// Appends any number of events in bounded memory as one durable write; see
    /// ``LogSession/append(_:)``.
    ///
    /// - Returns: the events' range; `nil` for none.
    package mutating func append(
      _ compose: (StreamedAppend) throws -> Void
    ) throws -> ClosedRange<Seq>? {
      let started = ContinuousClock.now
      guard let written = try session.append(compose) else { return nil }
      let events = written.events
      report(
        events.upperBound.number - events.lowerBound.number + 1, written.bytes, since: started)
      return events
    }

    private func report(_ events: Int, _ bytes: Int, since started: ContinuousClock.Instant) {
      guard events > 0 else { return }
      store.onActivity?(.appended(events: events, bytes: bytes, duration: .now - started))
    }

    /// Puts a copy of the log without the content of some events in its place; see
    /// ``LogSession/replaceLog(by:)``.
    ///
    /// - Parameter state: that of the copy, verified.
    mutating func replaceLog(by copy: LogReplacement, _ state: LedgerState?) throws(LogError) {
      try session.replaceLog(by: copy)
      (store.folded, store.isVerified) = (state, true)
    }
  }
}

/// What happened to a log, for an app's own log and metrics.
public enum LogActivity: Hashable, Sendable {
  /// Events became durable. The duration is that of writing and syncing, without waiting for the lock.
  case appended(events: Int, bytes: Int, duration: Duration)
  /// The state was brought up to this event.
  case folded(lastSeq: Seq, duration: Duration)
  /// What a crash left was repaired before a write.
  case repaired(LogRepair)
}
