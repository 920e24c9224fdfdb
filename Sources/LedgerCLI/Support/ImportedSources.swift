import LedgerImport
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections

/// What earlier imports have logged, by source and source id, and what became of it.
///
/// Corrections and deletions by a person do not make it unknown: what a person changed since must not
/// come back. An entry that sync deleted, since the backend no longer had it, does: importing its file
/// again revives it.
struct ImportedSources {
  struct Key: Hashable {
    let source: String
    let id: String
  }

  private struct Logged {
    var entry: EntryID
    var quantity: Double
  }

  /// What was done to an entry after it was logged.
  private enum Change {
    case grown(Double)
    case touched
    case deleted
    /// Sync deleted it; no person did.
    case vanished
  }

  /// The entry logged first of those that sync has not deleted.
  private var logged: [Key: Logged] = [:]
  private var changes: [EntryID: Change] = [:]
  /// Entries by their ids, where somebody wants to know: deleted and undone ones too, unless sync
  /// deleted them.
  private var entries: Set<LedgerUUID> = []
  /// The log's end when it was read.
  private(set) var position: ChainPosition

  /// Reads the log once; only lines that name a source id or change an entry are taken apart.
  ///
  /// - Parameter keepsEntries: whether ids of entries are to be known as well; then it is folded too.
  init(_ view: LogView, keepsEntries: Bool) throws(LogError) {
    if keepsEntries {
      let state = try FoldedLog(view, keepsSnapshot: false).state()
      for (index, row) in state.rows.enumerated() where !state.isDeletedBySync(row: index) {
        entries.insert(row.id)
      }
    }
    var found: [Key: Logged] = [:]
    // Few are logged again.
    var again: [(key: Key, logged: Logged)] = []
    var changed: [EntryID: Change] = [:]
    var scan = EventScan(checks: .form)
    var erasures = Erasures()
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try erasures.note(envelope, in: window, at: offset)
        guard Self.mayChangeEntry(envelope, in: window) || Self.mayNameSource(envelope, in: window)
        else { return }
        switch try EventReader.payload(envelope, in: window) {
        case .progressLogged(let data):
          // An entry may be logged again under its id after sync deleted it.
          if case .vanished = changed[data.entry] { changed[data.entry] = nil }
          guard let key = Self.key(of: data) else { return }
          let logged = Logged(entry: data.entry, quantity: data.quantity)
          if found[key] == nil { found[key] = logged } else { again.append((key, logged)) }
        case .progressCorrected(let data):
          switch changed[data.entry] {
          case .touched, .deleted, .vanished: return
          case .grown, nil: break
          }
          let isImport = envelope.by == .import && data.quantity != nil
          changed[data.entry] = isImport ? .grown(data.quantity ?? 0) : .touched
        case .progressDeleted(let data):
          if case .deleted = changed[data.entry] { return }
          changed[data.entry] = envelope.by == .sync ? .vanished : .deleted
        default: return
        }
      }
    }
    if let problem = erasures.problems.first { throw .damaged(problem) }
    func isThere(_ logged: Logged) -> Bool {
      if case .vanished = changed[logged.entry] { false } else { true }
    }
    if changed.values.contains(where: { if case .vanished = $0 { true } else { false } }) {
      found = found.filter { isThere($0.value) }
      for (key, logged) in again where found[key] == nil && isThere(logged) {
        found[key] = logged
      }
    }
    logged = found
    changes = changed
    position = scan.position
  }

  /// The quantity logged first.
  func quantity(source: String, id: String) -> Double? {
    logged[Key(source: source, id: id)]?.quantity
  }

  func knows(_ entry: EntryID) -> Bool { entries.contains(entry.uuid) }

  func standing(source: String, id: String) -> KnownEntry? {
    guard let known = logged[Key(source: source, id: id)] else { return nil }
    switch changes[known.entry] {
    case .grown(let quantity): return KnownEntry(entry: known.entry, quantity: quantity)
    case .touched, .deleted, .vanished:
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

  /// Whether it is a correction or a deletion of progress.
  private static func mayChangeEntry(_ envelope: Envelope, in window: RawSpan) -> Bool {
    guard !envelope.isErased else { return false }
    return window.extracting(envelope.type).withUnsafeBytes { type in
      type.elementsEqual("progress.corrected".utf8) || type.elementsEqual("progress.deleted".utf8)
    }
  }

  private static func mayNameSource(_ envelope: Envelope, in window: RawSpan) -> Bool {
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
