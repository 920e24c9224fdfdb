import LedgerJSON
package import LedgerLog
import LedgerModel
import LedgerPlatform
package import LedgerProjections

/// What an export contains.
public enum ExportFormat: String, CaseIterable, Hashable, Sendable {
  /// The entries as a table: a row an entry as it is now, in the order they were logged, quantities in
  /// the metric's own unit, without deleted entries. An import reads these entries back.
  case csv
  /// The log itself: every event as it is stored, byte for byte, with its chain.
  case jsonl
}

/// Writes what a log contains for other programs. Lines are read from the log itself, with their chain
/// links checked; a table has the values of a verified state, and reads only texts from the lines.
package enum LogExport {
  /// Writes the live entries as a table with a header, in the order they were logged. Reads the log
  /// once for their notes and sources, on all cores; only the state is held in memory.
  ///
  /// - Parameters:
  ///   - state: folded from the same log and verified.
  ///   - shown: transforms notes and sources, such as for a terminal.
  ///   - onBytes: receives the number of log bytes read since its last call.
  ///   - write: receives whole rows; what it throws ends the export.
  /// - Returns: the number of entries.
  /// - Throws: ``LogError``, damage included; what `write` throws.
  package static func csv(
    _ view: LogView, _ state: LedgerState, shown: (@Sendable (String) -> String)? = nil,
    onBytes: (_ count: Int) -> Void = { _ in }, write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    try Array(LedgerCSV.header.utf8).withUnsafeBytes { try write($0) }
    let table = EntryTable(view: view, state: state, shown: shown)
    let ranges = try LogRange.split(view, into: max(1, view.endBytes / EntryTable.rangeBytes))
    // While rows are written, all threads make the next ones.
    var begun: [(range: LogRange, rows: BackgroundWork<Result<[UInt8], LogError>>)] = []
    defer { for work in begun { _ = work.rows.wait() } }
    func writeNext() throws {
      let (range, rows) = begun.removeFirst()
      try rows.wait().get().withUnsafeBytes { try write($0) }
      onBytes(range.bytes.count)
    }
    for range in ranges {
      if begun.count > Threads.available { try writeNext() }
      let rows = Threads.begin { Result { () throws(LogError) in try table.rows(of: range) } }
      begun.append((range, rows))
    }
    while !begun.isEmpty { try writeNext() }
    return state.entryCounts().live
  }

  /// Writes every line as stored.
  ///
  /// - Parameters:
  ///   - onBytes: receives the number of log bytes read since its last call.
  ///   - write: receives whole lines; what it throws ends the export.
  /// - Returns: the number of events.
  /// - Throws: as ``csv(_:_:shown:onBytes:write:)``. Damage to an erasure shows only at the end.
  package static func jsonl(
    _ view: LogView, onBytes: (_ count: Int) -> Void = { _ in },
    write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    var failure: (any Error)?
    var events = 0
    let erasures = try view.forEachVerifiedWindow { window, lines in
      do {
        try window.withUnsafeBytes { try write($0) }
        events += lines
      } catch {
        failure = error
      }
      onBytes(window.byteCount)
      return failure == nil
    }
    if let failure { throw failure }
    if let problem = try view.remainder(of: erasures) { throw LogError.damaged(problem.damage) }
    return events
  }
}

/// The live entries as table rows, in the order they were logged. Values come from the state, notes
/// and sources from the entries' lines.
private struct EntryTable: Sendable {
  let view: LogView
  let state: LedgerState
  /// Transforms notes and sources; `nil` for none.
  let shown: (@Sendable (String) -> String)?

  /// Large enough to repay the start of a thread.
  static let rangeBytes = 4 << 20

  /// The rows of the entries that a range of the log made.
  func rows(of range: LogRange) throws(LogError) -> [UInt8] {
    var table = ByteSink(capacity: range.bytes.count / 2)
    let rowCount = state.rows.count
    var seq = range.position.seq
    var next = state.rows.partitioningIndex { Int($0.seq) > seq }
    try LineWindows.forEach(of: view.file, in: range.bytes) { (window, offset) throws(LogError) in
      var start = 0
      while next < rowCount, let end = window.newline(from: start) {
        seq += 1
        if Int(state.rows[next].seq) == seq {
          if let values = state.liveValues(ofRow: next) {
            let texts = try texts(values, line: seq, in: window, at: start..<end, offset)
            append(state.rows[next], values, texts, to: &table)
          }
          next += 1
        }
        start = end + 1
      }
    }
    return table.withUnsafeBytes { Array($0) }
  }

