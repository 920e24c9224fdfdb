import LedgerJSON
package import LedgerModel

/// The role of an event in an erasure, by its type. Types that are never erased have none
/// (docs/log-format.md, Erasing).
package enum ErasedPart: Hashable, Sendable {
  case logging
  case correction
  case deletion
  case fieldEdit
  /// An answer or a pull that repeats values of profile fields.
  case fieldAnswer
  /// A conflict, a decision or a rejection, of an entry or of profile fields.
  case either
  /// A goal, or a type unknown to this version; erased alone.
  case unknown

  package init?(type: String) {
    guard let kind = EventKind(rawValue: type) else {
      if type.hasPrefix("account.") { return nil }
      self = .unknown
      return
    }
    switch kind {
    case .progressLogged, .progressPulled, .sleepLogged, .sleepPulled: self = .logging
    case .progressCorrected, .sleepCorrected: self = .correction
    case .progressDeleted, .sleepDeleted: self = .deletion
    case .profileUpdated, .physicalUpdated, .preferencesUpdated: self = .fieldEdit
    case .syncAcknowledged, .profilePulled: self = .fieldAnswer
    case .conflictDetected, .conflictResolved, .syncRejected, .syncDiffered: self = .either
    case .goalSet: self = .unknown
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncHeld, .rowSkipped,
      .duplicateSuspected, .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut,
      .accountReplaced, .eventErased, .logRepaired, .goalRemoved:
      return nil
    }
  }

  /// Whether these can be the events of one entry, in the order of the log: its logging comes first, and
  /// its id is reused only after a deletion.
  package static func areOfOneEntry(_ parts: [ErasedPart]) -> Bool {
    var most = 1
    for part in parts {
      if part == .deletion { most += 1 }
      if part == .logging { most -= 1 }
      guard most >= 0 else { return false }
    }
    return parts.first == .logging
  }

  package var isOfEntry: Bool { self == .logging || self == .correction || self == .deletion }
  fileprivate var isOfFields: Bool { self == .fieldEdit || self == .fieldAnswer }
}

