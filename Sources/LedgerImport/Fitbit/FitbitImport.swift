public import LedgerModel

/// Turns a folder of the published Fitbit data set, or of a copy that a spreadsheet rewrote, into
/// the entries of one person.
///
/// - `dailyActivity_merged.csv`: `TotalDistance` is `distance_km`, the minutes that were very,
///   fairly and lightly active are `active_minutes`, `Calories` is `calories_out`, all of the day.
/// - `hourlySteps_merged.csv`: `StepTotal` is `steps` of the hour. Only without this file is
///   `TotalSteps` of the former one `steps` of the day, or they would count twice.
/// - `sleepDay_merged.csv`: `TotalMinutesAsleep` is `sleep_hours` of the day.
/// - `weightLogInfo_reconstructed.csv`, else `weightLogInfo_merged.csv`: `WeightKg`, `BMI` and
///   `Fat` are `weight`, `bmi` and `body_fat_percentage` at their time.
///
/// Which moment a row means is proven or the row is reported: by the calendar, the time of the
/// study (``FitbitStudy/window``), a weight's id, the order of the rows.
public enum FitbitImport {
  /// - Parameters:
  ///   - directory: the folder that holds the files; those it lacks are noted.
  ///   - person: the digits of `Id`; rows of others are skipped.
  ///   - window: when the data was collected. A date outside of it is reported, not skipped.
  /// - Throws: ``ImportError`` when none of the files is there, or one is not what its name says.
  public static func read(
    directory: String, person: String,
    window: ClosedRange<CalendarDate> = FitbitStudy.window, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    guard ImportSource.file(directory).exists else {
      throw ImportError(.unreadable, "there is no folder \(quoted(directory))")
    }
    let base = directory.hasSuffix("/") ? directory : directory + "/"
    return try read(person: person, window: window, context: context) { name in
      let source = ImportSource.file(base + name)
      return source.exists ? source : nil
    }
  }

  /// The same with files from anywhere.
  ///
  /// - Parameter find: the file of this name; `nil` when there is none.
  static func read(
    person: String, window: ClosedRange<CalendarDate>, context: ImportContext,
    find: (_ name: String) -> ImportSource?
  ) throws(ImportError) -> ImportResult {
    guard isDigits(person) else {
      throw ImportError(.unfit, "the person is \(quoted(person)); give the digits of an Id")
    }
    var sheets: [FitbitSheet] = []
    var missing: [String] = []
    for kind in FitbitTable.allCases {
      guard let source = kind.fileNames.lazy.compactMap(find).first else {
        missing.append(kind.fileNames.joined(separator: " or "))
        continue
      }
      sheets.append(
        try FitbitSheet(
          kind, source, person: person, window: window, progress: context.progress))
    }
    guard !sheets.isEmpty else {
      throw ImportError(
        .unfit, "the folder has none of the data set's files: \(missing.joined(separator: ", "))")
    }
    let entries = FitbitEntries(
      person: person, hasHourlySteps: sheets.contains { $0.kind == .hourlySteps },
      known: context.known)
    var collector = EntryCollector()
    for sheet in sheets { collector.add(sheet, entries) }
    for name in missing { collector.result.notes.append("\(name): not in the folder") }
    if sheets.allSatisfy(\.rows.isEmpty) {
      collector.result.notes.append("no row belongs to person \(person)")
    }
    return collector.finish(context)
  }
}

extension EntryCollector {
  fileprivate mutating func add(_ sheet: FitbitSheet, _ entries: FitbitEntries) {
    result.rows += sheet.rowsRead
    result.skippedByFilter += sheet.rowsOfOthers
    for problem in sheet.problems { result.report(problem) }
    var account = SettlingAccount()
    let settling = FitbitSettling(evidence: sheet.evidence)
    for (row, outcome) in zip(sheet.rows, settling.settle(sheet.rows)) {
      func report(_ fault: RowFault) {
        result.report(RowProblem(file: sheet.file, row: row.row, reason: fault.sentence))
      }
      switch outcome {
      case .failure(let fault): report(fault)
      case .success(let settled):
        account.count(settled)
        for draft in entries.drafts(of: row, at: settled.moment, in: sheet) {
          switch draft {
          case .success(let draft): add(draft)
          case .failure(let fault): report(fault)
          }
        }
      }
    }
    result.notes += account.notes(sheet.file, sheet.evidence.window)
  }
}
