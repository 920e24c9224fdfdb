import LedgerJSON
package import LedgerModel

/// What an event is to an erasure, by its type; types that `erase` never takes have none
/// (docs/log-format.md, Erasing).
package enum ErasedPart: Hashable, Sendable {
  case logging
  case correction
  case deletion
  /// An edit of the person's fields.
  case fieldEdit
  /// An answer or a pull that repeats values of the person's fields.
  case fieldAnswer
  /// A conflict, a decision or a refusal: of an entry or of fields.
  case either
  /// A type that this version does not know; erased alone.
  case unknown

  package init?(type: String) {
    guard let kind = EventKind(rawValue: type) else {
      switch type {
      case "sleep.logged", "sleep.pulled": self = .logging
      case "sleep.corrected": self = .correction
      case "sleep.deleted": self = .deletion
      default:
        if type.hasPrefix("account.") { return nil }
        self = .unknown
      }
      return
    }
    switch kind {
    case .progressLogged, .progressPulled: self = .logging
    case .progressCorrected: self = .correction
    case .progressDeleted: self = .deletion
    case .profileUpdated, .physicalUpdated, .preferencesUpdated: self = .fieldEdit
    case .syncAcknowledged, .profilePulled: self = .fieldAnswer
    case .conflictDetected, .conflictResolved, .syncRejected, .syncDiffered: self = .either
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncHeld, .rowSkipped,
      .duplicateSuspected, .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut,
      .accountReplaced, .eventErased, .logRepaired:
      return nil
    }
  }

  /// How many loggings may belong to one entry: it is logged again under its id only after a deletion.
  package static func mostLoggings(in parts: some Sequence<ErasedPart>) -> Int {
    parts.reduce(1) { $1 == .deletion ? $0 + 1 : $0 }
  }

  fileprivate var isOfEntry: Bool { self == .logging || self == .correction || self == .deletion }
  fileprivate var isOfFields: Bool { self == .fieldEdit || self == .fieldAnswer }
}

/// The erased lines of a log and the `event.erased` that account for them. The rule for erasures:
/// each erased line is named by exactly one later `event.erased`, and the events that one erasure
/// takes are such as `erase` takes together (docs/log-format.md, Erasing).
///
/// Reading a log only collects them; the rule is checked at its end, since records come after the
/// lines that they name.
package struct Erasures: Hashable, Sendable {
  /// An erased line.
  package struct Line: Hashable, Sendable {
    package var seq: Int
    /// Where it begins in the file.
    package var byte: Int
    package var type: String
  }

  /// An `event.erased` that still has its content.
  package struct Record: Hashable, Sendable {
    package var seq: Int
    package var data: EventErased

    /// Whether it can belong to the same erasure as the record before it.
    fileprivate func continues(_ earlier: Record) -> Bool {
      seq == earlier.seq + 1 && data.entry == earlier.data.entry
        && data.fields == earlier.data.fields
    }
  }

  /// In the order of the log.
  package private(set) var lines: [Line] = []
  package private(set) var records: [Record] = []
  /// The event after which both are complete.
  package let startSeq: Int

  package init(after startSeq: Int = 0) { self.startSeq = startSeq }

  package var isEmpty: Bool { lines.isEmpty && records.isEmpty }

  // MARK: Collecting

  /// Notes a line that is erased or an `event.erased`; any other is ignored.
  ///
  /// - Parameter windowOffset: where the span begins in the file that `envelope` counts from.
  package mutating func note(
    _ envelope: Envelope, _ payload: Event.Payload, at windowOffset: Int
  ) {
    switch payload {
    case .erased(let type, _):
      lines.append(Line(seq: envelope.seq, byte: windowOffset + envelope.start, type: type))
    case .eventErased(let data): records.append(Record(seq: envelope.seq, data: data))
    default: break
    }
  }

  /// As ``note(_:_:at:)``, for readers that do not read payloads otherwise.
  package mutating func note(
    _ envelope: Envelope, in bytes: RawSpan, at windowOffset: Int
  ) throws(LineFault) {
    guard
      envelope.isErased
        || envelope.type.count == 12 && bytes.holds("event.erased", at: envelope.type.lowerBound)
    else { return }
    note(envelope, try EventReader.payload(envelope, in: bytes), at: windowOffset)
  }

  package mutating func append(_ later: Erasures) {
    lines += later.lines
    records += later.records
  }

  package mutating func removeAll(after seq: Int) {
    lines.removeAll { $0.seq > seq }
    records.removeAll { $0.seq > seq }
  }

  /// Collects those of the rest of a log. Of other lines the members around `data` are checked, no more.
  package mutating func read(
    _ view: LogView, from position: ChainPosition, offsetBytes: Int
  ) throws(LogError) {
    var scan = EventScan(from: position, offsetBytes: offsetBytes, checks: .form)
    try view.forEachWindow(from: offsetBytes) { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try note(envelope, in: window, at: offset)
      }
    }
  }

  // MARK: The rule

  /// Whether what comes after a line may hold records that count for these lines.
  package func isOpen(at seq: Int) -> Bool {
    guard !lines.isEmpty else { return false }
    return records.last?.seq == seq || !unnamed.isEmpty
  }

  /// The first line without a record.
  package var unnamedDamage: Damage? { unnamed.first.map(Self.unnamedDamage) }

  private static func unnamedDamage(_ line: Line) -> Damage {
    line.damage("but no event.erased names it")
  }

  /// Lines without a record. One that precedes its line is none: `erase` appends.
  private var unnamed: [Line] {
    let named = Set(records.lazy.filter { $0.data.event.number < $0.seq }.map(\.data.event.number))
    return lines.filter { !named.contains($0.seq) }
  }

  /// What `erase` would not have made, in the order of the log.
  package var problems: [Damage] {
    var problems = unnamed.map(Self.unnamedDamage)
    for line in lines where ErasedPart(type: line.type) == nil {
      problems.append(line.damage("but '\(line.type)' never is"))
    }
    for acts in acts() { problems += acts.problems }
    for line in namedTwice { problems.append(line.damage("but two event.erased name it")) }
    var reported: Set<Int> = []
    return problems.filter { reported.insert($0.line ?? 0).inserted }
      .sorted { $0.byte < $1.byte }
  }

  private var namedTwice: [Line] {
    var counts: [Int: Int] = [:]
    for record in records where record.data.event.number < record.seq {
      counts[record.data.event.number, default: 0] += 1
    }
    return lines.filter { counts[$0.seq, default: 0] > 1 }
  }

  /// Erased lines at or before an event whose erasure was recorded after it.
  package func erased(since seq: Int) -> [Int] {
    let before = Set(records.lazy.filter { $0.seq <= seq }.map(\.data.event.number))
    return lines.map(\.seq).filter { $0 <= seq && !before.contains($0) }
  }

  /// The entries of which an erasure has taken at least one event.
  package struct ErasedEntry: Hashable, Sendable {
    package var id: EntryID
    /// Its last `event.erased`.
    package var recordedAt: Int
    /// The first event that it took.
    package var line: Line
  }

  /// Entries that records name, for which a fold can check that nothing was left of them.
  package var entries: [ErasedEntry] {
    acts().compactMap { acts in
      guard let id = acts.entry, let line = acts.taken.first?.line else { return nil }
      return ErasedEntry(id: id, recordedAt: acts.lastRecord, line: line)
    }
  }

  private func acts() -> [ErasureRun] {
    let erased = Dictionary(lines.map { ($0.seq, $0) }) { first, _ in first }
    var runs: [ErasureRun] = []
    var last: Record?
    for record in records {
      if last.map({ record.continues($0) }) != true {
        runs.append(ErasureRun(entry: record.data.entry, fields: record.data.fields))
      }
      last = record
      runs[runs.count - 1].lastRecord = record.seq
      guard let line = erased[record.data.event.number], line.seq < record.seq,
        let part = ErasedPart(type: line.type)
      else { continue }
      runs[runs.count - 1].taken.append((line, part))
    }
    return runs
  }
}

