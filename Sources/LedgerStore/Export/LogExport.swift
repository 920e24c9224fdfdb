import LedgerJSON
package import LedgerLog
import LedgerModel
import LedgerPlatform
package import LedgerProjections
import Synchronization

/// What an export contains.
public enum ExportFormat: String, CaseIterable, Hashable, Sendable {
  /// The entries as a table: a row an entry as it is now, in the order they were logged, quantities in
  /// the metric's own unit, without deleted entries. An import reads it back without loss.
  case csv
  /// The log itself: every event as it is stored, byte for byte, with its chain.
  case jsonl
}

/// Writes what a log contains for other programs. Every line is read from the log itself, with its chain
/// link checked.
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
    let threads = Threads.available
    let ranges = try LogRange.split(view, into: max(1, view.endBytes / EntryTable.rangeBytes))
    for round in stride(from: 0, to: ranges.count, by: threads) {
      let part = ranges[round..<min(round + threads, ranges.count)]
      let rows = Mutex([Int: Result<[UInt8], LogError>]())
      Threads.run(part.count) { index in
        let read = Result { () throws(LogError) in try table.rows(of: ranges[round + index]) }
        rows.withLock { $0[index] = read }
      }
      for (index, range) in part.enumerated() {
        try rows.withLock { $0[index]! }.get().withUnsafeBytes { try write($0) }
        onBytes(range.bytes.count)
      }
    }
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
    var next = state.rows.partitioningIndex { Int($0.seq) > range.position.seq }
    var scan = EventScan(
      from: range.position, offsetBytes: range.bytes.lowerBound, checks: .form)
    try LineWindows.forEach(of: view.file, in: range.bytes) { (window, offset) throws(LogError) in
      var failure: LogError?
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard next < rowCount, Int(state.rows[next].seq) == envelope.seq else { return }
        defer { next += 1 }
        guard failure == nil, let values = state.liveValues(ofRow: next) else { return }
        var texts = EntryTexts()
        if values.notesIn?.number == envelope.seq || SourceScan.mayNameSource(envelope, in: window)
        {
          texts = try EntryTexts(envelope, in: window)
        }
        if values.notesIn?.number != envelope.seq {
          do throws(LogError) {
            texts.notes = try values.notesIn.flatMap(view.notes(setBy:))
          } catch {
            failure = error
          }
        }
        append(state.rows[next], values, texts, to: &table)
      }
      if let failure { throw failure }
    }
    return table.withUnsafeBytes { Array($0) }
  }

  private func append(
    _ row: EntryRow, _ values: EntryValues, _ texts: EntryTexts, to table: inout ByteSink
  ) {
    LedgerCSV.write(
      EntryID(row.id), row.metric, values.quantity, values.date, values.moment,
      texts: [texts.notes, texts.source, texts.sourceID].map { $0.map { shown?($0) ?? $0 } },
      into: &table)
  }
}

/// The texts of the line that made an entry.
private struct EntryTexts {
  var notes: String?
  var source: String?
  var sourceID: String?

  init() {}

  init(_ envelope: Envelope, in window: RawSpan) throws(LineFault) {
    self.init()
    if readPlain(window.extracting(envelope.data)) { return }
    self = EntryTexts()
    switch try EventReader.payload(envelope, in: window) {
    case .progressLogged(let data):
      (notes, source, sourceID) = (data.notes, data.source, data.sourceID)
    case .progressPulled(let data): notes = data.notes
    default: break
    }
  }

  /// Reads an object of strings and numbers without escapes, as nearly all are.
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
package enum SourceScan {
  /// Whether a line's data may have a member `source_id`; false only if it has none.
  package static func mayNameSource(_ envelope: Envelope, in window: RawSpan) -> Bool {
    window.extracting(envelope.data).withUnsafeBytes { data in
      let name: StaticString = "\"source_id\":"
      // The underscore is the rarest of its bytes.
      let before = 7
      var start = before
      while start < data.count - 4 {
        let rest = UnsafeRawBufferPointer(rebasing: data[start...])
        guard let base = rest.baseAddress, let mark = memchr(base, 0x5F, rest.count) else {
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