  /// The notes that an entry has now, and the source that its line names.
  ///
  /// - Parameters:
  ///   - line: its number.
  ///   - bytes: its place in the window, without the `\n`.
  ///   - windowOffset: the window's place in the log.
  private func texts(
    _ values: EntryValues, line: Int, in window: RawSpan, at bytes: Range<Int>, _ windowOffset: Int
  ) throws(LogError) -> EntryTexts {
    let hasNotes = values.notesIn?.number == line
    var texts = EntryTexts()
    if hasNotes || SourceScan.mayNameSource(window.extracting(bytes)) {
      if let plain = EntryTexts(plain: window.extracting(bytes)) {
        texts = plain
      } else {
        var scan = EventScan(from: ChainPosition(seq: line - 1, hash: .beforeFirst), checks: .form)
        try scan.line(in: window, at: windowOffset, from: bytes.lowerBound, to: bytes.upperBound) {
          (window, envelope) throws(LineFault) in
          texts = try EntryTexts(EventReader.payload(envelope, in: window))
        }
      }
    }
    if !hasNotes {
      texts.notes = nil
      if let event = values.notesIn { texts.notes = try view.notes(setBy: event) }
    }
    return texts
  }

  private func append(
    _ row: EntryRow, _ values: EntryValues, _ texts: EntryTexts, to table: inout ByteSink
  ) {
    LedgerCSV.write(
      EntryID(row.id), row.metric, values.quantity, values.date, values.moment,
      notes: shown(texts.notes), source: shown(texts.source), sourceID: shown(texts.sourceID),
      into: &table)
  }

  private func shown(_ text: String?) -> String? {
    guard let shown else { return text }
    return text.map(shown)
  }
}

/// The texts of the line that made an entry.
private struct EntryTexts {
  var notes: String?
  var source: String?
  var sourceID: String?

  init() {}

  init(_ payload: Event.Payload) {
    switch payload {
    case .progressLogged(let data):
      (notes, source, sourceID) = (data.notes, data.source, data.sourceID)
    case .progressPulled(let data): notes = data.notes
    default: break
    }
  }

  /// Reads a line whose data is an object of strings and numbers without escapes, as nearly all are.
  ///
  /// - Returns: `nil` for another form.
  init?(plain line: RawSpan) {
    let data = line.withUnsafeBytes { line in
      guard let base = line.baseAddress else { return 0 }
      return memchr(base + 1, 0x7B, line.count - 1).map { base.distance(to: $0) } ?? 0
    }
    let name: StaticString = "\"data\":"
    guard line.holds(name, at: data - name.utf8CodeUnitCount),
      readPlain(line.extracting(data..<line.byteCount))
    else { return nil }
  }

  /// Reads an object at the start of these bytes.
  ///
  /// - Returns: false for another form, with arbitrary texts.
  private mutating func readPlain(_ data: RawSpan) -> Bool {
    var position = 1
    do throws(JSONError) {
      while position < data.byteCount {
        let name = position + 1
        guard try !JSONScanner.string(in: data, at: &position) else { return false }
        let length = position - 1 - name
        position += 1
        let value = position + 1
        guard value < data.byteCount else { return false }
        if data.byte(position) == UInt8(ascii: "\"") {
          guard try !JSONScanner.string(in: data, at: &position) else { return false }
          func text() -> String {
            data.extracting(value..<position - 1)
              .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
          }
          if length == 5, data.holds("notes", at: name) { notes = text() }
          if length == 6, data.holds("source", at: name) { source = text() }
          if length == 9, data.holds("source_id", at: name) { sourceID = text() }
        } else {
          _ = try JSONScanner.number(in: data, at: &position, bounded: true)
        }
        guard position < data.byteCount else { return false }
        if data.byte(position) == UInt8(ascii: "}") { return true }
        position += 1
      }
    } catch {}
    return false
  }
}

/// Finds the lines that name the source of an entry without parsing the others.
private enum SourceScan {
  /// Whether a line may have a member `source` or `source_id`; false only if it has none.
  static func mayNameSource(_ line: RawSpan) -> Bool {
    line.withUnsafeBytes { data in
      // A name may be written with an escape.
      if let base = data.baseAddress, memchr(base, 0x5C, data.count) != nil { return true }
      let name: StaticString = "\"source"
      // The u is the rarest of its bytes.
      let before = 3
      var start = before
      while start < data.count - 4 {
        let rest = UnsafeRawBufferPointer(rebasing: data[start...])
        guard let base = rest.baseAddress, let mark = memchr(base, 0x75, rest.count) else {
          return false
        }
        let place = start + base.distance(to: mark)
        if place - before + name.utf8CodeUnitCount <= data.count,
          memcmp(mark - before, name.utf8Start, name.utf8CodeUnitCount) == 0
        {
          return true
        }
        start = place + 1
      }
      return false
    }
  }
}
