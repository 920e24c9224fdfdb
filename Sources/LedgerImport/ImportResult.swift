public import LedgerModel

/// What files turned into: the edits to make, and an account of every row that made none.
public struct ImportResult: Sendable {
  /// The most problems, and the most duplicates, that are listed one by one.
  public static let listedAtMost = 100_000

  /// New entries in the files' order, each within the ledger's rules.
  public var edits: [ProgressLogged] = []
  /// How many entries the ledger has already, with the same quantity.
  public var known: Int { knownEntries.values.reduce(0, +) }
  public var knownEntries: [Metric: Int] = [:]
  /// Rows that repeat an earlier row: counted once, nothing is lost.
  public var duplicates: [RowProblem] = []
  /// Rows, or single cells of rows, that were left out and need a person.
  public var problems: [RowProblem] = []
  /// Problems and duplicates beyond ``listedAtMost``, counted only.
  public var unlistedProblems = 0
  public var unlistedDuplicates = 0
  /// Sums that a later file has more of: what the ledger's entries are to be corrected to.
  public var growths: [GrownSum] = []
  /// What the file says of the person. Only fields that are empty take it.
  public var person = PersonFields()
  /// What is no business of this ledger, by type and reason; nobody has to do anything about it.
  public var skipped = SkipTally()
  /// The problems, by type and reason.
  public var leftOut = SkipTally()
  /// Rows that were read, those of other people included.
  public var rows = 0
  /// Rows that are someone else's, or that a condition leaves out.
  public var skippedByFilter = 0
  /// Sentences for the summary: what settled the dates, what was empty, which files were missing.
  public var notes: [String] = []

  public init() {}

  /// How many new entries each metric got, in the metrics' own order.
  public var counts: [(metric: Metric, entries: Int)] {
    var totals: [Metric: Int] = [:]
    for edit in edits { totals[edit.metric, default: 0] += 1 }
    return Metric.allCases.compactMap { metric in totals[metric].map { (metric, $0) } }
  }

  /// Reports a problem, and counts it under its type and a reason in few words.
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

/// An entry of an earlier import whose sum has grown since: an export made in the middle of a day
/// has only half of it.
public struct GrownSum: Hashable, Sendable {
  public var entry: EntryID
  public var metric: Metric
  public var quantity: Double
  public var source: String
  public var sourceID: String
}

/// What a file says of a person, beside their progress.
public struct PersonFields: Hashable, Sendable {
  public var name: String?
  public var bio: String?
  public var unitSystem: UnitSystem?
  public var languageCode: String?
  public var biologicalSex: BiologicalSex?
  public var heightCM: Double?
  public var dateOfBirth: CalendarDate?
  public var allergies: [String]?
  public var dietaryRestrictions: [String]?
  public var foodDislikes: [String]?

  public init() {}
}

/// Counts what made no entry, by what it was and why.
public struct SkipTally: Sendable {
  public struct Line: Hashable, Sendable {
    /// A type of record, a metric or a member, as its source calls it.
    public var type: String
    public var reason: String
    public var count: Int
  }

  private struct Key: Hashable {
    var type: String
    var reason: String
  }

  /// A hostile file may make up types without end.
  static let typesAtMost = 1000
  static let otherTypes = "other types"

  private var counts: [Key: Int] = [:]

  public init() {}

  mutating func add(_ type: String, _ reason: String, _ count: Int = 1) {
    var key = Key(type: String(type.prefix(100)), reason: reason)
    if counts.count >= Self.typesAtMost, counts[key] == nil { key.type = Self.otherTypes }
    counts[key, default: 0] += count
  }

  /// The most frequent first.
  public var lines: [Line] {
    counts.map { Line(type: $0.key.type, reason: $0.key.reason, count: $0.value) }
      .sorted { (-$0.count, $0.type, $0.reason) < (-$1.count, $1.type, $1.reason) }
  }
}

/// Why nothing of a file was imported.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The system would not open or read it.
    case unreadable
    /// It is not what the caller said it is: no such column, no such layout, a bad pattern.
    case unfit
  }

  public var kind: Kind
  /// One sentence that says what is wrong, where, and what to do.
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// A row that was left out, and why.
public struct RowProblem: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var file: String
  /// The line of the file where the record begins; the header is line 1.
  public var row: Int
  public var reason: String
  /// Whether the file is a table; of any other a person knows lines.
  public var isOfTable: Bool

  public init(file: String, row: Int, reason: String, isOfTable: Bool = true) {
    self.file = file
    self.row = row
    self.reason = reason
    self.isOfTable = isOfTable
  }

  public var description: String {
    "\(file), \(isOfTable ? "row" : "line") \(row): \(reason)"
  }

  public static func < (left: RowProblem, right: RowProblem) -> Bool {
    (left.file, left.row) < (right.file, right.row)
  }
}

/// Why one row, or one cell of it, is left out: a sentence for its ``RowProblem``.
struct RowFault: Error, Hashable {
  var sentence: String
}

/// What an import has to ask of the program around it. It reads files and writes nothing itself.
public struct ImportContext {
  /// A new id for an entry.
  public var makeEntry: () -> EntryID
  /// The offset that a person's clock had at a wall time on a day. Files say wall times only.
  public var zone: (ClockTime, CalendarDate) -> ZoneOffset
  /// The quantity that the ledger logged first under this source and source id; `nil` if it never
  /// did. What a person corrected or deleted since stays known: an import must not undo that.
  public var known: (_ source: String, _ sourceID: String) -> Double?
  /// The entry that was logged under this source and source id; `nil` if there never was one.
  public var knownEntry: (_ source: String, _ sourceID: String) -> KnownEntry?
  /// Whether the ledger has, or ever had, an entry with this id.
  public var knowsEntry: (_ entry: EntryID) -> Bool
  /// Called with the bytes of each piece that was read.
  public var progress: ((_ bytes: Int) -> Void)?

  public init(
    makeEntry: @escaping () -> EntryID,
    zone: @escaping (ClockTime, CalendarDate) -> ZoneOffset = { time, date in
      LocalZone.current.offset(of: time, on: date)
    },
    known: @escaping (_ source: String, _ sourceID: String) -> Double? = { _, _ in nil },
    knownEntry: @escaping (_ source: String, _ sourceID: String) -> KnownEntry? = { _, _ in nil },
    knowsEntry: @escaping (_ entry: EntryID) -> Bool = { _ in false },
    progress: ((_ bytes: Int) -> Void)? = nil
  ) {
    self.makeEntry = makeEntry
    self.zone = zone
    self.known = known
    self.knownEntry = knownEntry
    self.knowsEntry = knowsEntry
    self.progress = progress
  }
}

/// An entry that an import made, and what became of it.
public struct KnownEntry: Hashable, Sendable {
  public var entry: EntryID
  /// What imports made of it: as logged, or as corrected by a later one.
  public var quantity: Double
  /// Whether anybody else corrected or deleted it since: then it is theirs.
  public var isTouched: Bool

  public init(entry: EntryID, quantity: Double, isTouched: Bool = false) {
    self.entry = entry
    self.quantity = quantity
    self.isTouched = isTouched
  }
}
