import LedgerJSON
import LedgerModel

/// Collects drafts and decides, once all rows are read, which become entries.
///
/// Rows with the same source id, quantity and notes are one measurement and count once. If quantity
/// or notes differ, all of them are reported and none is imported. Memory is bounded: drafts are
/// compared by sorted keys, which name them by their place.
struct EntryCollector {
  var result = ImportResult()
  /// What the caller can state about different quantities of one moment; `nil` for nothing.
  var question: ImportQuestion?
  /// The column of offsets, in words, that tells equal local times apart; `nil` if none is read.
  var offsets: String?
  private let context: ImportContext
  private let keys: ExternalSorter<Key>
  private let verdicts: ExternalSorter<Verdict>
  /// Keys of drafts under ``EntryDraft/otherSourceID``.
  private let others: ExternalSorter<Key>
  private var names = NameTable()
  /// The last source and its hash: most drafts have the same.
  private var lastSource = (text: "", hash: TextHash.short(""))
  private var failure: ImportError?
  /// The places of sums of several drafts.
  private var sums = Bitmap()
  private var totals = TotalRows()

  /// What tells whether a draft is an entry.
  private struct Key: SortedRecord {
    var id: TextHash
    var origin: SourceName.Origin
    var place: Int
    var quantity: Double
    var notes: UInt64
    var row: UInt32
    var day: Int32
    var moment: UInt32
    var name: UInt16
    var metric: UInt8
    var sameMoment: UInt8
    /// Whether the row says no offset.
    var isLocal: Bool
    /// Whether a later file may have more of it.
    var grows: Bool

    static func isBefore(_ left: Key, _ right: Key) -> Bool {
      left.id == right.id ? left.place < right.place : left.id < right.id
    }
  }

  /// What becomes of a draft that is no new entry as it is.
  private struct Verdict: SortedRecord {
    enum Kind: UInt8 { case repeats, contradicts, differs, sum, grown }

    var place: Int
    /// The draft's sum, or the quantity in the ledger.
    var quantity = 0.0
    /// The sum in the ledger.
    var known = 0.0
    /// The event that logged the entry in the ledger.
    var seq = 0
    var entry = LedgerUUID(high: 0, low: 0)
    var row: UInt32
    var name: UInt16
    var kind: UInt8
    /// Whether the parts of a sum have different notes.
    var dropsNotes = false
    var isLocal: Bool
    /// The first rows that are concerned, and their number.
    var rows: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
    var rowCount: UInt32 = 0

    init(_ key: Key, _ kind: Kind) {
      (place, row, name, self.kind) = (key.place, key.row, key.name, kind.rawValue)
      isLocal = key.isLocal
    }

    static func isBefore(_ left: Verdict, _ right: Verdict) -> Bool { left.place < right.place }
  }

  /// - Parameter heldKeys: those that are sorted at once.
  init(_ context: ImportContext, heldKeys: Int = 100_000) {
    self.context = context
    (keys, verdicts) = (ExternalSorter(capacity: heldKeys), ExternalSorter(capacity: heldKeys))
    others = ExternalSorter(capacity: heldKeys)
  }

  /// - Returns: whether the draft is an entry; if not, it is reported.
  @discardableResult
  mutating func add(_ draft: EntryDraft) -> Bool {
    guard failure == nil else { return false }
    do throws(Refusal) {
      let entry = try draft.decided(context)
      do throws(ImportError) {
        try add(draft, entry)
      } catch {
        failure = error
      }
      return failure == nil
    } catch {
      report(error, draft)
      return false
    }
  }

  private mutating func report(_ refusal: Refusal, _ draft: EntryDraft) {
    do throws(ImportError) {
      let words = try QuantityWords(units: context.unitSystem())
      var problem = draft.problem(
        "\(draft.column): \(words.words(refusal, draft.quantity, of: draft.metric, in: draft.unit))"
      )
      problem.kind = refusal.kind(of: draft.metric, in: draft.column)
      result.report(problem)
    } catch {
      failure = error
    }
  }

