import LedgerLog
import LedgerModel
import LedgerPlatform
package import LedgerStore

/// Restores a ledger from the events that `export jsonl` wrote.
///
/// Events refer to each other by number, so they are appended to a new ledger in their order, with their
/// ids, times and authors; only the first one, which names the ledger itself, stays the new ledger's.
/// What sync has recorded comes along: entries keep their rows if the ledger signs in to the same
/// account.
package enum EventImport {
  /// What a restored file contained.
  package struct Outcome {
    /// Events appended; 0 if the ledger has them already.
    package var added = 0
    /// Events that the ledger has already.
    package var known = 0
  }

  /// - Throws: ``ImportError`` for a file that is damaged or has erased events, or a ledger that has
  ///   events of its own; `LogError`.
  package static func restore(
    _ source: ImportSource, into store: LedgerStore, isDryRun: Bool = false
  ) throws -> Outcome {
    let events = try read(source)
    var outcome = Outcome()
    try store.log.withSession { session in
      let own = session.head.seq
      if own > 1 {
        guard try isRestored(events, session.view(), own) else {
          throw ImportError(
            .unfit,
            "\(source.name) can only be restored into a new ledger, and this one has \(own) events")
        }
        outcome.known = events.count
        return
      }
      guard !isDryRun else {
        outcome.added = events.count
        return
      }
      var generator = SystemEntropy()
      // All at once: with a part of them, the rest could not be restored.
      outcome.added = try session.append(events, using: &generator).events.count
    }
    return outcome
  }

  /// Whether the ledger begins with these events.
  private static func isRestored(
    _ events: [Event], _ view: LogView, _ count: Int
  ) throws -> Bool {
    guard count > events.count, let first = events.first, let last = events.last else {
      return events.isEmpty
    }
    return try view.line(Seq(2)).event().event.id == first.id
      && view.line(Seq(events.count + 1)).event().event.id == last.id
  }

  /// The events after the first, with the chain checked.
  private static func read(_ source: ImportSource) throws -> [Event] {
    let stream = try ByteStream(opening: source)
    var bytes: [UInt8] = []
    while case let piece = try stream.next(), !piece.isEmpty { bytes += piece }
    if let refusal = ForeignFile.refusal(of: bytes, named: source.name) { throw refusal }
    var events: [Event] = []
    var scan = EventScan(checks: .chain)
    var isErased = false
    do throws(LogError) {
      try bytes.withUnsafeBufferPointer { buffer throws(LogError) in
        try scan.walk(UnsafeRawBufferPointer(buffer).bytes, at: 0) {
          (window, envelope) throws(LineFault) in
          let recorded = try EventReader.event(envelope, in: window)
          if case .erased = recorded.event.payload { isErased = true }
          events.append(recorded.event)
        }
      }
    } catch {
      throw ImportError(.unfit, "\(source.name) is damaged: \(error)")
    }
    guard scan.offsetBytes == bytes.count, let first = events.first,
      case .ledgerCreated = first.payload
    else {
      throw ImportError(
        .unfit, "\(source.name) is not a whole log: it must be what export jsonl wrote")
    }
    guard !isErased else {
      throw ImportError(
        .unfit,
        "\(source.name) has erased events, which cannot be written again; copy the ledger's folder "
          + "instead")
    }
    return Array(events.dropFirst())
  }
}
