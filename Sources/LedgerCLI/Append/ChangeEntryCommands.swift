import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum AppendCorrectionCommand: Command {
  static let spec = CommandSpec(
    "append correction", "correct an entry or a sleep session", group: .write,
    usage: ["ENTRY [QUANTITY[UNIT]] [options]"],
    arguments: [
      .required("ENTRY", EntryArgument.help),
      .anyNumber("QUANTITY", "how much it really was, as 74.8 or 165lb"),
    ],
    options: [.value("quantity", "Q", "QUANTITY as an option")]
      + MomentOptions.specs + [
        .value("notes", "N", "a remark of at most 500 characters"),
        .value(
          "clear", "FIELD", "remove the notes, or the stages of a session",
          hint: .words(clearable)),
        .value("start", "MOMENT", "of a sleep session: when it began, as '22 nov 23:10'"),
        .value("end", "MOMENT", "of a sleep session: when it ended"),
        .value("stages", "FILE", "of a sleep session: all its stages, as in 'append sleep'"),
        UnusualInput.yes,
      ],
    examples: [
      .init("ledger edit @ 74.8", "the entry that you edited last"),
      .init("ledger append correction 019b6fbd-1c2a --date yesterday", "keeps the time"),
      .init("ledger append correction 12 --clear notes"),
      .init("ledger append correction 13 --end 06:40", "a sleep session, the nearest 06:40"),
    ],
    notes: [
      "The first event stays in the log; the correction is one more."
    ])

  private static let clearable = ["notes", "stages"]

  private static func checkCleared(_ field: String) throws {
    guard !clearable.contains(field) else { return }
    guard field != "time" else {
      throw CommandFailure(
        .usage, "a time cannot be taken from an entry",
        hint: "delete the entry and log it again for the day")
    }
    throw UsageError.badValue(
      option: "--clear", value: field,
      why: .notAllowed(clearable, suggestions: nearest(to: field, among: clearable)))
  }

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if let cleared = arguments.option("clear") {
      try checkCleared(cleared)
      try arguments.excludeCleared(cleared)
    }
    let options = try MomentOptions(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    switch try EntryArgument.find(arguments.required("ENTRY"), of: opened.ledger) {
    case .entry(let entry):
      try arguments.refuse(["start", "end", "stages"], of: "a sleep session", "an entry")
      if arguments.option("clear") == "stages" {
        throw CommandFailure(.usage, "an entry has no stages; --clear notes is what it allows")
      }
      try correct(entry, options, arguments, opened, console)
    case .session(let session):
      try arguments.refuse(
        ["quantity", "date", "time", "zone"], of: "an entry", "a sleep session")
      guard arguments.rest("QUANTITY").isEmpty else {
        throw CommandFailure(
          .usage, "event \(session.seq) logged a sleep session, which has no quantity",
          hint: "--start and --end change it, as --end 06:40")
      }
      try correct(session, arguments, opened, console)
    }
    return .done
  }

  private static func correct(
    _ session: SleepView, _ arguments: ParsedArguments, _ opened: OpenedLedger,
    _ console: Console
  ) throws {
    let cleared = arguments.option("clear")
    let correction = try ZoneRules.with(nil, home: opened.zone) { rules in
      let moments = SleepMoment(now: opened.now, zone: rules)
      let period = try moments.period(
        changing: session, start: arguments.option("start"), end: arguments.option("end"))
      return SleepCorrected(
        entry: session.id, start: arguments.has("start") ? period.start : nil,
        end: arguments.has("end") ? period.end : nil,
        stages: cleared == "stages"
          ? [] : try arguments.option("stages").map { try moments.stages($0, console) },
        notes: cleared == "notes" ? .clear : arguments.newNotes)
    }
    if !console.json, try session.has(correction, in: opened.ledger.view()) {
      let period = SleepText.period(session.start, session.end)
      return console.note("nothing to change: the session is \(period) already")
    }
    let (start, end) = (correction.start ?? session.start, correction.end ?? session.end)
    let changesPeriod = correction.start != nil || correction.end != nil
    try console.confirm(
      [
        correction.end.flatMap { .end($0, in: opened) },
        correction.start.flatMap { .before(firstUsualDay: $0.date) },
        changesPeriod ? .length(start, end) : nil,
        changesPeriod ? .overlap(of: start, end, correcting: session, in: opened) : nil,
      ], in: arguments)
    let outcome = try opened.append([Edit(change: .correctSleep(correction))])
    let ids = try ShortIDs(ReadLedger(arguments, console))
    let period = SleepText.period(start, end)
    let what = ([period] + SleepText.texts(correction)).joined(separator: ", ")
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      "corrected sleep: \(what) (event \(event.seq), entry \(ids.text(session.id)))"
    }
    let remark = SleepText.partialStages(start, end, correction.stages ?? [])
    if let remark, !console.json { console.note(remark) }
    for (option, moment) in [("start", correction.start), ("end", correction.end)] {
      guard let moment, arguments.option(option).map(SleepMoment.hasOffset) == false else {
        continue
      }
      AppendSleepCommand.tellClockChange(at: moment, zone: nil, opened, console)
    }
    noteHold([session], on: console)
  }

  private static func correct(
    _ entry: EntryView, _ options: MomentOptions, _ arguments: ParsedArguments,
    _ opened: OpenedLedger, _ console: Console
  ) throws {
    let words = arguments.rest("QUANTITY")
    if arguments.has("quantity"), !words.isEmpty {
      throw UsageError.conflict("QUANTITY", "--quantity")
    }
    let amount =
      words.isEmpty
      ? try arguments.option("quantity").map { try Amount($0, of: entry.metric) }
      : try arguments.amount(words, of: entry.metric)
    try amount?.check(in: try opened.unitSystem())
    let (date, moment) = try options.corrected(
      from: entry.date, entry.moment, at: opened.now, in: opened.zone)
    let correction = ProgressCorrected(
      entry: entry.id, quantity: amount?.quantity, date: date, moment: moment,
      notes: arguments.has("clear") ? .clear : arguments.newNotes)
    if !console.json, try entry.has(correction, in: opened.ledger.view()) {
      let quantities = QuantityText(units: opened.units(for: console))
      let quantity = quantities.words(entry.quantity, of: entry.metric)
      let when = EntryText.moment(entry.date, entry.moment, home: opened.zone)
      return console.note(
        "nothing to change: \(entry.metric.words) is \(quantity) on \(when) already")
    }
    // The rules refuse a deleted entry.
    let isLive = !entry.isDeleted
    try console.confirm(
      [
        amount.flatMap {
          isLive ? .quantity($0.quantity, of: $0.metric, units: opened.units(for: console)) : nil
        },
        date == nil && moment == nil || !isLive
          ? nil : .moment(date ?? entry.date, moment ?? entry.moment, in: opened),
      ], in: arguments)
    let outcome = try opened.append([Edit(change: .correctProgress(correction))])
    let ids = try ShortIDs(ReadLedger(arguments, console))
    let units = opened.units(for: console)
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let shown =
        amount?.shown(in: units)
        ?? QuantityText(units: units).words(entry.quantity, of: entry.metric)
      let when = EntryText.moment(
        date ?? entry.date, moment ?? entry.moment, home: opened.zone)
      let notes =
        correction.notes == .clear
        ? ", without notes" : arguments.option("notes").map { ", notes “\($0)”" } ?? ""
      return "corrected \(entry.metric.words): \(shown) on \(when)\(notes) "
        + "(event \(event.seq), entry \(ids.text(entry.id)))"
    }
    if let moment {
      AppendCommand.tellClockChange(
        at: moment, on: date ?? entry.date, zone: options.zone, opened, console)
    }
  }
}

