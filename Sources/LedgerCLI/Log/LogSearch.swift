import LedgerLog
import LedgerModel
import LedgerProjections

/// Finds the lines that match a filter in one pass over as little of the log as possible.
struct LogSearch {
  /// A line's place in the log, without its `\n`.
  struct Place {
    var seq: Int
    var offsetBytes: Int
    var count: Int
  }

  /// The matching lines of a window.
  struct Matches {
    let windowOffset: Int
    var places: [Place] = []

    /// The window's ranges of matching lines with their `\n`, neighbours joined.
    var runs: [Range<Int>] {
      var runs: [Range<Int>] = []
      for place in places {
        let start = place.offsetBytes - windowOffset
        let end = start + place.count + 1
        if let last = runs.last, last.upperBound == start {
          runs[runs.count - 1] = last.lowerBound..<end
        } else {
          runs.append(start..<end)
        }
      }
      return runs
    }
  }

  private let view: LogView
  private let filter: LogFilter
  init(_ view: LogView, _ filter: LogFilter) {
    self.view = view
    self.filter = filter
  }

  /// Calls `body` with the matches of each window; it returns false to stop.
  ///
  /// - Throws: damage, after `body` was called with the lines before it.
  func run(
    _ body: (_ window: RawSpan, _ matches: Matches) -> Bool
  ) throws(LogError) {
    let lastSeq = filter.lastSeq ?? .max
    var continues = true
    var ranges = ranges(.oldestFirst)
    while continues, let range = ranges.next() {
      var scan = EventScan(
        from: range.position, offsetBytes: range.bytes.lowerBound, checks: .form)
      try LineWindows.forEachWhile(of: view.file, in: range.bytes) {
        (window, offset) throws(LogError) in
        var matches = Matches(windowOffset: offset)
        do throws(LogError) {
          try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
            guard filter.matches(envelope, in: window) else { return }
            matches.places.append(Place(envelope, windowOffset: offset))
          }
        } catch {
          _ = body(window, matches)
          throw error
        }
        continues = body(window, matches) && scan.position.seq < lastSeq
        return continues
      }
    }
  }

  /// The parts of the log that can contain matches.
  private func ranges(_ order: LogRanges.Order) -> LogRanges {
    let (start, end) = (startOfFirst ?? 0, endOfLast ?? view.endBytes)
    return view.ranges(
      filter.asksForTimeOrType ? view.lineBlocks() : .none, in: start..<max(start, end), order,
      where: filter.mayMatch())
  }

  /// The offset of the first possible line; `nil` for the log's start. If that line is not found, the
  /// scan of the whole log reports why.
  private var startOfFirst: Int? {
    guard let first = filter.firstSeq, first.number > 1 else { return nil }
    if let line = try? view.line(first) { return line.offsetBytes }
    let last = try? view.lastLine()
    return last.flatMap { $0.seq < first.number ? view.endBytes : nil }
  }

  /// The offset after the last possible line; `nil` for the log's end.
  private var endOfLast: Int? {
    guard let last = filter.lastSeq.flatMap({ Seq(exactly: $0) }), let line = try? view.line(last)
    else { return nil }
    return line.offsetBytes + line.bytes.count + 1
  }
}

extension LogSearch {
  /// The last matching lines, oldest first. Reads nothing before the first of them.
  func last(_ wanted: Int) throws(LogError) -> [Place] {
    guard wanted > 0 else { return [] }
    var parts: [[Place]] = []
    var count = 0
    try runBackward { (_, offset, envelope) throws(LineFault) in
      Place(envelope, windowOffset: offset)
    } while: { places in
      parts.append(places)
      count += places.count
      return count < wanted
    }
    return parts.reversed().flatMap(\.self).suffix(wanted)
  }

  /// Searches from the end, part by part.
  ///
  /// - Parameters:
  ///   - read: what to keep of a matching line.
  ///   - condition: receives what was kept of each part, the newest part first and each in log order;
  ///     returns false to stop.
  /// - Throws: damage, after what follows the damaged part was passed on.
  func runBackward<Found>(
    _ read: (
      _ window: RawSpan, _ windowOffset: Int, _ envelope: Envelope
    ) throws(LineFault) -> Found,
    while condition: (_ found: [Found]) -> Bool
  ) throws(LogError) {
    var found: [Found] = []
    var continues = true
    func endPart() {
      continues = condition(found)
      found = []
    }
    do throws(LogError) {
      var ranges = ranges(.newestFirst)
      while continues, let range = ranges.next() {
        try view.walkBackward(through: range) { (window, offset, envelope) throws(LineFault) in
          guard filter.matches(envelope, in: window) else { return }
          found.append(try read(window, offset, envelope))
        } while: { _ in
          endPart()
          return continues
        }
        if continues { endPart() }
      }
    } catch {
      // Only a pass from the start can number the damaged line.
      if case .damaged = error { try run { _, _ in true } }
      throw error
    }
  }
}

