import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// An erased entry folds to a backend row to delete, and nothing else.
@Suite struct ErasedFoldTests {
  /// An entry that was acknowledged and then erased; event 6 is its deletion, if any.
  private func erased(deletedBefore: Bool = false, asksAgain: Bool = true) -> HandWrittenLog {
    var log = HandWrittenLog()
    let entry = Scene().entryID(1)
    log.appendCreation()
    log.appendErased(type: "progress.logged", data: #"{"entry":"x"}"#)
    log.append(
      .syncAcknowledged(
        SyncAcknowledged(
          events: [Seq(2)], status: 201, via: .response, entry: entry, backendID: BackendID("r1"))),
      by: .sync)
    log.append(
      deletedBefore
        ? .progressDeleted(ProgressDeleted(entry: entry))
        : .profileUpdated(ProfileUpdated(name: "A")))
    log.append(.eventErased(EventErased(event: Seq(2), reason: "a test", entry: entry)))
    if asksAgain { log.append(.progressDeleted(ProgressDeleted(entry: entry))) }
    return log
  }

  private func state(_ log: HandWrittenLog) throws -> LedgerState {
    let outcome = try Replay.run(log.view(in: TemporaryFolder()))
    #expect(outcome.damage == nil)
    return outcome.state
  }

  @Test("The deletion of an erased entry is pending and its row known")
  func itsDeletionWaitsAndItsRowIsKnown() throws {
    let state = try state(erased())
    #expect(state.erasedEntries() == [.init(entry: Scene().entryID(1), deletions: [Seq(6)])])
    #expect(state.erasedEntry(ofEdit: 6) == Scene().entryID(1))
    #expect(state.erasedEntry(ofEdit: 4) == nil)
    #expect(state.bindingsOfErased == [Seq(3)])
    #expect(state.syncCounts().pending == 2)
    #expect(state.entryCounts() == EntryCounts())
  }

  /// Before the first erasure, a deletion of an unknown entry has no effect.
  @Test("Only a deletion after the first erasure counts") func anEarlierDeletionDoesNotCount()
    throws
  {
    #expect(try state(erased(deletedBefore: true, asksAgain: false)).erasedEntries().isEmpty)
    let again = try state(erased(deletedBefore: true))
    #expect(again.erasedEntries().map(\.deletions) == [[Seq(6)]])
  }

  @Test("An answer settles the deletion of an erased entry") func anAnswerEndsIt() throws {
    var log = erased()
    log.append(
      .syncAcknowledged(
        SyncAcknowledged(
          events: [Seq(6)], status: 204, via: .response, entry: Scene().entryID(1),
          backendID: BackendID("r1"))), by: .sync)
    let state = try state(log)
    #expect(state.edits.state(6) == .acknowledged)
    #expect(state.isDeletedAtBackend(BackendID("r1")!, since: Seq(1)))
  }

  @Test("Folding event by event or from a snapshot gives the same") func howeverItIsFolded() throws
  {
    let whole = try state(erased())
    let folder = try TemporaryFolder()
    let view = try erased().view(in: folder)
    var stepwise = LedgerState()
    for seq in 1...6 {
      let recorded = try view.line(Seq(seq)).event()
      var batch = ColumnBatch(after: seq - 1)
      batch.add(recorded.event.payload, seq: seq, by: recorded.event.by)
      batch.lastSeq = seq
      stepwise.apply(&batch)
    }
    try FoldedLog(view).keepSnapshot()
    let stored = try #require(Snapshot.open(view))
    for state in [stepwise, stored] {
      #expect(state.erasedEntries() == whole.erasedEntries())
      #expect(state.bindingsOfErased == whole.bindingsOfErased)
      #expect(state.syncCounts() == whole.syncCounts())
    }
  }
}
