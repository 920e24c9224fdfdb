import LedgerJSON
import LedgerModel
import Testing

/// `data` is written directly as text, with the same result as through values.
@Suite struct DataWritingTests {
  @Test("Writing text directly equals writing the values", arguments: eventExamples)
  func writesTheSameAsTheValuesSay(example: EventExample) throws {
    let payload = try Event.Payload(type: example.type, version: 1, data: example.object)
    #expect(written(payload) == example.data)
  }

  private static let hostile = [
    "", "\"", "\\", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "eight by\"te", "a\u{2028}b/",
    "né 💪 \u{10FFFF}\u{FEFF}", "e\u{301} and \u{E9}", String(repeating: "\\\u{0}💪", count: 40),
  ]

  /// Replaces every string and adds unknown members.
  @Test("Hostile text and unknown members are written the same", arguments: eventExamples)
  func writesHostileTextTheSame(example: EventExample) throws {
    var taken = 0
    for text in Self.hostile {
      var data = try example.object
      for name in data.members.map(\.name) {
        var changed = data
        changed[name] = .string(text)
        if (try? Event.Payload(type: example.type, version: 1, data: changed)) != nil {
          data = changed
          taken += 1
          continue
        }
        changed[name] = [.string(text), .string(text)]
        if (try? Event.Payload(type: example.type, version: 1, data: changed)) != nil {
          data = changed
          taken += 1
        }
      }
      data["x_" + text] = ["": .string(text), "deep": [[], [:], .null, 0.25, false]]
      let payload = try Event.Payload(type: example.type, version: 1, data: data)
      let text = written(payload)
      #expect(text.utf8.elementsEqual(payload.data.serialized.utf8))
      #expect(try parsedObject(text) == payload.data)
    }
    let textless: Set = [
      "duplicate.resolved", "edit.undone", "goal.removed", "goal.set", "physical.updated",
      "sync.deferred",
    ]
    #expect(taken > 0 || textless.contains(example.type))
  }

  @Test("Unknown members are kept, however many precede the known ones", arguments: eventExamples)
  func keepsUnknownMembers(example: EventExample) throws {
    let known = try example.object
    let unknown = (0..<70).map { JSONObject.Member(name: "x\($0)", value: 1) }
    let data = JSONObject(members: unknown + known.members)
    let payload = try Event.Payload(type: example.type, version: 1, data: data)
    #expect(payload.data.members == known.members + unknown)
  }

  /// Without members, and with `null`.
  @Test("Absent and null members are written the same")
  func writesAbsentMembersTheSame() {
    let entry = EntryID(LedgerUUID(high: 0x0198_C1A0_7C1E_7DEF, low: 0x8ABC_0123_4567_89AB))
    #expect(written(.profileUpdated(ProfileUpdated())) == "{}")
    #expect(
      written(.profileUpdated(ProfileUpdated(bio: .clear, languageCode: .clear)))
        == #"{"bio":null,"language_code":null}"#)
    #expect(
      written(.progressDeleted(ProgressDeleted(entry: entry)))
        == #"{"entry":"0198c1a0-7c1e-7def-8abc-0123456789ab"}"#)
    #expect(written(.unknown(type: "x.y", version: 3, data: [:])) == "{}")
    #expect(
      written(.unknown(type: "x.y", version: 3, data: ["b": 1, "a": [nil]]))
        == #"{"b":1,"a":[null]}"#)
    #expect(written(.erased(type: "progress.logged", version: 1)) == "{}")
  }

  /// Appends to other bytes.
  private func written(_ payload: Event.Payload) -> String {
    var sink = ByteSink(capacity: 3)
    sink.append("{,")
    payload.writeData(into: &sink)
    let text = sink.text
    #expect(text.hasPrefix("{,{"))
    return String(decoding: text.utf8.dropFirst(2), as: UTF8.self)
  }
}
