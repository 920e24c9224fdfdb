import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI
@testable import LedgerProjections

/// `log` passes over what the snapshot says cannot match, and prints what it prints without one.
@Suite struct LogBlocksTests {
  let ledger: LookingLedger
  let seed = UInt64.random(in: 0 ... .max)

  /// A few blocks of lines by a clock that jumps by days, a snapshot, and some lines more.
  init() throws {
    ledger = try LookingLedger()
    var random = SplitMix(seed)
    let text = String(repeating: "x", count: 300)
    let logged = ProgressLogged(
      entry: LookingLedger.entry(1), metric: .weight, quantity: 75,
      date: try #require(CalendarDate("2025-01-01")), moment: nil, notes: text)
    for part in 0..<40 {
      ledger.wait(days: Int.random(in: -20...30, using: &random))
      var payload = Event.Payload.progressLogged(logged)
      if part % 4 == 1 { payload = .preferencesUpdated(PreferencesUpdated(allergies: [text])) }
      if part == 20 { payload = .unknown(type: "mood.guessed", version: 1, data: ["text": "x"]) }
      try ledger.add([Event.Payload](repeating: payload, count: 30))
      if part % 9 == 0 { try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada \(part)"))) }
      if part == 34 { try FoldedLog(LogView.open(ledger.directory)).keepSnapshot() }
    }
  }

  private func expectSameWithout(_ filters: [[String]]) throws {
    let with = filters.map { ledger.run(["log", "--json"] + $0) }
    let counted = filters.map { ledger.run(["log", "--json", "-n", "7"] + $0) }
    let path = ledger.directory.path + "/views.snapshot"
    try #require(FileManager.default.fileExists(atPath: path))
    try FileManager.default.moveItem(atPath: path, toPath: path + ".kept")
    for (index, filter) in filters.enumerated() {
      let without = ledger.run(["log", "--json"] + filter)
      let place: Comment = "seed \(seed), \(filter)"
      #expect(with[index].output == without.output && with[index].code == without.code, place)
      #expect(with[index].code == .done, place)
      let last = without.output.split(separator: "\n").suffix(7)
      #expect(counted[index].output.split(separator: "\n") == Array(last), place)
    }
    try FileManager.default.moveItem(atPath: path + ".kept", toPath: path)
  }

  @Test("Every filter finds the same lines with and without blocks")
  func everyFilter() throws {
    let times = try ledger.lines().map { line in
      try #require(JSONValue(parsing: Array(line.utf8)).object?["at"]?.string)
    }
    var random = SplitMix(seed)
    var filters: [[String]] = [
      ["--type", "profile"], ["--type", "profile.updated", "--since", "500"],
      ["--type", "mood.guessed"], ["--type", "mood"], ["--type", "preferences"],
      ["--type", "conflict"], ["--type", "prof"],
      ["--type", "ledger.created"], ["--since", "1900-01-01"], ["--until", "1900-01-01"],
      ["--since", "2100-01-01"], ["--until", "2100-01-01", "--since", "1230"],
      ["--since", "99999", "--until", "2100-01-01"],
    ]
    for _ in 0..<4 {
      let moments = (0..<2).map { _ in times.randomElement(using: &random)! }.sorted()
      filters += [
        ["--since", moments[0]], ["--until", moments[0]],
        ["--since", moments[0], "--until", moments[1]],
        ["--since", moments[0], "--until", "\(Int.random(in: 1...1300, using: &random))"],
        ["--until", moments[1], "--since", "\(Int.random(in: 1...1300, using: &random))"],
        ["--since", moments[0], "--type", "progress"],
      ]
    }
    try expectSameWithout(filters)
  }

  @Test("The moments of show and diff are the same events")
  func moments() throws {
    let times = try ledger.lines().map { line in
      try #require(JSONValue(parsing: Array(line.utf8)).object?["at"]?.string)
    }
    var random = SplitMix(seed)
    for _ in 0..<4 {
      let time = times.randomElement(using: &random)!
      let last = times.lastIndex { $0 <= time }! + 1
      let diff = ledger.run("diff", "0", time, "--json")
      let to = try JSONValue(parsing: Array(diff.output.utf8.dropLast())).object?["to"]?.object
      #expect(to?["seq"]?.integer == last, "seed \(seed), \(time): \(diff.output.prefix(200))")
      #expect(
        ledger.run("show", "profile", "--at", time, "--json").output
          == ledger.run("show", "profile", "--at", "\(last)", "--json").output, "seed \(seed)")
    }
  }

  @Test("replay removes a snapshot with a forged line block, and keeps a right one")
  func forgedBlock() throws {
    let path = ledger.directory.path + "/views.snapshot"
    #expect(ledger.run("replay").error == "")
    #expect(FileManager.default.fileExists(atPath: path))
    let view = try LogView.open(ledger.directory)
    var state = try #require(try Snapshot.open(view)?.loaded())
    state.blocks?[1].kinds ^= 1
    Snapshot.keep(state, of: view)
    let answer = ledger.run("replay", "--json")
    #expect(answer.code == .done && answer.error.contains("views.snapshot differs from the log"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("replay looks up a time in the lines, and --trace finds a forged line block, too")
  func forgedMoments() throws {
    let line = try ledger.lines()[599]
    let time = try #require(JSONValue(parsing: Array(line.utf8)).object?["at"]?.string)
    let right = ledger.run("replay", "--to", time, "--json").output
    let view = try LogView.open(ledger.directory)
    var state = try #require(try Snapshot.open(view)?.loaded())
    for place in state.blocks!.indices {
      state.blocks![place].earliestAt += 400 * 86_400_000
      state.blocks![place].latestAt += 400 * 86_400_000
    }
    Snapshot.keep(state, of: view)
    func counts(_ text: String) throws -> JSONObject? {
      var object = try JSONValue(parsing: Array(text.utf8.dropLast())).object
      object?.members.removeAll { $0.name.contains("second") || $0.name == "snapshot" }
      return object
    }
    let again = ledger.run("replay", "--to", time, "--json")
    #expect(try counts(again.output) == counts(right), "seed \(seed)")
    // If the clock was set back far enough, the first one reads past the snapshot and finds it, too.
    let warnings = again.error + ledger.run("replay", "--trace").error
    #expect(warnings.contains("views.snapshot differs"), "seed \(seed)")
  }

  @Test(
    "verify and replay remove a snapshot from before an erasure", arguments: ["verify", "replay"])
  func beforeErasure(command: String) throws {
    let path = ledger.directory.path + "/views.snapshot"
    #expect(ledger.run("undo", "40").code == .done)
    let erased = ledger.run("erase", "40", "--reason", "asked for", "--yes")
    try #require(erased.code == .done, "\(erased.error)")
    let view = try LogView.open(ledger.directory)
    let before = try FoldedLog(view, keepsSnapshot: true).replay(until: Seq(1_000))
    Snapshot.keep(before, of: view)
    let answer = ledger.run(command)
    #expect(answer.code == .done && answer.error == "", "\(answer.error)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("What stands in a block that is passed over is not looked at; damage in others is told")
  func damage() throws {
    let lines = try ledger.lines()
    var bytes = try ledger.bytes()
    let place = lines[..<500].reduce(0) { $0 + $1.utf8.count + 1 } + 2
    bytes[place] = 0x21
    try ledger.overwrite(bytes)
    #expect(ledger.run("log", "--json", "--type", "ledger.created").code == .done)
    let all = ledger.run("log", "--json", "--since", "1900-01-01")
    #expect(all.code == .damaged && all.error.contains("line 501"))
    #expect(all.output == lines[..<500].map { $0 + "\n" }.joined())
  }
}
