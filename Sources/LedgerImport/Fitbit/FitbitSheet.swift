import LedgerModel

/// One row of the person asked for, its moment still as written.
struct FitbitRow {
  let row: Int
  let written: WrittenMoment
  let logID: WeightLogID?
  /// The cells of ``FitbitTable/measured``, in that order.
  let cells: [String]
}

/// One file of the data set as it was read: the rows of one person, and what all rows show.
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
      // Ids such as 1.50396E+09 could be anyone's.
      guard isDigits(id) else {
        throw RowFault(sentence: "Id is \(quoted(id)); whose row it is takes all its digits")
      }
      let written = try layout.moment(of: record)
      guard !kind.hasTimes || written.time != nil else {
        throw RowFault(sentence: "the date is \(quoted(written.dateText)) and has no time")
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
      // What is wrong with other people's rows is no business of this import.
      if isOther, isDigits(id) {
        rowsOfOthers += 1
      } else {
        problems.append(RowProblem(file: file, row: record.row, reason: error.sentence))
      }
    }
  }
}

func isDigits(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
}
