import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerCLI
@testable import LedgerLog
@testable import LedgerProjections

/// What is written and erased beside a snapshot that tells of another ledger, with right page sums.
@Suite struct ForgedWriteTests {
  /// The events of a ledger that the commands name.
  private struct Story {
    var weight, steps, correction, deletion, name, height, later, night, undone: Seq
  }

  /// Whether the lines about the entries are few among many, so that a write folds only those.
  static let lengths = [false, true]

  private let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  /// - Parameter lies: whether values, states and rows are other ones, with the same seqs.
  private static func fill(_ ledger: LookingLedger, isLong: Bool, lies: Bool) throws -> Story {
    if isLong {
      let notes = String(repeating: "n", count: 480)
      try ledger.add(
        (1000..<2400).map { number in
          .progressLogged(
            ProgressLogged(
              entry: LookingLedger.entry(number), metric: .steps, quantity: 10,
              date: CalendarDate("2024-01-01")!, moment: nil, notes: notes))
        })
    }
    let weight = try ledger.log(1, .weight, 76, on: "2025-01-01", at: "08:00:00")
    let steps = try ledger.log(2, .steps, 9000, on: "2025-01-02")
    try ledger.acknowledge([weight], id: "b1")
    try ledger.add(
      .syncAcknowledged(
        SyncAcknowledged(
          events: [steps], status: 201, via: .response, entry: LookingLedger.entry(2),
          backendID: BackendID("b2"))), by: .sync)
    let correction = try ledger.add(
      .progressCorrected(
        ProgressCorrected(entry: LookingLedger.entry(1), quantity: lies ? 99.5 : 75.5)))
    try ledger.acknowledge([lies ? weight : correction], id: "b3")
    let deletion = try ledger.add(
      .progressDeleted(ProgressDeleted(entry: LookingLedger.entry(lies ? 1 : 2))))
    try ledger.add(
      .syncAcknowledged(
        SyncAcknowledged(
          events: [lies ? steps : deletion], status: 204, via: .response,
          entry: LookingLedger.entry(2), backendID: BackendID("b2"))), by: .sync)
    try ledger.add(.profileUpdated(ProfileUpdated(name: lies ? "Eve" : "Ada")))
    let name = try ledger.add(.profileUpdated(ProfileUpdated(name: "Bea")))
    try ledger.acknowledge([lies ? weight : name])
    let height = try ledger.add(.physicalUpdated(PhysicalUpdated(heightCM: lies ? 180 : 170)))
    try ledger.acknowledge([lies ? height : weight])
    try ledger.add(
      .preferencesUpdated(PreferencesUpdated(allergies: lies ? ["soy"] : ["nuts", "soy"])))
    let later = try ledger.log(3, lies ? .steps : .weight, 78, on: "2025-01-05", at: "09:00:00")
    let night = try ledger.add(
      .sleepLogged(
        SleepLogged(
          entry: LookingLedger.entry(50),
          start: ZonedTimestamp(lies ? "2024-02-01T22:00:00Z" : "2025-01-05T22:00:00Z")!,
          end: ZonedTimestamp(lies ? "2024-02-02T06:00:00Z" : "2025-01-06T06:00:00Z")!)))
    let last = try ledger.log(4, lies ? .weight : .steps, 500, on: "2025-01-06")
    let undone = try ledger.add(.editUndone(EditUndone(event: lies ? later : last)))
    try ledger.log(lies ? 6 : 5, .moodScore, 7, on: "2025-01-07")
    return Story(
      weight: weight, steps: steps, correction: correction, deletion: deletion, name: name,
      height: height, later: later, night: night, undone: undone)
  }

  /// Writes a snapshot of another ledger as one of this.
  private func forge(isLong: Bool) throws {
    let other = try LookingLedger()
    _ = try Self.fill(other, isLong: isLong, lies: true)
    var state = try Replay.run(LogView.open(other.directory)).state
    let view = try LogView.open(ledger.directory)
    let right = try Replay.run(view).state
    (state.position, state.offsetBytes) = (right.position, right.offsetBytes)
    #expect(state.nextSeq == right.nextSeq)
    Snapshot.keep(state, of: view)
    #expect(ledger.run("show", "progress", "--json").output.contains("2025-01-06"))
  }

