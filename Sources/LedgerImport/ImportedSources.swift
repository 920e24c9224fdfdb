import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

/// The entries that earlier imports have logged, by source and source id, with their present state.
///
/// An entry stays known after a user's correction or deletion, so that importing its file again does
/// not undo it. An entry that sync deleted, because the backend no longer had it, is unknown, so that
/// importing restores it.
struct ImportedSources {
  struct Key: Hashable {
    let source: String
    let id: String
  }

  private struct Logged {
    var entry: EntryID
    var quantity: Double
  }

  /// The last relevant change of an entry since it was logged.
  private enum Change {
    case grown(Double)
    case touched
    case deleted
    case deletedBySync
  }

  /// The first entry of each key that sync has not deleted.
  private var logged: [Key: Logged] = [:]
  private var changes: [EntryID: Change] = [:]
  private var sessions = ImportedSessions()
  /// If requested, all entry ids, including deleted and undone ones, except those deleted by sync.
  private var entries: Set<LedgerUUID> = []
  /// The end of the log that was read.
  private(set) var position: ChainPosition

  /// Reads the log once and parses only lines that have a source id or change an entry.
  ///
  /// - Parameter namesEntries: whether entry ids are needed, for which the log is folded.
  init(_ view: LogView, namesEntries: Bool) throws(LogError) {
    if namesEntries {
      let state = try FoldedLog(view, keepsSnapshot: false).state()
      for (index, row) in state.rows.enumerated() where !state.isDeletedBySync(row: index) {
        entries.insert(row.id)
      }
    }
    var found: [Key: Logged] = [:]
    // Later entries with a known key; there are few.
    var again: [(key: Key, logged: Logged)] = []
    var changed: [EntryID: Change] = [:]
    var nights = ImportedSessions()
    var scan = EventScan(checks: .form)
    var erasures = Erasures()
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try erasures.note(envelope, in: window, at: offset)
        guard
          Self.mayChangeEntry(envelope, in: window)
            || SourceScan.mayNameSource(envelope, in: window)
        else { return }
        switch try EventReader.payload(envelope, in: window) {
        case .progressLogged(let data):
          // After sync has deleted an entry, its id may be logged again.
          if case .deletedBySync = changed[data.entry] { changed[data.entry] = nil }
          guard let key = Self.key(of: data) else { return }
          let logged = Logged(entry: data.entry, quantity: data.quantity)
          if found[key] == nil { found[key] = logged } else { again.append((key, logged)) }
        case .progressCorrected(let data):
          switch changed[data.entry] {
          case .touched, .deleted, .deletedBySync: return
          case .grown, nil: break
          }
          let isImport = envelope.by == .import && data.quantity != nil
          changed[data.entry] = isImport ? .grown(data.quantity ?? 0) : .touched
        case .progressDeleted(let data):
          if case .deleted = changed[data.entry] { return }
          changed[data.entry] = envelope.by == .sync ? .deletedBySync : .deleted
        case let other: nights.take(other, by: envelope.by)
        }
      }
    }
    nights.sort()
    sessions = nights
    if let problem = erasures.problems.first { throw .damaged(problem) }
    func isThere(_ logged: Logged) -> Bool {
      if case .deletedBySync = changed[logged.entry] { false } else { true }
    }
    if changed.values.contains(where: { if case .deletedBySync = $0 { true } else { false } }) {
      found = found.filter { isThere($0.value) }
      for (key, logged) in again where found[key] == nil && isThere(logged) {
        found[key] = logged
      }
    }
    logged = found
    changes = changed
    position = scan.position
  }

  func quantity(source: String, id: String) -> Double? {
    logged[Key(source: source, id: id)]?.quantity
  }

  func session(_ entry: EntryID) -> KnownSession? { sessions.session(entry) }

  func sessions(like session: SleepLogged) -> [KnownSession] { sessions.known(session) }

  func knows(_ entry: EntryID) -> Bool { entries.contains(entry.uuid) }

  func entry(source: String, id: String) -> KnownEntry? {
    guard let known = logged[Key(source: source, id: id)] else { return nil }
    switch changes[known.entry] {
    case .grown(let quantity): return KnownEntry(entry: known.entry, quantity: quantity)
    case .touched, .deleted, .deletedBySync:
      return KnownEntry(entry: known.entry, quantity: known.quantity, isTouched: true)
    case nil: return KnownEntry(entry: known.entry, quantity: known.quantity)
    }
  }

  func knows(_ edit: ProgressLogged) -> Bool {
    knows(edit.entry) || Self.key(of: edit).map { logged[$0] != nil } ?? false
  }

  private static func key(of logged: ProgressLogged) -> Key? {
    guard let source = logged.source, let id = logged.sourceID else { return nil }
    return Key(source: source, id: id)
  }

  private static func mayChangeEntry(_ envelope: Envelope, in window: RawSpan) -> Bool {
    guard !envelope.isErased else { return false }
    return window.extracting(envelope.type).withUnsafeBytes { type in
      ["progress.corrected", "progress.deleted", "sleep.corrected", "sleep.deleted"].contains {
        type.elementsEqual($0.utf8)
      }
    }
  }
}
