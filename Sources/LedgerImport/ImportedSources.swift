import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

/// The entries that earlier imports have logged, by source and source id, with their present state.
///
/// An entry stays known after a user's correction or deletion, so that importing its file again does
/// not undo it. An entry that sync deleted, because the backend no longer had it, is unknown, so that
/// importing restores it; so is one whose import was undone. A change that was undone counts as never
/// made.
struct ImportedSources {
  let entries: KnownEntries
  /// If requested, all entries by their own id.
  let entriesByID: EntryVersions
  private let sessions: ImportedSessions
  /// The quantities of all entries by metric.
  let usual: [Metric: QuantitySample]
  /// The days with entries of metrics that add up, but for those that were pulled.
  let days: SourceDays
  let byValue: EntriesByValue
  /// Where the ledger's hours of Apple's steps begin, in seconds past an hour of UTC.
  let hourOffsets: Set<Int64>
  /// The end of the log that was read.
  let position: ChainPosition

  /// Reads the log once and parses only lines of entries and sessions.
  ///
  /// - Parameter namesEntries: whether ``entriesByID`` is needed.
  /// - Throws: `LogError`; ``ImportError`` if a temporary file cannot be made.
  init(_ view: LogView, namesEntries: Bool) throws {
    let reader = try SourceReader(view, namesEntries: namesEntries)
    (usual, days, position) = (reader.usual, reader.days, reader.scan.position)
    hourOffsets = reader.hourOffsets
    let (changes, undone) = (reader.changes, reader.undone)
    byValue = EntriesByValue(rows: reader.values, changes: changes, undone: undone)
    entries = KnownEntries(try reader.logged.sorted(), changes: changes, undone: undone)
    entriesByID =
      try reader.ids.map {
        EntryVersions(try $0.sorted(), changes: changes, undone: undone)
      } ?? .none
    sessions = reader.sessions
  }

  /// - Throws: ``ImportError`` if the temporary file cannot be read.
  func entry(source: String, id: String) throws(ImportError) -> KnownEntries.Found? {
    try entries.entry(source: source, id: id)
  }

  func session(_ entry: EntryID) -> KnownSession? { sessions.session(entry) }

  func sessions(like session: SleepLogged) -> [KnownSession] { sessions.known(session) }

  func knows(_ edit: ProgressLogged) throws(ImportError) -> Bool {
    if try entriesByID.has(edit.entry) { return true }
    guard let source = edit.source, let id = edit.sourceID else { return false }
    return try entries.entry(source: source, id: id, like: edit.quantity) != nil
  }
}

/// Reads a log for its imported entries and sessions.
private struct SourceReader {
  let logged = ExternalSorter<KnownEntries.Logged>(capacity: 100_000)
  let ids: ExternalSorter<EntryVersions.Version>?
  private(set) var values = RecordSpool<EntriesByValue.Record>()
  private(set) var hourOffsets: Set<Int64> = []
  private(set) var changes: [EntryID: KnownEntries.Change] = [:]
  private(set) var undone: Set<Int> = []
  private var journal = EntryJournal()
  private var history = EditHistory()
  private(set) var sessions = ImportedSessions()
  private(set) var usual: [Metric: QuantitySample] = [:]
  private(set) var days = SourceDays()
  private(set) var scan = EventScan(checks: .form)
  private var samples = [QuantitySample](repeating: QuantitySample(), count: Metric.allCases.count)
  private var entryData = LoggedData()
  /// The event being read.
  private var seq = 0
  private var failure: ImportError?
  /// The last source and its hash: most entries have the same.
  private var lastSource: (text: [UInt8], hash: UInt64) = ([], 0)

