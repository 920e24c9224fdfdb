import LedgerJSON
package import LedgerLog
import LedgerModel
package import LedgerPlatform
import Synchronization

/// A log's snapshot compared with what the log folds to. Page sums detect accidents; this detects
/// forged values, which were never folded from a line.
package struct SnapshotAudit: Sendable {
  package enum Result: Sendable {
    /// None that readers use, or one of later events than were folded.
    case unused
    /// Older than an `event.erased`: readers fold the log instead, but its line blocks may be followed.
    case outdated
    /// Right, as of this event.
    case right(seq: Int)
    /// A page or an element is not as it was written.
    case broken
    /// It differs from the log.
    case differs
  }

  package let result: Result
  private let directory: LedgerDirectory
  /// The file that was compared.
  package let file: FileIdentity?

  /// - Parameters:
  ///   - folded: the state of the same log, folded from line 1. What events after the snapshot's
  ///     changed is compared as it is now. Its blocks are not compared: they need not begin where those
  ///     of the snapshot do.
  ///   - threads: how many threads compare at most; `nil` for one a core.
  package init(_ view: LogView, _ folded: LedgerState, threads: Int? = nil) {
    var folded = folded
    folded.blocks = nil
    self.init(of: Snapshot.open(view), view, folded, threads: threads)
  }

  /// - Parameters:
  ///   - stored: the log's snapshot; `nil` for none.
  ///   - folded: the state of the same log.
  ///   - columns: the result for the columns; `nil` to compare them as they are now.
  fileprivate init(
    of stored: LedgerState?, _ view: LogView, _ folded: LedgerState, columns: ColumnResult? = nil,
    _ views: AllViews? = nil, threads: Int?
  ) {
    directory = view.directory
    guard let stored, stored.position.seq <= folded.position.seq else {
      (result, file) = (.unused, nil)
      return
    }
    result = Self.compare(
      stored, view, folded, columns, views, threads: Self.threads(folded, most: threads))
    file = stored.opened?.pages.identity
  }

  /// Folds the log on another thread and compares.
  ///
  /// - Parameter stored: the log's snapshot.
  package static func begin(
    _ view: LogView, beside stored: LedgerState
  ) -> BackgroundWork<SnapshotAudit?> {
    Threads.begin {
      foldAll(view, beside: stored, Replay.Options(verifies: false, threads: 1))?.audit()
    }
  }

  /// Verifies a log by folding it, which the comparison with a snapshot needs anyway: a fold that checks
  /// the chain accepts no line that a verification would not.
  ///
  /// - Parameters:
  ///   - stored: the log's snapshot.
  ///   - onProgress: called on several threads.
  /// - Returns: `nil` if the fold finds damage, which a verification then describes.
  package static func verify(
    _ view: LogView, beside stored: LedgerState,
    onProgress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
  ) -> (Verification, SnapshotAudit)? {
    var options = Replay.Options()
    let doneBytes = Mutex(0)
    options.onBytes = { count in
      let done = doneBytes.withLock { done in
        done += count
        return done
      }
      onProgress(done, view.endBytes)
    }
    guard let fold = foldAll(view, beside: stored, options) else { return nil }
    let folded = fold.outcome.state
    let verification = Verification(
      of: view, upTo: folded.position, offsetBytes: folded.offsetBytes,
      erasures: folded.erasureLog)
    return (verification, fold.audit())
  }

  /// - Returns: `nil` if the log is damaged.
  private static func foldAll(
    _ view: LogView, beside stored: LedgerState, _ options: Replay.Options
  ) -> AuditedFold? {
    guard let fold = try? AuditedFold(view, options, beside: stored), fold.outcome.damage == nil
    else { return nil }
    return fold
  }

  package var isWrong: Bool {
    switch result {
    case .broken, .differs: true
    case .unused, .outdated, .right: false
    }
  }

  /// Removes the compared snapshot, unless another one has replaced it.
  ///
  /// - Returns: false if it could not be removed.
  package func discard() -> Bool {
    do {
      let lock = try FileLock(
        directory.ledgerLock, .exclusive, waitSeconds: 1, on: directory.disk)
      defer { withExtendedLifetime(lock) {} }
      try directory.removeSnapshot(file)
      return true
    } catch {
      return false
    }
  }

  // MARK: Comparing

  /// Starting a thread takes as long as comparing a few thousand.
  private static let fewestRowsForAThread = 20_000

  private static func threads(_ folded: LedgerState, most: Int?) -> Int {
    folded.rows.count < fewestRowsForAThread ? 1 : min(2, most ?? Threads.available)
  }

  private static func compare(
    _ stored: LedgerState, _ view: LogView, _ folded: LedgerState, _ columns: ColumnResult?,
    _ views: AllViews?, threads: Int
  ) -> Result {
    guard let opened = stored.opened else { return .broken }
    var state = stored
    do throws(LogError) {
      try Replay.advance(&state, to: view, until: Seq(exactly: folded.position.seq))
    } catch {
      return state.isBroken ? .broken : .differs
    }
    guard state.erasures == stored.erasures else { return .outdated }
    switch columns ?? compareColumns(state, folded, threads: threads) {
    case .right: break
    case .broken: return .broken
    case .differ: return .differs
    }
    let live = LiveCounts(opened.counts.liveByMetric.count)
    let checks =
      keyChecks(opened, state, folded, views, live)
      + countChecks(stored, opened, state, folded, views)
    guard let areRight = allHold(checks, threads: threads), !state.isBroken else { return .broken }
    return areRight && live.byMetric == opened.counts.liveByMetric
      ? .right(seq: stored.position.seq) : .differs
  }

  fileprivate enum ColumnResult: Sendable {
    case right, differ, broken
  }

  /// Compares what is not computed from other columns.
  ///
  /// - Parameter state: that of the snapshot, brought up to date.
  fileprivate static func compareColumns(
    _ state: LedgerState, _ folded: LedgerState, threads: Int?
  ) -> ColumnResult {
    let checks = columnChecks(state, folded)
    let areRight = allHold(checks, threads: Self.threads(folded, most: threads))
    guard let areRight, !state.isBroken else { return .broken }
    return areRight ? .right : .differ
  }

  private typealias Check = @Sendable () throws -> Bool

  /// - Parameter state: that of the snapshot, brought up to date.
  private static func columnChecks(_ state: LedgerState, _ folded: LedgerState) -> [Check] {
    let byPart: [Check] = parts(of: state).map { part in
      {
        try state.rows.hasBytes(of: folded.rows, in: part)
          && state.edits.cells.hasBytes(of: folded.edits.cells, in: part)
          && state.bound.hasBytes(of: folded.bound, in: part)
      }
    }
    return byPart + [
      { state.profile.hasSameValues(as: folded.profile) },
      { try state.hasSameTables(as: folded) },
      {
        try state.opened?.state.edits.hasPageStates(
          of: folded.edits, except: state.edits.cells.changedInSnapshot) ?? false
      },
      { try state.opened?.hasBlocks(of: folded) ?? false },
    ]
  }

  /// Sorted keys, by parts that fit a core's cache.
  ///
  /// - Parameter state: that of the snapshot, brought up to date.
  private static func keyChecks(
    _ opened: OpenedSnapshot, _ state: LedgerState, _ folded: LedgerState, _ views: AllViews?,
    _ live: LiveCounts
  ) -> [Check] {
    var touched: [Bool] = []
    let touchedRows = state.touchedRows()
    if !touchedRows.isEmpty {
      touched = [Bool](repeating: false, count: state.rows.countInSnapshot)
      for row in touchedRows { touched[row] = true }
    }
    return parts(of: state).map { [touched] part in
      {
        guard try opened.isOrderedByID(folded, in: part),
          let counts = try opened.liveByMetric(folded, views?.dayKeys, touched: touched, in: part)
        else { return false }
        live.add(counts)
        return true
      }
    }
  }

  private static func parts(of state: LedgerState) -> [SnapshotPart] {
    SnapshotPart.all(max(1, state.rows.countInSnapshot / rowsPerPart))
  }

  private static let rowsPerPart = 10_000

  /// - Parameters:
  ///   - stored: the state of the snapshot.
  ///   - state: the same, brought up to date.
  private static func countChecks(
    _ stored: LedgerState, _ opened: OpenedSnapshot, _ state: LedgerState, _ folded: LedgerState,
    _ views: AllViews?
  ) -> [Check] {
    [
      { state.entryCounts() == views?.entries ?? folded.entryCounts() },
      { state.syncCounts() == views?.sync ?? folded.syncCounts() },
      { opened.byDay.count == opened.counts.entries.live },
      { opened.counts.inConflict == stored.editsInConflict() },
    ]
  }

  /// - Returns: `nil` if a check could not be made because the snapshot is broken.
  private static func allHold(_ checks: [Check], threads: Int) -> Bool? {
    let next = Mutex(0)
    let answer = Mutex(Bool?.some(true))
    Threads.run(threads) { _ in
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < checks.count else { return }
        let holds = try? checks[index]()
        answer.withLock { answer in answer = holds.flatMap { holds in answer.map { $0 && holds } } }
      }
    }
    return answer.withLock { $0 }
  }
}

