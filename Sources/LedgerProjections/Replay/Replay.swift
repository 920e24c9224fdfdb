package import LedgerLog
package import LedgerModel
import LedgerPlatform

/// Rebuilds the state from the log's first line, or brings a state up to date.
package enum Replay {
  package struct Options: Sendable {
    /// Whether to check the hash chain.
    package var verifies: Bool
    /// How many threads read; `nil` for one a core.
    package var threads: Int?
    /// The last event to fold.
    package var until: Seq?
    /// Receives now and then how many more bytes have been read, on any of the threads.
    package var onBytes: (@Sendable (_ count: Int) -> Void)?
    /// Whether to check the rule for erasures (docs/log-format.md, Erasing).
    package var checksErasures = true
    /// Whether the state is to be kept as a snapshot.
    package var isForSnapshot: Bool {
      get { blocks != nil }
      set { blocks = newValue ? LineBlockBuilder() : nil }
    }
    /// Builds the line blocks of a snapshot; `nil` if there will be none.
    var blocks: LineBlockBuilder?
    /// Starting a thread pays from a few megabytes on.
    var smallestRangeBytes = 4 << 20

    var checks: LineChecks { verifies ? .chain : .form }

    package init(verifies: Bool = true, threads: Int? = nil, until: Seq? = nil) {
      self.verifies = verifies
      self.threads = threads
      self.until = until
    }
  }

  /// The state before the damage, if there is any; otherwise of all events.
  package struct Outcome: Sendable {
    package var state: LedgerState
    package var damage: Damage?
  }

  /// Folds a log from line 1.
  ///
  /// - Throws: ``LogError`` if the log cannot be read; damage is in the outcome.
  package static func run(
    _ view: LogView, _ options: Options = Options()
  ) throws(LogError) -> Outcome {
    try run(view, options, stopAfter: nil) { _ in }
  }

  /// Folds a log from line 1 and calls `onStop` with the state after one of its lines.
  ///
  /// - Parameters:
  ///   - stop: the offset in bytes at which the line ends, not after `options.until`; `nil` for none.
  ///   - onStop: not called if there is damage before.
  /// - Throws: ``LogError`` if the log cannot be read; damage is in the outcome.
  static func run(
    _ view: LogView, _ options: Options, stopAfter stop: Int?,
    onStop: (_ state: LedgerState) -> Void
  ) throws(LogError) -> Outcome {
    var state = LedgerState()
    if options.blocks != nil { state.blocks = Column() }
    var failure: LogError?
    if let stop {
      var untilStop = options
      // The stop is not after it, and it would keep the lines from being read on several threads.
      untilStop.until = nil
      failure = try fold(&state, view, to: stop, untilStop)
      if failure == nil { onStop(state) }
    }
    if failure == nil { failure = try fold(&state, view, to: view.endBytes, options) }
    return try outcome(state, failure, options.checksErasures ? view : nil)
  }

  /// Folds the lines after a state up to an offset.
  ///
  /// - Returns: why reading ended earlier.
  private static func fold(
    _ state: inout LedgerState, _ view: LogView, to endBytes: Int, _ options: Options
  ) throws(LogError) -> LogError? {
    let part = LogRange(position: state.position, bytes: state.offsetBytes..<endBytes)
    guard
      state.position.seq == 0
        || !part.bytes.isEmpty && state.position.seq < options.until?.number ?? .max
    else { return nil }
    // Counting the cores reads a system file, which a short log does not repay.
    let isShort = part.bytes.count < 2 * options.smallestRangeBytes
    let threads = options.threads ?? (isShort ? 1 : Threads.available)
    let ranges = try ranges(of: part, in: view, threads: threads, options)
    guard ranges.count > 1 else { return foldAlone(&state, view, part, options) }
    let queue = LogRangeQueue(view, ranges, options)
    Threads.run(min(threads, ranges.count)) { _ in queue.readAndJoin() }
    var joined = queue.take()
    if let scan = joined.scan { state.join(&joined.batch, joined.blocks, upTo: scan) }
    return joined.error
  }

  /// More ranges than threads: a thread that is done takes another one, and finished ranges are
  /// joined meanwhile.
  private static func ranges(
    of part: LogRange, in view: LogView, threads: Int, _ options: Options
  ) throws(LogError) -> [LogRange] {
    // The offset of `until` is not known yet.
    guard threads > 1, options.until == nil else { return [part] }
    let worthwhile = part.bytes.count / max(1, options.smallestRangeBytes)
    return try part.split(in: view, into: max(1, min(threads * rangesPerThread, worthwhile)))
  }

  private static let rangesPerThread = 16

  private static func foldAlone(
    _ state: inout LedgerState, _ view: LogView, _ part: LogRange, _ options: Options
  ) -> LogError? {
    var reader = BatchReader(
      from: part.position, offsetBytes: part.bytes.lowerBound, checks: options.checks,
      until: options.until?.number ?? .max)
    reader.expectedBytes = view.endBytes - part.bytes.lowerBound
    reader.blocks = options.blocks
    defer { state.join(&reader) }
    do throws(LogError) {
      try reader.read(view, to: part.bytes.upperBound, onBytes: options.onBytes)
      return nil
    } catch {
      return error
    }
  }

  /// Folds a log from line 1 on one thread and calls `onStop` with the state after some events.
  ///
  /// - Parameters:
  ///   - stops: seqs, ascending; those after the log's end mean its end.
  ///   - onStop: called at each stop, in order, and at the end of the log.
  /// - Returns: the state at the log's end, or before the damage, if there is any.
  /// - Throws: ``LogError`` if the log cannot be read; damage is in the outcome.
  package static func run(
    _ view: LogView, verifies: Bool, stops: [Int], onBytes: ((_ count: Int) -> Void)? = nil,
    _ onStop: (_ state: LedgerState) -> Void
  ) throws(LogError) -> Outcome {
    var state = LedgerState()
    for stop in stops + [.max] where stop > state.position.seq {
      guard state.offsetBytes < view.endBytes else { break }
      var reader = BatchReader(
        from: state.position, offsetBytes: state.offsetBytes, checks: verifies ? .chain : .form,
        until: stop)
      // Reserves space for the whole log at once; later ranges are appended.
      if state.position.seq == 0 { reader.expectedBytes = view.endBytes }
      let before = state.offsetBytes
      do throws(LogError) {
        try reader.read(view, to: view.endBytes)
      } catch {
        state.join(&reader)
        return try outcome(state, error, view)
      }
      state.join(&reader)
      onBytes?(state.offsetBytes - before)
      onStop(state)
    }
    return try outcome(state, nil, view)
  }

  /// Folds what was appended to the log after `state`.
  ///
  /// Of the rule for erasures it only checks that each erased line has its record. If there are
  /// records, `state` may hold what was erased since, and must be folded again
  /// (``LedgerState/erasures``).
  ///
  /// - Parameters:
  ///   - until: the last event to fold; `nil` for all.
  ///   - onBytes: receives now and then how many more bytes have been read.
  /// - Throws: damage after the state's position, with the state folded up to it.
  package static func advance(
    _ state: inout LedgerState, to view: LogView, verifies: Bool = false, until: Seq? = nil,
    onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    let last = until?.number ?? .max
    guard state.offsetBytes < view.endBytes, state.position.seq < last else { return }
    var reader = BatchReader(
      from: state.position, offsetBytes: state.offsetBytes, checks: verifies ? .chain : .form,
      until: last)
    if state.blocks != nil { reader.blocks = LineBlockBuilder() }
    do throws(LogError) {
      try reader.read(view, to: view.endBytes, onBytes: onBytes)
    } catch {
      state.join(&reader)
      throw error
    }
    let erasures = reader.batch.erasures
    state.join(&reader)
    if let damage = try state.unnamedErasure(in: erasures, of: view) { throw .damaged(damage) }
  }

  /// - Parameter view: the log, to check the rule for erasures in; `nil` to leave it unchecked.
  static func outcome(
    _ state: LedgerState, _ error: LogError?, _ view: LogView?
  ) throws(LogError) -> Outcome {
    guard let error else {
      let damage = try view.flatMap { (view: LogView) throws(LogError) -> Damage? in
        if let damage = try state.creationDamage(in: view) { return damage }
        return try state.erasureDamage(in: view)
      }
      return Outcome(state: state, damage: damage)
    }
    guard case .damaged(let damage) = error else { throw error }
    return Outcome(state: state, damage: damage)
  }
}