extension ParsedArguments {
  /// The notes that an entry gets; empty ones are none.
  fileprivate var newNotes: FieldChange<String>? {
    option("notes").map { $0.isEmpty ? .clear : .set($0) }
  }
}

extension EntryView {
  /// Whether a correction of values changes nothing. One of a rejected entry sends it again.
  fileprivate func has(_ correction: ProgressCorrected, in view: LogView) throws -> Bool {
    let values = [
      correction.quantity != nil, correction.date != nil, correction.moment != nil,
      correction.notes != nil,
    ]
    return try values.contains(true) && !isDeleted && status != .failed
      && correction.quantity.map { metric.stored($0) == quantity } ?? true
      && correction.date.map { $0 == date } ?? true
      && correction.moment.map { $0 == moment } ?? true
      && correction.notes.map { try $0.value == DetailedEntry(self, in: view).notes } ?? true
  }
}

extension SleepView {
  /// Whether a correction changes nothing. One of a rejected session sends it again.
  fileprivate func has(_ correction: SleepCorrected, in view: LogView) throws -> Bool {
    let values = [
      correction.start != nil, correction.end != nil, correction.stages != nil,
      correction.notes != nil,
    ]
    guard values.contains(true), !isDeleted, status != .failed,
      correction.start.map({ $0 == start }) ?? true, correction.end.map({ $0 == end }) ?? true
    else { return false }
    guard correction.stages != nil || correction.notes != nil else { return true }
    let texts = try view.texts(of: self)
    return correction.stages.map { $0.inOrder == texts.stages.inOrder } ?? true
      && correction.notes.map { $0.value == texts.notes } ?? true
  }
}

