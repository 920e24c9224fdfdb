import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

/// A snapshot that is not what it should be costs time, and nothing else.
@Suite struct SnapshotDoubtTests {
  private let folder: TemporaryFolder
  private let log = RandomStory.log(seed: 21, count: 160)
  private let view: LogView
  private let expected: Answers

  init() throws {
    folder = try TemporaryFolder()
    view = try log.view(in: folder)
    expected = Answers(try Replay.run(view).state)
  }

  private var path: String { view.directory.snapshot }

  private func keep(upTo seq: Int = 120) throws -> [UInt8] {
    Snapshot.keep(
      try Replay.run(view, .init(verifies: false, until: Seq(seq))).state, of: view)
    return try #require(try AtomicFile.read(path))
  }

  private func expectAnswers(_ comment: Comment) throws {
    let asked = try FoldedLog(view).ask { Answers($0) }
    #expect(asked.difference(from: expected) == nil, comment)
    let state = try FoldedLog(view).state()
    #expect(Answers(state).difference(from: expected) == nil, comment)
    #expect(state.opened == nil)
  }

  @Test("Any byte may be another one")
  func flippedBytes() throws {
    let good = try keep()
    var random = SplitMix(99)
    for _ in 0..<TestSize.of(12, full: 80) {
      let place = Int.random(in: 0..<good.count, using: &random)
      var bytes = good
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try folder.write(bytes, to: path)
      try expectAnswers("seed 99, byte \(place) of \(good.count)")
      if let state = Snapshot.open(view) {
        #expect(throws: SnapshotFault.self, "byte \(place)") { try state.wholeChecked(good.count) }
      }
    }
  }

  @Test("A page found broken on demand is replaced by a fold of the log")
  func brokenPages() throws {
    let good = try keep(upTo: 160)
    for page in 1..<good.count / SnapshotPage.bytes {
      var bytes = good
      bytes[page * SnapshotPage.bytes + 70] ^= 1
      try folder.write(bytes, to: path)
      try expectAnswers("page \(page)")
    }
  }

  @Test("It may end anywhere, or be something else")
  func cut() throws {
    let good = try keep()
    for count in stride(from: 0, to: good.count, by: 4093) {
      try folder.write(Array(good[..<count]), to: path)
      try expectAnswers("cut after \(count) bytes")
    }
    try folder.write(Array("{\"what\":\"ledger views\"}".utf8), to: path)
    try expectAnswers("text")
  }

  @Test("Pages of another snapshot are not its own")
  func mixedPages() throws {
    let older = try keep(upTo: 60)
    let newer = try keep(upTo: 120)
    let pages = min(older.count, newer.count) / SnapshotPage.bytes
    for page in 0..<pages {
      var bytes = newer
      let range = page * SnapshotPage.bytes..<(page + 1) * SnapshotPage.bytes
      bytes.replaceSubrange(range, with: older[range])
      try folder.write(bytes, to: path)
      try expectAnswers("page \(page)")
    }
  }

  @Test("A snapshot of another log is not used")
  func otherLog() throws {
    _ = try keep(upTo: 160)
    let other = try TemporaryFolder()
    let otherView = try RandomStory.log(seed: 22, count: 160).view(in: other)
    try other.write(try #require(try AtomicFile.read(path)), to: otherView.directory.snapshot)
    #expect(Snapshot.open(otherView) == nil)
    #expect(try FoldedLog(otherView).ask { Answers($0) } == Answers(Replay.run(otherView).state))
  }

  @Test("A snapshot of more than the log has is not used")
  func cutLog() throws {
    _ = try keep(upTo: 120)
    let short = LogView(
      directory: view.directory, file: view.file, head: nil, endBytes: log.starts[100],
      tornTailBytes: 0)
    #expect(Snapshot.open(short) == nil)
    #expect(try FoldedLog(short).ask { $0.position.seq } == 100)
  }

  @Test("What was erased since is not remembered by it")
  func erased() throws {
    var before = HandWrittenLog()
    before.appendCreation()
    let data = #"{"name":"Ada"}"#
    before.append(type: "profile.updated", data: data)
    let other = try TemporaryFolder()
    let old = try before.view(in: other)
    Snapshot.keep(try Replay.run(old).state, of: old)
    let kept = try #require(try AtomicFile.read(old.directory.snapshot))
    var after = HandWrittenLog()
    after.appendCreation()
    after.appendErased(type: "profile.updated", data: data)
    after.append(.editUndone(EditUndone(event: Seq(2))))
    after.append(.eventErased(EventErased(event: Seq(2), reason: "asked for", fields: ["name"])))
    let new = try after.view(in: other)
    try other.write(kept, to: new.directory.snapshot)
    #expect(try FoldedLog(new).ask { $0.profileView().name } == nil)
    #expect(try FoldedLog(new).state().profileView().name == nil)
  }

  @Test("A log that was rewritten meanwhile is not remembered")
  func rewritten() throws {
    let state = try Replay.run(view).state
    try folder.write(log.bytes, to: view.directory.events)
    Snapshot.keep(state, of: view)
    #expect(try AtomicFile.read(path) == nil)
    #expect(try AtomicFile.read(path + ".tmp") == nil)
  }

  @Test("Only one writes it at a time, and a half-made one is used again")
  func writers() throws {
    try folder.write([1, 2, 3], to: path + ".tmp")
    let first = try AtomicFile(onlyWriterOf: path, on: SystemDisk.shared)
    #expect(first != nil)
    #expect(try AtomicFile(onlyWriterOf: path, on: SystemDisk.shared) == nil)
    try first?.commit()
    #expect(try AtomicFile.read(path) == [])
    #expect(try keep().count > SnapshotPage.bytes)
  }
}

extension LedgerState {
  /// Every page that the snapshot has, those of its orders included.
  fileprivate func wholeChecked(_ bytes: Int) throws {
    _ = try loaded()
    try opened!.pages.forEach(1..<bytes / SnapshotPage.bytes) { _ in }
  }
}
