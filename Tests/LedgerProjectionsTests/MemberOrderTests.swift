import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The order and the spelling of members do not change what an event means.
@Suite struct MemberOrderTests {
  enum Disguise: CaseIterable {
    /// The members of `data` are in another order.
    case shuffled
    /// An unknown member is at the end.
    case unknownMember
    /// A letter of a name is written as an escape.
    case escapedName
  }

  @Test(
    "Any form of an event folds to the same state", arguments: Disguise.allCases,
    [UInt64(61), 62, 63])
  func sameAnswers(disguise: Disguise, seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let plain = try Replay.run(RandomStory.log(seed: seed, count: 300).view(in: folder)).state
    var log = HandWrittenLog()
    var random = SplitMix(seed)
    for line in RandomStory.lines(seed: seed, count: 300) {
      let data = Self.text(line.payload.data, disguise, &random)
      log.append(type: line.payload.type, data: data, by: line.by)
    }
    let disguised = try Replay.run(log.view(in: folder)).state
    let difference = Answers(disguised).difference(from: Answers(plain))
    #expect(difference == nil, "\(disguise), seed \(seed)")
    #expect(disguised.days() == plain.days() && disguised.tally == plain.tally)
  }

  private static func text(
    _ data: JSONObject, _ disguise: Disguise, _ random: inout SplitMix
  ) -> String {
    switch disguise {
    case .shuffled:
      return JSONObject(members: data.members.shuffled(using: &random)).serialized
    case .unknownMember:
      let extra = JSONObject.Member(name: "later", value: [1, ["two": .null]])
      return JSONObject(members: data.members + [extra]).serialized
    case .escapedName:
      guard let name = data.members.first?.name, let first = name.unicodeScalars.first else {
        return data.serialized
      }
      let escape = "\\u00" + String(first.value, radix: 16)
      return #"{""# + escape + data.serialized.dropFirst(3)
    }
  }
}

/// The fast reader takes the members of common events in any order, so logs that other programs wrote
/// are not slow.
@Suite struct AnyOrderTests {
  static let seeds: [UInt64] = [31, 32, .random(in: 0 ... .max)]

  static let forms = [
    #"{"entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","metric":"body_fat_percentage","#
      + #""quantity":21.5,"date":"2023-01-02","time":"21:55:56","zone":"-03:30","#
      + #""notes":"felt \"good\" – 💪","source":"fitbit","source_id":"fitbit:88bd2bcfbe01"}"#,
    #"{"entry":"01856aa2-a09d-7bdd-8fac-4ee446685257","metric":"bmi","quantity":-0.5,"#
      + #""date":"2024-02-29"}"#,
  ]

  @Test("Members of progress.logged in any order, each once", arguments: forms, seeds)
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

  @Test("Every metric is found, whatever follows it", arguments: Metric.allCases)
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
    "Missing, repeated and foreign members are left to the reference reader",
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

  @Test("Members of sync.acknowledged in any order, each once", arguments: seeds)
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

  /// - Returns: whether a reader reads data exactly to its end, before the rest of a line.
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
