import LedgerImport
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

/// Takes what an import found into the ledger, once: under one lock, in one durable write, or in
/// several where there is so much that its lines would fill the memory.
struct ImportRun {
  static let eventsInAWrite = 16_384

  var found: ImportResult
  var person = ProfileImport()
  /// The events that it became.
  var appended: ClosedRange<Seq>?
  var repairs: [LogSession.Repair] = []

  /// Whether the files name entries by their ids.
  private let keepsEntries: Bool

  /// - Parameters:
  ///   - totalBytes: how much there is to read, where that is known.
  ///   - keepsEntries: whether the files name entries by their ids, which may be in the ledger.
  ///   - read: reads the files, given what the ledger knows.
  init(
    into opened: OpenedLedger, _ zone: MomentOptions.Zone?, keepsEntries: Bool = false,
    _ console: Console, totalBytes: Int? = nil, read: (ImportContext) throws -> ImportResult
  ) throws {
    self.keepsEntries = keepsEntries
    let sources = try ImportedSources(
      LogView.open(opened.directory), keepsEntries: keepsEntries)
    let bar = console.progress("bytes read", total: totalBytes, estimates: true)
    defer { bar.finish() }
    found = try ZoneRules.with(zone, home: opened.zone) { rules in
      try read(
        ImportContext(
          makeEntry: opened.makeEntry, zone: rules.offset,
          known: { source, id in sources.quantity(source: source, id: id) },
          knownEntry: { source, id in sources.standing(source: source, id: id) },
          knowsEntry: { entry in sources.knows(entry) },
          progress: { bytes in bar.advance(by: bytes) }))
    }
    if found.person != PersonFields() {
      // A long fold is done before the lock is taken.
      let wanted = found.person
      person = try opened.ledger.ask { ProfileImport(wanted, given: $0) }
    }
    guard !found.edits.isEmpty || !found.growths.isEmpty || !person.payloads.isEmpty else { return }
    try append(to: opened, sources)
  }

  /// The files were read without the lock. What another import brought in meanwhile is looked for
  /// again under it, or the same row could be logged twice.
  private mutating func append(to opened: OpenedLedger, _ before: ImportedSources) throws {
    try opened.ledger.log.withSession { session in
      var session = session
      if ChainPosition(session.head) != before.position {
        dropKnown(to: try ImportedSources(session.view(), keepsEntries: keepsEntries))
        if !person.payloads.isEmpty {
          let wanted = found.person
          person = try FoldedLog(session.view(), keepsSnapshot: false).ask {
            ProfileImport(wanted, given: $0)
          }
        }
      }
      repairs = session.repairs
      let count = found.edits.count + found.growths.count + person.payloads.count
      for start in stride(from: 0, to: count, by: Self.eventsInAWrite) {
        try write(start..<min(count, start + Self.eventsInAWrite), to: &session, opened)
      }
    }
  }

  private mutating func write(
    _ changes: Range<Int>, to session: inout LogSession, _ opened: OpenedLedger
  ) throws {
    var generator = SystemEntropy()
    let events = try changes.map { index in
      let change = change(index)
      let payload = try decide(change.edit, given: change.facts, today: opened.today)
      let id = EventID.make(at: opened.now, using: &generator)
      return Event(id: id, at: opened.now, by: .import, payload: payload)
    }
    do throws(LogError) {
      let written = try session.append(events, using: &generator).events
      guard let first = written.first?.seq, let last = written.last?.seq else { return }
      appended = (appended?.lowerBound ?? first)...last
    } catch {
      guard let appended else { throw error }
      throw CommandFailure(
        error.exitCode, error.sentence,
        hint: "events \(appended.lowerBound) to \(appended.upperBound) of this import are in the "
          + "ledger; import again to add the rest")
    }
  }

  /// One event to be: made into an edit only when it is written, since there may be many.
  private enum Change {
    case logged(ProgressLogged)
    case grown(GrownSum)
    case person(Edit.Change)

    var edit: Edit.Change {
      switch self {
      case .logged(let logged): .logProgress(logged)
      case .grown(let grown):
        .correctProgress(ProgressCorrected(entry: grown.entry, quantity: grown.quantity))
      case .person(let change): change
      }
    }

    /// A new entry was made a moment ago, so the ledger cannot have it; one that has grown is known
    /// to be there, as nobody has touched it since it was imported.
    var facts: any LedgerFacts {
      if case .grown(let grown) = self { LiveEntry(metric: grown.metric) } else { NoFacts() }
    }
  }

  /// Entries come first, then what has grown, then the person.
  private func change(_ index: Int) -> Change {
    if index < found.edits.count { return .logged(found.edits[index]) }
    let grown = index - found.edits.count
    if grown < found.growths.count { return .grown(found.growths[grown]) }
    return .person(person.payloads[grown - found.growths.count])
  }

  private mutating func dropKnown(to sources: ImportedSources) {
    for logged in found.edits where sources.knows(logged) {
      found.knownEntries[logged.metric, default: 0] += 1
    }
    found.edits.removeAll(where: sources.knows)
    func isSettled(_ grown: GrownSum) -> Bool {
      let standing = sources.standing(source: grown.source, id: grown.sourceID)
      return standing.map { $0.isTouched || $0.quantity >= grown.quantity } ?? true
    }
    for grown in found.growths where isSettled(grown) {
      found.knownEntries[grown.metric, default: 0] += 1
    }
    found.growths.removeAll(where: isSettled)
  }
}

/// An entry that is known to be there, as nobody has touched it since it was imported.
private struct LiveEntry: LedgerFacts {
  let metric: Metric

  func entry(_ id: EntryID) -> EntryFacts? { EntryFacts(metric: metric, isDeleted: false) }
}
