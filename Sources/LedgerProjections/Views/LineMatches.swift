package import LedgerLog
package import LedgerModel

/// The events that match a query's filters by what only the log's lines contain.
struct LineMatches {
  /// The seqs of events that logged an entry of the source; `nil` without that filter.
  private(set) var logged: Set<Int>?
  /// The seqs of events that set notes with the text; `nil` without that filter.
  private(set) var notes: Set<Int>?

  var filters: Bool { logged != nil || notes != nil }

  init() {}

  /// Reads the log once, if there is such a filter.
  init(_ query: ProgressQuery, in view: LogView) throws(LogError) {
    let text = query.text.flatMap { $0.isEmpty ? nil : $0.lowercased() }
    guard query.source != nil || text != nil else { return }
    var (logged, notes): (Set<Int>, Set<Int>) = ([], [])
    let members = (query.source == nil ? [] : ["source"]) + (text == nil ? [] : ["notes"])
    try view.forEachPayload(havingAnyOf: members) { payload, seq in
      if let source = query.source, case .progressLogged(let data) = payload,
        data.source == source
      {
        logged.insert(seq)
      }
      if let text, payload.entryNotes?.lowercased().contains(text) == true { notes.insert(seq) }
    }
    self.logged = query.source == nil ? nil : logged
    self.notes = text == nil ? nil : notes
  }
}

extension LogView {
  /// The entries that were logged with an id at a source, oldest first. Reads the whole log.
  package func entries(source: String, sourceID: String) throws(LogError) -> [EntryID] {
    var entries: [EntryID] = []
    try forEachPayload(havingAnyOf: ["source_id"]) { payload, _ in
      guard case .progressLogged(let data) = payload, data.source == source,
        data.sourceID == sourceID
      else { return }
      entries.append(data.entry)
    }
    return entries
  }

  /// Parses only events that may have one of the members.
  fileprivate func forEachPayload(
    havingAnyOf members: [String], _ body: (_ payload: Event.Payload, _ seq: Int) -> Void
  ) throws(LogError) {
    let names = members.map { Array("\"\($0)\":".utf8) }
    var scan = EventScan(checks: .form)
    try forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard !envelope.isErased, names.contains(where: { envelope.mayHave($0, in: window) })
        else { return }
        body(try EventReader.payload(envelope, in: window), envelope.seq)
      }
    }
  }
}