extension LedgerState {
  /// What line 1 is, if it is not the ledger's creation.
  fileprivate func creationDamage(in view: LogView) throws(LogError) -> Damage? {
    guard position.seq > 0 else { return nil }
    let type = try view.line(Seq(1)).event().event.payload.type
    return type == EventKind.ledgerCreated.rawValue
      ? nil : Damage(line: 1, byte: 0, problem: "line 1 is not ledger.created")
  }

  /// Joins what a reader has read, moving its columns.
  mutating func join(_ reader: inout BatchReader) {
    join(&reader.batch, reader.blocks?.blocks(), upTo: reader.scan)
  }

  /// Joins the lines up to the position of a scan.
  fileprivate mutating func join(
    _ batch: inout ColumnBatch, _ blocks: [LineBlock]?, upTo scan: EventScan
  ) {
    position = scan.position
    offsetBytes = scan.offsetBytes
    join(blocks)
    apply(&batch)
  }
}

// A write depends on the log's lines, never on a snapshot. The lines since an entry was logged determine its
// state, and those since a field was set its value, so only these are folded: if they are few, that takes no
// longer than reading a snapshot.

extension Replay {
  /// The state of a log's lines from one on, with each chain link checked, as if no event were before it.
  ///
  /// The entries and sessions in it are complete. It lacks those that were logged earlier
  /// (``LedgerState/requireEntry(ofEdit:)``), and of the profile it has only what
  /// ``LedgerState/requireLines(since:)`` and ``LedgerState/requireValue(of:before:)`` accept.
  ///
  /// - Throws: ``LogError``, damage in these lines included.
  package static func part(of view: LogView, from seq: Seq) throws(LogError) -> LedgerState {
    let start = try view.line(seq).offsetBytes
    var state = LedgerState()
    if let before = try view.position(after: start) {
      state = LedgerState(after: before, offsetBytes: start)
    }
    try advance(&state, to: view, verifies: true)
    return state
  }
}

