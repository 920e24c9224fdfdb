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

/// What earlier imports have logged, by source and source id, with the quantity logged first.
///
/// Corrections and deletions do not count: what a person changed since must not come back.
struct ImportedSources {
  struct Key: Hashable {
    let source: String
    let id: String
  }

  private(set) var quantities: [Key: Double] = [:]
  /// Entries by their ids, deleted and undone ones too, where somebody wants to know.
  private var entries: Set<LedgerUUID> = []
  /// The log's end when it was read.
  private(set) var position: ChainPosition

  /// Reads the log once; only lines that name a source id are taken apart.
  ///
  /// - Parameter keepsEntries: whether ids of entries are to be known as well; then it is folded too.
  init(_ view: LogView, keepsEntries: Bool) throws(LogError) {
    if keepsEntries {
      for row in try FoldedLog(view, keepsSnapshot: false).state().rows { entries.insert(row.id) }
    }
    var found: [Key: Double] = [:]
    var scan = EventScan(checks: .form)
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard Self.mayNameSource(envelope, in: window),
          case .progressLogged(let logged) = try EventReader.payload(envelope, in: window),
          let key = Self.key(of: logged), found[key] == nil
        else { return }
        found[key] = logged.quantity
      }
    }
    quantities = found
    position = scan.position
  }

  func quantity(source: String, id: String) -> Double? {
    quantities[Key(source: source, id: id)]
  }

  func knows(_ entry: EntryID) -> Bool { entries.contains(entry.uuid) }

  func knows(_ logged: ProgressLogged) -> Bool {
    knows(logged.entry) || Self.key(of: logged).map { quantities[$0] != nil } ?? false
  }

  private static func key(of logged: ProgressLogged) -> Key? {
    guard let source = logged.source, let id = logged.sourceID else { return nil }
    return Key(source: source, id: id)
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