  /// What a command wrote: types and data without ids of new entries, and the erased lines.
  private func written(_ words: [String], since count: Int) throws -> [String] {
    let answer = ledger.run(words)
    #expect(answer.code == .done, "\(words): \(answer.error)")
    let lines = try ledger.lines()
    let erased = lines.indices.filter { lines[$0].contains(#""erased":""#) }.map {
      "erased \($0 + 1)"
    }
    let new = lines[count...].map { line -> String in
      let start = line.range(of: #""type":"#)!.lowerBound
      let end = line.range(of: #","hash":"#)!.lowerBound
      let text = String(line[start..<end]).replacing(/"salt":"[0-9a-f]*",/, with: "")
      return words.contains("undo") || words.contains("redo")
        ? text.replacing(/"entry":"01[^"]*"/, with: "") : text
    }
    return new + erased
  }

  private static func commands(_ story: Story) -> [[String]] {
    func word(_ seq: Seq) -> String { "\(seq)" }
    let erase = ["--reason", "x", "--yes"]
    return [
      ["undo"], ["undo", "@2"], ["undo", word(story.correction)], ["undo", word(story.deletion)],
      ["undo", word(story.name)], ["undo", word(story.height)], ["undo", word(story.weight)],
      ["undo", word(story.night)],
      ["undo", word(story.undone)], ["undo", "\(story.correction)..\(story.name)"],
      ["append", "goal", "weight", "66", "--by", "2027-01-01"],
      ["append", "preferences", "--allergy", "milk"],
      ["append", "correction", word(story.later), "--time", "07:00"],
      ["append", "correction", word(story.weight), "--date", "2025-01-03"],
      ["append", "correction", word(story.night), "--end", "05:00"],
      ["append", "correction", "@", "8"], ["append", "deletion", "@2"],
      ["append", "deletion", word(story.later)],
      ["append", "deletion", "\(story.weight)..\(story.night)"],
      ["erase", "--metric", "weight"] + erase,
      ["erase", "--from", "2025-01-05", "--to", "2025-01-06"] + erase,
      ["erase", "\(story.weight)..\(story.night)"] + erase, ["erase", word(story.weight)] + erase,
    ]
  }

  @Test(
    "What is written and what is erased follows the log's lines, not a forged snapshot",
    arguments: lengths)
  func written(isLong: Bool) throws {
    let story = try Self.fill(ledger, isLong: isLong, lies: false)
    let files = [ledger.directory.events, ledger.directory.head]
    let before = try files.map { try #require(try AtomicFile.read($0)) }
    let count = try ledger.lines().count
    try forge(isLong: isLong)
    let forged = try #require(try AtomicFile.read(ledger.directory.snapshot))
    func restore(_ snapshot: [UInt8]?) throws {
      for (path, bytes) in zip(files, before) { try Data(bytes).write(to: URL(filePath: path)) }
      try? Folder.remove(ledger.directory.snapshot, on: SystemDisk.shared)
      if let snapshot { try Data(snapshot).write(to: URL(filePath: ledger.directory.snapshot)) }
    }
    // By default each command in one of the two ledgers.
    for (number, words) in Self.commands(story).enumerated()
    where TestSize.of(number.isMultiple(of: 2) == isLong, full: true) {
      try restore(nil)
      let right = try written(words, since: count)
      try restore(forged)
      #expect(try written(words, since: count) == right, "\(words)")
      #expect(right.count > 0, "\(words)")
    }
  }

  @Test("redo follows the log's lines, not a forged snapshot", arguments: lengths)
  func redone(isLong: Bool) throws {
    _ = try Self.fill(ledger, isLong: isLong, lies: false)
    #expect(ledger.run("undo").code == .done)
    let undone = try #require(try ledger.lines().last)
    #expect(undone.contains("edit.undone"))
    let view = try LogView.open(ledger.directory)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 1 }
    Snapshot.keep(state, of: view)
    let count = try ledger.lines().count
    let redone = try written(["redo"], since: count)
    #expect(redone.count == 1 && redone[0].contains(#""metric":"mood_score","quantity":7"#))
  }
}
