package import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerPlatform
package import LedgerProjections
package import LedgerStore

/// A ledger opened for writing, with its zone and the current time.
package struct OpenedLedger {
  package let ledger: LedgerStore
  package let zone: LocalZone
  /// Read once, so that an event, its ids and `today` agree.
  package let now: Timestamp

  package var directory: LedgerDirectory { ledger.directory }
  package var today: CalendarDate { zone.today(at: now) }

  /// Finds the ledger and sets its zone without reading the log.
  package static func open(_ arguments: ParsedArguments, _ console: Console) throws -> Self {
    let directory = try LedgerLocation.find(arguments, console)
    return OpenedLedger(
      ledger: LedgerStore(directory), zone: try console.zone(of: directory), now: console.now())
  }

  package func makeEntry() -> EntryID {
    var generator = SystemEntropy()
    return .make(at: now, using: &generator)
  }

  package func append(_ edits: [Edit]) throws -> LedgerStore.Outcome {
    var generator = SystemEntropy()
    do {
      return try ledger.append(edits, at: now, today: today, using: &generator)
    } catch let refusal as EditRefusal where refusal.refusal.reason == .entryDeleted {
      throw withDeletion(refusal)
    }
  }

  /// The refusal of an edit of a deleted entry, with a hint that names the deletion.
  private func withDeletion(_ refusal: EditRefusal) -> any Error {
    guard let id = refusal.refusal.value.flatMap({ EntryID($0) }),
      let deletion = (try? ledger.ask { $0.deletion(of: id) }).flatMap(\.self)
    else { return refusal }
    return CommandFailure(
      .usage, refusal.sentence, hint: "'ledger undo \(deletion)' takes the deletion back",
      cause: refusal)
  }

  package func append(_ batch: EditBatch) throws -> LedgerStore.BatchOutcome {
    var generator = BufferedEntropy()
    return try ledger.append(batch, at: now, today: today, using: &generator)
  }

  /// Appends edits that are composed from the current values of fields, with no other writer between.
  ///
  /// - Parameter compose: may be called several times.
  package func append(
    from fields: [ProfileField], composing compose: ((ProfileField) -> JSONValue?) throws -> [Edit]
  ) throws -> LedgerStore.Outcome {
    var generator = SystemEntropy()
    return try ledger.append(
      from: fields, at: now, today: today, using: &generator, composing: compose)
  }
}

extension LedgerState {
  /// The event that deleted an entry or a session.
  fileprivate func deletion(of id: EntryID) -> Seq? {
    if let row = row(of: id) { return origins(ofRow: row)[.deletion] }
    return session(of: id).flatMap { deletion(ofSession: $0) }
  }
}

/// A ledger opened for reading. Repairs and writes nothing; an incomplete last line is ignored with
/// a warning.
struct ReadLedger {
  let view: LogView
  private let console: Console
  /// Shared by all queries.
  private let folded: FoldedLog
  private let bar: ProgressBar

  var directory: LedgerDirectory { view.directory }

  /// How the log disagrees with `head`, if it was opened despite damage.
  let damage: Damage?

  /// - Parameter damaged: whether to open a log that disagrees with `head`.
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

  /// The state up to an event, or up to the end.
  ///
  /// - Throws: ``LogError``, damage included: half a log would give a wrong state.
  func state(until: Seq? = nil) throws(LogError) -> LedgerState {
    defer { bar.finish() }
    guard let until else { return try folded.state() }
    return try folded.state(until: until)
  }

  /// The state up to the end, folded from the log with the chain verified and without a snapshot:
  /// for data that leaves the ledger.
  ///
  /// - Throws: ``LogError``, damage included.
  func verifiedState() throws(LogError) -> LedgerState {
    defer { bar.finish() }
    return try folded.verifiedState()
  }

  /// Runs a check of the whole log. The damage that it finds is recorded, so that `status` and `append`
  /// say so from then on.
  func checkingWhole<Result>(_ check: () throws -> Result) throws -> Result {
    do {
      return try check()
    } catch {
      VerificationRecord.keep(damageIn: error, at: console.now(), in: directory)
      throw error
    }
  }

  /// Queries the state up to an event, or up to the end. Uses a snapshot that is not newer, and
  /// reads as little of it as possible.
  ///
  /// - Parameter question: may be called twice, and must not let the state escape.
  func ask<Answer>(
    until: Seq? = nil, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    defer { bar.finish() }
    guard let until else { return try folded.ask(question) }
    return try folded.ask(until: until, question)
  }

  /// Compares two moments of the ledger in one fold.
  func compare(
    _ first: LedgerMoment, _ last: LedgerMoment, keeping limit: Int
  ) throws(LogError) -> LedgerComparison {
    defer { bar.finish() }
    return try LedgerComparison(first, last, of: folded, in: view, keeping: limit) {
      bar.advance(by: $0)
    }
  }

  /// Folds the log with a progress bar.
  func replay(
    _ options: Replay.Options, beside snapshot: LedgerState?
  ) throws(LogError) -> AuditedFold {
    let bar = console.progress("reading the log", total: view.endBytes)
    var options = options
    options.onBytes = { bar.advance(by: $0) }
    defer { bar.finish() }
    return try AuditedFold(view, options, beside: snapshot)
  }

  /// The device name recorded when the ledger was created.
  func device() throws(LogError) -> String {
    guard case .ledgerCreated(let data) = try view.line(Seq(1)).event().event.payload else {
      return "this device"
    }
    return data.device
  }

  /// The zone for displaying and parsing times.
  func zone() throws -> LocalZone { try console.zone(of: directory) }

  /// The last event included by `--at` or `--until`; `nil` for the newest, also for `now`, even if
  /// the clock has stepped back.
  ///
  /// - Parameter usesSnapshot: whether its line blocks say where to look; else all lines are read.
  /// - Throws: a failure with exit code 4 if there is no such event.
  func lastSeq(
    _ option: String, of arguments: ParsedArguments, upToBreak: Bool = false,
    usesSnapshot: Bool = true
  ) throws -> Seq? {
    guard let text = arguments.option(option), text.lowercased() != "now" else { return nil }
    switch try moment(text, of: "--\(option)", as: .end) {
    case .seq(let seq):
      if !upToBreak { _ = try view.line(seq) }
      return seq
    case .time(let time):
      let blocks = usesSnapshot ? view.lineBlocks() : .none
      if let seq = try view.lastSeq(notAfter: time, in: blocks, upToBreak: upToBreak) { return seq }
      let first = try view.line(Seq(1)).event().event.at
      let begin = try TimeText(zone: zone()).second(first)
      throw CommandFailure(
        .notFound, "the log has no event as early as \(quoted(text))",
        hint: "it begins at \(begin)", code: "unknown-event")
    }
  }

  /// The last event recorded up to a moment.
  func lastSeq(notAfter time: Timestamp, upToBreak: Bool = false) throws(LogError) -> Seq? {
    try view.lastSeq(notAfter: time, in: view.lineBlocks(), upToBreak: upToBreak)
  }

  /// Parses a seq or a time. The zone is read only if needed.
  func moment(_ text: String, of option: String, as edge: Moment.Edge) throws -> Moment {
    if let moment = Moment(seqOrInstant: text) { return moment }
    let words = MomentParser(now: console.now(), zone: try zone())
    return try words.moment(text, of: option, as: edge)
  }

  func day(_ option: String, of arguments: ParsedArguments) throws -> CalendarDate? {
    guard let text = arguments.option(option) else { return nil }
    if let date = CalendarDate(text) { return date }
    let words = MomentParser(now: console.now(), zone: try zone())
    return try words.day(text, of: "--\(option)")
  }
}
