import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

enum AppendSleepCommand: Command {
  static let spec = CommandSpec(
    "append sleep", "log a sleep session, or hours of sleep", group: .write,
    usage: [
      "START END [--stages FILE] [--notes N] [--yes]",
      "HOURS [--date D] [--time T] [--zone Z] [--notes N] [--yes]",
    ],
    arguments: [
      .anyNumber(
        "START END",
        "two times, as 23:10 06:45 for the latest such night, or two moments: 2026-11-22T23:10, "
          + "'2026-11-22 23:10' or with an offset")
    ],
    options: [
      .value(
        "stages", "FILE",
        #"the stages as JSON lines {"stage":…,"start":…,"end":…}; - is standard input"#),
      .value("notes", "N", "a remark of at most 500 characters"),
    ] + MomentOptions.specs + [UnusualInput.yes],
    examples: [
      .init("ledger append sleep 23:10 06:45", "last night"),
      .init("ledger append sleep '2026-11-22 23:10' 07:02"),
      .init(
        "ledger append sleep 2026-11-22T23:10+01:00 2026-11-23T07:02+01:00 --stages night.jsonl"),
      .init("ledger append sleep 7.5", "the metric sleep_hours, now"),
    ],
    notes: [
      "A moment without an offset is in the ledger's zone or that of --zone; a time alone follows "
        + "START or precedes END. A session lasts at most 48 hours and "
        + "counts for the day on which it ends.",
      "A stage is awake, asleep, core, deep, rem or in_bed; stages lie inside the session and do not "
        + "overlap. With stages, only the time asleep in them counts as sleep.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let words = SleepMoment.withoutJoiner(arguments.rest("START END"))
    let areTimes = words.count == 2 && words.contains { WallTime($0) != nil }
    guard areTimes || !isHours(words) && words.contains(where: SleepMoment.looksLikeOne) else {
      if words.count == 2, words.allSatisfy({ WallTime.nearest(to: $0) != nil }) {
        throw UsageError.badValue(
          option: "START END", value: words.joined(separator: " "),
          why: .expected("two times such as 23:00 07:00, or hours such as 7.5 or '7h 30min'"))
      }
      guard !arguments.has("stages") else { throw UsageError.missingArgument("START") }
      guard !words.isEmpty else { throw UsageError.missingArgument("START or HOURS") }
      try refuseStartAlone(words)
      return try AppendCommand.log(words, of: .sleepHours, arguments, console)
    }
    for option in ["date", "time"] {
      guard let value = arguments.option(option) else { continue }
      let isDated =
        option == "date" && words.allSatisfy { WallTime($0) != nil } && NamedDay(value) != nil
      throw CommandFailure(
        .usage, "a session has two moments, so --\(option) does not apply",
        hint: isDated
          ? "give END its day: \(words[0]) '\(value) \(words[1])'"
          : "write both whole, as 'yesterday 23:10' 'today 06:45' or with an offset")
    }
    let zone = try arguments.option("zone").map { text in try MomentOptions.zone(text) }
    let opened = try OpenedLedger.open(arguments, console)
    let (start, end, stages) = try ZoneRules.with(zone, home: opened.zone) { rules in
      let moments = SleepMoment(now: opened.now, zone: rules)
      let (start, end) = try moments.period(words)
      let stages = try arguments.option("stages").map { try moments.stages($0, console) } ?? []
      return (start, end, stages)
    }
    try console.confirm(
      [
        .end(end, in: opened), .before(firstUsualDay: start.date), .length(start, end),
        .overlap(of: start, end, in: opened),
      ], in: arguments)
    let logged = SleepLogged(
      entry: opened.makeEntry(), start: start, end: end, stages: stages,
      notes: arguments.option("notes").flatMap { $0.isEmpty ? nil : $0 })
    let outcome = try opened.append([Edit(change: .logSleep(logged), hasFreshEntry: true)])
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      SleepText.logged(start, end, stages)
        + " (event \(event.seq), entry \(EntryText.short(logged.entry)))"
    }
    if let remark = SleepText.partialStages(start, end, stages), !console.json {
      console.note(remark)
    }
    for moment in [start, end] where !words.contains(where: SleepMoment.hasOffset) {
      tellClockChange(at: moment, zone: zone, opened, console)
    }
    try tellHours(on: end.date, opened, console)
    return .done
  }

  /// Says that the clocks were changed at the start or the end of a session.
  static func tellClockChange(
    at moment: ZonedTimestamp, zone: MomentOptions.Zone?, _ opened: OpenedLedger,
    _ console: Console
  ) {
    AppendCommand.tellClockChange(
      at: moment.moment, on: moment.date, zone: zone, opened, console
    ) { "'\(moment.date)T\(moment.moment.time)\($0)'" }
  }

  /// Whether the words are hours before a day, as `8h yesterday`.
  private static func isHours(_ words: [String]) -> Bool {
    guard let first = words.first, WallTime(first) == nil, !SleepMoment.looksLikeOne(first) else {
      return false
    }
    return (try? Amount(first, of: .sleepHours)) != nil
  }

  /// Refuses a time of day that is more hours than a person sleeps.
  private static func refuseStartAlone(_ words: [String]) throws(CommandFailure) {
    guard words.count == 1, let time = WallTime(words[0])?.time,
      !words[0].contains(":")
        || !Metric.sleepHours.usualRange.contains(Double(time.secondsSinceMidnight) / 3600)
    else { return }
    let isEnd = (4 * 3600..<12 * 3600).contains(time.secondsSinceMidnight)
    let example = isEnd ? "23:00 \(words[0])" : "\(words[0]) 06:45"
    throw CommandFailure(
      .usage, "\(quoted(words[0])) is a time, and a session has two",
      hint:
        "give the \(isEnd ? "start" : "end"), too, as 'ledger append sleep \(example)', or hours, "
        + "as 7.5")
  }

  /// Notes that the day also has hours of sleep, which are not counted on a day with a session.
  private static func tellHours(
    on date: CalendarDate, _ opened: OpenedLedger, _ console: Console
  ) throws {
    let query = ProgressQuery(metric: .sleepHours, from: date, to: date)
    let hours = opened.askIfCheap(for: console) { $0.progress(query).entries } ?? []
    guard !hours.isEmpty else { return }
    let sum = EntryText.quantity(hours.reduce(0) { $0 + $1.quantity }, .sleepHours)
    let events =
      (hours.count == 1 ? "event " : "events ")
      + hours.reversed().map { "\($0.seq)" }.joined(separator: ", ")
    console.note(
      "\(EntryText.day(date)) has hours of sleep, too: \(sum) (\(events)); only its sessions count")
  }
}

/// The moments of a session on the command line and in a file of stages.
struct SleepMoment {
  let now: Timestamp
  let zone: ZoneRules

