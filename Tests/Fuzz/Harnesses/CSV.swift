import LedgerModel

@testable import LedgerImport

/// Any bytes as a CSV file, read under a mapping that the first byte chooses: no crash, every row
/// accounted for, and a second import of the same file finds nothing new.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  guard let first = input.first else { return 0 }
  let file = Array(input[1...])
  if first >= 200 {
    checkFitbit(file, kind: Int(first))
  } else {
    checkMapped(file, mappings[Int(first) % mappings.count])
  }
  return 0
}

private let mappings: [CSVMapping] = [
  CSVMapping(metric: .weight, quantity: "q", date: "d"),
  CSVMapping(metric: .steps, quantity: "q", date: "d", time: "t", notes: "n"),
  CSVMapping(
    metric: .distanceKM, quantity: "q", date: "d",
    dateFormat: try? DateFormat("M/d/yyyy h:mm:ss a"),
    unit: "mi"),
  CSVMapping(
    metric: .waterLiters, quantity: "q", date: "d", time: "t",
    timeFormat: try? DateFormat("HH:mm"),
    conditions: [.init(column: "n", value: "x")]),
]

private func context(known: [String: Double] = [:]) -> ImportContext {
  var made: UInt64 = 0
  return ImportContext(
    makeEntry: {
      made += 1
      return EntryID(LedgerUUID(high: 0, low: made))
    },
    zone: { _, _ in .utc },
    index: { () throws(ImportError) in index(of: known) },
    known: { source, id in known["\(source) \(id)"] })
}

/// The entries of a ledger that has these quantities, by source and source id.
private func index(of known: [String: Double]) -> KnownEntries {
  let logged = known.enumerated().map { order, entry in
    let words = entry.key.split(separator: " ", maxSplits: 1)
    let name = SourceName(source: String(words[0]), id: String(words[1]))
    return KnownEntries.Logged(
      id: name.id, origin: name.origin,
      entry: LedgerUUID(high: 1, low: UInt64(order)), quantity: entry.value, order: order)
  }
  return KnownEntries(
    SortedRecords(held: logged.sorted(by: KnownEntries.Logged.isBefore)), changes: [:])
}

private func checkMapped(_ file: [UInt8], _ mapping: CSVMapping) {
  let source = ImportSource.bytes(file, name: "f.csv")
  guard let result = try? CSVImport.read(source, mapping: mapping, context: context()) else {
    return
  }
  require(
    result.edits.count + result.skippedByFilter <= result.rows, "more entries than rows")
  checkAgain(result) { try CSVImport.read(source, mapping: mapping, context: $0) }
}

private func checkFitbit(_ file: [UInt8], kind: Int) {
  let kinds = FitbitTable.allCases
  let names = kinds[kind % kinds.count].fileNames
  let read = { (context: ImportContext) throws in
    try FitbitImport.read(person: "1503960366", window: FitbitStudy.window, context: context) {
      $0 == names.first ? .bytes(file, name: $0) : nil
    }
  }
  guard let result = try? read(context()) else { return }
  checkAgain(result, read)
}

/// - Parameter read: the same import with another context.
private func checkAgain(
  _ result: ImportResult, _ read: (ImportContext) throws -> ImportResult
) {
  var known: [String: Double] = [:]
  for edit in result.edits {
    let key = "\(edit.source ?? "") \(edit.sourceID ?? "")"
    require(known[key] == nil, "two entries of one source id: \(key)")
    known[key] = edit.quantity
    require(edit.quantity.isFinite, "a quantity is not a number")
  }
  guard let again = try? read(context(known: known)) else {
    finding("read again the file is refused")
  }
  require(again.edits.isEmpty, "read again there are \(again.edits.count) new entries")
  require(again.known == result.edits.count, "\(again.known) known of \(result.edits.count)")
  require(again.problems == result.problems, "read again there are other problems")
}