  init(_ view: LogView, namesEntries: Bool) throws {
    ids = namesEntries ? ExternalSorter(capacity: 100_000) : nil
    var erasures = Erasures()
    var scan = scan
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try erasures.note(envelope, in: window, at: offset)
        try take(envelope, in: window)
      }
    }
    if let problem = erasures.problems.first { throw LogError.damaged(problem) }
    if let failure { throw failure }
    self.scan = scan
    let undone = history.undone
    self.undone = undone.events
    let copies = try copies(in: view)
    changes = journal.changes(without: undone, copies: copies)
    sessions.finish(without: undone, copies: copies)
    for metric in Metric.allCases { usual[metric] = samples[Int(metric.index)] }
  }

  /// What was logged again, if it may have been changed before.
  private func copies(
    in view: LogView
  ) throws(LogError) -> [(original: EntryID, copy: EntryID)] {
    guard journal.isTouched || sessions.hasChanges else { return [] }
    var found: [(original: EntryID, copy: EntryID)] = []
    for copy in history.copies {
      switch copy.original {
      case .entry(let entry): found.append((entry, copy.entry))
      case .logging(let seq):
        switch try view.line(Seq(seq)).event().event.payload {
        case .progressLogged(let data): found.append((data.entry, copy.entry))
        case .sleepLogged(let data): found.append((data.entry, copy.entry))
        default: break
        }
      }
    }
    return found
  }

  private mutating func take(_ envelope: Envelope, in window: RawSpan) throws(LineFault) {
    guard !envelope.isErased else { return }
    seq = envelope.seq
    let type = window.extracting(envelope.type)
    if type.isText("progress.logged") {
      let isRead = window.extracting(envelope.data).withUnsafeBytes { data in
        guard entryData.read(data) else { return false }
        let metric = entryData.metric
        let source = UnsafeRawBufferPointer(rebasing: data[entryData.source])
        let id = UnsafeRawBufferPointer(rebasing: data[entryData.sourceID])
        samples[Int(metric.index)].add(entryData.quantity, isDay: !entryData.hasTime)
        let date = entryData.date(in: data)
        note(metric, date, source, id)
        let moment: UInt32? =
          CSVSourceID.isOfRow(id, metric)
          ? date.map { KnownEntries.Logged.hash($0, entryData.moment(in: data)) } : nil
        if let ids, let date {
          let version = EntryVersions.Version(
            entryData.entry, entryData.quantity, date, entryData.moment(in: data),
            notes: entryData.notes(in: data), order: seq)
          note(version, in: ids)
        }
        note(entryData.entry, entryData.quantity, moment ?? 0, source, id)
        if !metric.addsUp, let date {
          note(
            value: entryData.quantity, of: metric, entryData.entry, date,
            entryData.moment(in: data), entryData.notes(in: data),
            source.isEmpty ? .typed : .imported)
        }
        return true
      }
      if isRead { return }
    } else if !type.isText("progress.pulled"), !type.isText("progress.corrected"),
      !type.isText("progress.deleted"), !type.isPrefixed("sleep."), !type.isText("edit.undone"),
      ids == nil || !type.isText("event.erased")
    {
      return
    }
    try take(EventReader.payload(envelope, in: window), by: envelope.by)
  }

  private mutating func take(_ payload: Event.Payload, by author: Event.Actor) {
    switch payload {
    case .progressLogged(let data):
      if payload.undone != nil { history.note(payload, by: author, at: seq) }
      samples[Int(data.metric.index)].add(data.quantity, isDay: data.moment == nil)
      noteVersion { [seq] in
        EntryVersions.Version(
          data.entry.uuid, data.quantity, data.date, data.moment, notes: data.notes, order: seq)
      }
      var (source, id) = (data.source ?? "", data.sourceID ?? "")
      source.withUTF8 { source in
        id.withUTF8 { id in
          note(
            data.metric, data.date, UnsafeRawBufferPointer(source), UnsafeRawBufferPointer(id))
          note(
            data.entry.uuid, data.quantity, KnownEntries.Logged.hash(data.date, data.moment),
            UnsafeRawBufferPointer(source), UnsafeRawBufferPointer(id))
        }
      }
      guard !data.metric.addsUp else { return }
      note(
        value: data.quantity, of: data.metric, data.entry.uuid, data.date, data.moment, data.notes,
        data.source == nil ? .typed : .imported)
    case .progressCorrected(let data):
      noteVersion { [seq] in EntryVersions.Version(data, order: seq) }
      let edit = history.note(payload, by: author, at: seq)
      guard edit.undoes == nil else { return }
      let change: KnownEntries.Change =
        switch (edit.author, data.quantity) {
        case (.import, let quantity?): .grown(quantity)
        case (.sync, let quantity?): .resent(quantity)
        default: .touched
        }
      journal.note(change, of: data.entry, at: seq)
    case .progressDeleted(let data):
      let edit = history.note(payload, by: author, at: seq)
      let change: KnownEntries.Change =
        author == .sync ? .deletedBySync : edit.undoes == nil ? .deleted : .undone
      journal.note(change, of: data.entry, at: seq)
    case .editUndone: history.note(payload, by: author, at: seq)
    case .progressPulled(let data):
      noteVersion { [seq] in
        EntryVersions.Version(
          data.entry.uuid, data.quantity, data.date, data.moment, notes: data.notes, order: seq)
      }
      note(
        value: data.quantity, of: data.metric, data.entry.uuid, data.date, data.moment, data.notes,
        .pulled)
    case .eventErased(let data):
      guard let entry = data.entry else { return }
      noteVersion { [seq] in EntryVersions.Version(erased: entry.uuid, order: seq) }
    case let other:
      sessions.take(other, history.note(other, by: author, at: seq), at: seq)
    }
  }

  private mutating func note(
    _ entry: LedgerUUID, _ quantity: Double, _ moment: UInt32,
    _ source: UnsafeRawBufferPointer, _ id: UnsafeRawBufferPointer
  ) {
    journal.noteLogging(of: EntryID(entry), at: seq)
    guard !source.isEmpty, !id.isEmpty else { return }
    let name = SourceName(source: hash(of: source), id: id)
    note(
      KnownEntries.Logged(
        id: name.id, origin: name.origin, entry: entry, quantity: quantity, order: seq,
        moment: moment),
      in: logged)
  }

  /// - Parameter version: called only if the file names entries.
  private mutating func noteVersion(_ version: () -> EntryVersions.Version?) {
    guard let ids, let version = version() else { return }
    note(version, in: ids)
  }

  private mutating func note(
    value quantity: Double, of metric: Metric, _ entry: LedgerUUID, _ date: CalendarDate,
    _ moment: ZonedTime?, _ notes: String?, _ origin: EntriesByValue.Record.Origin
  ) {
    let record = EntriesByValue.Record(
      metric, quantity, date, moment, notes, entry: entry, place: seq, origin)
    guard failure == nil else { return }
    do throws(ImportError) { try values.append(record) } catch { failure = error }
  }

  private mutating func note<Record>(_ record: Record, in sorter: ExternalSorter<Record>) {
    guard failure == nil else { return }
    do throws(ImportError) { try sorter.append(record) } catch { failure = error }
  }
}

