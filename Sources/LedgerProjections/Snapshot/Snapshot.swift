import LedgerJSON
package import LedgerLog
import LedgerModel
import LedgerPlatform

extension LogView {
  /// What is known of the log's lines without reading them: from the snapshot, if there is one.
  package func lineBlocks() -> LineBlocks { Snapshot.blocks(self) }
}

/// The state as it was after some event, in `views.snapshot`, so that opening a ledger need not fold
/// its whole log (docs/log-format.md, Directory). It is derived: deleting it loses nothing but time.
enum Snapshot {
  /// The state in the snapshot beside a log, its long columns still in the file.
  ///
  /// - Returns: `nil` on any doubt: none there, of another format, not whole, or not of this log as
  ///   far as its line at the same place tells.
  static func open(_ view: LogView) -> LedgerState? {
    find(view).flatMap { header, layout in try? state(header, layout) }
  }

  /// What the snapshot beside a log knows of its lines, and nothing else of it.
  ///
  /// - Returns: the blocks of no line on any doubt, as with ``open(_:)``.
  static func blocks(_ view: LogView) -> LineBlocks {
    guard let (header, layout) = find(view),
      let column = try? layout.column(SnapshotLayout.blocks, of: LineBlock.self),
      let blocks = try? column.all()
    else { return .none }
    return LineBlocks(blocks, endBytes: header.offsetBytes, end: header.position) ?? .none
  }

  /// Looks at the first page, and at the log's line that it names.
  private static func find(_ view: LogView) -> (SnapshotHeader, SnapshotLayout)? {
    guard let file = try? OpenFile(view.directory.snapshot, .read, on: view.directory.disk) else {
      return nil
    }
    let first = SnapshotPages(file, seed: SnapshotHeader.firstSeed)
      .bytes(ofPage: 0)
    guard let first, let header = SnapshotHeader(payload: first),
      header.offsetBytes <= view.endBytes,
      (try? view.position(behind: header.offsetBytes)) == header.position,
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
    state.profile = try ProfileTable(json: front.object("profile"), in: layout)
    state.erasures = try front.required("erasures").count(in: bounds)
    state.erasureLog = Erasures(after: header.position.seq)
    if let time = front["not_before"] { state.notBefore = try Timestamp(kept: time) }
    state.rows = Column(try layout.column(SnapshotLayout.rows, of: EntryRow.self))
    state.bound = Column(try layout.column(SnapshotLayout.bound, of: UInt32.self, leastSeq: 0))
    state.changes = Column(try layout.column(SnapshotLayout.changes, of: EntryChange.self))
    state.blocks = Column(try layout.column(SnapshotLayout.blocks, of: LineBlock.self))
    state.mentions = MentionTable(
      try layout.column(SnapshotLayout.mentions, of: Mention.self))
    state.edits.cells = Column(try layout.column(SnapshotLayout.cells, of: EditCell.self))
    guard state.edits.lastSeq == header.position.seq, state.bound.count == state.rows.count,
      !layout.pages.isBroken
    else {
      throw SnapshotFault()
    }
    let counts = try SnapshotCounts(json: front.object("counts"), in: bounds)
    state.opened = try OpenedSnapshot(state, counts, in: layout)
    return state
  }

  /// Writes a snapshot, if nobody else is about to, in place of an older one.
  ///
  /// A crash leaves the old one or the new one. What cannot be written is not: a folder may be
  /// read-only, a disk full, and nothing is lost by it.
  ///
  /// - Parameter view: the log that the state was folded from.
  /// - Precondition: the state is whole, and the log's lock is not held here.
  static func keep(_ state: LedgerState, of view: LogView) {
    guard state.position.seq > 0 else { return }
    do {
      guard
        let replacement = try ReplacementFile(
          view.directory.snapshot, on: view.directory.disk)
      else { return }
      try SnapshotWriter.write(state, to: replacement.file, seed: .random(in: 1 ... .max))
      try replacement.synchronize()
      // Under the lock nobody erases: a log that was rewritten meanwhile must not be remembered.
      let lock = try FileLock(
        view.directory.ledgerLock, .exclusive, waitSeconds: 1, on: view.directory.disk)
      if try view.isCurrent() { try replacement.commit() }
      withExtendedLifetime(lock) {}
    } catch {}
  }

  /// Whether writing a snapshot costs less than folding again and again what it would spare: a fold
  /// of so many events takes a few milliseconds, writing takes as long as folding a part of all.
  static func pays(after events: Int, of total: Int) -> Bool {
    events >= max(16_384, total / 16)
  }
}
