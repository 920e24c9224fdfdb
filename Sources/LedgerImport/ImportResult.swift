public import LedgerModel

/// The edits that files yield, and an account of every row that yields none.
public struct ImportResult: Sendable {
  /// The limit on listed problems, and on listed duplicates.
  package static let listedAtMost = 100_000

  /// New entries in file order, each accepted by the ledger's rules. Holds all of them in memory; an
  /// import itself does not.
  public var edits: [ProgressLogged] { (try? entries.all()) ?? [] }
  /// The same, however many there are.
  package var entries = ImportedEntries()
  /// Entries and sessions that the ledger already has.
  public var known: Int { knownEntries.values.reduce(0, +) + knownSessions }
  /// Entries that the ledger had already, by metric.
  public var knownEntries: [Metric: Int] = [:]
  /// Rows that repeat an earlier row; counted once.
  public var duplicates: [RowProblem] = []
  /// Rows, or single cells, that were not imported and need the user's attention.
  public var problems: [RowProblem] = []
  /// Problems and duplicates beyond the listed ones.
  public var unlistedProblems = 0
  /// Entries that are the sum of several rows.
  package var summed = 0
  /// The number of duplicates beyond ``duplicates``.
  public var unlistedDuplicates = 0
  /// Corrections of earlier entries whose sums have grown.
  public var growths: [GrownSum] = []
  /// New sleep sessions, each accepted by the ledger's rules.
  public var sessions: [SleepLogged] = []
  /// Sleep sessions that the ledger already has.
  public var knownSessions = 0
  /// Corrections of earlier sessions that have grown.
  public var grownSessions: [GrownSession] = []
  /// The person's data; fills only fields that have never been set.
  public var profile = ImportedProfile()
  /// Unsupported content, by type and reason; needs no attention.
  public var skipped = SkipTally()
  /// The problems, by type and reason.
  public var leftOut = SkipTally()
  /// Known sums that are smaller in the file, and stay, by metric.
  var smallerSums: [Metric: SmallerSums] = [:]
  /// What an importer itself found that a person should look at: one sentence each, with numbers.
  var warnings: [String] = []
  /// A column that may name people, with one of its values; `nil` for none.
  package var people: (column: String, value: String)?
  /// Days of metrics that add up on which another source has entries.
  var sharedDays: [SharedDays] = []
  /// The day on which the file was written, as it says itself.
  package var exportedOn: CalendarDate?
  /// Rows read, including those skipped by a filter.
  public var rows = 0
  /// Rows of other persons, or excluded by a condition.
  public var skippedByFilter = 0
  /// Sentences for the summary, such as what proved the dates and which files were missing.
  public var notes: [String] = []

  /// New entries per metric, in the metrics' order.
  public var counts: [(metric: Metric, entries: Int)] {
    Metric.allCases.map { ($0, entries.count(of: $0)) }.filter { $0.1 > 0 }
  }

  /// Adds what another file of the same import contained.
  mutating func add(_ other: ImportResult) throws(ImportError) {
    var cursor = other.entries.cursor()
    while let entry = try cursor.next() { entries.append(entry) }
    knownEntries.merge(other.knownEntries, uniquingKeysWith: +)
    for duplicate in other.duplicates { reportDuplicate(duplicate) }
    for problem in other.problems { report(problem) }
    unlistedProblems += other.unlistedProblems
    unlistedDuplicates += other.unlistedDuplicates
    summed += other.summed
    growths += other.growths
    smallerSums.merge(other.smallerSums) { $0.merging($1) }
    warnings += other.warnings
    people = people ?? other.people
    sessions += other.sessions
    knownSessions += other.knownSessions
    grownSessions += other.grownSessions
    for line in other.skipped.lines { skipped.add(line.type, line.reason, line.count) }
    for line in other.leftOut.lines { leftOut.add(line.type, line.reason, line.count) }
    rows += other.rows
    skippedByFilter += other.skippedByFilter
    notes += other.notes
  }

  /// Reports a problem and counts it under its type and a short reason.
  mutating func report(_ problem: RowProblem, type: String, as reason: String) {
    leftOut.add(type, reason)
    report(problem)
  }

  mutating func report(_ problem: RowProblem) {
    if problems.count < Self.listedAtMost {
      problems.append(problem)
    } else {
      unlistedProblems += 1
    }
  }

  mutating func reportDuplicate(_ duplicate: RowProblem) {
    if duplicates.count < Self.listedAtMost {
      duplicates.append(duplicate)
    } else {
      unlistedDuplicates += 1
    }
  }
}