extension SourceReader {
  /// Notes the day of an entry, and how its hour was cut.
  private mutating func note(
    _ metric: Metric, _ date: CalendarDate?, _ source: UnsafeRawBufferPointer,
    _ id: UnsafeRawBufferPointer
  ) {
    guard metric.addsUp else { return }
    days.note(metric, date, Series(source: hash(of: source), id: id, of: metric))
    guard metric == .steps, id.starts(with: AppleResultBuilder.hourPrefix.utf8),
      let offset = AppleResultBuilder.hourOffset(ofID: id)
    else { return }
    hourOffsets.insert(offset)
  }

  private mutating func hash(of source: UnsafeRawBufferPointer) -> UInt64 {
    if !source.elementsEqual(lastSource.text) {
      lastSource = (Array(source), TextHash.short(source))
    }
    return lastSource.hash
  }
}

extension RawSpan {
  func isText(_ text: String) -> Bool {
    withUnsafeBytes { $0.elementsEqual(text.utf8) }
  }

  fileprivate func isPrefixed(_ text: String) -> Bool {
    withUnsafeBytes { $0.starts(with: text.utf8) }
  }
}

/// The members of a logged entry that imports compare, read from the bytes of its data.
struct LoggedData {
  var entry = LedgerUUID(high: 0, low: 0)
  var quantity = 0.0
  var metric = Metric.weight
  private var date = 0..<0
  /// The texts without their quotes; empty for none.
  private(set) var source = 0..<0
  private(set) var sourceID = 0..<0
  private var time = 0..<0
  private var zone = 0..<0
  private var notes = 0..<0
  private var metricName: [UInt8] = Array(Metric.weight.name.utf8)

