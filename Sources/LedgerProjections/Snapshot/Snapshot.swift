import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerPlatform

extension LogView {
  /// What the snapshot says about the log's lines; none without a snapshot.
  package func lineBlocks() -> LineBlocks { Snapshot.blocks(self) }
}

/// The state after some event, in `views.snapshot`, so that opening a ledger need not fold the whole
/// log (docs/log-format.md, Directory). It is a cache: deleting it costs time only.
package enum Snapshot {
  /// The state in a log's snapshot, with its long columns still in the file.
  ///
  /// - Returns: `nil` if there is none, or it is incomplete, of another format or another log. The
  ///   line of the log at the snapshot's offset must have its seq and hash.
  package static func open(_ view: LogView) -> LedgerState? {
    find(view).flatMap { header, layout in try? state(header, layout) }
  }

  /// The line blocks of a log's snapshot. Only of one that can be opened, since ``SnapshotAudit``
  /// compares no other.
  ///
  /// - Returns: `.none` on any doubt, as with ``open(_:)``.
  fileprivate static func blocks(_ view: LogView) -> LineBlocks {
    guard let state = open(view), let opened = state.opened,
      let summaries = try? opened.blockSummaries.all()
    else { return .none }
    return LineBlocks(summaries, endBytes: state.offsetBytes, end: state.position) { page in
      try? opened.blocks.elements(onPages: page..<page + 1)
    } ?? .none
  }

  /// Checks the first page, and the line of the log that it names.
  private static func find(_ view: LogView) -> (SnapshotHeader, SnapshotLayout)? {
    guard let file = try? OpenFile(view.directory.snapshot, .read, on: view.directory.disk) else {
      return nil
    }
    let first = SnapshotPages(file, seed: SnapshotHeader.firstSeed)
      .bytes(ofPage: 0)
    guard let first, let header = SnapshotHeader(payload: first),
      header.offsetBytes <= view.endBytes,
      (try? view.position(after: header.offsetBytes)) == header.position,
      let fileBytes = try? file.size(),
      header.sections.values.allSatisfy({ $0.fits(fileBytes: fileBytes) })
    else { return nil }
    return (header, SnapshotLayout(pages: SnapshotPages(file, seed: header.seed), header))
  }

  private static func state(
    _ header: SnapshotHeader, _ layout: SnapshotLayout
  ) throws(SnapshotFault) -> LedgerState {
    let texts = try layout.texts(SnapshotLayout.front)
    let bytes = layout.pages.bytes(0..<texts.count, fromPage: texts.firstPage)
    guard let front = (try? JSONValue(parsing: bytes))?.object else { throw SnapshotFault() }
    var state = LedgerState()
    state.position = header.position
    state.offsetBytes = header.offsetBytes
    let bounds = layout.bounds
    state.tally = try Tally(json: front.object("tally"), in: bounds)
    state.account = try AccountTable(json: front.object("account"))
    state.bindings = try BindingTable(json: front.object("bindings"), in: bounds)
    state.goalTable = try GoalTable(json: front.array("goals"), in: bounds)
    state.profile = try ProfileTable(json: front.object("profile"), in: layout)
    state.erasures = try front.required("erasures").count(in: bounds)
    state.erasureLog = Erasures(after: header.position.seq)
    if let time = front["not_before"] { state.notBefore = try Timestamp(kept: time) }
    state.rows = Column(try layout.column(SnapshotLayout.rows, of: EntryRow.self))
    state.bound = Column(try layout.column(SnapshotLayout.bound, of: UInt32.self, leastSeq: 0))
    state.changes = Column(try layout.column(SnapshotLayout.changes, of: EntryChange.self))
    state.sleep = Column(try layout.column(SnapshotLayout.sleep, of: SleepRecord.self))
    state.blocks = Column(try layout.column(SnapshotLayout.blocks, of: LineBlock.self))
    state.mentions = MentionTable(
      try layout.column(SnapshotLayout.mentions, of: Mention.self))
    state.edits.cells = Column(try layout.column(SnapshotLayout.cells, of: EditCell.self))
    let pageStates = try layout.column(SnapshotLayout.editStates, of: EditStates.self)
    state.edits.pageStates = pageStates
    guard state.edits.lastSeq == header.position.seq,
      pageStates.count == StoredColumn<EditCell>.pageCount(of: state.edits.cells.count),
      state.bound.count == state.rows.count,
      !layout.pages.isBroken
    else {
      throw SnapshotFault()
    }
    let counts = try SnapshotCounts(json: front.object("counts"), in: bounds)
    state.opened = try OpenedSnapshot(state, counts, in: layout)
    return state
  }

  /// Replaces the snapshot, unless another process is writing one or holds the log's lock: queries keep
  /// snapshots, and do not wait for writers.
  ///
  /// A crash leaves the old file or the new one. Failures, such as a full disk or a read-only folder,
  /// are ignored: the snapshot is only a cache.
  ///
  /// - Parameter view: the log that the state was folded from.
  /// - Precondition: the state is whole, and this process does not hold the log's lock.
  package static func keep(_ state: LedgerState, of view: LogView) {
    guard state.position.seq > 0, !view.directory.isReadOnly else { return }
    do {
      guard
        let replacement = try AtomicFile(
          onlyWriterOf: view.directory.snapshot, on: view.directory.disk)
      else { return }
      try SnapshotWriter.write(state, to: replacement.file, seed: .random(in: 1 ... .max))
      try replacement.synchronize()
      // The lock excludes erasures: the snapshot of a log rewritten meanwhile is discarded.
      let lock = try FileLock(
        view.directory.ledgerLock, .exclusive, waitSeconds: 0, on: view.directory.disk)
      if try view.isCurrent() { try replacement.commit() }
      withExtendedLifetime(lock) {}
    } catch {}
  }

  /// Whether writing a snapshot costs less than folding the events after the last one every time. The
  /// number is a bound for the events that a query folds, whatever the log's length.
  package static func pays(after events: Int) -> Bool { events >= 16_384 }
}

/// Whether a log has a snapshot that readers will use.
package enum SnapshotStatus: Hashable, Sendable {
  /// No snapshot file.
  case missing
  /// Incomplete, of another format or of another log: readers ignore it and fold the whole log.
  case unusable
  /// Of the state after this event.
  case usable(seq: Seq)

  /// Reads only the first page and the front section.
  package static func of(_ view: LogView) -> SnapshotStatus {
    if let state = Snapshot.open(view), let seq = Seq(exactly: state.position.seq) {
      return .usable(seq: seq)
    }
    do throws(IOFailure) {
      _ = try OpenFile(view.directory.snapshot, .read)
    } catch {
      return error.isMissing ? .missing : .unusable
    }
    return .unusable
  }
}