/// Known sums of a metric that are smaller in a file.
struct SmallerSums: Hashable, Sendable {
  private(set) var count = 0
  private(set) var days: Set<CalendarDate> = []

  mutating func add(_ date: CalendarDate) {
    count += 1
    days.insert(date)
  }

  /// Whether one of them is of the day before or after.
  func isBeside(_ date: CalendarDate) -> Bool {
    days.contains(date.adding(days: -1)) || days.contains(date.adding(days: 1))
  }

  func merging(_ other: SmallerSums) -> SmallerSums {
    var merged = self
    merged.count += other.count
    merged.days.formUnion(other.days)
    return merged
  }
}

/// A sum that has grown since an earlier import: an export made at noon has half of the day.
public struct GrownSum: Hashable, Sendable {
  /// The entry to correct.
  public var entry: EntryID
  /// The entry's metric.
  public var metric: Metric
  /// The new sum, in the metric's unit.
  public var quantity: Double
  /// The entry's source.
  public var source: String
  /// The entry's id there.
  public var sourceID: String
  /// The sum before.
  package var known = 0.0
  package var date: CalendarDate
  /// `nil` for a whole day, and for an entry that was pulled.
  package var moment: ZonedTime?
}

/// The profile fields in a file.
public struct ImportedProfile: Hashable, Sendable {
  /// 1 to 100 characters.
  public var name: String?
  /// At most 500 characters.
  public var bio: String?
  /// The units for display.
  public var unitSystem: UnitSystem?
  /// A BCP 47 tag.
  public var languageCode: String?
  /// As in ``PhysicalUpdated``.
  public var biologicalSex: BiologicalSex?
  /// In centimeters.
  public var heightCM: Double?
  /// As in ``PhysicalUpdated``.
  public var dateOfBirth: CalendarDate?
  /// As in ``PreferencesUpdated``.
  public var allergies: [String]?
  /// As in ``PreferencesUpdated``.
  public var dietaryRestrictions: [String]?
  /// As in ``PreferencesUpdated``.
  public var foodDislikes: [String]?
}

/// Counts unsupported or unusable content by type and reason.
public struct SkipTally: Sendable {
  /// How many records of a type were skipped for one reason.
  public struct Line: Hashable, Sendable {
    /// A record type, metric or member, as named in the source.
    public var type: String
    /// Why they were skipped: one sentence.
    public var reason: String
    /// The number of records.
    public var count: Int
  }

  private struct Key: Hashable {
    var type: String
    var reason: String
  }

  /// A hostile file may invent any number of types.
  static let typesAtMost = 1000
  static let otherTypes = "other types"

  private var counts: [Key: Int] = [:]

  mutating func add(_ type: String, _ reason: String, _ count: Int = 1) {
    var key = Key(type: String(type.prefix(100)), reason: reason)
    if counts.count >= Self.typesAtMost, counts[key] == nil { key.type = Self.otherTypes }
    counts[key, default: 0] += count
  }

  /// Most frequent first.
  public var lines: [Line] {
    counts.map { Line(type: $0.key.type, reason: $0.key.reason, count: $0.value) }
      .sorted { (-$0.count, $0.type, $0.reason) < (-$1.count, $1.type, $1.reason) }
  }
}

/// Why a whole file was not imported.
public struct ImportError: LedgerError, Hashable, Sendable {
  /// The causes that a caller can tell apart.
  public enum Kind: Hashable, Sendable {
    /// The system cannot open or read it.
    case unreadable
    /// It is not what the caller expects: missing column, other format, invalid pattern.
    case unfit
  }

  /// What was wrong.
  public var kind: Kind
  /// Stable, for programs.
  public var code: String {
    switch kind {
    case .unreadable: "file-unreadable"
    case .unfit: "file-unfit"
    }
  }

  /// What the caller can state, so that the file is read; `nil` where nothing helps.
  public var question: ImportQuestion?
  /// One sentence: what is wrong and where.
  public var description: String

  package init(_ kind: Kind, _ description: String, asking question: ImportQuestion? = nil) {
    self.kind = kind
    self.description = description
    self.question = question
  }
}