  /// Whether a word can only be meant as a moment: hours of sleep have no day.
  static func looksLikeOne(_ word: String) -> Bool {
    let start = Array(word.utf8.prefix(5))
    if start.count == 5, start[..<4].allSatisfy(isDigit), start[4] == UInt8(ascii: "-") {
      return true
    }
    let parts = DayAndTime(word)
    let day = parts?.day ?? word
    return NamedDay(word) != nil || NamedDay(day) != nil || !NamedDay.dates(in: day).isEmpty
      || parts.map { WallTime($0.time) != nil } ?? false
  }

  /// Whether a moment is written with its offset from UTC.
  static func hasOffset(_ word: String) -> Bool {
    ZonedTimestamp(withSeconds(word)) != nil || ZonedTimestamp(word) != nil
  }

  /// `22:30 - 6:30`, `from 10 pm to 7 am`, `22:30-6:30`, `22 nov 23:10 6:40`, and four words of days and
  /// times as two words.
  static func withoutJoiner(_ words: [String]) -> [String] {
    if words.count == 1 {
      let times = plainTimes(words[0].split { "-– ".contains($0) }.map(String.init))
      if times.count == 2, times.allSatisfy({ WallTime($0) != nil }) { return times }
      let parts = words[0].split(separator: " ").map(String.init)
      let moments = parts.count > 2 ? withoutJoiner(parts) : words
      return moments.count == 2 && looksLikeOne(moments[0]) ? moments : words
    }
    let parts = plainTimes(words)
    let day = parts.dropLast(2).joined(separator: " ")
    if NamedDay(day) != nil, parts.suffix(2).allSatisfy({ WallTime($0) != nil }) {
      return ["\(day) \(parts[parts.count - 2])", parts[parts.count - 1]]
    }
    guard parts.count == 4, WallTime(parts[1]) != nil || looksLikeOne(parts[0]) else {
      return parts
    }
    return [parts[0] + " " + parts[1], parts[2] + " " + parts[3]]
  }

