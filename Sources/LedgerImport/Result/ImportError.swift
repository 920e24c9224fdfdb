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