  private mutating func add(_ draft: EntryDraft, _ entry: ProgressLogged) throws(ImportError) {
    let name = SourceName(source: hash(of: draft.source), id: draft.sourceID)
    var key = Key(
      id: name.id, origin: name.origin,
      place: result.entries.append(entry), quantity: entry.quantity,
      notes: entry.notes.map { TextHash.short($0) } ?? 0, row: UInt32(clamping: draft.row),
      day: entry.date.daysSince1970,
      moment: KnownEntries.Logged.hash(entry.date, entry.moment),
      name: names.index(.init(file: draft.file, column: draft.column, unit: draft.unit)),
      metric: draft.metric.index,
      sameMoment: draft.sameMoment.index, isLocal: draft.zone == nil,
      grows: draft.sameMoment == .sum || entry.isTotalOfDay)
    try keys.append(key)
    totals.add(draft, place: key.place)
    guard let other = draft.otherSourceID else { return }
    let otherName = SourceName(source: hash(of: draft.source), id: other)
    (key.id, key.origin) = (otherName.id, otherName.origin)
    try others.append(key)
  }

  private mutating func hash(of source: String) -> UInt64 {
    if source != lastSource.text { lastSource = (source, TextHash.short(source)) }
    return lastSource.hash
  }

  consuming func finish() throws(ImportError) -> ImportResult {
    if let failure { throw failure }
    let dropped = totals.drop(from: &result)
    var known = try context.index().matcher()
    var group: [Key] = []
    try keys.visit { key throws(ImportError) in
      if dropped.contains(key.place) { return }
      if let first = group.first, first.id != key.id {
        try settle(group, &known)
        group.removeAll(keepingCapacity: true)
      }
      group.append(key)
    }
    if !group.isEmpty { try settle(group, &known) }
    if !verdicts.isEmpty { try applyVerdicts() }
    try dropOthers()
    if let (first, second) = known.doubled {
      result.notes.append(
        "the ledger has \(known.doubledCount == 1 ? "1 value" : "\(known.doubledCount) values") of "
          + "this import twice, the first by events \(first) and \(second); delete one of them")
    }
    result.problems.sort()
    result.duplicates.sort()
    return result
  }

  /// Decides about the drafts of one source id.
  private mutating func settle(
    _ group: [Key], _ matcher: inout KnownEntries.Matcher
  ) throws(ImportError) {
    let first = group[0]
    let rule = CSVRules.SameMoment(index: first.sameMoment)
    var sum = Verdict(first, .sum)
    (sum.quantity, sum.rowCount) = (first.quantity, 1)
    var contradictions: [Key] = []
    for key in group.dropFirst() {
      if rule == .sum {
        remove(key)
        sum.quantity = JSONNumber.writable(sum.quantity + key.quantity) ?? sum.quantity
        if key.notes != first.notes { sum.dropsNotes = true }
        if key.row != first.row { sum.rowCount += 1 }
      } else if rule == .first || (first.quantity == key.quantity && first.notes == key.notes) {
        var verdict = Verdict(key, .repeats)
        verdict.rows.0 = first.row
        try verdicts.append(verdict)
      } else {
        contradictions.append(key)
      }
    }
    if !contradictions.isEmpty { return try report([first] + contradictions) }
    let metric = Metric(index: first.metric) ?? .weight
    // A sum out of range is reported, whatever the ledger has.
    let found =
      rule == .sum && !metric.accepts(sum.quantity)
      ? nil : try matcher.entry(first.origin, id: first.id, like: sum.quantity)
    guard let found else {
      if group.count > 1, rule == .sum { try verdicts.append(sum) }
      return
    }
    let known = found.entry
    // A total of a day that is smaller than it ever was is another value, not an older one.
    let isOther = rule != .sum && !known.isTouched && sum.quantity < found.loggedQuantity
    if found.loggedQuantity == sum.quantity
      || found.loggedQuantity.isHundredths(of: sum.quantity)
      || sum.quantity.isHundredths(of: found.loggedQuantity)
    {
      countKnown(first, metric)
    } else if first.grows, !isOther {
      // A sum that has grown corrects the entry, unless a person has changed it.
      guard !known.isTouched, sum.quantity > known.quantity else {
        if !known.isTouched, sum.quantity < known.quantity,
          let date = CalendarDate(daysSince1970: Int(first.day))
        {
          result.smallerSums[metric, default: SmallerSums()].add(date)
        }
        return countKnown(first, metric)
      }
      var verdict = Verdict(first, .grown)
      (verdict.quantity, verdict.entry) = (sum.quantity, known.entry.uuid)
      verdict.known = known.quantity
      try verdicts.append(verdict)
    } else if known.isTouched {
      // What a person made of it stays, whatever the file has now.
      countKnown(first, metric)
    } else {
      var verdict = Verdict(first, .differs)
      (verdict.quantity, verdict.seq) = (found.loggedQuantity, found.seq)
      try verdicts.append(verdict)
    }
  }

