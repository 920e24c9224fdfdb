import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// Input that the rules accept and that is probably a mistake: a question on a terminal, a refusal
/// without one unless `--yes` is given.
struct UnusualInput: ReportableError, Equatable {
  let code: String
  let what: String
  /// What may have been meant.
  var meant: String?

  static let yes = OptionSpec.flag(
    "yes", "do not ask about unusual quantities or the future")

  var exitCode: ExitCode { .usage }
  var sentence: String { "\(what); nothing was written" }
  var hint: String? { (meant.map { "\($0); " } ?? "") + "if it is right, give --yes" }

  /// - Returns: `nil` for a usual quantity, and for one that the rules refuse.
  static func quantity(
    _ quantity: Double, of metric: Metric, units: @autoclosure @escaping () -> UnitSystem
  ) -> UnusualInput? {
    let usual = metric.usualRange
    guard !usual.contains(quantity), metric.accepts(quantity) else { return nil }
    let quantities = QuantityText(units: units())
    return UnusualInput(
      code: "implausible",
      what: "\(metric.words) is \(quantities.words(quantity, of: metric)), outside the usual "
        + "\(quantities.number(usual.lowerBound, of: metric)) to "
        + quantities.words(usual.upperBound, of: metric)
        + (Amount.inSmallerUnit(quantity, of: metric).map { "; \($0) may be meant" } ?? ""))
  }

  /// An entry that was probably typed before.
  ///
  /// - Returns: `nil` if there is none, or if finding it would need a long fold.
  static func repetition(
    of logged: ProgressLogged, in opened: OpenedLedger, for console: Console
  ) -> UnusualInput? {
    let found = opened.askIfCheap(for: console) { state in state.entry(equalTo: logged) }
    return found.flatMap(\.self).map {
      UnusualInput(code: "implausible", what: "event \($0.seq) already logged the same")
    }
  }

  /// A weight or height far from the one before.
  ///
  /// - Returns: `nil` if there is none in the three months before, or if finding it would need a long
  ///   fold.
  static func change(_ logged: ProgressLogged, in opened: OpenedLedger) throws -> UnusualInput? {
    let metric = logged.metric
    guard [.weight, .height].contains(metric), metric.accepts(logged.quantity) else { return nil }
    let query = ProgressQuery(
      metric: metric, from: logged.date.adding(days: -mostDaysBetween), to: logged.date)
    let found = try opened.ledger.askIfCheap { state in
      (state.newest(query), state.profileView().unitSystem ?? .metric)
    }
    guard case (let before?, let units)? = found,
      !(before.quantity / mostChange...before.quantity * mostChange).contains(logged.quantity)
    else { return nil }
    let quantities = QuantityText(units: units)
    return UnusualInput(
      code: "implausible",
      what: "\(metric.words) is \(quantities.words(logged.quantity, of: metric)), and "
        + "\(quantities.words(before.quantity, of: metric)) on \(EntryText.day(before.date))")
  }

  private static let mostDaysBetween = 92
  private static let mostChange = 1.3

  /// Feet with a fraction that may be ten or eleven inches.
  ///
  /// - Parameter typed: the height as typed.
  static func feet(_ typed: String) -> UnusualInput? {
    let parts = typed.split(separator: ".")
    guard parts.count == 2, let inches = ["10", "11"].first(where: { parts[1].hasPrefix($0) }),
      ["ft", "'", "’", "foot", "feet"].contains(parts[1].dropFirst(2).filter { $0 != " " })
    else { return nil }
    let meant = "\(parts[0])ft\(inches)in"
    return UnusualInput(
      code: "implausible",
      what:
        "\(quoted(typed)) is a fraction of a foot; \(parts[0]) feet and \(inches) inches are \(meant)"
    )
  }

