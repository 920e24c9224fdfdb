import LedgerImport

// The options of 'import' that answer what a file leaves open.

extension ImportQuestion {
  private static let mostShown = 3

  /// What to do, as a part of a sentence.
  var advice: String {
    switch field {
    case .columns: "give 'import csv' --metric, --quantity and --date, or --rules"
    case .dateFormat:
      "give 'import csv' --date-format"
        + (values.isEmpty ? "" : ", as " + values.joined(separator: " or "))
    case .timeFormat: "give 'import csv' --time-format"
    case .decimalMark:
      "give 'import csv' " + values.map { "--decimal \($0)" }.joined(separator: " or ")
    case .unit where values.isEmpty || values.count > Self.mostShown: "give --unit"
    case .unit: "give " + values.map { "--unit \($0)" }.joined(separator: " or ")
    case .id: "give 'import csv' --id, a column with another value in each row"
    case .source:
      "give 'import csv' " + values.map { "--where '\($0)=SOURCE'" }.joined(separator: " or ")
        + " for one of the sources"
    case .days: "--from and --to say another span"
    }
  }
}

extension RowProblem {
  /// Why the row was left out, and what to do.
  var told: String { reason + (question.map { "; \($0.advice)" } ?? "") }
  /// With the file and the row.
  var sentence: String { description + (question.map { "; \($0.advice)" } ?? "") }
}
