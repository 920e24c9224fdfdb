import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The fast way and the general way read the same from the same event.
@Suite struct MemberOrderTests {
  enum Disguise: CaseIterable {
    /// The members of `data` stand in another order.
    case shuffled
    /// A member that nobody knows stands at the end.
    case unknownMember
    /// A letter of a name is written as an escape.
    case escapedName
  }

  @Test("Any order of members says the same", arguments: Disguise.allCases, [UInt64(61), 62, 63])
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