/// What a file leaves open, or states in a way that is not understood, and its caller can state.
public struct ImportQuestion: Hashable, Sendable {
  /// What to state.
  public enum Field: String, CaseIterable, Sendable {
    /// ``CSVMapping/metric``, ``CSVMapping/quantity`` and ``CSVMapping/date``.
    case columns
    /// ``CSVMapping/dateFormat``.
    case dateFormat = "date_format"
    /// ``CSVMapping/timeFormat``.
    case timeFormat = "time_format"
    /// ``CSVMapping/hasDecimalComma``: `point` or `comma`.
    case decimalMark = "decimal_mark"
    /// ``CSVMapping/unit``.
    case unit
    /// ``CSVMapping/id``: a column with another value in each row.
    case id
    /// ``CSVMapping/conditions``: one of the sources that a column names.
    case source
    /// The days in which the data was collected.
    case days
  }

  /// What to state.
  public var field: Field
  /// What the file can mean, such as `kg` and `lb`; empty if that is not known.
  public var values: [String]

  init(_ field: Field, _ values: [String] = []) {
    self.field = field
    self.values = values
  }
}

/// A row that was not imported, and why.
public struct RowProblem: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The file's name.
  public var file: String
  /// The line where the record starts; the header is line 1.
  public var row: Int
  /// One sentence.
  public var reason: String
  /// Whether the description says "row" instead of "line".
  public var isOfTable = true
  /// The reason without the row's values, by which problems are counted; empty if there is no shorter
  /// one.
  public var kind = ""
  /// What the caller can state, so that such rows are read; `nil` where nothing helps.
  public var question: ImportQuestion?

  public var description: String {
    "\(file), \(isOfTable ? "row" : "line") \(row): \(reason)"
  }

  public static func < (left: RowProblem, right: RowProblem) -> Bool {
    (left.file, left.row) < (right.file, right.row)
  }
}

/// Why a row, or one of its cells, cannot be imported: the sentence of its ``RowProblem``.
struct RowFault: Error, Hashable {
  let sentence: String
  /// The reason without the row's values; empty if there is no shorter one.
  let kind: String
  let question: ImportQuestion?

  init(_ sentence: String, kind: String = "", asking question: ImportQuestion? = nil) {
    self.sentence = sentence
    self.kind = kind
    self.question = question
  }
}

extension RowProblem {
  init(_ fault: RowFault, file: String, row: Int) {
    self.init(file: file, row: row, reason: fault.sentence)
    (kind, question) = (fault.kind, fault.question)
  }
}

/// What importers ask their caller. They only read files.
package struct ImportContext {
  /// Makes a new entry id.
  package var makeEntry: () -> EntryID
  /// The UTC offset of a wall time on a date.
  package var zone: (ClockTime, CalendarDate) -> ZoneOffset = { time, date in
    LocalZone.current.offset(of: time, on: date)
  }
  /// All entries that name a source, for a file with many.
  var index: () throws(ImportError) -> KnownEntries = { () throws(ImportError) in .none }
  /// All entries by their own id, for a file that names them.
  var entriesByID: () throws(ImportError) -> EntryVersions = { () throws(ImportError) in .none }
  /// The quantity first logged under this source and source id, or `nil`. Later corrections and
  /// deletions are ignored, so that an import does not undo them.
  package var known: (_ source: String, _ sourceID: String) -> Double? = { _, _ in nil }
  /// The entry logged under this source and source id, or `nil`.
  package var knownEntry: (_ source: String, _ sourceID: String) -> KnownEntry? = { _, _ in nil }
  /// Where the ledger's hours of Apple's steps begin, in seconds past an hour of UTC.
  var hourOffsets: () -> Set<Int64> = { [] }
  /// The sessions of the same source that overlap this one, or have its source id.
  package var knownSessions: (_ session: SleepLogged) -> [KnownSession] = { _ in [] }
  /// The units of the profile; asked only for a file that needs them.
  var unitSystem: () throws(ImportError) -> UnitSystem = { () throws(ImportError) in .metric }
  /// The day in the ledger's zone; a date after tomorrow is a wrong reading.
  package var today = LocalZone.current.today(at: LocalZone.now())
  /// Called with the size of each piece read.
  package var progress: ((_ bytes: Int) -> Void)?
}

/// An imported entry and its present state.
package struct KnownEntry: Hashable, Sendable {
  package var entry: EntryID
  /// As logged, or as corrected by a later import.
  package var quantity: Double
  /// Whether it was corrected or deleted other than by an import.
  package var isTouched = false
  /// The event that logged it.
  var seq = 0
  /// A hash of the moment of an entry that is known by the id of its row; else 0.
  var moment: UInt32 = 0

  /// Whether a row of this moment may be the entry.
  func isOf(_ moment: UInt32) -> Bool { self.moment == 0 || self.moment == moment }
}
