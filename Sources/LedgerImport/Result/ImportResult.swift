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