  /// Counts a draft as known if the ledger has an entry with its other id and the same quantity. Each
  /// entry of the ledger matches one draft.
  private mutating func dropOthers() throws(ImportError) {
    guard !others.isEmpty else { return }
    var known = try context.index().matcher()
    var matched: EntryID?
    var last: (id: TextHash, found: KnownEntries.Found?)?
    try others.visit { key throws(ImportError) in
      if last?.id != key.id {
        last = (key.id, try known.entry(key.origin, id: key.id, like: key.quantity))
      }
      guard let found = last?.found, found.entry.entry != matched,
        [found.loggedQuantity, found.entry.quantity].contains(where: {
          $0 == key.quantity || $0.isHundredths(of: key.quantity)
            || key.quantity.isHundredths(of: $0)
        }),
        found.entry.isOf(key.moment), !sums.contains(key.place),
        result.entries.remove(key.place, Metric(index: key.metric) ?? .weight)
      else { return }
      matched = found.entry.entry
      result.knownEntries[Metric(index: key.metric) ?? .weight, default: 0] += 1
    }
  }

  private mutating func remove(_ key: Key) {
    result.entries.remove(key.place, Metric(index: key.metric) ?? .weight)
  }

  private mutating func countKnown(_ key: Key, _ metric: Metric) {
    result.knownEntries[metric, default: 0] += 1
    remove(key)
  }

  private mutating func report(_ contradictions: [Key]) throws(ImportError) {
    var rows: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &rows) { bytes in
      let rows = bytes.assumingMemoryBound(to: UInt32.self)
      for (index, key) in contradictions.prefix(rows.count).enumerated() { rows[index] = key.row }
    }
    for key in contradictions {
      var verdict = Verdict(key, .contradicts)
      (verdict.rows, verdict.rowCount) = (rows, UInt32(contradictions.count))
      try verdicts.append(verdict)
    }
  }

  /// Applies the verdicts in file order, with what the entries say.
  private mutating func applyVerdicts() throws(ImportError) {
    var cursor = result.entries.cursor()
    try verdicts.visit { verdict throws(ImportError) in
      var entry: ProgressLogged?
      while cursor.place < verdict.place, let next = try cursor.next() { entry = next }
      guard let entry, let kind = Verdict.Kind(rawValue: verdict.kind) else { return }
      let (file, column, unit) = names[verdict.name]
      func problem(
        _ reason: String, kind: String = "", asking question: ImportQuestion? = nil
      ) -> RowProblem {
        var problem = RowProblem(file: file, row: Int(verdict.row), reason: reason)
        (problem.kind, problem.question) = (kind, question)
        return problem
      }
      if kind == .sum {
        var whole = entry
        whole.quantity = verdict.quantity
        do throws(Refusal) {
          _ = try decide(.logProgress(whole), given: NoFacts(), today: whole.date)
        } catch {
          let words = try QuantityWords(units: context.unitSystem())
          result.report(
            problem(
              "\(column): \(words.words(error, verdict.quantity, of: entry.metric, in: unit))",
              kind: error.kind(of: entry.metric, in: column)))
          result.entries.remove(verdict.place, entry.metric)
          return
        }
        if verdict.rowCount > 1 { result.summed += 1 }
        sums.insert(verdict.place)
        return try result.entries.change(
          cursor, quantity: verdict.quantity, dropsNotes: verdict.dropsNotes)
      }
      result.entries.remove(verdict.place, entry.metric)
      switch kind {
      case .sum: break
      case .repeats:
        result.reportDuplicate(
          problem(
            "the same \(entry.metric.name) of the same moment as in row \(verdict.rows.0); counted "
              + "once"))
      case .contradicts:
        let words = try QuantityWords(units: context.unitSystem())
        result.report(
          problem(
            contradiction(
              entry, verdict, words.words(entry.quantity, of: entry.metric, in: unit)),
            kind: "\(entry.metric.name) has different values for one moment",
            asking: repetition(of: entry, verdict) == nil ? question : nil))
      case .differs:
        let words = try QuantityWords(units: context.unitSystem())
        result.report(
          problem(
            "\(column) is \(words.words(entry.quantity, of: entry.metric, in: unit)), but event "
              + "\(verdict.seq) logged \(words.words(verdict.quantity, of: entry.metric)) for this "
              + "moment; correct its entry if that is wrong",
            kind: "the ledger has another value of \(entry.metric.name) for this moment"))
      case .grown:
        result.growths.append(
          GrownSum(
            entry: EntryID(verdict.entry), metric: entry.metric, quantity: verdict.quantity,
            source: entry.source ?? "", sourceID: entry.sourceID ?? "", known: verdict.known,
            date: entry.date, moment: entry.moment))
      }
    }
  }

  private func contradiction(
    _ entry: ProgressLogged, _ verdict: Verdict, _ quantity: String
  ) -> String {
    let count = Int(verdict.rowCount)
    let rows = withUnsafeBytes(of: verdict.rows) {
      $0.assumingMemoryBound(to: UInt32.self).prefix(count).map { "\($0)" }
    }
    let more = count > rows.count ? " and \(count - rows.count) more" : ""
    let moment = entry.moment.map { "\(entry.date) \($0.time)" } ?? "\(entry.date)"
    return "rows \(rows.joined(separator: ", "))\(more) give \(entry.metric.name) of \(moment) "
      + "different values; this one says \(quantity)"
      + (entry.moment == nil ? ", and no row says a time" : "")
      + (repetition(of: entry, verdict) ?? "")
  }

  /// How to tell two rows apart whose local time came twice on its day; `nil` for others.
  private func repetition(of entry: ProgressLogged, _ verdict: Verdict) -> String? {
    guard let offsets, verdict.isLocal, let moment = entry.moment,
      case .repeated(let later)? = LocalZone.ClockChange(
        at: moment.time, on: entry.date, to: context.zone(.midnight, entry.date.adding(days: 1)),
        context.zone)
    else { return nil }
    return "; the time came twice on that day, so give each row its offset, \(moment.zone) or "
      + "\(later), in \(offsets)"
  }
}