extension LogSearch.Place {
  fileprivate init(_ envelope: Envelope, windowOffset: Int) {
    self.init(
      seq: envelope.seq, offsetBytes: windowOffset + envelope.start,
      count: envelope.end - envelope.start)
  }
}

struct LogFilter {
  var from: Moment?
  var to: Moment?
  /// A type, or its part before the point.
  var type: String?
  var actor: Event.Actor?
  var entry: EntryID?
  var metric: MetricFilter?

  var takesAll: Bool {
    from == nil && to == nil && type == nil && actor == nil && entry == nil && metric == nil
  }

  /// Whether a match depends on more than the seq.
  var asksForTimeOrType: Bool {
    type != nil || metric != nil || from?.milliseconds != nil || to?.milliseconds != nil
  }

  var lastSeq: Int? { if case .seq(let seq) = to { seq.number } else { nil } }

  var firstSeq: Seq? { if case .seq(let seq) = from { seq } else { nil } }

  /// Ignores `entry`.
  func matches(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    if let from, !from.isReached(envelope, in: bytes) { return false }
    if let to, to.isPassed(envelope, in: bytes) { return false }
    if let actor, envelope.by != actor { return false }
    if let type, !isOfType(type, envelope, in: bytes) { return false }
    if let metric {
      guard MetricFilter.families.contains(where: { isOfType($0, envelope, in: bytes) }) else {
        return false
      }
      return metric.matches(bytes.extracting(envelope.start..<envelope.end), envelope)
    }
    return true
  }

  /// Whether a block can contain a match by time and type; ignores seqs and `entry`.
  func mayMatch() -> (LineBlock) -> Bool {
    let first = from.flatMap(\.milliseconds) ?? .min
    let last = to.flatMap(\.milliseconds) ?? .max
    var kinds = type.map { type in LineBlock.kinds { isOfType(type, $0.utf8) } } ?? .max
    if metric != nil {
      kinds &= LineBlock.kinds { name in
        MetricFilter.families.contains { isOfType($0, name.utf8) }
      }
    }
    return { $0.latestAt >= first && $0.earliestAt <= last && $0.kinds & kinds != 0 }
  }

  private func isOfType(_ type: String, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    bytes.extracting(envelope.type).withUnsafeBytes { isOfType(type, $0) }
  }

  private func isOfType(_ type: String, _ name: some Collection<UInt8>) -> Bool {
    guard name.starts(with: type.utf8) else { return false }
    let rest = name.dropFirst(type.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: ".")
  }

  /// All types of this version, and their families.
  static var knownTypes: [String] {
    let families = Set(EventKind.allCases.map { String($0.rawValue.prefix { $0 != "." }) })
    return families.sorted() + EventKind.allCases.map(\.rawValue)
  }

  /// `correction` is like `progress.corrected`.
  private static let charactersAlike = 5

  /// A spelling suggestion for an unknown type.
  var hint: String? {
    guard let type else { return nil }
    let known = Self.knownTypes
    guard !known.contains(type) else { return nil }
    if let metric = Metric(spoken: type) {
      return "\(quoted(type)) is a metric; its events: "
        + "'\(Program.name) log --metric \(metric.name)'"
    }
    if Event.Actor(rawValue: type) != nil {
      return "\(quoted(type)) is no type but who made events: '\(Program.name) log --by \(type)'"
    }
    var near = nearest(to: type, among: known)
    if near.isEmpty { near = known.filter { $0.contains(type.prefix(Self.charactersAlike)) } }
    return "no event type is known as \(quoted(type))"
      + (near.isEmpty ? "" : "; did you mean \(listed(near))?")
  }
}

/// Events of a metric's entries and goals.
struct MetricFilter {
  let metric: Metric
  /// Corrections and deletions name only the entry.
  let names: EntryNames

  /// The families of types that have such events.
  static let families = ["progress", "sleep", "goal"]

