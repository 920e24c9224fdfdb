import LedgerModel

/// What a row of a mapped CSV file is called: `csv:steps:2016-04-12T01:00:00?Id=1503960366`.
///
/// It is made of the metric, the moment and the conditions, never of the file's name or the row's
/// number, so that a file renamed, sorted or exported anew still matches what it brought in before.
struct CSVSourceID {
  private let metric: Metric
  private let conditions: String

  init(_ mapping: CSVMapping) {
    metric = mapping.metric
    let terms = mapping.conditions.map { "\(escaped($0.column))=\(escaped($0.value))" }
    conditions = terms.isEmpty ? "" : "?" + Set(terms).sorted().joined(separator: "&")
  }

  func of(_ date: CalendarDate, _ time: ClockTime?) -> String {
    "csv:\(metric.name):\(date)\(time.map { "T\($0)" } ?? "")\(conditions)"
  }
}

/// Percent-encodes all but RFC 3986's unreserved characters, so that no value can look like two.
private func escaped(_ text: String) -> String {
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      bytes.append(byte)
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      bytes.append(contentsOf: ("%" + (byte < 16 ? "0" : "") + digits).utf8)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