  /// - Returns: false for data with escapes or values that a plain entry does not have.
  mutating func read(_ data: UnsafeRawBufferPointer) -> Bool {
    guard let base = data.baseAddress, data.count > 2, memchr(base, 0x5C, data.count) == nil else {
      return false
    }
    (source, sourceID, date) = (0..<0, 0..<0, 0..<0)
    (time, zone, notes) = (0..<0, 0..<0, 0..<0)
    var place = 1
    var found = 0
    while place < data.count {
      guard let name = Self.text(data, &place), place < data.count, data[place] == 0x3A else {
        return false
      }
      place += 1
      guard place < data.count else { return false }
      if data[place] == UInt8(ascii: "\"") {
        guard let value = Self.text(data, &place) else { return false }
        if Self.equal(data, name, "entry") {
          guard value.count == 36, let id = Self.uuid(data, value.lowerBound) else { return false }
          entry = id
          found |= 1
        } else if Self.equal(data, name, "metric") {
          guard take(metric: data[value]) else { return false }
          found |= 2
        } else if Self.equal(data, name, "date") {
          date = value
        } else if Self.equal(data, name, "time") {
          time = value
        } else if Self.equal(data, name, "zone") {
          zone = value
        } else if Self.equal(data, name, "notes") {
          notes = value
        } else if Self.equal(data, name, "source") {
          source = value
        } else if Self.equal(data, name, "source_id") {
          sourceID = value
        }
      } else {
        let start = place
        while place < data.count, data[place] != 0x2C, data[place] != 0x7D { place += 1 }
        let number = UnsafeRawBufferPointer(rebasing: data[start..<place])
        guard Self.equal(data, name, "quantity"), let value = PlainNumber.value(number) else {
          return false
        }
        quantity = value
        found |= 4
      }
      guard place < data.count else { return false }
      if data[place] == 0x7D { return found == 7 && place + 1 == data.count }
      guard data[place] == 0x2C else { return false }
      place += 1
    }
    return false
  }

  /// The day in data that was read; `nil` for none.
  func date(in data: UnsafeRawBufferPointer) -> CalendarDate? {
    guard date.count == 10 else { return nil }
    func number(_ range: Range<Int>) -> Int {
      range.reduce(0) { $0 * 10 + Int(data[date.lowerBound + $1] & 15) }
    }
    return CalendarDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
  }

  var hasTime: Bool { !time.isEmpty }

  /// The moment in data that was read; `nil` for none.
  func moment(in data: UnsafeRawBufferPointer) -> ZonedTime? {
    guard time.count == 8,
      let time = PlainMoment.time(UnsafeRawBufferPointer(rebasing: data[time])),
      let zone = PlainMoment.zone(UnsafeRawBufferPointer(rebasing: data[zone]))
    else { return nil }
    return ZonedTime(time: time, zone: zone)
  }

  /// The notes in data that was read; `nil` for none.
  func notes(in data: UnsafeRawBufferPointer) -> String? {
    notes.isEmpty ? nil : String(decoding: data[notes], as: UTF8.self)
  }

  /// The text in quotes at a place, which moves past it.
  private static func text(_ data: UnsafeRawBufferPointer, _ place: inout Int) -> Range<Int>? {
    guard place < data.count, data[place] == UInt8(ascii: "\"") else { return nil }
    let start = place + 1
    guard start < data.count, let base = data.baseAddress,
      let end = memchr(base + start, 0x22, data.count - start)
    else { return nil }
    let stop = base.distance(to: UnsafeRawPointer(end))
    place = stop + 1
    return start..<stop
  }

  private static func equal(
    _ data: UnsafeRawBufferPointer, _ range: Range<Int>, _ name: StaticString
  ) -> Bool {
    guard let base = data.baseAddress else { return false }
    return range.count == name.utf8CodeUnitCount
      && memcmp(base + range.lowerBound, name.utf8Start, range.count) == 0
  }

  private mutating func take(metric name: Slice<UnsafeRawBufferPointer>) -> Bool {
    if name.elementsEqual(metricName) { return true }
    guard let found = Metric(name: String(decoding: name, as: UTF8.self)) else { return false }
    (metric, metricName) = (found, Array(name))
    return true
  }

  private static func uuid(_ data: UnsafeRawBufferPointer, _ start: Int) -> LedgerUUID? {
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for place in start..<start + 36 {
      let byte = data[place]
      if byte == UInt8(ascii: "-") { continue }
      let digit: UInt64
      switch byte {
      case 0x30...0x39: digit = UInt64(byte - 0x30)
      case 0x61...0x66: digit = UInt64(byte - 0x57)
      default: return nil
      }
      if digits < 16 {
        halves.0 = halves.0 << 4 | digit
      } else {
        halves.1 = halves.1 << 4 | digit
      }
      digits += 1
    }
    return digits == 32 ? LedgerUUID(high: halves.0, low: halves.1) : nil
  }
}
