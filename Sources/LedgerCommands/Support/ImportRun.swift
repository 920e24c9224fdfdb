import LedgerImport
import LedgerLog
import LedgerModel
import LedgerProjections

/// Takes what an import found into the ledger: once, all of it in one durable write.
struct ImportRun {
  var found: ImportResult
  var person = PersonFilling()
  var appended = Appended()
  var repairs: [LogSession.Repair] = []

  /// - Parameters:
  ///   - totalBytes: how much there is to read, where that is known.
  ///   - read: reads the files, given what the ledger knows.
  init(
    into opened: OpenedLedger, _ zone: MomentOptions.Zone?, _ console: Console,
    totalBytes: Int? = nil, read: (ImportContext) throws -> ImportResult
  ) throws {
    let sources = try ImportedSources(LogView.open(opened.directory))
    let bar = console.progress("bytes read", total: totalBytes, estimates: true)
    defer { bar.finish() }
    found = try ZoneRules.with(zone, home: opened.zone) { rules in
      try read(
        ImportContext(
          makeEntry: opened.makeEntry, zone: rules.offset,
          known: { source, id in sources.quantity(source: source, id: id) },
          standing: { source, id in sources.standing(source: source, id: id) },
          progress: { bytes in bar.advance(by: bytes) }))
    }
    if found.person != PersonFields() {
      // A long fold is done before the lock is taken.
      let wanted = found.person
      person = try opened.ledger.ask { PersonFilling(wanted, given: $0) }
    }
    guard !found.edits.isEmpty || !found.growths.isEmpty || !person.payloads.isEmpty else { return }
    try append(to: opened, sources)
  }

  /// The files were read without the lock. What another import brought in meanwhile is looked for
  /// again under it, or the same row could be logged twice.
  private mutating func append(to opened: OpenedLedger, _ before: ImportedSources) throws {
    (appended, repairs) = try opened.ledger.log.withSession { session in
      var session = session
      if ChainPosition(session.head) != before.position {
        dropKnown(to: try ImportedSources(session.view()))
        if !person.payloads.isEmpty {
          let wanted = found.person
          person = try FoldedLog(session.view(), keepsSnapshot: false).ask {
            PersonFilling(wanted, given: $0)
          }
        }
      }
      var generator = SystemRandomNumberGenerator()
      let events = try payloads(today: opened.today).map { payload in
        let id = EventID.make(at: opened.now, using: &generator)
        return Event(id: id, at: opened.now, by: .import, payload: payload)
      }
      // Their content is in the events now; there may be many.
      let counts = found.counts
      found.edits = []
      found.addedCounts = counts
      return (try session.append(events, using: &generator), session.repairs)
    }
  }

  private mutating func payloads(today: CalendarDate) throws -> [Event.Payload] {
    var payloads: [Event.Payload] = []
    payloads.reserveCapacity(found.edits.count + found.growths.count)
    for logged in found.edits {
      // Its entry was made a moment ago, so the ledger cannot have it.
      payloads.append(try decide(.logProgress(logged), given: NoFacts(), today: today))
    }
    for grown in found.growths {
      let correction = ProgressCorrected(entry: grown.entry, quantity: grown.quantity)
      payloads.append(
        try decide(
          .correctProgress(correction), given: LiveEntry(metric: grown.metric), today: today))
    }
    for change in person.payloads {
      payloads.append(try decide(change, given: NoFacts(), today: today))
    }
    return payloads
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
