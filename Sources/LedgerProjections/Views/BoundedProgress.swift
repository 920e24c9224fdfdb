package import LedgerLog
package import LedgerModel

extension LedgerState {
  /// A page of entries by days or by a text in their notes that costs what it shows: it reads the notes of
  /// one entry after the other until it is full, and counts the matches of other pages only if they
  /// are few.
  ///
  /// - Parameter most: how many entries the ledger may have for all matches of a text to be counted, as
  ///   they are without a snapshot.
  /// - Returns: the page, and whether its `total` is that of all pages; otherwise there are more. `nil`
  ///   where ``progress(_:in:)`` is cheaper, as for a rare text, and for other queries.
  /// - Throws: ``LogError`` for lines that cannot be read.
  package func boundedProgress(
    _ query: ProgressQuery, in view: LogView, countingUpTo most: Int = 20_000
  ) throws(LogError) -> (page: ProgressPage, hasTotal: Bool)? {
    let text = query.text.flatMap { $0.isEmpty ? nil : $0.lowercased() }
    guard let opened, text != nil || query.from != nil || query.to != nil, query.source == nil,
      query.statuses == nil, query.cursor == nil, !query.includesNotes
    else { return nil }
    if text != nil, rows.count <= most { return nil }
    let offset = max(0, query.offset)
    var (entries, found) = ([EntryView](), 0)
    var (rowsLeft, linesLeft) = (Self.mostRows, Self.mostLines)
    func page(hasTotal: Bool) -> (page: ProgressPage, hasTotal: Bool) {
      let hasMore = found - entries.count > offset
      return (ProgressPage(query, entries, total: found, hasMore: hasMore), hasTotal)
    }
    for key in NewestFirst(self, opened, query) {
      rowsLeft -= 1
      if rowsLeft < 0 { return found - entries.count > offset ? page(hasTotal: false) : nil }
      guard query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) else { continue }
      if let text {
        guard let event = Seq(exactly: Int(resolve(rows[Int(key.row)]).notesIn)) else { continue }
        linesLeft -= 1
        guard linesLeft >= 0 else { return nil }
        guard try view.notes(setBy: event)?.lowercased().contains(text) == true else { continue }
      }
      found += 1
      if found <= offset { continue }
      if entries.count < query.limit {
        entries.append(entry(at: Int(key.row)))
      } else if text != nil {
        return page(hasTotal: false)
      }
    }
    return page(hasTotal: true)
  }

  /// A few milliseconds' worth.
  private static let mostRows = 50_000
  private static let mostLines = 2_000
}

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
