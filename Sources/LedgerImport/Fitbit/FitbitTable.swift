import LedgerModel

enum FitbitTable: CaseIterable {
  case dailyActivity, hourlySteps, sleepDay, weightLog

  /// Possible files, the better one first: in a copy of `weightLogInfo_merged.csv` that a
  /// spreadsheet rewrote, AM and PM are swapped and ids have lost digits.
  var fileNames: [String] {
    switch self {
    case .dailyActivity: ["dailyActivity_merged.csv"]
    case .hourlySteps: ["hourlySteps_merged.csv"]
    case .sleepDay: ["sleepDay_merged.csv"]
    case .weightLog: ["weightLogInfo_reconstructed.csv", "weightLogInfo_merged.csv"]
    }
  }

  var measured: [String] {
    switch self {
    case .dailyActivity:
      [
        "TotalSteps", "TotalDistance", "VeryActiveMinutes", "FairlyActiveMinutes",
        "LightlyActiveMinutes", "Calories",
      ]
    case .hourlySteps: ["StepTotal"]
    case .sleepDay: ["TotalMinutesAsleep"]
    case .weightLog: ["WeightKg", "BMI", "Fat"]
    }
  }

  /// Whether rows belong to a moment rather than a day. `SleepDay` has a time too, but midnight in
  /// every row of the published file.
  var hasTimes: Bool { self == .hourlySteps || self == .weightLog }
}

/// The columns of a file, as published or as split by a spreadsheet.
private struct FitbitLayout {
  let person: Int
  let date: Int
  /// `nil` if the time is in the date's column, or there is none.
  let time: Int?
  let logID: Int?
  let measured: [Int]
  private let hasTimes: Bool

  init(_ kind: FitbitTable, in table: CSVTable) throws(ImportError) {
    hasTimes = kind.hasTimes
    person = try table.column("Id")
    var measured: [Int] = []
    for name in kind.measured { measured.append(try table.column(name)) }
    self.measured = measured
    logID = table.has("LogId") ? try table.column("LogId") : nil
    switch kind {
    case .dailyActivity:
      date = try table.column("ActivityDate")
      time = nil
    case .sleepDay:
      date = try table.column("SleepDay")
      time = nil
    case .hourlySteps:
      // When the column is split, the time keeps the old name.
      let hour = try table.column("ActivityHour")
      date = table.has("Date") ? try table.column("Date") : hour
      time = table.has("Date") ? hour : nil
    case .weightLog:
      // When the column is split, the time's column has no name.
      date = try table.column("Date")
      time = table.has("") ? try table.column("") : nil
    }
  }

  func moment(of record: CSVRecord) throws(RowFault) -> WrittenMoment {
    let dateText = record.trimmed(date)
    if let time { return try WrittenMoment(date: dateText, time: record.trimmed(time)) }
    let parts = dateText.split(separator: " ", maxSplits: 1).map(String.init)
    return try WrittenMoment(
      date: parts.first ?? "", time: hasTimes && parts.count == 2 ? parts[1] : "")
  }
}

/// One row of the requested person, its moment as written.
struct FitbitRow {
  let row: Int
  let written: WrittenMoment
  let logID: WeightLogID?
  /// The cells of ``FitbitTable/measured``, in that order.
  let cells: [String]
}

/// One file of the data set: the rows of one person, and the evidence of all rows.
struct FitbitSheet {
  let kind: FitbitTable
  let file: String
  private(set) var rows: [FitbitRow] = []
  private(set) var evidence: FitbitEvidence
  private(set) var problems: [RowProblem] = []
  private(set) var rowsRead = 0
  private(set) var rowsOfOthers = 0

  init(
    _ kind: FitbitTable, _ source: ImportSource, person: String,
    window: ClosedRange<CalendarDate>, progress: ((Int) -> Void)?
  ) throws(ImportError) {
    self.kind = kind
    file = source.name
    evidence = FitbitEvidence(window: window)
    var table = try CSVTable(source, progress: progress)
    let layout = try FitbitLayout(kind, in: table)
    var record = CSVRecord()
    var unfit: [RowProblem] = []
    while try table.next(into: &record, report: { unfit.append($0) }) {
      rowsRead += 1
      take(record, layout, person)
    }
    problems += unfit
  }

  private mutating func take(_ record: CSVRecord, _ layout: FitbitLayout, _ person: String) {
    let id = record.trimmed(layout.person)
    let isOther = id != person
    do throws(RowFault) {
      // An id such as 1.50396E+09 fits several persons.
      guard isDigits(id) else {
        throw RowFault("Id is \(quoted(id)); whose row it is takes all its digits")
      }
      let written = try layout.moment(of: record)
      guard !kind.hasTimes || written.time != nil else {
        throw RowFault("the date is \(quoted(written.dateText)) and has no time")
      }
      let logID = layout.logID.flatMap { WeightLogID(record.trimmed($0)) }
      let cells = layout.measured.map { record.trimmed($0) }
      evidence.see(written, values: cells.joined(separator: ","), of: id, logID: logID)
      guard !isOther else {
        rowsOfOthers += 1
        return
      }
      rows.append(
        FitbitRow(row: record.row, written: written, logID: logID, cells: cells))
    } catch {
      // Faults in other persons' rows are not reported.
      if isOther, isDigits(id) {
        rowsOfOthers += 1
      } else {
        problems.append(RowProblem(error, file: file, row: record.row))
      }
    }
  }
}