  /// - Returns: `nil` for a daily goal that is more than the least of its metric.
  static func alwaysReached(_ quantity: Double, of metric: Metric) -> UnusualInput? {
    guard quantity == metric.range.lowest, metric.range.includesLowest else { return nil }
    let least = QuantityText(units: .metric).words(quantity, of: metric)
    return UnusualInput(
      code: "implausible",
      what: "a goal of at least \(least) is reached by every entry of \(metric.words)")
  }

  /// A height in centimetres that may have been meant in inches.
  ///
  /// - Returns: `nil` outside of the usual heights in inches.
  static func inches(_ heightCM: Double) -> UnusualInput? {
    guard (40...96).contains(heightCM) else { return nil }
    let text = QuantityText(units: .imperial).words(heightCM, of: .height)
    return UnusualInput(
      code: "implausible",
      what: "\(JSONNumber.text(heightCM)) cm is \(text); in inches it is "
        + "\(JSONNumber.text(heightCM))in")
  }

  /// - Returns: `nil` for the birth of a person of 1 to 120 years.
  static func birth(_ date: CalendarDate, in opened: OpenedLedger) -> UnusualInput? {
    let usual = opened.today.subtracting(months: 120 * 12)...opened.today.subtracting(months: 12)
    // The rules refuse a day in the future.
    guard !usual.contains(date), date <= opened.today else { return nil }
    return UnusualInput(
      code: "implausible",
      what: "the date of birth is \(date), which makes a person of "
        + (date < usual.lowerBound ? "more than 120 years" : "less than a year"))
  }

  /// - Returns: `nil` for a moment since 1950 that is not in the future.
  static func moment(_ date: CalendarDate, _ time: ZonedTime?, in opened: OpenedLedger)
    -> UnusualInput?
  {
    let instant = time?.instant(on: date)
    let isFuture =
      instant.map { isLater($0, than: opened.now) } ?? (date > opened.today)
    let when = EntryText.moment(date, time, home: opened.zone)
    if isFuture {
      return UnusualInput(
        code: "in-future", what: "\(when) is in the future",
        meant: time != nil && date == opened.today ? "for yesterday give --date yesterday" : nil)
    }
    return before(firstUsualDay: date)
  }

  /// A year with two digits, or with a typing error, can be one of the last century.
  static func before(firstUsualDay date: CalendarDate) -> UnusualInput? {
    guard date < firstUsualDay else { return nil }
    return UnusualInput(code: "implausible", what: "\(EntryText.day(date)) is before 1950")
  }

  /// The end of a sleep session.
  static func end(_ end: ZonedTimestamp, in opened: OpenedLedger) -> UnusualInput? {
    guard isLater(Timestamp(millisecondsSince1970: end.secondsSince1970 * 1000), than: opened.now)
    else { return nil }
    return UnusualInput(
      code: "in-future", what: "the session ends at \(end), which is in the future")
  }

  /// - Returns: `nil` for a session of a usual length, and for one that the rules refuse.
  static func length(_ start: ZonedTimestamp, _ end: ZonedTimestamp) -> UnusualInput? {
    let seconds = end.secondsSince1970 - start.secondsSince1970
    let usual = Metric.sleepHours.usualRange.upperBound
    guard Double(seconds) > usual * 3600, seconds <= longestSessionSeconds else { return nil }
    return UnusualInput(
      code: "implausible",
      what: "the session lasts \(SleepText.duration(Int(seconds))), longer than the usual "
        + QuantityText(units: .metric).words(usual, of: .sleepHours))
  }

  /// Another session at the same time, which would count twice.
  ///
  /// - Parameter corrected: the session whose period is changed; what overlapped it before was meant.
  static func overlap(
    of start: ZonedTimestamp, _ end: ZonedTimestamp, correcting corrected: SleepView? = nil,
    in opened: OpenedLedger
  ) throws -> UnusualInput? {
    // The rules refuse such a session.
    guard start.secondsSince1970 < end.secondsSince1970 else { return nil }
    // A session lasts two days at most and belongs to the day on which it ends, in its zone.
    let near = try opened.ledger.ask {
      $0.sleep(
        from: start.date.adding(days: -1), to: end.date.adding(days: 3), limit: .max, offset: 0)
    }
    let other = near.sessions.first { session in
      session.overlaps(start, end) && session.id != corrected?.id
        && corrected.map { session.overlaps($0.start, $0.end) } != true
    }
    return other.map {
      UnusualInput(
        code: "overlapping",
        what: "the session overlaps that of event \($0.seq), "
          + SleepText.period($0.start, $0.end))
    }
  }

