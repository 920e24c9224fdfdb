import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Imports, edits, undos and redos in random order, with some of the edits sent.
@Suite struct ImportStoryTests {
  @Test(
    "After an import every row counts once, unless a person changed or deleted it",
    arguments: 1...TestSize.of(15, full: 40) as ClosedRange<UInt64>)
  func story(_ seed: UInt64) throws {
    var story = try ImportStory(seed)
    for _ in 0..<12 { try story.step() }
    try story.importRows()
    #expect(story.problems.isEmpty, "seed \(seed): \(story.problems) \(story.steps)")
  }
}

private struct ImportStory {
  private let folder: TemporaryFolder
  private let store: LedgerStore
  private var random: SplitMix
  /// Each write has a time of its own.
  private var clock: Int64 = 1_798_000_000_000
  private let today = day("2026-12-20")
  /// The steps of each day.
  private var rows: [Int: Int] = [1: 5000, 2: 6000, 3: 7000]
  private var imports: [ClosedRange<Seq>] = []
  /// Days that a person has changed or deleted.
  private var touched: Set<Int> = []
  /// Those whose change was undone, but may come back by a redo.
  private var undone: Set<Int> = []
  private var sentUpTo = 1
  private(set) var steps: [String] = []
  private(set) var problems: [String] = []

  init(_ seed: UInt64) throws {
    folder = try TemporaryFolder()
    store = LedgerStore(try HandWrittenLog.created.write(to: folder))
    random = SplitMix(seed)
    try importRows()
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func now() -> Timestamp {
    clock += 1000
    return Timestamp(millisecondsSince1970: clock)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try importRows()
    case 1:
      let day = Int.random(in: 1...5, using: &random)
      rows[day] = (rows[day] ?? 4000) + 100
      steps.append("row \(day) \(rows[day] ?? 0)")
    case 2: try send()
    case 3, 4, 5: try edit()
    case 6: try undoImport()
    default:
      try redo()
      touched.formUnion(undone)
    }
  }

  mutating func importRows() throws {
    let text = "Date,Steps\n" + rows.map { "2026-01-0\($0.key),\($0.value)\n" }.sorted().joined()
    for isFirst in [true, false] {
      let outcome = try ImportTransaction(into: store, at: now(), today: today).run {
        try CSVImport.read(recognizing: source(text), rules: [], context: $0)
      }
      problems += outcome.found.problems.map(\.reason)
      if let appended = outcome.appended {
        imports.append(appended)
        if !isFirst { problems.append("imported again: \(appended)") }
      }
      steps.append("import \(outcome.appended.map { "\($0)" } ?? "nothing")")
    }
    let found = try entries()
    for (day, steps) in rows {
      let counting = found[day] ?? []
      if counting.count > 1 { problems.append("day \(day) has \(counting)") }
      if !touched.contains(day), counting.map(\.quantity) != [Double(steps)] {
        problems.append("day \(day) is \(counting.map(\.quantity))")
      }
    }
  }

  private func entries() throws -> [Int: [EntryView]] {
    let live = try store.state().progress(ProgressQuery()).entries
    return Dictionary(grouping: live) { Int("\($0.date)".suffix(1)) ?? 0 }
  }

  /// Everything that was not undone reaches the backend.
  private mutating func send() throws {
    let state = try store.state()
    var answers: [Event] = []
    for number in sentUpTo + 1...max(sentUpTo + 1, state.position.seq)
    where number <= state.position.seq && state.edits.state(number) == .pending {
      let event = try store.view().line(Seq(number)).event().event
      var entry: EntryID?
      if case .progressLogged(let data) = event.payload { entry = data.entry }
      let answer = SyncAcknowledged(
        call: .make(at: now(), using: &random), events: [Seq(number)], status: 201, via: .response,
        entry: entry, backendID: entry.flatMap { BackendID("b\($0)") })
      answers.append(
        Event(
          id: .make(at: now(), using: &random), at: now(), by: .sync,
          payload: .syncAcknowledged(answer)))
    }
    sentUpTo = state.position.seq
    steps.append("send \(answers.count)")
    guard !answers.isEmpty else { return }
    _ = try store.log.append(answers, using: &random)
  }

  /// Corrects or deletes an entry; mostly, that is undone.
  private mutating func edit() throws {
    let found = try entries().values.flatMap { $0 }.sorted { $0.seq < $1.seq }
    guard let entry = found.randomElement(using: &random) else { return }
    let day = Int("\(entry.date)".suffix(1)) ?? 0
    let payload: Event.Payload =
      chance(50)
      ? .progressDeleted(ProgressDeleted(entry: entry.id))
      : .progressCorrected(ProgressCorrected(entry: entry.id, quantity: entry.quantity + 1))
    let event = Event(
      id: .make(at: now(), using: &random), at: now(), by: .user, payload: payload)
    let seq = try #require(store.log.append([event], using: &random).events.first).seq
    steps.append("\(payload.type) of day \(day), event \(seq)")
    if chance(30) {
      touched.insert(day)
      return
    }
    if chance(50) { try send() }
    _ = try store.undo(seq, at: now(), today: today, using: &random)
    steps.append("undo \(seq)")
    undone.insert(day)
  }

  private mutating func undoImport() throws {
    guard let range = imports.suffix(3).randomElement(using: &random) else { return }
    steps.append("undo \(range)")
    do {
      _ = try store.undo(
        UndoSelection(ranges: [range]), at: now(), today: today, using: &random)
    } catch is UndoRefusal {
      steps.append("refused")
      return
    }
    if chance(50) { try send() }
    if chance(50) { try redo() }
  }

  private mutating func redo() throws {
    steps.append("redo")
    do {
      _ = try store.redo(at: now(), today: today, using: &random)
    } catch is UndoRefusal {
      steps.append("refused")
    }
  }
}
