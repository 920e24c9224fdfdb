import LedgerModel

struct FitbitEntries {
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