  /// Hours of sleep that count in no view, or that come to more than a day.
  static func sleep(_ logged: ProgressLogged, in opened: OpenedLedger) throws -> UnusualInput? {
    let (metric, date) = (logged.metric, logged.date)
    guard metric == .sleepHours, metric.accepts(logged.quantity) else { return nil }
    let (session, before) = try opened.ledger.ask { state in
      (
        state.sleep(from: date, to: date, limit: 1).sessions.first,
        state.days(metric: metric, from: date, to: date).first?.sum ?? 0
      )
    }
    let day = EntryText.day(date)
    if let session {
      return UnusualInput(
        code: "overlapping",
        what: "\(day) has a sleep session, \(SleepText.period(session.start, session.end)) (event "
          + "\(session.seq)), and what counts there is the session, not hours of sleep")
    }
    let sum = before + logged.quantity
    guard sum > metric.range.highest else { return nil }
    return UnusualInput(
      code: "implausible",
      what: "the sleep of \(day) comes to "
        + QuantityText(units: .metric).words(sum, of: metric))
  }

  /// A clock that is set by hand may be a minute ahead of this one.
  private static func isLater(_ instant: Timestamp, than now: Timestamp) -> Bool {
    instant.millisecondsSince1970 - now.millisecondsSince1970 > 60_000
  }

  private static let firstUsualDay = CalendarDate(year: 1950, month: 1, day: 1)!
}

extension SleepView {
  fileprivate func overlaps(_ start: ZonedTimestamp, _ end: ZonedTimestamp) -> Bool {
    self.start.secondsSince1970 < end.secondsSince1970
      && start.secondsSince1970 < self.end.secondsSince1970
  }
}

extension LedgerState {
  /// The newest entry without notes of the same quantity at the same minute; without a time of the same
  /// day, unless its values are summed. An entry with notes counts as intended.
  func entry(equalTo logged: ProgressLogged) -> EntryView? {
    let metric = logged.metric
    guard logged.notes == nil, logged.moment != nil || !metric.addsUp else { return nil }
    func minute(_ moment: ZonedTime?) -> Int64? {
      moment.map { $0.instant(on: logged.date).millisecondsSince1970 / 60_000 }
    }
    let day = progress(
      ProgressQuery(metric: metric, from: logged.date, to: logged.date, limit: 100))
    return day.entries.first {
      $0.id != logged.entry && $0.notesIn == nil && $0.quantity == metric.stored(logged.quantity)
        && minute($0.moment) == minute(logged.moment)
    }
  }
}

extension Console {
  /// Asks about all unusual input at once.
  ///
  /// - Parameter remarks: asked about only on a terminal; a script may log measured values.
  /// - Throws: the first input as a failure without a terminal; a failure if the answer is no.
  func confirm(
    _ inputs: [UnusualInput?], remarks: [UnusualInput?] = [], in arguments: ParsedArguments
  ) throws(CommandFailure) {
    let inputs = inputs.compactMap(\.self)
    let all = inputs + remarks.compactMap(\.self)
    guard !all.isEmpty, !arguments.flag("yes") else { return }
    let facts = all.map(\.what).joined(separator: "; ")
    guard let answer = try confirmIfPossible("\(facts). Is that right?") else {
      guard let first = inputs.first else { return }
      throw CommandFailure(.usage, first.sentence, hint: first.hint, cause: first)
    }
    guard answer else { throw CommandFailure(.usage, "nothing was written") }
  }
}
