import LedgerImport
import LedgerLog
import LedgerModel
import LedgerProjections

/// The live entries as rows of a table, in the order they were logged. The log is read once, for
/// their notes, and the chain link of each line is checked; nothing but the state is held in memory.
struct EntryRows {
  let view: LogView
  let state: LedgerState
  /// How notes are shown: as they are, except on a terminal.
  let shown: (String) -> String

  /// - Parameter body: is given the rows in pieces, and how many bytes of the log each is from; returns
  ///   false to stop.
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
        if entry.notesIn?.number == envelope.seq {
          notes = Self.notes(try EventReader.payload(envelope, in: window))
        } else if let seq = entry.notesIn {
          do throws(LogError) {
            notes = Self.notes(try view.checkedLine(seq).event().event.payload)
          } catch {
            corrected = error
          }
        }
        rows += LedgerCSV.row(
          entry.id, entry.metric, entry.quantity, entry.date, entry.moment,
          notes: notes.map(shown))
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
