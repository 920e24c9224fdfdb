import LedgerImport
import LedgerLog
import LedgerModel
import LedgerProjections

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What earlier imports have logged, by source and source id, and what became of it.
///
/// Corrections and deletions by others do not make it unknown: what a person changed since must not
/// come back.
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
  }

  private var logged: [Key: Logged] = [:]
  private var changes: [EntryID: Change] = [:]
  /// Entries by their ids, deleted and undone ones too, where somebody wants to know.
  private var entries: Set<LedgerUUID> = []
  /// The log's end when it was read.
  private(set) var position: ChainPosition

  /// Reads the log once; only lines that name a source id or change an entry are taken apart.
  ///
  /// - Parameter keepsEntries: whether ids of entries are to be known as well; then it is folded too.
  init(_ view: LogView, keepsEntries: Bool) throws(LogError) {
    if keepsEntries {
      for row in try FoldedLog(view, keepsSnapshot: false).state().rows { entries.insert(row.id) }
    }
    var found: [Key: Logged] = [:]
    var changed: [EntryID: Change] = [:]
    var scan = EventScan(checks: .form)
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard Self.mayChangeEntry(envelope, in: window) || Self.mayNameSource(envelope, in: window)
        else { return }
        switch try EventReader.payload(envelope, in: window) {
        case .progressLogged(let data):
          guard let key = Self.key(of: data), found[key] == nil else { return }
          found[key] = Logged(entry: data.entry, quantity: data.quantity)
        case .progressCorrected(let data):
          if case .touched = changed[data.entry] { return }
          let isImport = envelope.by == .import && data.quantity != nil
          changed[data.entry] = isImport ? .grown(data.quantity ?? 0) : .touched
        case .progressDeleted(let data):
          changed[data.entry] = .touched
        default: return
        }
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
    case .touched:
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
