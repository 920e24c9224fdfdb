import Foundation
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI

/// What an append says of a measurement besides its values.
@Suite(.serialized) struct AppendAnswerTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
  }

  private func append(_ words: String..., answers: [String]? = nil) -> (ExitCode, String, Int) {
    append(words, answers: answers)
  }

  /// - Parameter answers: those of a person; `nil` without a terminal.
  /// - Returns: the exit code, all output, and the number of questions.
  private func append(
    _ words: [String], answers: [String]? = nil, input: String = ""
  ) -> (ExitCode, String, Int) {
    let prompter = ScriptedPrompter(answers ?? [])
    let output = MemorySink()
    var streams = ConsoleStreams.captured(output: output, error: output, input: input)
    streams.zone = .fixed(.utc)
    if answers != nil { streams.prompter = prompter }
    let words = ["append"] + words + ["--ledger", ledger.directory.path]
    let code = LocalCommands.table.run(words, streams: streams)
    return (code, output.text, prompter.questions.count)
  }

  @Test("The same measurement again is asked about on a terminal, and said without one")
  func repetition() throws {
    try ledger.log(1, .weight, 79, on: "2025-01-21", at: "08:00:00")
    try ledger.log(2, .steps, 500, on: "2025-01-21")
    try ledger.log(3, .weight, 70, on: "2025-01-22")
    let again = ["weight", "79", "--date", "2025-01-21", "--time", "08:00"]
    for (word, code) in [("n", ExitCode.usage), ("y", .done)] {
      let answer = append(again, answers: [word])
      #expect(answer.0 == code && answer.2 == 1)
    }
    let script = append("weight", "79", "--date", "2025-01-21", "--time", "08:00:30")
    #expect(script.0 == .done && script.1.contains("event 5 already logged the same"))
    // Two parts of a day's steps may be equal; another minute is another measurement.
    for words in [
      ["steps", "500", "--date", "2025-01-21"], ["weight", "79", "--date", "2025-01-21"],
    ] {
      let answer = append(words, answers: [])
      #expect(answer.0 == .done && answer.2 == 0 && !answer.1.contains("the same;"))
    }
    #expect(append("weight", "70", "--date", "2025-01-22", answers: ["n"]).2 == 1)
  }

  @Test("Hours of sleep beside a session say what counts on that day")
  func hoursBesideASession() throws {
    try ledger.add(
      .sleepLogged(
        SleepLogged(
          entry: LookingLedger.entry(1), start: #require(ZonedTimestamp("2025-01-20T23:00:00Z")),
          end: #require(ZonedTimestamp("2025-01-21T05:00:00Z")))))
    try ledger.log(2, .sleepHours, 4, on: "2025-01-21")
    let answer = append("sleep", "5", "--date", "2025-01-21", "--yes").1
    #expect(answer.contains("6 h on that day: its sessions count, not hours of sleep"))
    #expect(!answer.contains("9 h on that day"))
  }

  @Test("A member that nothing reads is kept, with one warning for its name")
  func unknownMembers() throws {
    let line =
      #"{"type":"progress.logged","data":{"metric":"weight","quantity":165,"unit":"lb","#
      + #""date":"2025-01-21","undoes":1,"note":"x"}}"#
    let words = (append(["--stdin"], input: "\(line)\n\(line)\n")).1
    #expect(
      words.hasPrefix(
        "ledger: warning: 'unit' is not a member of progress.logged: it is kept, and nothing reads it\n"
          + "ledger: warning: 'note' is not a member of progress.logged: it is kept, and nothing reads it\n"
          + "✓"))
    #expect(try ledger.lines().last?.contains(#""unit":"lb""#) == true)
  }

  @Test("Deleting or correcting a session that the backend has says that it stays there")
  func syncedSession() throws {
    func session(_ number: Int, _ day: String) throws -> Seq {
      try ledger.add(
        .sleepLogged(
          SleepLogged(
            entry: LookingLedger.entry(number),
            start: #require(ZonedTimestamp("\(day)T22:00:00Z")),
            end: #require(ZonedTimestamp("\(day)T23:50:00Z")))))
    }
    let (sent, unsent) = (try session(1, "2025-01-10"), try session(2, "2025-01-11"))
    try ledger.acknowledge([sent], id: "session-1")
    let stays = "it stays there as it is"
    #expect(append("correction", "\(sent)", "--end", "23:55").1.contains(stays))
    #expect(append("deletion", "\(sent)").1.contains(stays))
    #expect(!append("deletion", "\(unsent)").1.contains(stays))
  }

  @Test(
    "A time alone changes a session to the nearest such moment with which it ends after it starts",
    arguments: [
      (
        "2025-01-20 23:00", "2025-01-21 07:00", ["--start", "00:30"], "21 00:30 to 2025-01-21 07:00"
      ),
      (
        "2025-01-21 00:30", "2025-01-21 07:00", ["--start", "23:45"], "20 23:45 to 2025-01-21 07:00"
      ),
      ("2025-01-20 22:00", "2025-01-21 07:00", ["--end", "23:30"], "20 22:00 to 2025-01-20 23:30"),
      ("2025-01-20 13:00", "2025-01-20 14:00", ["--end", "02:00"], "20 13:00 to 2025-01-21 02:00"),
      (
        "2025-01-20 23:00", "2025-01-21 07:00", ["--start", "22:00", "--end", "06:30"],
        "20 22:00 to 2025-01-21 06:30"
      ),
    ])
  func nearestTimes(_ start: String, _ end: String, _ options: [String], _ period: String) {
    #expect(append("sleep", start, end).0 == .done)
    let answer = append(["correction", "2"] + options + ["--yes"])
    #expect(answer.1.contains("sleep: 2025-01-\(period)"), "\(answer.1)")
  }

  @Test("A day for a session is that of its end, and names the options that change it")
  func dayOfSession() {
    #expect(append("sleep", "2025-01-20 23:00", "2025-01-21 07:00").0 == .done)
    let answer = append("correction", "2", "--date", "yesterday")
    #expect(answer.0 == .usage && answer.1.contains("--start and --end"), "\(answer.1)")
  }

  @Test("A deletion of more than ten entries is asked about, and refused without a terminal")
  func deletion() throws {
    for day in 10...20 { try ledger.log(day, on: "2025-01-\(day)") }
    let refused = append("deletion", "2..12")
    #expect(refused.0 == .usage && refused.1.contains("11 entries, weight 75.5 kg on Fri 10 Jan"))
    let denied = append("deletion", "2..12", answers: ["n"])
    #expect(denied.0 == .usage && denied.2 == 1)
    #expect(append("deletion", "2..11").0 == .done)
    for day in 21...30 { try ledger.log(day, on: "2025-01-\(day)") }
    #expect(append("deletion", "12..60", answers: ["y"]).0 == .done)
  }

  @Test(
    "A birth date of no likely person is refused without a terminal",
    arguments: [("1850-01-01", "more than 120 years"), ("yesterday", "less than a year")])
  func birth(_ day: String, _ reason: String) throws {
    let today = LocalZone.fixed(.utc).today(at: LocalZone.now())
    let born = CalendarDate(day)?.description ?? today.adding(days: -1).description
    let refused = append("physical", "--born", born)
    #expect(refused.0 == .usage && refused.1.contains(reason))
    #expect(append("physical", "--born", born, "--yes").0 == .done)
    #expect(append("physical", "--born", "1990-05-17").0 == .done)
  }

  @Test("An entry of the height says that the profile's stays")
  func height() {
    #expect(append("height", "175").1.contains("the profile's height stays unset: ledger append"))
    #expect(append("physical", "--height-cm", "180").0 == .done)
    let metric = append("height", "176").1
    #expect(metric.contains("stays 180 cm: ledger append physical --height-cm 176"), "\(metric)")
    #expect(!append("height", "180").1.contains("the profile's height"))
    #expect(append("profile", "--unit-system", "imperial").0 == .done)
    let imperial = append("height", "5ft11in").1
    #expect(imperial.contains("stays 70.9 in: ledger append physical --height 71in"), "\(imperial)")
    #expect(append("physical", "--height", "71in").0 == .done)
    #expect(!append("height", "5ft11in", "--time", "07:00").1.contains("the profile's height"))
  }

  @Test(
    "A number that fits a smaller unit only is refused with it",
    arguments: [
      (["water", "250"], "did you mean '250ml'?"), (["distance", "5000"], "did you mean '5000m'?"),
      (["height", "1.75"], "1.75m may be meant"), (["sleep", "480"], "did you mean '480min'?"),
      (["bf", "0.185"], "18.5% may be meant"), (["bf", "0.1853%"], "18.53% may be meant"),
    ])
  func smallerUnit(_ words: [String], _ advice: String) {
    let refused = append(words)
    #expect(refused.0 == .usage && refused.1.contains(advice), "\(refused.1)")
    #expect(!append("weight", "7000").1.contains("mean"))
  }

  @Test("Stages that leave a part of the night out say what counts")
  func partialStages() throws {
    let file = ledger.directory.path + "/../stages"
    func night(_ stages: String, _ start: String, _ end: String) throws -> String {
      try Data(stages.utf8).write(to: URL(filePath: file))
      return append("sleep", start, end, "--stages", file).1
    }
    let core =
      #"{"stage":"core","start":"2025-01-20T23:00Z","end":"2025-01-21T04:00Z"}"# + "\n"
    let said = try night(core, "2025-01-20T23:00Z", "2025-01-21T07:00Z")
    #expect(said.contains("5 h 0 min count as sleep: 3 h 0 min of the session have no stage"))
    let whole =
      #"{"stage":"core","start":"2025-01-21T23:00Z","end":"2025-01-22T04:00Z"}"# + "\n"
    #expect(
      try !night(whole, "2025-01-21T23:00Z", "2025-01-22T04:00Z").contains("have no stage"))
  }
}