/// Numbers the files and columns of drafts; there are few.
private struct NameTable {
  struct Name: Hashable {
    var file: String
    var column: String
    var unit: String?
  }

  private var names: [Name] = []

  mutating func index(_ name: Name) -> UInt16 {
    // Columns differ more often than files.
    if let place = names.firstIndex(where: {
      $0.column == name.column && $0.unit == name.unit && $0.file == name.file
    }) {
      return UInt16(place)
    }
    // Beyond the limit all names share the last number.
    guard names.count < UInt16.max else { return UInt16.max - 1 }
    names.append(name)
    return UInt16(names.count - 1)
  }

  subscript(_ index: UInt16) -> (file: String, column: String, unit: String?) {
    let name = names[Int(index)]
    return (name.file, name.column, name.unit)
  }
}

extension Refusal {
  /// The reason without the row's values, by which problems are counted.
  func kind(of metric: Metric, in column: String) -> String {
    guard field == "quantity" else { return "the \(field ?? "row") does not fit" }
    return switch reason {
    case .malformed: "\(column) is not a number"
    case .outOfRange: "\(column) is outside the range of \(metric.name)"
    default: "\(column) does not fit \(metric.name)"
    }
  }
}

extension CSVRules.SameMoment {
  fileprivate var index: UInt8 {
    switch self {
    case .refuse: 0
    case .sum: 1
    case .first: 2
    }
  }

  fileprivate init(index: UInt8) { self = index == 1 ? .sum : index == 2 ? .first : .refuse }
}

enum CellQuantity {
  /// - Parameters:
  ///   - text: trimmed and not empty.
  ///   - unit: the column's unit; `nil` for the metric's own.
  static func read(
    _ text: String, unit: String? = nil, for metric: Metric, in column: String
  ) throws(RowFault) -> Double {
    let named = "\(column) is \(quoted(text))"
    guard text.utf8.count <= 64 else { throw RowFault("\(named); that is not a number") }
    guard !text.utf8.contains(UInt8(ascii: ",")) else {
      throw RowFault(
        "\(named); a comma can mark decimals or thousands, so write the number with a "
          + "point for decimals and no other mark")
    }
    guard !hasTooManyDigits(text) else {
      throw RowFault("\(named); a ledger keeps at most \(JSONNumber.mostDigits) significant digits")
    }
    do {
      return try Quantity.parse(text + (unit ?? ""), for: metric)
    } catch {
      throw RowFault("\(column): \(error)")
    }
  }

  private static func hasTooManyDigits(_ text: String) -> Bool {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text, rules: .log)
      return false
    } catch {
      return error.reason == .tooManyDigits
    }
  }
}