  func matches(_ line: RawSpan, _ envelope: Envelope) -> Bool {
    let bytes = line.withUnsafeBytes { Array($0) }
    guard let read = try? EventReader.read(bytes, line: envelope.seq, byte: 0)
    else { return false }
    return switch read.event.payload {
    case .progressLogged(let data): data.metric == metric
    case .progressPulled(let data): data.metric == metric
    case .progressCorrected(let data): names.metric(of: data.entry) == metric
    case .progressDeleted(let data): names.metric(of: data.entry) == metric
    case .goalSet(let data): data.metric == metric
    case .goalRemoved(let data): data.metric == metric
    case .sleepLogged, .sleepPulled, .sleepCorrected, .sleepDeleted: metric == .sleepHours
    default: false
    }
  }
}

extension Moment {
  /// Whether it is later than another one, as far as is known without the log.
  func isKnownAfter(_ other: Moment) -> Bool {
    switch (self, other) {
    case (.seq(let seq), .seq(let last)): seq > last
    case (.time(let time), .time(let last)): time > last
    case (.seq, .time), (.time, .seq): false
    }
  }

  fileprivate var milliseconds: Int64? {
    if case .time(let time) = self { time.millisecondsSince1970 } else { nil }
  }

  fileprivate func isReached(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch self {
    case .seq(let seq): envelope.seq >= seq.number
    case .time(let time): envelope.milliseconds(in: bytes) >= time.millisecondsSince1970
    }
  }

  fileprivate func isPassed(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch self {
    case .seq(let seq): envelope.seq > seq.number
    case .time(let time): envelope.milliseconds(in: bytes) > time.millisecondsSince1970
    }
  }
}

/// Finds the lines that concern an entry: its edits and the events that name them. The fold
/// supplies the candidates, so no other lines are read.
struct EntrySearch {
  let entry: EntryID
  /// Matches so far: answers refer to them by seq.
  private var found: Set<Int> = []

  init(_ entry: EntryID) {
    self.entry = entry
  }

  /// - Returns: the places of the matching lines, oldest first.
  mutating func places(_ filter: LogFilter, in ledger: ReadLedger) throws -> [LogSearch.Place] {
    let candidates = try ledger.ask { $0.mentions(ofEntry: entry) }
    var places: [LogSearch.Place] = []
    for seq in candidates.compactMap({ Seq(exactly: $0) }) {
      let line = try ledger.view.line(seq)
      guard concerns(try line.event()) else { continue }
      found.insert(seq.number)
      if line.withEnvelope(filter.matches) ?? false {
        places.append(.init(seq: line.seq, offsetBytes: line.offsetBytes, count: line.bytes.count))
      }
    }
    return places
  }

  /// Whether an event names the entry, or an event that does.
  private func concerns(_ recorded: RecordedEvent) -> Bool {
    switch recorded.event.payload {
    case .progressLogged(let data): data.entry == entry
    case .progressPulled(let data): data.entry == entry
    case .progressCorrected(let data): data.entry == entry
    case .progressDeleted(let data): data.entry == entry
    case .sleepLogged(let data): data.entry == entry
    case .sleepPulled(let data): data.entry == entry
    case .sleepCorrected(let data): data.entry == entry
    case .sleepDeleted(let data): data.entry == entry
    case .duplicateSuspected(let data): data.entry == entry
    case .syncAcknowledged(let data):
      touches(data.events) || data.events.isEmpty && data.entry == entry
    case .syncAttempted(let data): touches(data.events)
    case .syncDeferred(let data): touches(data.events)
    case .syncRejected(let data): touches(data.events)
    case .syncHeld(let data): touches(data.events)
    case .syncDiffered(let data): touches(data.events)
    case .duplicateResolved(let data): touches([data.suspicion])
    case .editUndone(let data): touches([data.event])
    case .eventErased(let data): touches([data.event])
    case .conflictDetected(let data): data.subject == entry.description
    case .conflictResolved(let data): touches([data.conflict])
    case .ledgerCreated, .goalSet, .goalRemoved, .profileUpdated, .physicalUpdated,
      .preferencesUpdated, .profilePulled,
      .rowSkipped, .accountSignedIn, .accountSignedOut, .accountReplaced, .logRepaired, .unknown,
      .erased:
      false
    }
  }

  private func touches(_ events: [Seq]) -> Bool { events.contains { found.contains($0.number) } }
}
