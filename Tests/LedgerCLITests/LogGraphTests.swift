import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// `log --graph`: what went where, and what became of each edit.
@Suite struct LogGraphTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    let first = try ledger.log(
      1, on: "2025-01-30", notes: "長い備考 💪 " + String(repeating: "x", count: 99))
    let second = try ledger.log(2, .steps, 4200, on: "2025-01-30")
    try attempt([first], 1)
    try ledger.acknowledge([first], id: "row-1")
    try attempt([second], 2)
    try ledger.reject([second], "no \u{1B}[2J")
    let name = try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada")))
    try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", local: "Ada", remote: "Eve", decision: .open)),
      by: .sync)
    let bio = try ledger.add(.profileUpdated(ProfileUpdated(languageCode: .clear)))
    try ledger.add(.syncHeld(SyncHeld(events: [bio], reason: "cannot-clear")), by: .sync)
    let third = try ledger.log(3, on: "2025-01-30")
    try attempt([third], 3)
    let fourth = try ledger.log(4, on: "2025-01-30")
    try ledger.add(.editUndone(EditUndone(event: fourth)))
    try ledger.add(.profilePulled(ProfilePulled(fields: ["bio": "runner"])), by: .sync)
    try ledger.log(5, on: "2025-01-30")
    #expect(name.number == 8)
  }

  private func attempt(_ events: [Seq], _ call: Int) throws {
    try ledger.add(
      .syncAttempted(
        SyncAttempted(
          call: CallID(LedgerUUID(high: UInt64(call) << 16 | 0x7000, low: 2 << 62)),
          method: "POST", path: "/api/v1/progress", events: events, fingerprint: "00",
          attempt: 1)), by: .sync)
  }

  private func graph(_ columns: Int?, unicode: Bool = true) -> [Substring] {
    let answer = ledger.run(
      ["log", "--graph"], columns: columns, environment: unicode ? ["LANG": "C.UTF-8"] : [:])
    #expect(answer.code == .done, "\(answer.error)")
    return answer.output.split(separator: "\n")
  }

  @Test("The graph fits into eighty columns")
  func atEightyColumns() {
    #expect(
      graph(80) == [
        "       seq  time              what",
        "○   │   17  2025-01-01 12:00  weight 75.5 kg on 2025-01-30 → waits",
        "│◀──+   16  2025-01-01 12:00  pulled profile: bio “runner”",
        "│   │   15  2025-01-01 12:00  undid #14",
        "-   │   14  2025-01-01 12:00  weight 75.5 kg on 2025-01-30 → #15",
        "├──▶?   13  2025-01-01 12:00  POST /api/v1/progress with #12",
        "?   │   12  2025-01-01 12:00  weight 75.5 kg on 2025-01-30 → #13",
        "‖   │   11  2025-01-01 12:00  held #10: cannot-clear",
        "‖   │   10  2025-01-01 12:00  profile: language cleared → #11",
        "◆───◆    9  2025-01-01 12:00  conflict over name: here \"Ada\", there \"Eve\"; open",
        "◆   │    8  2025-01-01 12:00  profile: name “Ada” → waits",
        #"│◀──✗    7  2025-01-01 12:00  rejected #3 (422): no \u{1B}[2J"#,
        "├──▶│    6  2025-01-01 12:00  POST /api/v1/progress with #3",
        "│◀──●    5  2025-01-01 12:00  acknowledged #2 (201)",
        "├──▶│    4  2025-01-01 12:00  POST /api/v1/progress with #2",
        "✗   │    3  2025-01-01 12:00  steps 4,200 on 2025-01-30 → #7",
        "●   │    2  2025-01-01 12:00  weight 75.5 kg on 2025-01-30 “長い備考 💪 xx… → #5",
        "│   │    1  2025-01-01 12:00  ledger created on test",
      ])
  }

  @Test("Lines fit, whatever is in them, and say what became of an edit before all else")
  func widths() {
    for columns in [40, 60, 80, 100, 140] {
      let lines = graph(columns)
      #expect(lines.count == 18)
      #expect(lines.allSatisfy { displayWidth($0) <= columns }, "\(columns)")
      #expect(lines[16].hasSuffix(" → #5"), "\(columns)")
    }
    #expect(graph(nil).count == 18)
  }

  @Test("A correction is undone with the logging of its entry")
  func undoneWithItsEntry() throws {
    let logged = try ledger.log(6, on: "2025-01-30")
    try ledger.add(
      .progressCorrected(ProgressCorrected(entry: LookingLedger.entry(6), quantity: 81)))
    try ledger.add(.editUndone(EditUndone(event: logged)))
    let correction = try #require(graph(nil).last { $0.contains(" corrected ") })
    #expect(!correction.contains("waits"), "\(correction)")
  }

  @Test("Where the locale is not UTF-8, lanes are drawn in ASCII")
  func plain() {
    let lanes = graph(80, unicode: false).dropFirst().map { String($0.prefix(5)) }
    #expect(
      lanes == [
        "o   |", "|<--+", "|   |", "-   |", "|-->?", "?   |", "=   |", "=   |", "#---#", "#   |",
        "|<--x", "|-->|", "|<--*", "|-->|", "x   |", "*   |", "|   |",
      ])
  }

  @Test("Filters stay what they are; JSON has no graph; colours only where they are seen")
  func options() {
    let some = ledger.run("log", "--graph", "--entry", "3", columns: 80).output
    #expect(some.split(separator: "\n").count == 4)
    #expect(ledger.run("log", "--graph", "--json").code == .usage)
    let coloured = ledger.run(["log", "--graph", "--color", "always"], columns: nil)
    #expect(coloured.output.contains("\u{1B}[32m*   |\u{1B}[0m"))
    let legend = ledger.run("log", "--graph", columns: 80).error
    #expect(legend.hasPrefix("left: test, right: the backend") && legend.contains("x rejected"))
  }
}
