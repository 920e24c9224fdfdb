import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

/// A snapshot compared with what the log folds to.
@Suite struct SnapshotAuditTests {
  private let folder: TemporaryFolder
  private let log = RandomStory.log(seed: 31, count: 200)
  private let view: LogView
  private let whole: LedgerState

  init() throws {
    folder = try TemporaryFolder()
    view = try log.view(in: folder)
    whole = try Replay.run(view).state
  }

  private func withBlocks(_ view: LogView) throws -> SnapshotAudit {
    let stored = try #require(Snapshot.open(view))
    return try #require(SnapshotAudit.begin(view, beside: stored).wait())
  }

  private func audit() throws -> SnapshotAudit {
    let audit = SnapshotAudit(view, whole)
    let withBlocks = try withBlocks(view)
    #expect("\(audit.result)" == "\(withBlocks.result)")
    return withBlocks
  }

  @Test("A right one is found right, wherever it was taken", arguments: SnapshotTests.seeds)
  func right(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 180).view(in: folder)
    let whole = try Replay.run(view).state
    for cut in stride(from: 2, through: 180, by: TestSize.of(28, full: 7)) {
      let state = try FoldedLog(view, keepsSnapshot: true).replay(until: Seq(cut))
      Snapshot.keep(state, of: view)
      switch SnapshotAudit(view, whole).result {
      case .right(cut): break
      // Something was erased since: readers do not use it.
      case .unused where state.erasures < whole.erasures: break
      case let other:
        Issue.record("seed \(seed), event \(cut): \(other)")
        return
      }
    }
  }

  @Test("A right one with an open conflict over an entry is found right")
  func entryInConflict() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 13, count: 180).view(in: folder)
    let state = try FoldedLog(view, keepsSnapshot: true).replay(until: Seq(23))
    #expect(!state.editsInConflict().isEmpty)
    Snapshot.keep(state, of: view)
    #expect("\(SnapshotAudit(view, try Replay.run(view).state).result)" == "right(seq: 23)")
  }

  @Test("A state with blocks of its own finds it right, too", arguments: [150, 199, 200])
  func otherBlocks(cut: Int) throws {
    let state = try FoldedLog(view, keepsSnapshot: true).replay(until: Seq(cut))
    Snapshot.keep(state, of: view)
    var options = Replay.Options()
    options.isForSnapshot = true
    guard case .right(cut) = SnapshotAudit(view, try Replay.run(view, options).state).result else {
      Issue.record("not right")
      return
    }
  }

  @Test("One made of an older one and what came since is right, its blocks included")
  func generations() throws {
    var options = Replay.Options(verifies: false, until: Seq(3))
    options.blocks = LineBlockBuilder()
    Snapshot.keep(try Replay.run(view, options).state, of: view)
    for reach in stride(from: 20, through: 200, by: 20) {
      var state = try #require(try Snapshot.open(view)?.loaded())
      try Replay.advance(&state, to: view, until: Seq(reach))
      #expect(state.blocks?.isEmpty == false)
      Snapshot.keep(state, of: view)
      guard case .right(reach) = try audit().result else {
        Issue.record("event \(reach): \(try audit().result)")
        return
      }
    }
  }

  @Test("What is said of a page of edits or of line blocks is compared")
  func pageSummaries() throws {
    var options = Replay.Options()
    options.isForSnapshot = true
    Snapshot.keep(try Replay.run(view, options).state, of: view)
    let right = try PagedFile(view)
    for name in [SnapshotLayout.editStates, SnapshotLayout.blockSummaries] {
      var forged = right
      // The states of the first page; the latest moment of the first blocks.
      let place = name == SnapshotLayout.editStates ? 0 : 16
      forged.change(try #require(right.header.sections[name]).firstPage, place) {
        $0 ^= 1 << EditState.pending.code
      }
      try folder.write(forged.bytes, to: view.directory.snapshot)
      let found = try withBlocks(view)
      guard case .differs = found.result else {
        Issue.record("\(name): \(found.result)")
        return
      }
    }
  }

  @Test("Whatever a state says otherwise is found")
  func forged() throws {
    let forgeries: [(String, (inout LedgerState) -> Void)] = [
      ("quantity", { $0.rows[3].quantity += 1 }),
      ("bound", { $0.bound[2] = $0.bound[2] == 0 ? 9 : 0 }),
      ("state", { $0.edits.cells[$0.edits.lastSeq / 2].state = .rejected }),
      ("attempts", { $0.edits.cells[$0.edits.lastSeq / 2].attempts += 1 }),
      ("change", { $0.changes[1].quantity = 77 }),
      ("tally", { $0.tally.erased += 1 }),
      ("not before", { $0.notBefore = Timestamp(millisecondsSince1970: 5) }),
      ("gone", { $0.bindings.deletions["x"] = 1 }),
      ("account", { $0.account.ledger = nil }),
      ("mention", { $0.mentions.add(2, by: 99) }),
      ("field", { $0.profile.pull(["name": "Mallory"], at: Seq(9), &$0.edits) }),
      (
        "blocks",
        {
          $0.blocks = Column([
            LineBlock(
              startBytes: 0, earliestAt: 0, latestAt: 1, earliestID: 0, latestID: 1, firstSeq: 1,
              kinds: 1)
          ])
        }
      ),
    ]
    for (name, forge) in forgeries {
      var state = whole
      forge(&state)
      Snapshot.keep(state, of: view)
      let found = try withBlocks(view)
      guard case .differs = found.result else {
        Issue.record("\(name): \(found.result)")
        continue
      }
      #expect(found.isWrong && found.discard(), "\(name)")
      #expect(try AtomicFile.read(view.directory.snapshot) == nil, "\(name)")
    }
  }

  @Test(
    "Any element changed under a right page sum is found, also if later events changed its value",
    arguments: [200, 170])
  func forgedElements(cut: Int) throws {
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(cut))).state, of: view)
    let right = try PagedFile(view)
    // Without line blocks, which this fold did not make.
    let others: Set = ["front", "values", "blocks", "block_summaries"]
    let names = right.header.sections.keys.filter { !others.contains($0) }
    var random = SplitMix(73)
    for name in names.sorted() {
      let section = try #require(right.header.sections[name])
      guard section.count > 0 else { continue }
      for _ in 0..<TestSize.of(5, full: 40) {
        let element = Int.random(in: 0..<section.count, using: &random)
        let perPage = SnapshotPage.payloadBytes / section.stride
        // Of a value only the seq: another place may hold the same text.
        let width = name.hasPrefix("versions.") ? 4 : section.stride
        let place = element % perPage * section.stride + Int.random(in: 0..<width, using: &random)
        var forged = right
        forged.change(section.firstPage + element / perPage, place) {
          $0 ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try folder.write(forged.bytes, to: view.directory.snapshot)
        let audit = try withBlocks(view)
        #expect(audit.isWrong, "\(name), element \(element): \(audit.result)")
      }
    }
  }

  @Test(
    "Parts of a column are compared like all of it",
    arguments: TestSize.of([3], full: [1, 2, 3, 4, 5]))
  func parts(count: Int) throws {
    let view = try RandomStory.log(seed: 7, count: 2_000).view(in: folder)
    let whole = try Replay.run(view).state
    Snapshot.keep(whole, of: view)
    func wrongParts() throws -> [Int] {
      let opened = try #require(Snapshot.open(view)?.opened)
      var live = [Int](repeating: 0, count: opened.counts.liveByMetric.count)
      return try SnapshotPart.all(count).filter { part in
        let counts = try opened.liveByMetric(whole, touched: [], in: part)
        for (place, count) in (counts ?? []).enumerated() { live[place] += count }
        let isRight =
          try opened.state.rows.hasBytes(of: whole.rows, in: part)
          && opened.isOrderedByID(whole, in: part) && counts != nil
          && (!part.isLast || counts == nil || live == opened.counts.liveByMetric)
        return !isRight
      }.map(\.index)
    }
    #expect(try wrongParts() == [])
    let right = try PagedFile(view)
    let rows = try #require(right.header.sections["rows"])
    let pageCount = StoredColumn<EntryRow>.pageCount(of: rows.count)
    try #require(pageCount >= count)
    for page in 0..<pageCount {
      var forged = right
      forged.change(rows.firstPage + page, 3) { $0 ^= 1 }
      try folder.write(forged.bytes, to: view.directory.snapshot)
      let wrong = try wrongParts()
      #expect(
        wrong == [SnapshotPart.all(count).firstIndex { $0.places(of: pageCount).contains(page) }!])
    }
  }

  @Test("With or without a snapshot, an audit finds the same in a log with any changed byte")
  func auditBesideSnapshot() throws {
    Snapshot.keep(whole, of: view)
    let bytes = try #require(try AtomicFile.read(view.directory.events))
    let snapshot = try #require(try AtomicFile.read(view.directory.snapshot))
    let stored = try #require(Snapshot.open(view))
    #expect(SnapshotAudit.verify(view, beside: stored) { _, _ in }?.0.isOK == true)
    var random = SplitMix(19)
    for _ in 0..<TestSize.of(20, full: 600) {
      var changed = bytes
      let place = Int.random(in: 0..<bytes.count, using: &random)
      changed[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
      try folder.write(changed, to: view.directory.events)
      try Folder.remove(view.directory.snapshot, on: SystemDisk.shared)
      let without = try LogAudit(of: view.directory)
      try folder.write(snapshot, to: view.directory.snapshot)
      let with = try LogAudit(of: view.directory)
      #expect(with.problems == without.problems && !with.isOK, "byte \(place)")
      #expect(with.verification.head == without.verification.head, "byte \(place)")
    }
  }

  @Test("Any changed count is found")
  func forgedCounts() throws {
    Snapshot.keep(whole, of: view)
    let right = try PagedFile(view)
    let front = try #require(right.header.sections["front"])
    let start = front.firstPage * SnapshotPage.bytes
    let text = right.bytes[start..<start + min(front.count, SnapshotPage.payloadBytes)]
    let name = Array(#""counts":"#.utf8)
    let counts = try #require(text.indices.first { text[$0...].starts(with: name) })
    var found = 0
    for place in text[counts...].indices where (0x30...0x39).contains(text[place]) {
      var forged = right
      forged.change(front.firstPage, place - start) { $0 = $0 == 0x31 ? 0x32 : 0x31 }
      try folder.write(forged.bytes, to: view.directory.snapshot)
      // Readers do not use a front with an impossible count either.
      guard Snapshot.open(view) != nil else { continue }
      #expect(SnapshotAudit(view, whole).isWrong, "byte \(place - start) of the front")
      found += 1
    }
    #expect(found > 20)
  }

  @Test("A changed element under a wrong page sum is a broken page")
  func brokenPage() throws {
    Snapshot.keep(whole, of: view)
    var torn = try PagedFile(view)
    let rows = try #require(torn.header.sections["rows"])
    torn.bytes[rows.firstPage * SnapshotPage.bytes] ^= 1
    try folder.write(torn.bytes, to: view.directory.snapshot)
    guard case .broken = SnapshotAudit(view, whole).result else {
      Issue.record("\(SnapshotAudit(view, whole).result)")
      return
    }
  }

  @Test("Another one that has taken its place is left there")
  func replaced() throws {
    var state = whole
    state.rows[3].quantity += 1
    Snapshot.keep(state, of: view)
    let found = try audit()
    Snapshot.keep(whole, of: view)
    #expect(found.isWrong && found.discard())
    guard case .right = try audit().result else {
      Issue.record("the right one was removed")
      return
    }
  }
}

/// The bytes of a snapshot, to be changed with right page sums.
private struct PagedFile {
  let header: SnapshotHeader
  var bytes: [UInt8]

  init(_ view: LogView) throws {
    bytes = try #require(try AtomicFile.read(view.directory.snapshot))
    header = try #require(SnapshotHeader(payload: Array(bytes[..<SnapshotPage.payloadBytes])))
  }

  mutating func change(_ page: Int, _ place: Int, _ body: (inout UInt8) -> Void) {
    let start = page * SnapshotPage.bytes
    body(&bytes[start + place])
    bytes.withUnsafeMutableBytes { file in
      SnapshotPage.seal(
        UnsafeMutableRawBufferPointer(rebasing: file[start..<start + SnapshotPage.bytes]),
        number: page, seed: header.seed)
    }
  }
}
