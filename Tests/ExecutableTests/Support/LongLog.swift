import LedgerTestSupport
import Testing

/// A ledger of 16,500 entries: enough for a snapshot to pay, and several megabytes.
enum LongLog {
  static let entries = 16_500

  /// The ledger's files, made by one run of the program; without a snapshot.
  static let files = Result {
    let ledger = try TestLedger()
    let lines = (0..<entries).map { edit($0) }
    try ledger.must("append", "--stdin", input: lines.joined(separator: "\n") + "\n")
    return try ledger.files()
  }

  /// Event `index` + 2 of the log, as it was appended.
  static func edit(_ index: Int) -> String {
    #"{"type":"progress.logged","data":{"metric":"\#(index % 3 == 0 ? "weight" : "steps")","#
      + #""quantity":\#(index % 90 + 40),"date":"2026-01-\#(index % 19 + 10)"},"#
      + #""id":"\#(id(index))"}"#
  }

  /// Of one minute each, now and then of another year.
  static func id(_ index: Int) -> String {
    let minutes = index % 5_000 == 4_999 ? index * 900 : index
    let digits = String(1_700_000_000_000 + minutes * 60_000, radix: 16)
    let moment = String(repeating: "0", count: 12 - digits.count) + digits
    let number = String(index, radix: 16)
    return "\(moment.prefix(8))-\(moment.dropFirst(8))-7000-8000-"
      + String(repeating: "0", count: 12 - number.count) + number
  }
}
