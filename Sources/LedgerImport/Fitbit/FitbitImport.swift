package import LedgerModel

/// Reads one person's entries from a folder of the published Fitbit data set, or of a copy that a
/// spreadsheet rewrote.
///
/// - `dailyActivity_merged.csv`, per day: `TotalDistance` is `distance_km`, the very, fairly and
///   lightly active minutes are `active_minutes`, `Calories` is `calories_out`.
/// - `hourlySteps_merged.csv`: `StepTotal` is `steps` of the hour. Only without this file is
///   `TotalSteps` of the daily file `steps`, or they would count twice.
/// - `sleepDay_merged.csv`, per day: `TotalMinutesAsleep` is `sleep_hours`.
/// - `weightLogInfo_reconstructed.csv`, else `weightLogInfo_merged.csv`: `WeightKg`, `BMI` and
///   `Fat` are `weight`, `bmi` and `body_fat_percentage` at their time.
///
/// A row's moment is proven by ``FitbitDateResolver``, or the row is reported.
package enum FitbitImport {
  /// - Parameters:
  ///   - directory: the folder with the files; missing ones are noted.
  ///   - person: the digits of `Id`; other persons' rows are skipped.
  ///   - window: when the data was collected; dates outside it are reported.
  /// - Throws: ``ImportError`` if there is none of the files, or one is not what its name says.
  package static func read(
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

  /// - Parameter find: the file of this name; `nil` if there is none.
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
    var collector = EntryCollector(context)
    for sheet in sheets { collector.add(sheet, entries) }
    for name in missing { collector.result.notes.append("\(name): not in the folder") }
    if sheets.allSatisfy(\.rows.isEmpty) {
      collector.result.notes.append("no row belongs to person \(person)")
    }
    return try collector.finish()
  }
}

extension EntryCollector {
  fileprivate mutating func add(_ sheet: FitbitSheet, _ entries: FitbitEntries) {
    result.rows += sheet.rowsRead
    result.skippedByFilter += sheet.rowsOfOthers
    for problem in sheet.problems { result.report(problem) }
    var tally = ProofTally()
    let resolver = FitbitDateResolver(evidence: sheet.evidence)
    for (row, outcome) in zip(sheet.rows, resolver.resolve(sheet.rows)) {
      func report(_ fault: RowFault) {
        result.report(RowProblem(fault, file: sheet.file, row: row.row))
      }
      switch outcome {
      case .failure(let fault): report(fault)
      case .success(let resolved):
        tally.count(resolved)
        for draft in entries.drafts(of: row, at: resolved.moment, in: sheet) {
          switch draft {
          case .success(let draft): add(draft)
          case .failure(let fault): report(fault)
          }
        }
      }
    }
    result.notes += tally.notes(sheet.file, sheet.evidence.window)
  }
}

private struct FitbitEntries {
  let person: String
  /// If the folder has hourly steps, a day's total would count them twice.
  let hasHourlySteps: Bool
  let known: (_ source: String, _ sourceID: String) -> Double?

  private static let source = "fitbit"

  private struct Value {
    var metric: Metric
    var column: String
    var quantity: Result<Double, RowFault>
  }

  /// The drafts of a row and the faults of its cells; a bad cell does not affect the others.
  func drafts(
    of row: FitbitRow, at moment: LocalDateTime, in sheet: FitbitSheet
  ) -> [Result<EntryDraft, RowFault>] {
    values(of: row, in: sheet.kind).map { value in
      value.quantity.flatMap { quantity in
        if value.metric == .steps, let fault = doubleCount(moment) { return .failure(fault) }
        return .success(
          EntryDraft(
            file: sheet.file, row: row.row, column: value.column, metric: value.metric,
            quantity: quantity, date: moment.date, time: moment.time, notes: nil,
            source: Self.source, sourceID: sourceID(value.metric, moment.date, moment.time)))
      }
    }
  }

  private func values(of row: FitbitRow, in kind: FitbitTable) -> [Value] {
    let cells = row.cells
    switch kind {
    case .dailyActivity:
      var values = [
        single(.distanceKM, "TotalDistance", cells[1]), activeMinutes(cells[2...4]),
        single(.caloriesOut, "Calories", cells[5]),
      ]
      if !hasHourlySteps { values.append(single(.steps, "TotalSteps", cells[0])) }
      return values
    case .hourlySteps: return [single(.steps, "StepTotal", cells[0])]
    case .sleepDay:
      return [single(.sleepHours, "TotalMinutesAsleep", cells[0], unit: "min")]
    case .weightLog:
      let values = [single(.weight, "WeightKg", cells[0]), single(.bmi, "BMI", cells[1])]
      // Most weights have no body fat.
      return cells[2].isEmpty
        ? values : values + [single(.bodyFatPercentage, "Fat", cells[2])]
    }
  }

  private func single(
    _ metric: Metric, _ column: String, _ text: String, unit: String? = nil
  ) -> Value {
    let quantity = Result { () throws(RowFault) in
      guard !text.isEmpty else { throw RowFault("\(column) is empty") }
      return try CellQuantity.read(text, unit: unit, for: metric, in: column)
    }
    return Value(metric: metric, column: column, quantity: quantity)
  }

  /// Very, fairly and lightly active minutes together.
  private func activeMinutes(_ cells: ArraySlice<String>) -> Value {
    let columns = FitbitTable.dailyActivity.measured
    let total = Result { () throws(RowFault) in
      var total = 0.0
      for (index, cell) in zip(cells.indices, cells) {
        total += try single(.activeMinutes, columns[index], cell).quantity.get()
      }
      return total
    }
    return Value(
      metric: .activeMinutes, column: columns[2...4].joined(separator: "+"), quantity: total)
  }
}

extension FitbitEntries {
  /// `fitbit:1503960366:steps:2016-04-12T01:00:00`: the same in every copy of the file.
  private func sourceID(_ metric: Metric, _ date: CalendarDate, _ time: ClockTime?) -> String {
    "fitbit:\(person):\(metric.name):\(date)\(time.map { "T\($0)" } ?? "")"
  }

  /// Refuses hourly steps where the ledger has the day's total from an earlier import, and the
  /// reverse.
  private func doubleCount(_ moment: LocalDateTime) -> RowFault? {
    func has(_ time: ClockTime?) -> Bool {
      known(Self.source, sourceID(.steps, moment.date, time)) != nil
    }
    if moment.time != nil {
      guard has(nil) else { return nil }
      return RowFault(
        "the ledger has the steps of \(moment.date) as one total; this would count twice")
    }
    let hours = (0..<24).compactMap { ClockTime(hour: $0, minute: 0) }
    guard hours.contains(where: has) else { return nil }
    return RowFault(
      "the ledger has the steps of \(moment.date) by the hour; this would count twice")
  }
}

/// The published data set.
///
/// Furberg, R., Brinton, J., Keating, M., & Ortiz, A. (2016). "Crowd-sourced Fitbit datasets
/// 03.12.2016-05.12.2016", Zenodo, https://doi.org/10.5281/zenodo.53894, CC BY 4.0.
package enum FitbitStudy {
  /// When the data was collected, by its publication: 12 March to 12 May 2016, both inclusive.
  ///
  /// It makes most dates unambiguous: of 4 December and 12 April only one is inside. Both readings
  /// are inside for one pair only, 5 April and 4 May.
  package static let window: ClosedRange<CalendarDate> = {
    guard let first = CalendarDate("2016-03-12"), let last = CalendarDate("2016-05-12") else {
      preconditionFailure("both are days of the calendar")
    }
    return first...last
  }()
}