/// A fold of a log that also compares the columns of its snapshot, with the state after the
/// snapshot's event: what later events change is in no later state.
package struct AuditedFold: Sendable {
  package let outcome: Replay.Outcome
  private let view: LogView
  private let stored: LedgerState?
  private let threads: Int?
  /// `nil` if the fold did not pass the snapshot's event.
  private var columns: SnapshotAudit.ColumnResult?

  /// - Parameter stored: the log's snapshot; `nil` for none.
  /// - Throws: ``LogError`` if the log cannot be read; damage is in the outcome.
  package init(
    _ view: LogView, _ options: Replay.Options, beside stored: LedgerState?
  ) throws(LogError) {
    (self.view, self.stored, threads) = (view, stored, options.threads)
    guard let stored, options.until.map({ stored.position.seq <= $0.number }) ?? true else {
      outcome = try Replay.run(view, options)
      return
    }
    var options = options
    let starts = (try? stored.blocks?.loaded())?.map { Int($0.startBytes) } ?? []
    options.blocks = LineBlockBuilder(startingAt: starts + [stored.offsetBytes])
    var columns: SnapshotAudit.ColumnResult?
    outcome = try Replay.run(view, options, stopAfter: stored.offsetBytes) { state in
      columns = SnapshotAudit.compareColumns(stored, state, threads: options.threads)
    }
    self.columns = columns
  }

  /// Compares the rest of the snapshot.
  ///
  /// - Parameter views: those of the outcome's state, if they were made already.
  /// - Precondition: there is no damage.
  package func audit(_ views: AllViews? = nil) -> SnapshotAudit {
    SnapshotAudit(of: stored, view, outcome.state, columns: columns, views, threads: threads)
  }
}

