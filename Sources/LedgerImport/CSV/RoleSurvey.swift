import LedgerModel

/// Finds out whether columns that are called as ids and times of day are such.
///
/// A column `Id` may name the person, and one `Time` beside moments a duration.
struct RoleSurvey {
  private static let rowsAtMost = 1000

  /// The first dates of the ids.
  private var dates: [[UInt8]: [UInt8]] = [:]
  private var rows = 0
  private var repeatsID = false
  /// Whether all timestamps are moments of the dates beside them, and how many.
  private var timestamps = (agree: true, count: 0)
  /// The first two columns of dates that name different days.
  private var differing: (date: String, other: String)?
  /// Rows whose date has a time, and those of them at another one than midnight.
  private var times = (all: 0, ofDay: 0)

  /// - Parameter record: a row of the plan's table.
  mutating func add(_ record: CSVRecord, _ plan: CSVPlan) {
    compare(record, plan)
    guard rows < Self.rowsAtMost, plan.date < record.fieldCount else { return }
    rows += 1
    if plan.time != nil {
      if let time = WrittenDate(record.trimmed(plan.date))?.time {
        times.all += 1
        if time != .midnight { times.ofDay += 1 }
      }
    }
    if differing == nil, let other = plan.otherDates.first(where: { differs($0, record, plan) }) {
      differing = (plan.columns[plan.date], plan.columns[other])
    }
    guard let column = plan.id, column < record.fieldCount, !repeatsID else { return }
    let id = Array(record.bytes(column))
    guard !id.isEmpty else { return }
    var moment = Array(record.bytes(plan.date))
    if let time = plan.time, time < record.fieldCount { moment += Array(record.bytes(time)) }
    if let known = dates[id] {
      if known != moment { repeatsID = true }
    } else {
      dates[id] = moment
    }
  }

  private mutating func compare(_ record: CSVRecord, _ plan: CSVPlan) {
    guard let timestamp = plan.timestamp, timestamps.agree,
      max(timestamp, plan.date) < record.fieldCount,
      case let text = record.trimmed(plan.date), !CSVMoment.isMissing(text)
    else { return }
    let (date, moment) = (WrittenDate(text), WrittenDate(record.trimmed(timestamp)))
    timestamps.count += 1
    timestamps.agree =
      date?.time == nil && moment?.time != nil && date?.day == moment?.day && date != nil
  }

  /// Dates in different forms are not compared.
  private func differs(_ other: Int, _ record: CSVRecord, _ plan: CSVPlan) -> Bool {
    guard other < record.fieldCount else { return false }
    let days = (
      WrittenDate(record.trimmed(plan.date))?.day, WrittenDate(record.trimmed(other))?.day
    )
    switch days {
    case (.date(let first)?, .date(let second)?): return first != second
    case (.numbers(let first)?, .numbers(let second)?): return first != second
    default: return false
    }
  }

  /// Takes the roles from columns that do not have them.
  ///
  /// - Throws: ``ImportError`` for two columns of dates that differ.
  func apply(to plan: inout CSVPlan, in file: String) throws(ImportError) {
    if let (date, other) = differing {
      throw ImportError(
        .unfit,
        "\(file) has two columns of dates that differ, '\(date)' and '\(other)'",
        asking: ImportQuestion(.columns))
    }
    if repeatsID { (plan.id, plan.person) = (nil, plan.person ?? plan.id) }
    plan.hasOneID = plan.id != nil && dates.count == 1
    if let timestamp = plan.timestamp, plan.time == nil, timestamps.agree, timestamps.count > 0 {
      plan.date = timestamp
    }
    if times.ofDay > 0, times.all == rows { plan.time = nil }
  }
}
