import LedgerModel

/// Finds the tables of a file, row after row: their headers, rows of units, titles and rows.
struct TableFinder {
  private static let refusalsAtMost = 1000

  private let name: String
  private let firstHeader: Int
  private(set) var sections: [CSVLayout.Section]
  /// The plan of the last table.
  private(set) var plan: CSVPlan
  /// Lines of a title between tables, and rows of units.
  private(set) var titles: Set<Int> = []
  /// Headers of tables that cannot be read, by their row.
  private(set) var refusals: [Int: ImportError]
  private var lists = ListsBelow()
  /// The last line of one field.
  private var title: Int?
  /// Whether the next row is the first below a header.
  private var mayBeUnits = false
  /// Whether rows belong to a table that cannot be read.
  private var isUnread = false

  /// - Parameter refusals: headers that cannot be read, above the first that can.
  init(first: CSVLayout.Section, refusals: [Int: ImportError], in name: String) {
    (self.name, self.refusals) = (name, refusals)
    (firstHeader, sections, plan) = (first.headerRow, [first], first.plan)
  }

  /// - Returns: whether the row is one of the last table, or names the date of its rows.
  /// - Throws: ``ImportError`` for a row of units that contradicts its header, and if more headers than
  ///   are kept cannot be read.
  mutating func isRow(
    _ record: CSVRecord, _ choose: CSVLayout.HeaderChoice
  ) throws(ImportError) -> Bool {
    if try takeUnits(record, choose) { return false }
    mayBeUnits = record.row == firstHeader || mayBeUnits && record.isEmpty
    guard record.row > firstHeader else { return false }
    if record.fieldCount == 1 { title = record.row }
    if record.mayBeHeader(below: plan), try begin(record, choose) { return false }
    guard !isUnread else { return false }
    if record.fieldCount != 1 { title = nil }
    return plan.dateAbove(record) != nil || lists.place(of: record, plan) == .table
  }

  /// - Returns: whether it is a row of units above the first header or below the last one.
  private mutating func takeUnits(
    _ record: CSVRecord, _ choose: CSVLayout.HeaderChoice
  ) throws(ImportError) -> Bool {
    let isAbove = record.row < firstHeader
    guard isAbove || mayBeUnits else { return false }
    // A table without rows is followed by the next header.
    let isNextHeader =
      mayBeUnits && record.mayBeHeader(below: plan)
      && (record.repeatsDateName(of: plan) || (try? choose(record.texts, name)) != nil)
    guard !isNextHeader, let units = UnitRow(record, of: plan, isBelow: !isAbove) else {
      return false
    }
    try units.apply(to: &plan, in: name)
    sections[sections.count - 1].plan = plan
    titles.insert(record.row)
    mayBeUnits = false
    return true
  }

  /// Begins a table at its header.
  ///
  /// - Returns: false for a row that is none, and for a header that cannot be read.
  private mutating func begin(
    _ record: CSVRecord, _ choose: CSVLayout.HeaderChoice
  ) throws(ImportError) -> Bool {
    do throws(ImportError) {
      if let next = try choose(record.texts, name) {
        if let title { titles.insert(title) }
        sections.append(CSVLayout.Section(headerRow: record.row, plan: next))
        (plan, mayBeUnits, isUnread) = (next, true, false)
        lists = ListsBelow()
        return true
      }
      if record.repeatsDateName(of: plan) {
        throw ImportError(
          .unfit, "\(name): none of the columns \(CSVTable.listed(record.texts)) is a metric")
      }
    } catch {
      guard error.kind == .unfit, refusals.count < Self.refusalsAtMost else { throw error }
      refusals[record.row] = error
      isUnread = true
    }
    return false
  }
}

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

extension CSVRecord {
  /// - Parameter date: the cell where the table above has dates.
  private func mayBeHeader(beside date: String) -> Bool {
    !CSVMoment.isMissing(date) && (0..<fieldCount).count { !bytes($0).isEmpty } > 1
      && WrittenDate(date) == nil
  }

  /// Whether it may name the columns of a further table.
  fileprivate func mayBeHeader(below plan: CSVPlan) -> Bool {
    (2...Self.columnsAtMost).contains(fieldCount)
      && (0..<fieldCount).allSatisfy { field in !(bytes(field).first.map(isDigit) ?? false) }
      && (fieldCount != plan.columns.count || mayBeHeader(beside: trimmed(plan.date)))
  }

  /// Whether it is the header of a further table with dates in the same column.
  fileprivate func repeatsDateName(of plan: CSVPlan) -> Bool {
    plan.date < fieldCount
      && ColumnName(trimmed(plan.date)).words == ColumnName(plan.columns[plan.date]).words
  }
}