/// The erased lines of a log and the `event.erased` that name them. The rule: exactly one later
/// `event.erased` names each erased line, and the events of one erasure belong together
/// (docs/log-format.md, Erasing).
///
/// A reader collects both; the rule is checked at the end, since records follow the lines they name.
package struct Erasures: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package var seq: Int
    /// In the file.
    package var byte: Int
    package var type: String
    package var by: Event.Actor
  }

  /// An `event.erased` that is not erased itself.
  package struct Record: Hashable, Sendable {
    package var seq: Int
    /// In the file.
    package var byte: Int
    package var data: EventErased
    package var by: Event.Actor
    /// Since 1970.
    package var milliseconds: Int64

    /// Why `erase` cannot have written it.
    fileprivate var problem: String? {
      if by != .user { return "an event.erased is a user's, not of '\(by.rawValue)'" }
      if data.entry != nil, data.fields != nil {
        return "an event.erased names an entry or fields, not both"
      }
      return (1...EventErased.mostReasonCharacters).contains(data.reason.unicodeScalars.count)
        ? nil
        : "an event.erased needs a reason of at most \(EventErased.mostReasonCharacters) characters"
    }

    /// Whether it can belong to the same erasure as the previous record. One erasure writes all its
    /// records with one time and one reason.
    fileprivate func continues(_ earlier: Record) -> Bool {
      seq == earlier.seq + 1 && data.entry == earlier.data.entry
        && data.fields == earlier.data.fields
        && (hasSubject
          || milliseconds == earlier.milliseconds && data.reason == earlier.data.reason)
    }

    /// Older versions named neither an entry nor fields.
    fileprivate var hasSubject: Bool { data.entry != nil || data.fields != nil }
  }

  /// In the order of the log.
  package private(set) var lines: [Line] = []
  package private(set) var records: [Record] = []
  /// Both are complete for events after this one.
  package let startSeq: Int

  package init(after startSeq: Int = 0) { self.startSeq = startSeq }

  package var isEmpty: Bool { lines.isEmpty && records.isEmpty }

  // MARK: Collecting

  /// Adds an erased line or an `event.erased`; ignores other lines.
  ///
  /// - Parameters:
  ///   - bytes: the span that contains the line.
  ///   - windowOffset: its file offset.
  package mutating func note(
    _ envelope: Envelope, _ payload: Event.Payload, in bytes: RawSpan, at windowOffset: Int
  ) {
    switch payload {
    case .erased(let type, _):
      lines.append(
        Line(
          seq: envelope.seq, byte: windowOffset + envelope.start, type: type, by: envelope.by))
    case .eventErased(let data):
      records.append(
        Record(
          seq: envelope.seq, byte: windowOffset + envelope.start, data: data, by: envelope.by,
          milliseconds: envelope.milliseconds(in: bytes)))
    default: break
    }
  }

  /// As ``note(_:_:in:at:)``, for readers that do not decode payloads.
  package mutating func note(
    _ envelope: Envelope, in bytes: RawSpan, at windowOffset: Int
  ) throws(LineFault) {
    guard
      envelope.isErased
        || envelope.type.count == 12 && bytes.holds("event.erased", at: envelope.type.lowerBound)
    else { return }
    note(envelope, try EventReader.payload(envelope, in: bytes), in: bytes, at: windowOffset)
  }

  package mutating func append(_ later: Erasures) {
    lines += later.lines
    records += later.records
  }

  package mutating func removeAll(after seq: Int) {
    lines.removeAll { $0.seq > seq }
    records.removeAll { $0.seq > seq }
  }

  /// Collects from the rest of a log, checking only the form of its lines.
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

  /// Whether lines after this seq may contain records that matter for these lines.
  package func isOpen(at seq: Int) -> Bool {
    guard !lines.isEmpty else { return false }
    return records.last?.seq == seq || !unnamed.isEmpty
  }

  /// The first line without a record.
  package var unnamedDamage: Damage? { unnamed.first.map(Self.unnamedDamage) }

  private static func unnamedDamage(_ line: Line) -> Damage {
    line.damage("but no event.erased names it")
  }

  /// Lines without a later record.
  private var unnamed: [Line] {
    let named = Set(records.lazy.filter { $0.data.event.number < $0.seq }.map(\.data.event.number))
    return lines.filter { !named.contains($0.seq) }
  }

  /// All violations of the rule, in the order of the log.
  package var problems: [Damage] {
    var problems = unnamed.map(Self.unnamedDamage)
    for line in lines where ErasedPart(type: line.type) == nil {
      problems.append(line.damage("but '\(line.type)' never is"))
    }
    problems += recordsOfContent
    problems += records.compactMap { record in
      record.problem.map { Damage(line: record.seq, byte: record.byte, problem: $0) }
    }
    for run in runs { problems += run.problems }
    for line in namedTwice { problems.append(line.damage("but two event.erased name it")) }
    var reported: Set<Int> = []
    return problems.filter { reported.insert($0.line ?? 0).inserted }
      .sorted { $0.byte < $1.byte }
  }

  /// The log is rewritten with the records of what it loses, so a record of a line that has its content
  /// was made by hand, before or after the erasure that it claims.
  private var recordsOfContent: [Damage] {
    let erased = Set(lines.lazy.map(\.seq))
    return records.filter {
      $0.data.event.number > startSeq && !erased.contains($0.data.event.number)
    }
    .map { record in
      Damage(
        line: record.seq, byte: record.byte,
        problem: "it records the erasure of event \(record.data.event), which is not erased")
    }
  }

  private var namedTwice: [Line] {
    var counts: [Int: Int] = [:]
    for record in records where record.data.event.number < record.seq {
      counts[record.data.event.number, default: 0] += 1
    }
    return lines.filter { counts[$0.seq, default: 0] > 1 }
  }

  /// Erased lines up to an event whose erasure was recorded after that event.
  package func erased(since seq: Seq) -> [Seq] {
    let before = Set(records.lazy.filter { $0.seq <= seq.number }.map(\.data.event))
    return lines.map { Seq($0.seq) }.filter { $0 <= seq && !before.contains($0) }
  }

  package var runs: [ErasureRun] {
    let erased = Dictionary(lines.map { ($0.seq, $0) }) { first, _ in first }
    // Only records of older versions lack a subject, and those precede all others.
    let firstSubject = records.first { $0.hasSubject }?.seq ?? .max
    var runs: [ErasureRun] = []
    var last: Record?
    for record in records {
      if last.map({ record.continues($0) }) != true {
        runs.append(
          ErasureRun(
            entry: record.data.entry, fields: record.data.fields, firstRecord: record.seq,
            isOfOlderVersion: record.seq < firstSubject))
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

/// Why a log does not pass the part of the rule for erasures that takes a fold.
package enum ErasureProblem: Hashable, Sendable {
  /// An erasure that `erase` would not have made.
  case damage(Damage)
  /// The first event that cannot be understood: the erasures may be right or wrong.
  case unchecked(Damage)

  /// For readers that refuse both.
  package var damage: Damage {
    switch self {
    case .damage(let damage): return damage
    case .unchecked(var damage):
      damage.problem += "; with such an event the log's erasures cannot be checked"
      return damage
    }
  }
}

extension Erasures.Line {
  package func damage(_ why: String) -> Damage {
    Damage(line: seq, byte: byte, problem: "the event is erased, \(why)")
  }
}

/// Consecutive records of the same subject: one erasure, or several of the same fields.
package struct ErasureRun {
  /// `nil` until answers tell it, for an entry in records of older versions.
  package var entry: EntryID?
  /// `nil` for an entry, and in records of older versions.
  package var fields: [String]?
  /// Whether the records name no subject and precede all that do.
  package let isOfOlderVersion: Bool
  package let firstRecord: Int
  package var lastRecord = 0
  package var taken: [(line: Erasures.Line, part: ErasedPart)] = []

  fileprivate init(
    entry: EntryID?, fields: [String]?, firstRecord: Int, isOfOlderVersion: Bool
  ) {
    (self.entry, self.fields, self.firstRecord) = (entry, fields, firstRecord)
    self.isOfOlderVersion = isOfOlderVersion
  }

  /// Whether an entry is erased, named or not.
  package var isOfEntry: Bool {
    entry != nil || isOfOlderVersion && taken.contains { $0.part.isOfEntry }
  }

  /// Whether fields are erased, named or not.
  package var isOfFields: Bool {
    !isOfEntry
      && (fields?.isEmpty == false || isOfOlderVersion && taken.contains { $0.part.isOfFields })
  }

  fileprivate var problems: [Damage] {
    if isOfEntry { return entryProblems + strayDecisions }
    guard isOfFields else { return loneProblems }
    let foreign = taken.filter { $0.part.isOfEntry || $0.part == .unknown }
    let edits = taken.count { $0.part == .fieldEdit }
    guard edits == 1 || edits > 1 && fields != nil else {
      return taken.map { $0.line.damage("but not the event that it belongs to") }
    }
    return foreign.map { $0.line.damage("but its event.erased names fields, and it has none") }
      + strayDecisions
  }

  /// A goal or an event of an unknown type is erased alone, and only that without a subject.
  private var loneProblems: [Damage] {
    taken.filter { $0.part != .unknown }
      .map { $0.line.damage("but its event.erased names neither its entry nor its fields") }
  }

  private var entryProblems: [Damage] {
    let taken = taken.sorted { $0.line.seq < $1.line.seq }
    var problems = taken.filter { $0.part.isOfFields || $0.part == .unknown }
      .map { $0.line.damage("but its event.erased names an entry, and it is no part of one") }
    guard let first = taken.first(where: { $0.part == .logging })?.line else {
      return problems + taken.map { $0.line.damage("but not the logging of its entry") }
    }
    // Entries have no other kinds of events than `progress.*` and `sleep.*`.
    let isSession = first.type.hasPrefix("sleep.")
    problems += taken.filter { $0.part.isOfEntry && $0.line.type.hasPrefix("sleep.") != isSession }
      .map { $0.line.damage("but its event.erased names an entry of another kind") }
    return problems + repeatedLoggings(taken)
  }

  /// The first event erased with an entry that was logged after it.
  package var damageBeforeLogging: Damage? {
    let logged = taken.filter { $0.part == .logging }.map(\.line.seq).min() ?? 0
    return taken.first { isOfEntry && $0.line.seq < logged }?.line
      .damage("but its event.erased names an entry that was logged later")
  }

  /// An entry is logged again only after a deletion.
  private func repeatedLoggings(_ taken: [(line: Erasures.Line, part: ErasedPart)]) -> [Damage] {
    var most = 1
    var problems: [Damage] = []
    for (line, part) in taken {
      if part == .deletion { most += 1 }
      guard part == .logging else { continue }
      most -= 1
      if most < 0 { problems.append(line.damage("but with another logging of its entry")) }
    }
    return problems
  }

  /// Decisions without a conflict before them: both are erased together.
  private var strayDecisions: [Damage] {
    let detected = taken.filter { $0.line.type == EventKind.conflictDetected.rawValue }
    let first = detected.map(\.line.seq).min() ?? .max
    return taken.filter { line, _ in
      line.type == EventKind.conflictResolved.rawValue && line.seq < first
    }.map { $0.line.damage("but not the conflict that it decides") }
  }
}
