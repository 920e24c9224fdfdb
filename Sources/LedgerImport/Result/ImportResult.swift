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

  /// Whether rows were left out, which the exit code has to say.
  public var needsPerson: Bool { !problems.isEmpty }

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