/// The question cannot be answered without lines before the folded part.
package struct NeedsEarlierLines: Error {
  package init() {}
}

extension LedgerState {
  fileprivate init(after position: ChainPosition, offsetBytes: Int) {
    self.init()
    (self.position, self.offsetBytes) = (position, offsetBytes)
    edits = EditTable(unknownUpTo: position.seq)
  }

  /// Whether it is the state of a part of the log; see ``Replay/part(of:from:)``.
  package var isPart: Bool { edits.cells.hasUnknown }

  /// Whether events of the part are about entries that were logged before it.
  var lacksEntries: Bool {
    isPart && (changes.contains { $0.row == .max } || sleep.contains { $0.session == .max })
  }

  /// - Throws: ``NeedsEarlierLines`` if what an event changed depends on earlier lines.
  package func requireEntry(ofEdit seq: Seq) throws(NeedsEarlierLines) {
    guard isPart, logging(ofEdit: seq.number) == nil else { return }
    throw NeedsEarlierLines()
  }

  /// - Throws: ``NeedsEarlierLines`` if what became of an edit of the profile depends on earlier lines.
  package func requireLines(since seq: Seq) throws(NeedsEarlierLines) {
    guard isPart else { return }
    // After `account.replaced`, edits that no later edit replaced are sent again.
    guard seq.number >= edits.cells.countInSnapshot, tally.count(of: .accountReplaced) == 0 else {
      throw NeedsEarlierLines()
    }
  }

  /// - Parameter seq: `nil` for the current value.
  /// - Throws: ``NeedsEarlierLines`` if the value of a field before an event depends on earlier lines.
  package func requireValue(
    of field: ProfileField, before seq: Seq? = nil
  ) throws(NeedsEarlierLines) {
    guard isPart else { return }
    // Whether a pulled value was taken, and what a decision means, depends on earlier edits.
    guard tally.count(of: .profilePulled) == 0, tally.count(of: .conflictResolved) == 0,
      tally.count(of: .accountReplaced) == 0,
      profile.value(of: field, before: seq ?? nextSeq, edits) != nil
    else { throw NeedsEarlierLines() }
  }

  /// - Throws: ``NeedsEarlierLines`` for the state of a part of the log.
  package func requireAll() throws(NeedsEarlierLines) {
    if isPart { throw NeedsEarlierLines() }
  }
}

extension Replay {
  /// The profile at a log's end, with each chain link checked, in memory that does not grow with the
  /// entries: of those that a part of the log holds, none is kept.
  ///
  /// - Parameter partBytes: about how much of the log is read at once.
  /// - Throws: ``LogError``, damage included.
  package static func profile(
    of view: LogView, partBytes: Int = 4 << 20
  ) throws(LogError) -> ProfileView {
    var kept = ProfileBatch()
    var reader = BatchReader(from: .start, offsetBytes: 0, checks: .chain)
    let buffer = WindowBuffer()
    for range in try LogRange.split(view, into: max(1, view.endBytes / partBytes)) {
      try reader.read(view, to: range.bytes.upperBound, through: buffer)
      kept.take(&reader.batch)
      reader.batch.restart(after: reader.scan.position.seq)
    }
    var state = LedgerState()
    state.foldProfile(&kept.profile, kept.marks, kept.others, upTo: reader.scan.position.seq)
    return state.profileView()
  }
}

/// The events of a log that the profile depends on.
private struct ProfileBatch {
  var profile = ProfileEdits()
  var marks: [Mark] = []
  var others: [RareEvent] = []
  /// Edits of the profile, whose answers count.
  private var edits: Set<UInt32> = []

  /// Takes what is of the profile from the next batch.
  mutating func take(_ batch: inout ColumnBatch) {
    for seqs in batch.profile.seqs { edits.formUnion(seqs) }
    for other in batch.others where isOfProfile(other.payload) {
      others.append(other)
      // A decision may be an edit of the profile.
      if case .conflictResolved = other.payload { edits.insert(UInt32(other.seq)) }
    }
    marks += batch.marks.filter { edits.contains($0.target) }
    profile.take(&batch.profile)
  }

  private func isOfProfile(_ payload: Event.Payload) -> Bool {
    switch payload {
    case .profilePulled, .conflictResolved, .accountReplaced: true
    case .conflictDetected(let data): EntryID(data.subject) == nil
    case .syncDiffered(let data): data.entry == nil
    case .syncAcknowledged(let data): data.remote != nil
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .progressPulled, .sleepLogged, .sleepCorrected,
      .sleepDeleted, .sleepPulled, .syncAttempted, .syncDeferred, .syncRejected, .syncHeld,
      .rowSkipped, .duplicateSuspected, .duplicateResolved, .goalSet, .goalRemoved, .editUndone,
      .accountSignedIn, .accountSignedOut, .eventErased, .logRepaired, .unknown, .erased:
      false
    }
  }
}
