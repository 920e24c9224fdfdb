public import LedgerLog
public import LedgerModel
import LedgerPlatform

/// Rebuilds the state from the log's first line, or brings one up to date.
public enum Replay {
  public struct Options: Sendable {
    /// Whether the chain of hashes is checked on the way.
    public var verifies: Bool
    /// How many threads read; `nil` for as many as the machine has cores.
    public var threads: Int?
    /// The last event to fold.
    public var until: Seq?
    /// Told now and then how many bytes more have been read, by whichever thread has read them.
    public var onBytes: (@Sendable (_ count: Int) -> Void)?
    /// What sums lines up on the way, for a snapshot to keep; `nil` where nobody asks for it.
    var blocks: LineBlockBuilder?
    /// A thread is worth its start from some megabytes on.
    var smallestStretchBytes = 4 << 20

    public init(verifies: Bool = true, threads: Int? = nil, until: Seq? = nil) {
      self.verifies = verifies
      self.threads = threads
      self.until = until
    }
  }

  /// What came of it: everything before the damage, if there is any.
  public struct Outcome: Sendable {
    public var state: LedgerState
    public var damage: Damage?
  }

  /// Folds a log from line 1.
  ///
  /// - Throws: ``LogError`` for what keeps the log from being read; damage is in the outcome.
  public static func run(_ view: LogView, _ options: Options = Options()) throws(LogError)
    -> Outcome
  {
    let checks: LineChecks = options.verifies ? .chain : .form
    // How many there are is read from a file of the system's, which a short log is not worth.
    let isShort = view.endBytes < 2 * options.smallestStretchBytes
    let wanted = options.threads ?? (isShort ? 1 : Threads.available)
    let stretches = try stretches(of: view, threads: wanted, options)
    guard stretches.count > 1 else { return try readAlone(view, checks, options) }
    let queue = LogRangeQueue(view, stretches, checks, options)
    Threads.run(min(wanted, stretches.count)) { _ in queue.help() }
    var gathered = queue.take()
    var state = LedgerState()
    if options.blocks != nil { state.blocks = Column() }
    if let scan = gathered.scan { state.join(&gathered.batch, gathered.blocks, upTo: scan) }
    return try outcome(state, gathered.error, view)
  }

  /// More stretches than threads: a thread that is done takes another one, and what was read is put
  /// together meanwhile.
  private static func stretches(
    of view: LogView, threads: Int, _ options: Options
  ) throws(LogError) -> [LogRange] {
    // Where a replay that stops early will end is not known yet.
    guard threads > 1, options.until == nil else { return try LogRange.split(view, into: 1) }
    let worthwhile = view.endBytes / max(1, options.smallestStretchBytes)
    return try LogRange.split(view, into: max(1, min(threads * stretchesPerThread, worthwhile)))
  }

  private static let stretchesPerThread = 16

  /// Folds what the log has grown by since `state`.
  ///
  /// Of the rule for erasures only this is checked, that each erased line has its record: where
  /// there are records, what was folded before may hold what was erased since, and is to be folded
  /// again (``LedgerState/erasures``).
  ///
  /// - Parameters:
  ///   - until: the last event to fold; `nil` for all.
  ///   - onBytes: told now and then how many bytes more have been read.
  /// - Throws: damage behind the state's position, with the state brought up to it.
  public static func advance(
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

  private static func readAlone(
    _ view: LogView, _ checks: LineChecks, _ options: Options
  ) throws(LogError) -> Outcome {
    var reader = BatchReader(
      from: .start, offsetBytes: 0, checks: checks, until: options.until?.number ?? .max)
    reader.expectedBytes = view.endBytes
    reader.blocks = options.blocks
    var damage: LogError?
    do throws(LogError) {
      try reader.read(view, to: view.endBytes, onBytes: options.onBytes)
    } catch {
      damage = error
    }
    var state = LedgerState()
    if options.blocks != nil { state.blocks = Column() }
    state.join(&reader)
    return try outcome(state, damage, view)
  }

  static func outcome(
    _ state: LedgerState, _ error: LogError?, _ view: LogView
  ) throws(LogError) -> Outcome {
    guard let error else {
      return Outcome(state: state, damage: try state.erasureDamage(in: view))
    }
    guard case .damaged(let damage) = error else { throw error }
    return Outcome(state: state, damage: damage)
  }
}

extension LedgerState {
  /// Joins what a reader has read, and leaves it without.
  mutating func join(_ reader: inout BatchReader) {
    join(&reader.batch, reader.blocks?.blocks(), upTo: reader.scan)
  }

  /// Joins a stretch that was read up to where a scan stands.
  fileprivate mutating func join(
    _ batch: inout ColumnBatch, _ blocks: [LineBlock]?, upTo scan: EventScan
  ) {
    position = scan.position
    offsetBytes = scan.offsetBytes
    join(blocks)
    apply(&batch)
  }
}
