import LedgerImport
import LedgerLog
import LedgerModel
import LedgerProjections

/// Takes what an import found into the ledger: once, all of it in one durable write.
struct ImportRun {
  var found: ImportResult
  var appended = Appended()
  var repairs: [LogSession.Repair] = []

  /// Whether the files name entries by their ids.
  private let keepsEntries: Bool

  /// - Parameters:
  ///   - keepsEntries: whether the files name entries by their ids, which may be in the ledger.
  ///   - read: reads the files, given what the ledger knows.
  init(
    into opened: OpenedLedger, _ zone: MomentOptions.Zone?, keepsEntries: Bool = false,
    _ console: Console,
    read: (ImportContext) throws -> ImportResult
  ) throws {
    self.keepsEntries = keepsEntries
    let sources = try ImportedSources(
      LogView.open(opened.directory), keepsEntries: keepsEntries)
    let bar = console.progress("bytes read")
    defer { bar.finish() }
    found = try ZoneRules.with(zone, home: opened.zone) { rules in
      try read(
        ImportContext(
          makeEntry: opened.makeEntry, zone: rules.offset,
          known: { source, id in sources.quantity(source: source, id: id) },
          knowsEntry: { entry in sources.knows(entry) },
          progress: { bytes in bar.advance(by: bytes) }))
    }
    guard !found.edits.isEmpty else { return }
    try append(to: opened, sources)
  }

  /// The files were read without the lock. What another import brought in meanwhile is looked for
  /// again under it, or the same row could be logged twice.
  private mutating func append(to opened: OpenedLedger, _ before: ImportedSources) throws {
    (appended, repairs) = try opened.ledger.log.withSession { session in
      var session = session
      if ChainPosition(session.head) != before.position {
        dropKnown(to: try ImportedSources(session.view(), keepsEntries: keepsEntries))
      }
      var generator = SystemRandomNumberGenerator()
      let events = try found.edits.map { logged in
        // Its entry was made a moment ago, or looked for, so the ledger cannot have it.
        let payload = try decide(.logProgress(logged), given: NoFacts(), today: opened.today)
        let id = EventID.make(at: opened.now, using: &generator)
        return Event(id: id, at: opened.now, by: .import, payload: payload)
      }
      return (try session.append(events, using: &generator), session.repairs)
    }
  }

  private mutating func dropKnown(to sources: ImportedSources) {
    for logged in found.edits where sources.knows(logged) {
      found.knownEntries[logged.metric, default: 0] += 1
    }
    found.edits.removeAll(where: sources.knows)
  }
}
