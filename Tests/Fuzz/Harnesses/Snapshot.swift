import LedgerJSON
import LedgerModel

@testable import LedgerLog
@testable import LedgerProjections

/// Any bytes as `views.snapshot` next to a small log: every answer equals the one without it.
///
/// The first byte says whether the rest is the file itself, or steps that spoil a right one: a
/// step is a kind and three bytes that say where and what.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  guard let first = input.first else { return 0 }
  // Writes the log, and takes away a snapshot.
  _ = stage
  let file = first < 32 ? Array(input[1...]) : spoiled(steps: input[1...])
  let path = Scratch.ledger.snapshot
  Scratch.put(file, at: path)
  do {
    let view = try LogView.open(Scratch.ledger)
    let log = FoldedLog(view, keepsSnapshot: false)
    let asked = try log.ask { ViewAnswers($0) }
    require(asked == stage.expected, "asked with this snapshot, the log answers: \(asked)")
    let state = try FoldedLog(view, keepsSnapshot: false).state()
    require(state.opened == nil && !state.isBroken, "a whole state hangs on the snapshot")
    require(
      ViewAnswers(state) == stage.expected, "folded with this snapshot, the log says otherwise")
    // One small question reads few pages.
    let found = try FoldedLog(view, keepsSnapshot: false).ask { state in
      stage.entries.map { state.entry($0) }
    }
    require(found == stage.found, "single entries differ")
    require(
      try Searches(of: stage.events, in: view) == stage.searches, "its line blocks hide lines")
  } catch {
    finding("\(error)")
  }
  return 0
}

/// The log, its answers, and right snapshots of two of its moments.
private let stage = Stage()

private struct Stage: Sendable {
  let expected: ViewAnswers
  let entries: [EntryID]
  let found: [EntryFacts?]
  let events: [Event]
  let searches: Searches
  let newer: [UInt8]
  let older: [UInt8]

  init() {
    let ledger = Scratch.ledger
    let log = WrittenLog(script: Self.script[...])
    Scratch.put(log.bytes, at: ledger.events)
    Scratch.put(nil, at: ledger.head)
    Scratch.put(nil, at: ledger.snapshot)
    do {
      let view = try LogView.open(ledger)
      let state = try FoldedLog(view, keepsSnapshot: false).state()
      expected = ViewAnswers(state)
      require(expected.seq == log.ends.count, "the log of this harness is damaged")
      let known = expected.entries.map(\.id)
      entries = known + [EntryID(LedgerUUID(high: 7, low: 7))]
      found = entries.map { state.entry($0) }
      var events: [Event] = []
      try view.forEachEvent { event, _ in
        events.append(event.event)
        return true
      }
      self.events = events
      searches = try Searches(of: events, in: view)
      older = try Self.snapshot(view, upTo: 9)
      newer = try Self.snapshot(view, upTo: log.ends.count - 3)
    } catch {
      finding("\(error)")
    }
  }

  private static func snapshot(_ view: LogView, upTo seq: Int) throws -> [UInt8] {
    var options = Replay.Options(verifies: false, until: Seq(seq))
    options.blocks = LineBlockBuilder(blockBytes: 900)
    let state = try Replay.run(view, options).state
    LedgerProjections.Snapshot.keep(state, of: view)
    return Scratch.get(view.directory.snapshot) ?? []
  }

