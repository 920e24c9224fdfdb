import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI

/// What `append` and `log` do not take as it is written, and what they say to write.
@Suite(.serialized) struct AppendRefusalTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
  }

  @Test(
    "A text in another form is refused with the form that is meant",
    arguments: [
      (["sleep", "22.11.2024 23:10", "23.11.2024 06:45"], "'2024-11-22 23:10'"),
      (["sleep", "22.11.2024", "23:10", "23.11.2024", "06:45"], "'2024-11-22 23:10'"),
      (["sleep", "11/22/2024 23:10", "11/23/2024 06:45"], "'2024-11-22 23:10'"),
      (["sleep", "2024/11/22 23.10", "2024/11/23 06.45"], "'2024-11-22 23:10'"),
      (["sleep", "sunday 23:10", "monday 06:45"], "'last sunday 23:10'"),
      (["sleep", "22:30", "24:00"], "00:00 of the next day"),
      (["sleep", "2024-11-22 22:30", "24:00"], "00:00 of the next day"),
      (["sleep", "2024-11-22 24:00", "2024-11-23 07:00"], "'2024-11-23 00:00'"),
      (["sleep", "7", "am"], "ledger append sleep 23:00 7am"),
      (["sleep", "10pm"], "ledger append sleep 10pm 06:45"),
      (["steps", "5k"], "did you mean 5000?"), (["steps", "5.2", "k"], "did you mean 5200?"),
      (["steps", "5", "thousand"], "did you mean 5000?"),
      (["steps", "5k", "steps"], "did you mean 5000?"),
      (["steps", "5000", "steps"], "write the number alone, 5000"),
      (["calories_out", "2k"], "did you mean 2000?"), (["distance", "5k"], "did you mean 5km?"),
      (["weight", "70k"], "did you mean 70kg?"),
      (["water", "3", "glasses"], "if one has 250 ml, write 750ml"),
      (["water", "1pint"], "write 473ml or 568ml"),
      (["water", "2", "gal"], "write 7571ml or 9092ml"),
      (["water", "1 imperial pint"], "write 568ml"),
      (["water", "1", "us", "pint"], "write 473ml"),
      (["water", "1glass"], "write 250ml"), (["water", "0.5", "bottles"], "write 250ml"),
      (["weight", "72", "--time", "24:00"], "00:00 of the next day"),
      (["steps", "1", "000"], "as 1000"), (["steps", "1 000"], "as 1000"),
      (["water", "1", "000", "ml"], "as 1000ml"), (["steps", "1\u{A0}234"], "as 1234"),
      (["height", "5-11"], "'5ft11in'"), (["height", "5 11"], "'5ft11in'"),
      (["weight", "72.5", "felt good"], "'--notes \"felt good\"'"),
      (["weight", "72.5", "last", "monday"], "'--date \"last monday\"'"),
      (["weight", "72.5kg", "on", "saturday"], "'--date \"last saturday\"'"),
      (["weight", "72.5kg", "saturday"], "'--date \"last saturday\"'"),
      (["weight", "72.5", "on", "3", "nov"], "'--date \"3 nov\"'"),
      (["weight", "72.5", "felt", "good"], "'--notes \"felt good\"'"),
      (["weight", "72.5", "kg", "felt", "good"], "'--notes \"felt good\"'"),
      (["72.5", "weight"], "'weight 72.5'"), (["72.5", "kg", "weight"], "'weight 72.5 kg'"),
      (["watr", "1"], "did you mean 'water'?"), (["wter", "1"], "did you mean 'water'?"),
      (["waterr", "1"], "did you mean 'water'?"), (["moood", "7"], "did you mean 'mood'?"),
      (["mod", "7"], "did you mean 'mood'?"), (["distanc", "7"], "did you mean 'distance_km'?"),
      (["xyz", "7"], "steps, calories out, distance"),
      (["mood", "happy"], "a number from 1 to 10"),
      (["goal", "watr", "2", "--daily"], "did you mean 'water'?"),
      (["goal", "sleep", "22:30", "--daily"], "'22:30' is a time of day"),
      (["physical", "--biological-sex", "male"], "did you mean '--sex'?"),
      (["physical", "--gender", "male"], "did you mean '--sex'?"),
      (["weight", "72", "-q"], "did you mean '--quiet'?"),
      (["weight", "72", "--date", "2024-02"], "did you mean '2024-02-01' or '2024-02-29'?"),
      (["weight", "72", "--at", "08:00"], "'--time'"),
      (["weight", "72", "--at", "yesterday"], "'--date'"),
      (["weight", "72", "--at=-3d"], "'--date'"),
      (["calories_in", "1.234,5"], "as 1234.5\n"), (["calories_in", "2.100,00"], "as 2100.00\n"),
      (["calories_in", "1,234.5"], "as 1234.5\n"), (["distance", "1.234,5m"], "as 1234.5m\n"),
      (["water", "1.234,5 ml"], "as 1234.5 ml\n"), (["steps", "1.234,0"], "such as 1234\n"),
      (["steps", "10,000.5"], "such as 10001\n"),
      (["calories_in", "1,234"], "as 1.2340 or 1234\n"),
      (["water", "1,500ml"], "as 1.5ml or 1500ml\n"), (["weight", "75.5,"], "as 75.5\n"),
      (["water", "1.5l,"], "as 1.5l\n"),
      (["sleep", "7:30h"], "'7:30'"), (["active", "90m"], "90min"),
      (["steps", "8'000"], "as 8000"), (["mood", "7/10"], "the number alone, 7"),
      (["calories_in", "500", "calories"], "500kcal"),
      (["weight", "75kg", "yesterday", "at", "7am"], "'--date yesterday --time 7am'"),
      (["weight", "75kg", "yesterday", "7", "am"], "'--date yesterday --time 7am'"),
      (["weight", "75kg", "yesterday at 7am"], "'--date yesterday --time 7am'"),
      (["weight", "75kg", "at", "7am"], "'--time 7am'"),
      (["weight", "75kg", "this", "morning"], "'--date today'"),
      (["weight", "75kg", "last", "night"], "'--date yesterday'"),
      (["weight", "75kg", "two", "weeks", "ago"], "a day goes to --date"),
      (["weight", "75kg", "this", "was", "hard"], "'--notes \"this was hard\"'"),
      (["calories_in", "650", "kcal", "lunch"], "'--notes \"lunch\"'"),
      (["mood", "7", "great", "day"], "'--notes \"great day\"'"),
      (["goal", "steps", "10000", "a", "day"], "'--daily'"),
      (["goal", "weight", "--clear"], "'--remove'"),
      (["goal", "weight", "72", "--date", "2027-01-01"], "'--by'"),
      (["sleep", "8", "yesterday"], "'--date yesterday'"),
      (["sleep", "8h", "yesterday"], "'--date yesterday'"),
      (["sleep", "23:30", "07:15", "--date", "today"], "give END its day: 23:30 'today 07:15'"),
      (["sleep", "23:30", "today 07:15", "--date", "today"], "write both whole"),
      (["kcal", "500"], "'calories_in' or 'calories_out'"),
      (["alcohol", "2"], "a remark goes to --notes of an entry"),
      (["correction", "1", "--clear", "time"], "delete the entry and log it again"),
    ])
  func forms(_ words: [String], _ meant: String) throws {
    let answer = ledger.run(["append"] + words)
    #expect(answer.code == .usage && answer.error.contains(meant), "\(answer.error)")
    #expect(try LogView.open(ledger.directory).lastLines(9).count == 1)
  }

  @Test(
    "A unit of another size or dimension is not taken for a misspelled one",
    arguments: [
      ["protein", "0.03kg"], ["water", "0.02hl"], ["height", "17dm"], ["calories_in", "500J"],
      ["distance", "400cm"], ["active", "45mm"], ["calories_in", "2kWh"], ["weight", "70000mg"],
      ["calories_in", "2Gj"], ["calories_in", "2GWh"],
    ])
  func otherUnits(_ words: [String]) {
    let answer = ledger.run(["append"] + words)
    #expect(answer.code == .usage && answer.error.contains("it takes"), "\(answer.error)")
    #expect(!answer.error.contains("did you mean"), "\(answer.error)")
  }

  @Test("Decimals of hours are parts of an hour", arguments: ["7.25", "7.5", "7.50", "7.30"])
  func decimals(_ hours: String) {
    let answer = ledger.run("append", "sleep", hours, "--date", "2024-11-20")
    #expect(answer.code == .done, "\(answer.error)")
  }

  @Test("A time of day is no number of hours")
  func timeAsHours() {
    let answer = ledger.run("append", "sleep_hours", "10:30pm")
    #expect(answer.code == .usage && !answer.error.contains("did you mean"), "\(answer.error)")
  }

  @Test("A text that no metric resembles gets no suggestion")
  func dissimilar() {
    let answer = ledger.run("append", "blood", "pressure", "120")
    #expect(answer.code == .usage && !answer.error.contains("did you mean"), "\(answer.error)")
  }

  @Test(
    "A height of three digits without a unit can be in feet and inches, or in centimetres")
  func threeDigits() throws {
    _ = ledger.run("append", "profile", "--unit-system", "imperial")
    let answer = ledger.run("append", "height", "511")
    #expect(answer.error.contains("write 5ft11in (180.34 cm) or 511cm"), "\(answer.error)")
  }

  @Test("A goal with --by is of one day for a metric that adds up")
  func goalOfOneDay() {
    let goal = ["append", "goal", "distance"]
    let set = ledger.run(goal + ["100", "--by", "2027-03-01"])
    #expect(set.output.contains("100 km on one day by"), "\(set.error)")
    #expect(set.error.contains("--daily"))
    for (metric, quantity) in [("distance", "1500"), ("steps", "300000")] {
      let words = ["append", "goal", metric, quantity, "--by", "2027-03-01"]
      let refused = ledger.run(words)
      #expect(refused.code == .usage && refused.error.contains("the sum of one day"), "\(refused)")
    }
    let weight = ledger.run("append", "goal", "weight", "72", "--by", "2027-03-01")
    #expect(!weight.output.contains("one day"))
  }

  @Test("Day and time may have a space before am and pm")
  func twelveHours() throws {
    let answer = ledger.run("append", "sleep", "2024-11-22 11:10 pm", "2024-11-23 7 am")
    #expect(answer.output.contains("2024-11-22 23:10 to 2024-11-23 07:00"), "\(answer.error)")
  }

  @Test(
    "Times may have words between and around them",
    arguments: [
      "11:10 pm 6:45 am", "11:10 pm - 6:45 am", "from 11:10 pm to 6:45 am", "23:10 6:45 am",
      "11:10pm until 06:45", "11:10 p.m. 6:45 a.m.",
    ])
  func unquoted(_ times: String) {
    let words = times.split(separator: " ").map(String.init)
    let answer = ledger.run(["append", "sleep"] + words)
    #expect(answer.output.contains("7 h 35 min"), "\(answer.error)")
  }

  @Test(
    "Two times in one word are a session",
    arguments: [
      "23:10-06:45", "23:10 - 06:45", "from 11:10 pm to 6:45 am", "2024-11-22 23:10 to 06:45",
    ])
  func oneWord(_ times: String) {
    #expect(ledger.run("append", "sleep", times).output.contains("7 h 35 min"))
  }

  @Test(
    "A day before two times is that of the first",
    arguments: ["2024-11-22 23:10 06:45", "22 nov 2024 11:10 pm 6:45 am"])
  func dayAndTimes(_ words: String) {
    let answer = ledger.run(["append", "sleep"] + words.split(separator: " ").map(String.init))
    let period = "2024-11-22 23:10 to 2024-11-23 06:45"
    #expect(answer.output.contains(period), "\(answer.error)")
  }

  @Test("A time alone is suggested as one of today, where a moment is taken")
  func timeAlone() {
    for words in [["log", "--from", "04:03"], ["show", "progress", "--at", "04:03"]] {
      let answer = ledger.run(words)
      #expect(answer.code == .usage && answer.error.contains("'today 04:03'"), "\(answer.error)")
    }
  }

  @Test(
    "The end of a day is suggested as the beginning of the next one",
    arguments: [
      (["log", "--from", "24:00"], "00:00 of the next day"),
      (["log", "--from", "2024-11-22 24:00"], "'2024-11-23 00:00'"),
      (["log", "--from", "2024-11-22T24:00"], "'2024-11-23 00:00'"),
      (["show", "days", "--from", "2024-11-22 24:00"], "'2024-11-23'"),
      (["show", "days", "--to", "2024-11-22 24:00"], "'2024-11-22'"),
      (["show", "sleep", "--from", "2024-11-22 08:00"], "'2024-11-22'"),
    ])
  func endOfDay(_ words: [String], _ meant: String) {
    let answer = ledger.run(words)
    #expect(answer.code == .usage && answer.error.contains(meant), "\(answer.error)")
  }

  @Test(
    "The first and the last day of a month are suggested, and an option is named as it was typed")
  func months() {
    for words in [["log"], ["show", "days"], ["show", "progress"]] {
      for option in ["--from", "--to"] {
        let answer = ledger.run(words + [option, "2024-11"])
        #expect(
          answer.code == .usage && answer.error.contains("'2024-11-01' or '2024-11-30'"),
          "\(words): \(answer.error)")
      }
      #expect(ledger.run(words + ["-n", "0"]).error.contains("'-n' takes a whole number"))
      let metric = ledger.run(words + ["--metric", "watr"])
      #expect(metric.error.contains("did you mean 'water'?"), "\(metric.error)")
    }
  }

  @Test(
    "'--last' is suggested as the option that takes the newest",
    arguments: [["show", "days"], ["show", "progress"], ["show", "sleep"], ["log"]])
  func last(_ words: [String]) throws {
    try ledger.log(1, on: "2025-01-06")
    let answer = ledger.run(words + ["--last", "7"])
    #expect(answer.code == .usage && answer.error.contains("did you mean '--limit'?"))
    #expect(ledger.run(words + ["--limit", "7"]).code == .done)
  }

  @Test("A question that cannot be asked is shown whole")
  func wholeQuestion() throws {
    for day in 10...21 { try ledger.log(day, on: "2025-01-\(day)") }
    let answer = ledger.run("append", "deletion", "2..13")
    #expect(answer.code == .usage)
    #expect(
      answer.error.contains("to weight 75.5 kg on Tue 21 Jan 2025? [y/N]'"), "\(answer.error)")
  }

  @Test("A day before 1950 is probably a slip, of a session and of a correction, too")
  func longAgo() throws {
    let entry = try ledger.log(1, on: "2025-01-06")
    for words in [
      ["weight", "72", "--date", "1926-11-27"],
      ["sleep", "1926-11-22 23:10", "1926-11-23 06:45"],
      ["correction", "\(entry)", "--date", "1925-01-06"],
    ] {
      let refused = ledger.run(["append"] + words)
      #expect(refused.code == .usage && refused.error.contains("is before 1950"))
      #expect(ledger.run(["append"] + words + ["--yes"]).code == .done)
    }
  }

  @Test("Several doubts about one edit are one question")
  func oneQuestion() throws {
    try ledger.log(1, .weight, 71, on: "2025-01-10")
    let prompter = ScriptedPrompter(["n"])
    var streams = ConsoleStreams.captured(output: MemorySink(), error: MemorySink())
    streams.prompter = prompter
    let words = [
      "append", "weight", "7.5", "--date", "2025-01-11", "--ledger", ledger.directory.path,
    ]
    #expect(LocalCommands.table.run(words, streams: streams) == .usage)
    let question = try #require(prompter.questions.first)
    #expect(question.contains("outside the usual") && question.contains("71 kg on"))
  }

  @Test("A file in a folder that is missing names the folder")
  func missingFolder() throws {
    let folder = ledger.directory.path + "/none"
    for command in [["report"], ["export", "csv"], ["checkpoint"]] {
      let answer = ledger.run(command + ["-o", folder + "/file"])
      #expect(answer.code == .failed && answer.error.contains("there is no folder \(folder)"))
    }
  }
}
