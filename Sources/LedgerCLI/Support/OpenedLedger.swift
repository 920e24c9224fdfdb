package import LedgerLog
package import LedgerModel
import LedgerPlatform
import LedgerProjections
package import LedgerStore

/// The ledger that a command writes to, in the zone its owner lives in, at one moment.
package struct OpenedLedger {
  package let ledger: LedgerStore
  package let zone: LocalZone
  /// Asked once, so that an event, its ids and «today» agree.
  package let now: Timestamp

  package var directory: LedgerDirectory { ledger.directory }
  package var today: CalendarDate { zone.today(at: now) }

  /// Finds the ledger and enters its zone. Reads nothing of the log.
  package static func open(_ arguments: ParsedArguments, _ console: Console) throws -> Self {
    let directory = try LedgerLocation.find(arguments, console)
    let zone = try Settings.read(directory).enterZone()
    return OpenedLedger(ledger: LedgerStore(directory), zone: zone, now: LocalZone.now())
  }

  package func makeEntry() -> EntryID {
    var generator = SystemEntropy()
    return .make(at: now, using: &generator)
  }

  package func append(_ edits: [Edit]) throws -> LedgerStore.Outcome {
    var generator = SystemEntropy()
    return try ledger.append(edits, at: now, today: today, using: &generator)
  }
}

/// A ledger opened for looking at. Nothing is locked for long, mended or written; what is not whole
/// is left out and said.
struct ReadLedger {
  let view: LogView
  private let console: Console
  /// The log up to its end, for all who ask.
  private let folded: FoldedLog
  private let bar: ProgressBar

  var directory: LedgerDirectory { view.directory }

  /// What the log is not as `head` remembers it, for those who look at a damaged one.
  let damage: Damage?

  /// - Parameter damaged: whether a log that disagrees with `head` is to be opened all the same.
  init(_ arguments: ParsedArguments, _ console: Console, damaged: Bool = false) throws {
    self.console = console
    let directory = try LedgerLocation.find(arguments, console)
    if damaged {
      (view, damage) = try LogView.openDamaged(directory)
    } else {
      (view, damage) = (try LogView.open(directory), nil)
    }
    bar = console.progress("reading the log", total: view.endBytes)
    folded = FoldedLog(view) { [bar] in bar.advance(by: $0) }
    if view.tornTailBytes > 0 { console.warn(ReadLedger.tornTail(view.tornTailBytes)) }
  }

  static func tornTail(_ bytes: Int) -> String {
    "the log's last \(NumberText.count(bytes)) bytes are no whole event, as a crash leaves them; "
      + "they are ignored here, and the next append sets them aside"
  }

  /// The state folded up to an event, or to the end.
  ///
  /// - Throws: ``LogError``, damage included: a view of half a log would be a lie.
  func state(until: Seq? = nil) throws(LogError) -> LedgerState {
    defer { bar.finish() }
    guard let until else { return try folded.state() }
    return try folded.state(until: until)
  }

  /// The state up to the end, folded from the log's own lines with the chain checked, never from a
  /// snapshot: for what leaves the ledger.
  ///
  /// - Throws: ``LogError``, damage included.
  func verifiedState() throws(LogError) -> LedgerState {
    defer { bar.finish() }
    return try folded.verifiedState()
  }

  /// Answers a question about the state up to an event, or to the end: from the snapshot where there
  /// is one that is not newer, reading as little of it as will do.
  ///
  /// - Parameter question: may be asked twice, and must not let the state itself out.
  func ask<Answer>(
    until: Seq? = nil, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    defer { bar.finish() }
    guard let until else { return try folded.ask(question) }
    return try folded.ask(until: until, question)
  }

  /// The ledger as it was behind two events, folded once; `nil` is before the first.
  func states(
    _ first: Seq?, _ last: Seq?
  ) throws(LogError) -> (before: LedgerState, after: LedgerState) {
    defer { bar.finish() }
    var state = LedgerState()
    if let first { state = try folded.state(until: first) }
    let before = state
    if let last { try Replay.advance(&state, to: view, until: last) { bar.advance(by: $0) } }
    if let damage = try state.erasureDamage(in: view) { throw .damaged(damage) }
    return (before, state)
  }

  /// Folds the log, and shows a person who has to wait for it how far it is.
  func replay(_ options: Replay.Options) throws(LogError) -> Replay.Outcome {
    let bar = console.progress("reading the log", total: view.endBytes)
    var options = options
    options.onBytes = { bar.advance(by: $0) }
    let outcome = try Replay.run(view, options)
    bar.finish()
    return outcome
  }

  /// What the device that keeps this ledger was called when it was made.
  func device() throws(LogError) -> String {
    guard case .ledgerCreated(let data) = try view.line(Seq(1)).event().event.payload else {
      return "this device"
    }
    return data.device
  }

  /// The zone that times are shown and understood in.
  func zone() throws -> LocalZone { try Settings.read(directory).enterZone() }

  /// The last event that `--at` or `--until` lets in; `nil` for the newest, which is what `now`
  /// means even where the clock has stepped back behind it.
  ///
  /// - Throws: a failure with exit code 4 where the log has no event so early or so late.
  func lastSeq(
    _ option: String, of arguments: ParsedArguments, upToBreak: Bool = false
  ) throws -> Seq? {
    guard let text = arguments.option(option), text.lowercased() != "now" else { return nil }
    switch try moment(text, of: "--\(option)", as: .end) {
    case .seq(let seq):
      if !upToBreak { _ = try view.line(seq) }
      return seq
    case .time(let time):
      if let seq = try lastSeq(notAfter: time, upToBreak: upToBreak) { return seq }
      let first = try view.line(Seq(1)).event().event.at
      throw CommandFailure(
        .notFound, "the log has no event as early as \(quoted(text))",
        hint: "it begins at \(first)")
    }
  }

  /// The last event that was recorded by a moment.
  func lastSeq(notAfter time: Timestamp, upToBreak: Bool = false) throws(LogError) -> Seq? {
    try view.lastSeq(notAfter: time, in: view.lineBlocks(), upToBreak: upToBreak)
  }

  /// A seq or a time as a person names it. The zone is looked up only where it matters.
  func moment(_ text: String, of option: String, as edge: Moment.Edge) throws -> Moment {
    if let moment = Moment(seqOrInstant: text) { return moment }
    let words = MomentWords(now: LocalZone.now(), zone: try zone())
    return try words.moment(text, of: option, as: edge)
  }

  /// A day as a person names it.
  func day(_ option: String, of arguments: ParsedArguments) throws -> CalendarDate? {
    guard let text = arguments.option(option) else { return nil }
    if let date = CalendarDate(text) { return date }
    let words = MomentWords(now: LocalZone.now(), zone: try zone())
    return try words.day(text, of: "--\(option)")
  }
}