  static var script: [UInt8] {
    func line(_ kind: EventKind, by actor: Event.Actor = .user, _ data: String) -> [UInt8] {
      WrittenLog.line(kind, by: actor, data)
    }
    var script = line(
      .ledgerCreated, by: .system,
      #"{"ledger":"0195512f-5c00-7123-8abc-000000000001","device":"fuzz","format":1}"#)
    script += line(.profileUpdated, #"{"name":"Ada","preferred_unit_system":"metric"}"#)
    script += line(.physicalUpdated, #"{"height_cm":170.5,"biological_sex":"female"}"#)
    script += line(.preferencesUpdated, #"{"allergies":["nuts"],"food_dislikes":[]}"#)
    for index in 0..<12 {
      script += line(
        .progressLogged,
        #"{"entry":"\#(id(index))","metric":"\#(index % 2 == 0 ? "weight" : "steps")","#
          + #""quantity":\#(70 + index),"date":"2026-02-\#(10 + index)"}"#)
    }
    script += line(.progressCorrected, #"{"entry":"\#(id(0))","quantity":71.5}"#)
    script += line(.progressDeleted, #"{"entry":"\#(id(1))"}"#)
    script += line(
      .syncAttempted, by: .sync,
      #"{"call":"\#(id(80))","method":"POST","path":"/api/v1/progress","events":[7],"#
        + #""fingerprint":"00000000000000000000000000000000","attempt":1}"#)
    script += line(
      .syncAcknowledged, by: .sync,
      #"{"events":[7],"via":"response","call":"\#(id(80))","status":201,"entry":"\#(id(2))","#
        + #""backend_id":"b7"}"#)
    script += line(
      .progressLogged,
      #"{"entry":"\#(id(50))","metric":"mood_score","quantity":7,"date":"2026-02-28"}"#)
    script += line(.progressCorrected, #"{"entry":"\#(id(4))","notes":"again"}"#)
    script += line(.profileUpdated, #"{"name":"Ada L."}"#)
    return script
  }

  private static func id(_ number: Int) -> String {
    "0195512f-5c00-7123-8abd-0000000000\(10 + number)"
  }
}

private func spoiled(steps: ArraySlice<UInt8>) -> [UInt8] {
  var file = stage.newer
  var steps = steps
  while steps.count >= 4, !file.isEmpty {
    let step = Array(steps.prefix(4))
    steps = steps.dropFirst(4)
    let page = 4096
    let pages = max(1, file.count / page)
    let start = Int(step[1]) % pages * page
    let place = min(start + Int(step[2]) * 16 + Int(step[3]) % 16, file.count - 1)
    switch step[0] % 6 {
    case 0: file[place] ^= 1 << (step[3] / 16 % 8)
    case 1: file[place] = step[3]
    case 2: file.removeSubrange(place...)
    case 3:
      let end = min(file.count, start + page)
      file.replaceSubrange(start..<end, with: [UInt8](repeating: 0, count: end - start))
    case 4:
      let other = Int(step[2]) % pages * page
      let end = min(file.count, start + page)
      let source = step[3] < 128 ? file : stage.older
      let copied = Array(source[min(other, source.count)..<min(source.count, other + page)])
      if copied.count == end - start { file.replaceSubrange(start..<end, with: copied) }
    default: file += [UInt8](repeating: step[3], count: Int(step[2]))
    }
  }
  return file
}

/// What is found with the line blocks of a log's snapshot, if it has one.
private struct Searches: Equatable {
  var byMoment: [Seq?] = []
  var byID: [[EventID: Seq]] = []

  init(of events: [Event], in view: LogView) throws {
    let blocks = view.lineBlocks()
    for event in events {
      byMoment.append(try view.lastSeq(notAfter: event.at, in: blocks))
      byID.append(try view.seqs(of: [event.id], in: blocks))
    }
  }
}

/// What the log is asked.
private struct ViewAnswers: Equatable {
  var seq: Int
  var texts: [String] = []
  var entries: [EntryView]
  var conflicts: [ConflictView]
  var counts: SyncCounts

  init(_ state: LedgerState) {
    seq = state.position.seq
    entries = state.progress(ProgressQuery(limit: 1_000)).entries
    conflicts = state.conflicts()
    counts = state.syncCounts()
    let view = state.profileView()
    for object in [view.profile, view.physical, view.preferences] {
      texts.append(object.serialized)
    }
    for field in ProfileField.allCases {
      texts.append("\(view.status.first { $0.field == field }.map { "\($0)" } ?? "-")")
      texts.append("\(field) \(state.profile.agreed(field)?.serialized ?? "-")")
    }
    texts += (0...seq).map { "\($0) \(state.edits.state($0)) \(state.edits.marker($0) ?? 0)" }
    texts.append("deleted \(state.entryCounts().deleted)")
    texts += state.tally.byType.map { "\($0) \($1)" }.sorted()
  }
}
