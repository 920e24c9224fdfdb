import LedgerJSON
import LedgerModel

/// The weights of Fitbit's part of Google Takeout.
///
/// The weight is in the unit of the account, which is not written beside it. The body mass index is:
/// weight by the square of the height in metres, so that their ratio tells kilograms, pounds and stone
/// apart. Without an index, the profile's `weight_unit` tells.
struct FitbitWeights {
  private var logs: [(value: JSONValue, file: String, row: Int)] = []
  private var profileUnit: String?

  mutating func add(_ value: JSONValue, _ file: String, _ row: Int) {
    logs.append((value, file, row))
  }

  /// Reads the units of `Your Profile/Profile.csv`: `en_US` are pounds, `en_GB` stone, others kilograms.
  mutating func takeProfile(_ source: ImportSource) throws(ImportError) {
    var table = try CSVTable(source)
    guard table.has("weight_unit") else { return }
    let column = try table.column("weight_unit")
    var record = CSVRecord()
    guard try table.next(into: &record, report: { _ in }) else { return }
    switch record.trimmed(column).lowercased() {
    case "en_us", "pound", "pounds", "lb": profileUnit = "lb"
    case "en_gb", "stone", "st": profileUnit = "st"
    case "metric", "any", "kg", "kilogram", "kilograms": profileUnit = "kg"
    default: break
    }
  }

  /// The entries of weight, index and fat; a problem for each log that has no weight, or if nothing
  /// tells the unit.
  func drafts(unit: String?) -> (drafts: [EntryDraft], problems: [RowProblem]) {
    let known = unit ?? ratioUnit ?? profileUnit
    var found: (drafts: [EntryDraft], problems: [RowProblem]) = ([], [])
    for log in logs {
      do throws(RowFault) {
        found.drafts += try drafts(log.value, log.file, log.row, known)
      } catch {
        found.problems.append(RowProblem(error, file: log.file, row: log.row))
      }
    }
    return found
  }

  /// The unit that the middle ratio of weight and index tells.
  private var ratioUnit: String? {
    UnitEvidence.weightUnit(
      byIndex: logs.compactMap { log in
        guard let weight = number(log.value, "weight"), let index = number(log.value, "bmi"),
          index > 0
        else { return nil }
        return weight / index
      })
  }

  private func number(_ value: JSONValue, _ name: String) -> Double? {
    value.object?[name]?.number
  }

  private func drafts(
    _ value: JSONValue, _ file: String, _ row: Int, _ unit: String?
  ) throws(RowFault) -> [EntryDraft] {
    guard let object = value.object, let weight = number(value, "weight"),
      let text = object["date"]?.string, let date = WrittenDate(text)?.date(.monthFirst)
    else { throw RowFault("it has no date or no weight", kind: "no date or no weight") }
    guard let unit else {
      throw RowFault(
        "the unit of the weight is not written", kind: "the unit of the weight is not written",
        asking: ImportQuestion(.unit, ["kg", "lb"]))
    }
    let time = object["time"]?.string.flatMap { WrittenDate.timeOfDay($0) }
    let log = object["logId"]?.integer.map { "\($0)" } ?? "\(date)T\(time ?? .midnight)"
    func draft(_ metric: Metric, _ quantity: Double) -> EntryDraft {
      EntryDraft(
        file: file, row: row, column: metric.name, metric: metric,
        quantity: JSONNumber.writable(quantity) ?? quantity, date: date, time: time,
        source: "fitbit", sourceID: "takeout:\(metric.name):\(log)")
    }
    let kilograms: Double
    do throws(Refusal) {
      kilograms = try Quantity.parse("\(JSONNumber.text(weight))\(unit)", for: .weight)
    } catch {
      throw RowFault("weight: \(error)")
    }
    var drafts = [draft(.weight, kilograms)]
    if let index = number(value, "bmi"), index > 0 { drafts.append(draft(.bmi, index)) }
    if let fat = number(value, "fat"), fat > 0 {
      drafts.append(draft(.bodyFatPercentage, fat))
    }
    return drafts
  }
}
