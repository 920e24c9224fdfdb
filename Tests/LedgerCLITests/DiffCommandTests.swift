import Foundation
import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// `diff`: what changed between two moments, in words and for programs.
@Suite struct DiffCommandTests {
  let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  /// Events 2 to 8: a weight that is sent, corrected and refused, steps that are deleted, a name.
  private func story() throws {
    let weight = try ledger.log(1, .weight, 76, on: "2025-01-30", at: "07:30:00", notes: "shoes on")
    try ledger.log(2, .steps, 4200, on: "2025-01-30")
    try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada")))
    try ledger.acknowledge([weight], id: "row-1")
    let correction = try ledger.add(
      .progressCorrected(
        ProgressCorrected(
          entry: LookingLedger.entry(1), quantity: 75.5, notes: .set("\u{1B}[2J without"))))
    try ledger.add(.progressDeleted(ProgressDeleted(entry: LookingLedger.entry(2))))
    try ledger.reject([correction], "no")
    try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada L.")))
  }

  @Test("On a terminal: what, old and new, where it stands; escaped, within its columns")
  func text() throws {
    try story()
    let output = ledger.run("diff", "5", "now", columns: 96).output
    #expect(
      output == #"""
        From event 5 (2025-01-01 12:00:04) to event 9 (2025-01-01 12:00:08), 4 events:
        fields
          profile.name  “Ada” → “Ada L.”  pending  #9
        entries: 1 corrected, 1 deleted
          corrected  weight 76 → 75.5 kg on 2025-01-30, notes “shoes on” → “…  synced → failed  #2 by #6
          deleted    steps 4,200 on 2025-01-30                                 pending          #3 by #7
        edits: 2 made, now pending; 1 made, now rejected

        """#)
    for columns in [40, 60, 80] {
      let lines = ledger.run("diff", "0", columns: columns).output.split(separator: "\n")
      let widest = lines.map { displayWidth($0) }.max() ?? 0
      #expect(widest <= max(columns, 56), "\(columns)")
    }
  }

  @Test("For programs: every value, before and after")
  func json() throws {
    try story()
    let first = LookingLedger.entry(1)
    let second = LookingLedger.entry(2)
    let values =
      #""date":"2025-01-30","time":"07:30:00","zone":"+00:00","notes":"#
    #expect(
      ledger.run("diff", "5", "9", "--json").output
        == #"{"from":{"seq":5,"at":"2025-01-01T12:00:04.000Z"},"to":{"seq":9,"#
        + #""at":"2025-01-01T12:00:08.000Z"},"events":{"profile.updated":1,"#
        + #""progress.corrected":1,"progress.deleted":1,"sync.rejected":1},"fields":[{"#
        + #""field":"profile.name","before":"Ada","after":"Ada L.","status":{"before":"pending","#
        + #""after":"pending"},"set_by":9}],"entry_counts":{"corrected":1,"deleted":1},"limit":20,"#
        + #""entries":[{"entry":"\#(first)","seq":2,"type":"weight","change":"corrected","#
        + #""edits":[6],"before":{"backend_id":"row-1","quantity":76,\#(values)"shoes on","status":"synced","#
        + #""deleted":false},"after":{"backend_id":"row-1","quantity":75.5,\#(values)"#
        + #""\u001b[2J without","status":"failed","reason":"rejected","#
        + #""deleted":false}},{"entry":"\#(second)","seq":3,"#
        + #""type":"steps","change":"deleted","edits":[7],"before":{"quantity":4200,"date":"2025-01-30","#
        + #""status":"pending","deleted":false},"after":{"quantity":4200,"date":"2025-01-30","#
        + #""status":"pending","deleted":true}}],"edits":[{"before":null,"after":"pending","count":2},"#
        + #"{"before":null,"after":"rejected","count":1}],"conflicts":[],"erased":[],"#
        + #""account":{"before":null,"after":null}}"# + "\n")
  }

  @Test("Moments in either order, by number, time or word; 0 is the empty ledger")
  func moments() throws {
    try story()
    let expected = ledger.run("diff", "5", "9", "--json").output
    for words in [
      ["9", "5"], ["5", "now"], ["5"], ["2025-01-01T12:00:04Z", "2025-01-01T12:00:08.999Z"],
      ["now", "5"],
    ] {
      #expect(ledger.run(["diff", "--json"] + words).output == expected, "\(words)")
    }
    #expect(ledger.run("diff", "9", "5").error.hasPrefix("event 9 is the later one"))
    #expect(
      ledger.run("diff", "2", "@2", "--json").output
        == ledger.run("diff", "2", "7", "--json").output)
    #expect(ledger.run("diff", "2", "@99").code == .notFound)
    let all = ledger.run("diff", "0", "--json").output
    #expect(all.hasPrefix(#"{"from":{"seq":0,"at":null},"to":{"seq":9,"#))
    #expect(ledger.run("diff", "2024-12-31", "now", "--json").output == all)
    #expect(
      ledger.run("diff", "0", columns: 80).output.hasPrefix("From the empty ledger to event 9"))
  }

  @Test("No difference says so, and what there was in between")
  func nothing() throws {
    try story()
    #expect(
      ledger.run("diff", "5", "5").output
        == "Nothing changed: both are event 5 (2025-01-01 12:00:04).\n")
    #expect(
      ledger.run("diff", "0", "2024-12-31").output
        == "Nothing changed: both are the empty ledger.\n")
    try ledger.add(.unknown(type: "mood.guessed", version: 1, data: [:]))
    let answer = ledger.run("diff", "9", "10")
    #expect(
      answer.output == "Nothing changed from event 9 (2025-01-01 12:00:08) to event 10 "
        + "(2025-01-01 12:00:09).\n")
    #expect(answer.error == "in between: 1 mood.guessed\n")
    #expect(try ledger.run("diff", "9", "10", "--json").member("fields") == NSArray())
  }

  @Test("However long the log is, only the newest of each kind are listed")
  func limits() throws {
    try ledger.add(
      (1...300).map { number in
        .progressLogged(
          ProgressLogged(
            entry: LookingLedger.entry(number), metric: .steps, quantity: Double(number),
            date: .first))
      })
    let answer = ledger.run("diff", "1")
    #expect(answer.output.split(separator: "\n").count == 23)
    #expect(answer.output.contains("entries: 300 added") && answer.output.contains("#301"))
    #expect(answer.error == "280 older entries left out: see more with -n\n")
    let entries = try ledger.run("diff", "1", "-n", "250", "--json").member("entries")
    #expect((entries as? [NSObject])?.count == 250)
    #expect(ledger.run("diff", "1", "-n", "-1").code == .usage)
  }

  @Test("Of sleep sessions, too, only the newest are listed")
  func sessions() throws {
    try ledger.add(
      try (1...30).map { number in
        func moment(_ hour: Int) throws -> ZonedTimestamp {
          let day = number < 10 ? "0\(number)" : "\(number)"
          return try #require(ZonedTimestamp("2025-01-\(day)T0\(hour):00:00Z"))
        }
        return .sleepLogged(
          SleepLogged(entry: LookingLedger.entry(number), start: try moment(1), end: try moment(7)))
      })
    let answer = ledger.run("diff", "1", "-n", "3")
    #expect(answer.output.contains("sleep: 30 sessions") && answer.output.contains("#31"))
    #expect(!answer.output.contains("#28"), "\(answer.output)")
    #expect(answer.error == "27 older sessions left out: see more with -n\n")
  }

  @Test("Contents that were erased in between are gone from both moments, and told all the same")
  func erasures() throws {
    try story()
    #expect(ledger.run("erase", "3", "--reason", "asked for", "--yes").code == .done)
    let answer = ledger.run("diff", "9", "10")
    #expect(answer.output.contains("erased: the content of event 3 (#10): asked for"))
    #expect(
      ledger.run("diff", "9", "10", "--json").output.contains(
        #""erased":[{"event":3,"by":10,"reason":"asked for"}]"#))
    #expect(ledger.run("diff", "8", "9", "--json").output.contains(#""erased":[]"#))
  }

  @Test("Invalid points in time are refused")
  func refusals() throws {
    try story()
    let cases: [([String], ExitCode)] = [
      (["99", "now"], .notFound), (["soon"], .usage), ([], .usage), (["1", "2", "3"], .usage),
      (["-3x", "now"], .usage),
    ]
    for (words, code) in cases {
      let answer = ledger.run(["diff"] + words)
      #expect(answer.code == code && answer.output.isEmpty, "\(words)")
      #expect(answer.error.hasPrefix("ledger: ") && answer.error.count < 300, "\(words)")
    }
  }
}