extension [SleepStage] {
  fileprivate var inOrder: [SleepStage] {
    sorted { $0.start.secondsSince1970 < $1.start.secondsSince1970 }
  }
}

extension ParsedArguments {
  /// Refuses an option together with `--clear` of the same field.
  fileprivate func excludeCleared(_ field: String) throws(UsageError) {
    if has(field) { throw .conflict("--\(field)", "--clear \(field)") }
  }

  /// - Parameters:
  ///   - owner: what has these options.
  ///   - found: what the command line names.
  fileprivate func refuse(
    _ options: [String], of owner: String, _ found: String
  ) throws(CommandFailure) {
    guard let option = options.first(where: has) else { return }
    throw CommandFailure(
      .usage, "--\(option) is of \(owner), and this is \(found)",
      hint: ["date", "time", "zone"].contains(option)
        ? "--start and --end change it, as --start 'yesterday 23:10'" : nil)
  }
}

enum AppendDeletionCommand: Command {
  static let spec = CommandSpec(
    "append deletion", "delete entries or sleep sessions", group: .write,
    usage: ["ENTRY … [--reason R] [--yes]"],
    arguments: [
      .anyNumber(
        "ENTRY", EntryArgument.help + "; or a range of numbers such as 12..17; several may be named"
      )
    ],
    options: [
      .value("reason", "R", "the reason, kept in the log"),
      .flag("yes", "do not ask about more than \(unaskedAtMost) entries"),
    ],
    examples: [
      .init("ledger append deletion 12 --reason 'the scale was on a carpet'"),
      .init("ledger append deletion 12 15..17 @", "several, in one durable write"),
    ],
    notes: [
      "An entry leaves every view, and its events stay in the log. "
        + "'ledger erase' removes content for good."
    ])

  private static let unaskedAtMost = 10

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let words = arguments.rest("ENTRY")
    guard !words.isEmpty else { throw UsageError.missingArgument("ENTRY") }
    let opened = try OpenedLedger.open(arguments, console)
    let subjects = try EntryArgument.find(words, of: opened.ledger)
    let quantities = QuantityText(units: opened.units(for: console))
    if subjects.count > unaskedAtMost, !arguments.flag("yes"), let first = subjects.first,
      let last = subjects.last
    {
      let ends = [first, last].map { sentence($0, quantities, home: opened.zone) }
      let what = "\(NumberText.count(subjects.count)) entries, \(ends[0]) to \(ends[1])"
      guard try console.confirm("Delete these \(what)?", instead: "give --yes") else {
        throw CommandFailure(.usage, "not deleted; nothing was changed")
      }
    }
    let reason = arguments.option("reason")
    let outcome = try opened.append(subjects.map { Edit(change: $0.deletion(reason)) })
    let ids = try ShortIDs(ReadLedger(arguments, console))
    var described = subjects.makeIterator()
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      guard let subject = described.next() else { return "" }
      return "deleted \(sentence(subject, quantities, home: opened.zone)) "
        + "(event \(event.seq), entry \(ids.text(subject.id)))"
    }
    noteHold(subjects.compactMap(\.session), on: console)
    let seqs = outcome.edits.map(\.seq)
    if seqs.count > 1, let first = seqs.first, let last = seqs.last, !console.json {
      console.note("take them back: ledger undo \(first)..\(last)", .dim)
    }
    return .done
  }

  private static func sentence(
    _ subject: EntryArgument.Subject, _ quantities: QuantityText, home: LocalZone
  ) -> String {
    switch subject {
    case .session(let session): return "sleep \(SleepText.period(session.start, session.end))"
    case .entry(let entry):
      let when = EntryText.moment(entry.date, entry.moment, home: home)
      let quantity = quantities.words(entry.quantity, of: entry.metric)
      return "\(entry.metric.words) \(quantity) on \(when)"
    }
  }
}

/// Notes that a change of these sessions will be held, if the backend has one of them.
private func noteHold(_ sessions: [SleepView], on console: Console) {
  let areSent = sessions.contains { $0.boundBy != nil || $0.isPulled }
  if areSent, !console.json { console.note(HoldReason.backendCannotChangeSleep.cause) }
}

extension EntryArgument.Subject {
  fileprivate var session: SleepView? {
    if case .session(let session) = self { session } else { nil }
  }

  fileprivate func deletion(_ reason: String?) -> Edit.Change {
    switch self {
    case .entry(let entry): .deleteProgress(ProgressDeleted(entry: entry.id, reason: reason))
    case .session(let session): .deleteSleep(SleepDeleted(entry: session.id, reason: reason))
    }
  }
}
