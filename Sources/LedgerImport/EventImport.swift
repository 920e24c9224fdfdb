import LedgerLog
import LedgerModel
import LedgerPlatform
package import LedgerStore

/// Restores a ledger from the events that `export jsonl` wrote.
///
/// Events refer to each other by number, so they are appended to a new ledger in their order, with their
/// ids, times and authors; only the first one, which names the ledger itself, stays the new ledger's.
/// What sync has recorded comes along: entries keep their rows if the ledger signs in to the same
/// account. The file is read twice, first to check all of it, so that memory is bounded.
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
    var survey = EventSurvey(source.name)
    let source = try source.rereadable { piece throws(ImportError) in try survey.take(piece) }
    try survey.finish()
    var outcome = Outcome()
    try store.transaction(from: .nothing) { transaction in
      let own = transaction.end.seq
      if own > 1 {
        guard try survey.isBeginning(of: transaction.view(), own) else {
          throw ImportError(
            .unfit,
            "\(source.name) can only be restored into a new ledger, and this one has \(own) events")
        }
        outcome.known = survey.count
        return
      }
      outcome.added = survey.count
      guard !isDryRun, survey.count > 0 else { return }
      // One write, since a ledger that was restored in part cannot be completed.
      _ = try transaction.append { batch in
        let generator = BufferedEntropy()
        var reader = EventReading(source.name, checks: .chain)
        let stream = try ByteStream(opening: source)
        while case let piece = try stream.next(), !piece.isEmpty {
          for recorded in try reader.events(in: piece) where recorded.seq.number > 1 {
            try batch.append(recorded.event, salt: generator.next())
          }
        }
        guard reader.end == survey.end else {
          throw ImportError(.unreadable, "\(source.name) changed while it was read")
        }
      }
    }
    return outcome
  }
}

/// Reads the events of a file in pieces.
private struct EventReading {
  private let name: String
  private var scan: EventScan
  private var offsetBytes = 0
  /// The bytes from the last line's end.
  private var rest: [UInt8] = []

  init(_ name: String, checks: LineChecks) {
    self.name = name
    scan = EventScan(checks: checks)
  }

  var end: ChainPosition { scan.position }
  var isAtLineEnd: Bool { rest.isEmpty }

  /// The events whose lines end in the next piece.
  mutating func events(in piece: [UInt8]) throws(ImportError) -> [RecordedEvent] {
    rest += piece
    var events: [RecordedEvent] = []
    do throws(LogError) {
      try rest.withUnsafeBufferPointer { buffer throws(LogError) in
        try scan.walk(UnsafeRawBufferPointer(buffer).bytes, at: offsetBytes) {
          (window, envelope) throws(LineFault) in
          events.append(try EventReader.event(envelope, in: window))
        }
      }
    } catch {
      throw ImportError(.unfit, "\(name) is damaged: \(error)")
    }
    rest.removeFirst(scan.offsetBytes - offsetBytes)
    offsetBytes = scan.offsetBytes
    guard rest.count <= LogFormat.longestLineBytes else { throw Self.noLog(name) }
    return events
  }

  static func noLog(_ name: String) -> ImportError {
    ImportError(.unfit, "\(name) is not a whole log: it must be what export jsonl wrote")
  }
}

/// Checks a file of events, and what it has after the first event.
private struct EventSurvey {
  private let name: String
  private var reading: EventReading
  private var isCreated = false
  private var isErased = false
  private var isFirstPiece = true
  private(set) var count = 0
  private var first: EventID?
  private var last: EventID?

  var end: ChainPosition { reading.end }

  init(_ name: String) {
    self.name = name
    reading = EventReading(name, checks: .chain)
  }

  mutating func take(_ piece: [UInt8]) throws(ImportError) {
    if isFirstPiece, let refusal = ForeignFile.refusal(of: piece, named: name) { throw refusal }
    isFirstPiece = false
    for recorded in try reading.events(in: piece) {
      if case .erased = recorded.event.payload { isErased = true }
      guard isCreated else {
        guard case .ledgerCreated = recorded.event.payload else { throw EventReading.noLog(name) }
        isCreated = true
        continue
      }
      if let (member, value) = recorded.event.payload.undoneProblem(at: recorded.seq) {
        throw ImportError(
          .unfit,
          "\(name) cannot be restored: '\(member)' of event \(recorded.seq) is \(value); it "
            + "must be the number of an earlier event")
      }
      if first == nil { first = recorded.event.id }
      last = recorded.event.id
      count += 1
    }
  }

  func finish() throws(ImportError) {
    guard isCreated, reading.isAtLineEnd else { throw EventReading.noLog(name) }
    guard !isErased else {
      throw ImportError(
        .unfit,
        "\(name) has erased events, which cannot be written again; copy the ledger's folder "
          + "instead")
    }
  }

  /// Whether a log of so many events begins with these.
  func isBeginning(of view: LogView, _ events: Int) throws -> Bool {
    guard events > count, let first, let last else { return count == 0 }
    return try view.line(Seq(2)).event().event.id == first
      && view.line(Seq(count + 1)).event().event.id == last
  }
}