  /// Without words between times, and `10 pm` as one word.
  private static func plainTimes(_ words: [String]) -> [String] {
    let joiners: Set = ["-", "–", "from", "to", "until", "till"]
    var times: [String] = []
    for word in words where words.count < 3 || !joiners.contains(word.lowercased()) {
      if let last = times.last, last.first?.isNumber == true,
        ["am", "pm", "a.m.", "p.m."].contains(word.lowercased()),
        WallTime(last + word.filter { $0 != "." }) != nil
      {
        times[times.count - 1] += word.filter { $0 != "." }
      } else {
        times.append(word)
      }
    }
    return times
  }

  /// Two moments.
  func period(
    _ texts: [String]
  ) throws(UsageError) -> (start: ZonedTimestamp, end: ZonedTimestamp) {
    guard texts.count > 1 else { throw .missingArgument("END") }
    guard texts.count == 2 else { throw .extraArgument(texts[2]) }
    if texts.contains(where: { WallTime($0) != nil }), !texts.contains(where: Self.looksLikeOne) {
      return lastNight(
        from: try MomentOptions.time(texts[0], of: "START"),
        to: try MomentOptions.time(texts[1], of: "END"))
    }
    if let time = WallTime(texts[1])?.time {
      let start = try moment(texts[0], of: "START")
      let end = moment(time, on: start.date, like: start)
      let isNextDay = end.secondsSince1970 <= start.secondsSince1970
      return (start, isNextDay ? moment(time, on: start.date.adding(days: 1), like: start) : end)
    }
    guard let time = WallTime(texts[0])?.time else {
      return (try moment(texts[0], of: "START"), try moment(texts[1], of: "END"))
    }
    let end = try moment(texts[1], of: "END")
    let start = moment(time, on: end.date, like: end)
    let isDayBefore = start.secondsSince1970 >= end.secondsSince1970
    return (isDayBefore ? moment(time, on: end.date.adding(days: -1), like: end) : start, end)
  }

  /// The changed ends of a session. A time alone is the one nearest to the end that it changes with which
  /// the session ends after it starts.
  func period(
    changing session: SleepView, start: String?, end: String?
  ) throws(UsageError) -> (start: ZonedTimestamp, end: ZonedTimestamp) {
    let starts = try moments(start, of: "--start", near: session.start)
    let ends = try moments(end, of: "--end", near: session.end)
    func distance(_ start: ZonedTimestamp, _ end: ZonedTimestamp) -> Int64 {
      abs(start.secondsSince1970 - session.start.secondsSince1970)
        + abs(end.secondsSince1970 - session.end.secondsSince1970)
    }
    let periods = starts.flatMap { start in ends.map { (start: start, end: $0) } }
    let usable = periods.filter { $0.start.secondsSince1970 < $0.end.secondsSince1970 }
    // The rules refuse a session that ends before it starts.
    return usable.min { distance($0.start, $0.end) < distance($1.start, $1.end) } ?? periods[0]
  }

  /// What a text may mean, the likeliest first; `before` without one.
  private func moments(
    _ text: String?, of option: String, near before: ZonedTimestamp
  ) throws(UsageError) -> [ZonedTimestamp] {
    guard let text else { return [before] }
    guard let time = WallTime(text)?.time else {
      return [try moment(text, of: option, before: before)]
    }
    return [0, -1, 1].map { moment(time, on: before.date.adding(days: $0), like: before) }
  }

  /// A time of a day, in the zone of the ledger or at the offset of `other` if that is from elsewhere.
  private func moment(
    _ time: ClockTime, on date: CalendarDate, like other: ZonedTimestamp
  ) -> ZonedTimestamp {
    let offset = zone.offset(of: time, on: date, insteadOf: other.moment, on: other.date)
    return ZonedTimestamp(date, ZonedTime(time: time, zone: offset))
  }