extension Erasures.Line {
  package func damage(_ why: String) -> Damage {
    Damage(line: seq, byte: byte, problem: "the event is erased, \(why)")
  }
}

/// Records one after the other about the same subject. Without a subject, as older versions wrote
/// them, they may be of several erasures.
private struct ErasureRun {
  var entry: EntryID?
  var fields: [String]?
  var lastRecord = 0
  var taken: [(line: Erasures.Line, part: ErasedPart)] = []

  init(entry: EntryID?, fields: [String]?) {
    (self.entry, self.fields) = (entry, fields)
  }

  var problems: [Damage] {
    if entry != nil { return entryProblems }
    let foreign = fields == nil ? [] : taken.filter { $0.part.isOfEntry }
    return foreign.map { $0.line.damage("but its event.erased names fields, and it has none") }
      + partProblems
  }

  private var entryProblems: [Damage] {
    var problems = taken.filter { $0.part.isOfFields || $0.part == .unknown }
      .map { $0.line.damage("but its event.erased names an entry, and it is no part of one") }
    let loggings = taken.filter { $0.part == .logging }
    let most = ErasedPart.mostLoggings(in: taken.lazy.map(\.part))
    if loggings.isEmpty {
      problems += taken.map { $0.line.damage("but not the logging of its entry") }
    } else if loggings.count > most {
      problems += loggings.dropFirst(most).map {
        $0.line.damage("but with another logging of its entry")
      }
    }
    return problems
  }

  /// Cuts the run into stretches of one sort, of which each must hold what the others belong to.
  private var partProblems: [Damage] {
    var problems: [Damage] = []
    var stretch = taken[..<0]
    var (isOfEntry, isOfFields, isWhole) = (false, false, false)
    func close(at index: Int) {
      if !isWhole {
        problems += stretch.map { $0.line.damage("but not the event that it belongs to") }
      }
      stretch = taken[index..<index]
      (isOfEntry, isOfFields, isWhole) = (false, false, false)
    }
    for (index, item) in taken.enumerated() {
      if item.part == .unknown {
        close(at: index)
        stretch = taken[index + 1..<index + 1]
        continue
      }
      if isOfEntry && item.part.isOfFields || isOfFields && item.part.isOfEntry {
        close(at: index)
      }
      stretch = taken[stretch.startIndex...index]
      isOfEntry = isOfEntry || item.part.isOfEntry
      isOfFields = isOfFields || item.part.isOfFields
      isWhole = isWhole || item.part == .logging || item.part == .fieldEdit
    }
    close(at: taken.count)
    return problems
  }
}
