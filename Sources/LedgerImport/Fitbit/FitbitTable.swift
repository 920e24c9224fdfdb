import LedgerModel

/// The tables of the data set that are imported, and where in them things stand.
enum FitbitTable: CaseIterable {
  case dailyActivity, hourlySteps, sleepDay, weightLog

  /// The files that can hold it, the better one first: in the copy of `weightLogInfo_merged.csv`
  /// that went through a spreadsheet, AM stands for PM and ids lost their digits.
  var fileNames: [String] {
    switch self {
    case .dailyActivity: ["dailyActivity_merged.csv"]
    case .hourlySteps: ["hourlySteps_merged.csv"]
    case .sleepDay: ["sleepDay_merged.csv"]
    case .weightLog: ["weightLogInfo_reconstructed.csv", "weightLogInfo_merged.csv"]
    }
  }

  /// The columns that hold measurements.
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

  /// Whether rows belong to a moment; the others belong to a day, whatever time stands in them:
  /// `SleepDay` has midnight in every row of the published file.
  var hasTimes: Bool { self == .hourlySteps || self == .weightLog }
}

/// The columns of one file of the data set, as it was published or as a spreadsheet split it.
struct FitbitLayout {
  let person: Int
  let date: Int
  /// Where the time stands; `nil` when it stands behind the date in one field, or nowhere.
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
      // Split in two, the old name stayed with the time.
      let hour = try table.column("ActivityHour")
      date = table.has("Date") ? try table.column("Date") : hour
      time = table.has("Date") ? hour : nil
    case .weightLog:
      // Split in two, the time got a column without a name.
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
