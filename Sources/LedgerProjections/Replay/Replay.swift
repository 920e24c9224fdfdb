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
