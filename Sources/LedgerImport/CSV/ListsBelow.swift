/// Tells the rows of a table from those of lists below it that have titles and other columns, such as
/// the food log of Fitbit's site.
struct ListsBelow {
  enum Place { case table, title, list }

  /// More lines of one field in sequence are no titles.
  private static let titlesAtMost = 8

  /// The rows of one field since the last row of the table.
  private(set) var titles: [Int] = []
  private var isInList = false

  /// - Returns: `.table` for a row of the table, even one that does not fit its header; `.title` for a
  ///   line whose place the next rows tell, and `.list` for a row of a list.
  mutating func place(of record: CSVRecord, _ plan: CSVPlan) -> Place {
    guard record.defect == nil, plan.columns.count > 1 else { return .table }
    if fits(record, plan) {
      isInList = (isInList || !titles.isEmpty) && !isDated(record, plan)
      return isInList ? .list : .table
    }
    if isInList { return .list }
    if record.fieldCount == 1 {
      guard titles.count < Self.titlesAtMost, record.bytes(0).first.map(isDigit) != true else {
        return .table
      }
      titles.append(record.row)
      return .title
    }
    isInList = !titles.isEmpty
    return isInList ? .list : .table
  }

  /// Forgets the titles.
  ///
  /// - Returns: those that turned out to be none.
  mutating func takeTitles() -> [Int] {
    defer { titles = [] }
    return isInList ? [] : titles
  }

  private func fits(_ record: CSVRecord, _ plan: CSVPlan) -> Bool {
    record.fieldCount == plan.columns.count
      || record.fieldCount > plan.columns.count
        && (plan.columns.count..<record.fieldCount).allSatisfy { record.bytes($0).isEmpty }
  }

  private func isDated(_ record: CSVRecord, _ plan: CSVPlan) -> Bool {
    let text = record.trimmed(plan.date)
    return plan.rules.dateFormat.map { (try? $0.read(text)) != nil } ?? (WrittenDate(text) != nil)
  }
}