  /// - Parameter before: the moment to change. One from elsewhere keeps its offset.
  private func moment(
    _ text: String, of option: String, before: ZonedTimestamp? = nil
  ) throws(UsageError) -> ZonedTimestamp {
    if let before, let (day, time) = DayAndTime(text)?.parsed {
      return moment(time, on: day.date(today: zone.today(at: now)), like: before)
    }
    if let moment = parsed(text) { return moment }
    if WallTime.isEndOfDay(text) { throw .badValue(option: option, value: text, why: .endOfDay) }
    let near = DayAndTime(text)?.nearest(today: zone.today(at: now)) ?? []
    throw .badValue(
      option: option, value: text,
      why: near.isEmpty
        ? .expected(
          "a day and a time such as '2026-11-22 23:10', or RFC 3339 with whole seconds such as "
            + "2026-11-22T23:10:00+01:00")
        : .meant(near))
  }

  /// The latest such period that has ended.
  private func lastNight(
    from start: ClockTime, to end: ClockTime
  ) -> (start: ZonedTimestamp, end: ZonedTimestamp) {
    func moment(_ time: ClockTime, on date: CalendarDate) -> ZonedTimestamp {
      ZonedTimestamp(date, ZonedTime(time: time, zone: zone.offset(of: time, on: date)))
    }
    let today = zone.today(at: now)
    let isOver = moment(end, on: today).secondsSince1970 * 1000 <= now.millisecondsSince1970
    let lastDay = isOver ? today : today.adding(days: -1)
    let firstDay = start < end ? lastDay : lastDay.adding(days: -1)
    return (moment(start, on: firstDay), moment(end, on: lastDay))
  }

  /// `nil` for anything else than a moment.
  func parsed(_ text: String) -> ZonedTimestamp? {
    if let moment = ZonedTimestamp(text) ?? ZonedTimestamp(Self.withSeconds(text)) {
      return moment
    }
    guard let (day, time) = DayAndTime(text)?.parsed else { return nil }
    let date = day.date(today: zone.today(at: now))
    return ZonedTimestamp(date, ZonedTime(time: time, zone: zone.offset(of: time, on: date)))
  }

  /// `2026-11-22T23:10+01:00` with its seconds.
  private static func withSeconds(_ text: String) -> String {
    "\(text.prefix(16)):00\(text.dropFirst(16))"
  }

  /// Reads a file of stages, one a line.
  func stages(_ path: String, _ console: Console) throws -> [SleepStage] {
    let bytes = try path == "-" ? Self.all(of: console.input) : Self.contents(of: path)
    var stages: [SleepStage] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do {
        stages.append(try stage(Array(line)))
      } catch {
        throw CommandFailure(
          .usage, "line \(index + 1) of the stages: \(error)", hint: "nothing was written")
      }
    }
    return stages
  }

  private struct StageError: Error, CustomStringConvertible {
    let description: String
  }

  private func stage(_ line: [UInt8]) throws -> SleepStage {
    guard let object = try JSONValue(parsing: line, rules: .edit).object else {
      throw StageError(description: "a stage is an object with stage, start and end")
    }
    if let other = object.members.first(where: { !["stage", "start", "end"].contains($0.name) }) {
      throw StageError(description: "'\(other.name)' is not a member of a stage")
    }
    guard let kind = object["stage"]?.string.flatMap({ SleepStageKind(rawValue: $0) }) else {
      throw StageError(description: "'stage' must be \(SleepStageKind.expectation)")
    }
    func moment(_ name: String) throws -> ZonedTimestamp {
      guard let moment = object[name]?.string.flatMap(parsed) else {
        throw StageError(description: "'\(name)' must be \(ZonedTimestamp.expectation)")
      }
      return moment
    }
    return SleepStage(kind, start: try moment("start"), end: try moment("end"))
  }

  private static func contents(of path: String) throws -> [UInt8] {
    guard let bytes = try AtomicFile.read(path) else {
      throw IOFailure("read", path, errorNumber: ENOENT)
    }
    return bytes
  }

  private static func all(of input: any InputSource) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try input.read()
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= mostBytes else { throw tooLong }
    }
  }

  /// More than a log's line can hold.
  private static let mostBytes = 1 << 20
  private static let tooLong = CommandFailure(
    .usage, "the stages are longer than 1 MB", hint: "nothing was written")
}
