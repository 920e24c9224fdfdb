import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Common events are read fast in whatever order their members stand, so that a log that another
/// program wrote is not the slow one.
@Suite struct AnyOrderTests {
  static let seeds: [UInt64] = [31, 32, .random(in: 0 ... .max)]

  static let forms = [
    #"{"entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","metric":"body_fat_percentage","#
      + #""quantity":21.5,"date":"2023-01-02","time":"21:55:56","zone":"-03:30","#
      + #""notes":"felt \"good\" – 💪","source":"fitbit","source_id":"fitbit:88bd2bcfbe01"}"#,
    #"{"entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","metric":"bmi","quantity":-0.5,"#
      + #""date":"2024-02-29"}"#,
  ]

  @Test(arguments: forms, seeds)
  func logged(form: String, seed: UInt64) throws {
    let expected = try #require(Self.row(form, .init()))
    var random = SplitMix(seed)
    for _ in 0..<200 {
      let shuffled = LineForms.shuffled(form, using: &random)
      let isTwice = shuffled.utf8.count != form.utf8.count
      let found = Self.row(shuffled, .init())
      #expect(found.map { "\($0)" } == (isTwice ? nil : "\(expected)"), "\(shuffled), seed \(seed)")
    }
  }

  @Test("Every metric, whatever follows it", arguments: Metric.allCases)
  func metrics(metric: Metric) {
    for end in [#"}"#, #","source":"x"}"#, #","quantity":7}"#] {
      let quantity = end.contains("quantity") ? "" : #""quantity":7,"#
      let data =
        #"{"entry":"01856aa2-a09d-7bdd-8fac-4ee446685257",\#(quantity)"date":"2024-02-29","#
        + #""metric":"\#(metric.name)"\#(end)"#
      #expect(Self.row(data, .init())?.metric == metric)
      for wrong in [metric.name + "s", String(metric.name.dropLast()), metric.name.uppercased()] {
        let wrongData = data.replacing(#""\#(metric.name)""#, with: #""\#(wrong)""#)
        #expect(Self.row(wrongData, .init()) == nil, "\(wrongData)")
      }
    }
  }

  @Test(
    "What is missing, twice, or of no entry goes the general way",
    arguments: [
      #"{}"#, #"{"date":"2024-02-29"}"#,
      #"{"metric":"bmi","quantity":1,"date":"2024-02-29"}"#,
      #"{"metric":"bmi","quantity":1,"date":"2024-02-29","entry":"x"}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","date":"2024-02-29"}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1,"#
        + #""date":"2024-02-29","date":"2024-02-29"}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1,"#
        + #""date":"2024-02-29","time":"10:00:00"}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1,"#
        + #""date":"2024-02-29","notes":null}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1,"#
        + #""date":"2024-02-29","reason":"x"}"#,
      #"{"metric":"bmi","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","quantity":1,"#
        + #""date":"2024-02-29",}"#,
    ])
  func refused(data: String) {
    #expect(Self.row(data, .init()) == nil)
  }

  @Test(arguments: seeds)
  func acknowledged(seed: UInt64) {
    let form =
      #"{"call":"01856aa2-a09d-7bdd-8fac-4ee446685257","events":[2,3],"status":201,"#
      + #""via":"response","entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","backend_id":"x"}"#
    var random = SplitMix(seed)
    for _ in 0..<200 {
      let shuffled = LineForms.shuffled(form, using: &random)
      let isTwice = shuffled.utf8.count != form.utf8.count
      var marks: [Mark] = []
      let isRead = Self.read(shuffled) { bytes, position in
        SyncScanner.acknowledgedInAnyOrder(bytes, at: &position, seq: 9, into: &marks)
      }
      #expect(isRead == !isTwice, "\(shuffled), seed \(seed)")
      if isRead { #expect(marks.map(\.target) == [2, 3] && marks.allSatisfy { $0.binds }) }
    }
  }

  private static func row(_ data: String, _ scanner: FieldScanner) -> EntryRow? {
    var (scanner, row) = (scanner, EntryRow?.none)
    _ = read(data) { bytes, position in
      row = scanner.loggedInAnyOrder(bytes, at: &position, seq: 7)
      return row != nil
    }
    return row
  }

  /// - Returns: whether a reader has read data to its end, with a line's rest behind it.
  private static func read(
    _ data: String, _ reader: (_ bytes: RawSpan, _ position: inout Int) -> Bool
  ) -> Bool {
    let bytes = Array(data.utf8) + Array(",\"hash\":\"\n".utf8)
    let padded = bytes + [UInt8](repeating: 0, count: FastFront.reachBytes)
    return padded.withUnsafeBufferPointer { buffer in
      var position = 0
      let isRead = reader(UnsafeRawBufferPointer(buffer).bytes, &position)
      return isRead && position == data.utf8.count
    }
  }
}
