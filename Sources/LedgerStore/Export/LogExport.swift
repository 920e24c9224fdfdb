package import LedgerLog
import LedgerModel
package import LedgerProjections

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
  /// Writes the live entries as a table with a header. Reads the log once for their notes; only the
  /// state is held in memory.
  ///
  /// - Parameters:
  ///   - state: folded from the same log and verified.
  ///   - shown: transforms notes, such as for a terminal.
  ///   - onBytes: receives the number of log bytes read since its last call.
  ///   - write: receives whole rows; what it throws ends the export.
  /// - Returns: the number of entries.
  /// - Throws: ``LogError``, damage included; what `write` throws.
  package static func csv(
    _ view: LogView, _ state: LedgerState, shown: @escaping (String) -> String = { $0 },
    onBytes: (_ count: Int) -> Void = { _ in }, write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    try Array(LedgerCSV.header.utf8).withUnsafeBytes { try write($0) }
    var failure: (any Error)?
    try EntryRows(view: view, state: state, shown: shown).run { rows, readBytes in
      do {
        var rows = rows
        try rows.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      } catch {
        failure = error
      }
      onBytes(readBytes)
      return failure == nil
    }
    if let failure { throw failure }
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
    if let damage = try view.remainder(of: erasures) { throw LogError.damaged(damage) }
    return events
  }
}

/// The live entries as table rows, in the order they were logged. Reads the log once for their
/// notes and verifies each line; only the state is held in memory.
private struct EntryRows {
  let view: LogView
  let state: LedgerState
  /// Escapes notes for a terminal.
  let shown: (String) -> String

  /// - Parameter body: called with rows and the number of log bytes read for them; returns false to
  ///   stop.
  func run(_ body: (_ rows: String, _ readBytes: Int) -> Bool) throws(LogError) {
    var next = 0
    var scan = EventScan(checks: .chain)
    try LineWindows.forEachWhile(of: view.file, in: 0..<view.endBytes) {
      (window, offset) throws(LogError) in
      var rows = ""
      var corrected: LogError?
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard next < state.rows.count, Int(state.rows[next].seq) == envelope.seq else { return }
        defer { next += 1 }
        guard corrected == nil, state.isMade(row: next) else { return }
        let entry = state.entry(at: next)
        guard !entry.isDeleted else { return }
        var notes: String?
        var origin: (source: String?, id: String?)
        let hasNotes = entry.notesIn?.number == envelope.seq
        if hasNotes || SourceScan.mayNameSource(envelope, in: window) {
          let payload = try EventReader.payload(envelope, in: window)
          if hasNotes { notes = Self.notes(payload) }
          if case .progressLogged(let data) = payload { origin = (data.source, data.sourceID) }
        }
        if !hasNotes, let seq = entry.notesIn {
          do throws(LogError) {
            notes = Self.notes(try view.checkedLine(seq).event().event.payload)
          } catch {
            corrected = error
          }
        }
        rows += LedgerCSV.row(
          entry.id, entry.metric, entry.quantity, entry.date, entry.moment,
          notes: notes.map(shown), source: origin.source.map(shown),
          sourceID: origin.id.map(shown))
      }
      if let corrected { throw corrected }
      return body(rows, window.byteCount)
    }
  }

  private static func notes(_ payload: Event.Payload) -> String? {
    switch payload {
    case .progressLogged(let data): data.notes
    case .progressPulled(let data): data.notes
    case .progressCorrected(let data): data.notes?.value
    default: nil
    }
  }
}