extension LedgerState {
  /// Whether a state that was read from a snapshot and brought up to date equals one folded from line 1,
  /// without comparing the longest columns and the profile.
  fileprivate func hasSameTables(as whole: LedgerState) throws -> Bool {
    try position == whole.position && offsetBytes == whole.offsetBytes
      && tally == whole.tally && account.json == whole.account.json
      && bindings.json == whole.bindings.json && goalTable == whole.goalTable
      && notBefore == whole.notBefore
      && erasures == whole.erasures && changes.hasBytes(of: whole.changes)
      && sleep.hasBytes(of: whole.sleep)
      && mentions.hasSameValues(
        as: whole.mentions, upTo: opened?.state.position.seq ?? position.seq)
  }
}

extension OpenedSnapshot {
  /// Whether a state that was folded from line 1 begins with the same blocks, if it has any, and their
  /// summaries are right. It may have further starts of blocks.
  fileprivate func hasBlocks(of folded: LedgerState) throws -> Bool {
    guard let others = folded.blocks else { return true }
    let blocks = try blocks.all()
    guard try blockSummaries.all() == LineBlock.summaries(of: blocks) else { return false }
    var next = 0
    for (index, block) in blocks.enumerated() {
      let end = index + 1 < blocks.count ? blocks[index + 1].startBytes : Int64(state.offsetBytes)
      guard next < others.count else { return false }
      var joined = others[next]
      next += 1
      while next < others.count, others[next].startBytes < end {
        joined.join(others[next])
        next += 1
      }
      guard joined == block else { return false }
    }
    return true
  }
}

extension ProfileTable {
  fileprivate func hasSameValues(as other: ProfileTable) -> Bool {
    json == other.json
      && ProfileField.allCases.allSatisfy {
        history($0).versions.elementsEqual(other.history($0).versions)
      }
      && ProfileSubject.allCases.allSatisfy { edits(of: $0) == other.edits(of: $0) }
  }
}

/// Live entries in the parts compared so far.
private final class LiveCounts: Sendable {
  private let counts: Mutex<[Int]>

  init(_ metricCount: Int) { counts = Mutex(Array(repeating: 0, count: metricCount)) }

  func add(_ more: [Int]) {
    counts.withLock { counts in for place in counts.indices { counts[place] += more[place] } }
  }

  /// By the place of their metric.
  var byMetric: [Int] { counts.withLock { $0 } }
}
