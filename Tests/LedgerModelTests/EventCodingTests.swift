import LedgerJSON
import LedgerModel
import Testing

@Suite struct EventCodingTests {
  @Test("Every event type has an example")
  func thereIsAnExampleOfEveryType() {
    #expect(eventExamples.map(\.type) == EventKind.allCases.map(\.rawValue))
  }

  @Test("An event round-trips byte for byte", arguments: eventExamples)
  func comesBackByteForByte(example: EventExample) throws {
    let payload = try Event.Payload(type: example.type, version: 1, data: example.object)
    #expect(payload.data.serialized == example.data)
    #expect(payload.type == example.type)
    #expect(payload.kind?.rawValue == example.type)
    #expect(payload.version == 1)
  }

  /// Every member was understood: an example's value is never what was not read.
  @Test("Every member of an example is understood", arguments: eventExamples)
  func understandsEveryMember(example: EventExample) throws {
    let names = try example.object.members.map(\.name)
    for name in names where !example.nullable.contains(name) {
      var data = try example.object
      data[name] = .object(["x": .array([])])
      guard data[name] != (try example.object)[name], !["remote", "fields"].contains(name) else {
        continue
      }
      let message = refusalText(type: example.type, data: data)
      #expect(message?.hasPrefix("\(example.type): '\(name)' is {\"x\":[]}; it must be ") == true)
    }
  }

  @Test("Members are put in order and unknown ones kept", arguments: eventExamples)
  func ordersMembersAndKeepsUnknownOnes(example: EventExample) throws {
    var data = try example.object
    data.members.reverse()
    data.members.insert(.init(name: "x_new", value: [1, ["a": nil]]), at: 0)
    data.members.append(.init(name: "x_\u{E9}", value: "e\u{301}"))
    let payload = try Event.Payload(type: example.type, version: 1, data: data)
    let body = example.data.dropLast()
    let expected = "\(body),\"x_new\":[1,{\"a\":null}],\"x_\u{E9}\":\"e\u{301}\"}"
    #expect(payload.data.serialized.utf8.elementsEqual(expected.utf8))
  }

  @Test("A missing member is named", arguments: eventExamples)
  func namesAMissingMember(example: EventExample) throws {
    for name in try example.object.members.map(\.name) {
      var data = try example.object
      data[name] = nil
      let message = refusalText(type: example.type, data: data)
      if example.required.contains(name) {
        let start = "\(example.type): '\(name)' is missing; it must be "
        #expect(message?.hasPrefix(start) == true, "\(message ?? "accepted")")
      } else if name == "time" {
        #expect(message == "\(example.type): 'zone' without 'time'")
      } else if name == "zone" {
        #expect(message == "\(example.type): 'time' without 'zone'")
      } else {
        #expect(message == nil)
      }
    }
  }

  @Test("Null is accepted only where it clears a field or is a value", arguments: eventExamples)
  func nullIsAValueOnlyWhereTheContractSaysSo(example: EventExample) throws {
    for name in try example.object.members.map(\.name) {
      var data = try example.object
      data[name] = .null
      let message = refusalText(type: example.type, data: data)
      if example.nullable.contains(name) {
        #expect(message == nil)
        let payload = try Event.Payload(type: example.type, version: 1, data: data)
        #expect(payload.data.serialized == data.serialized)
      } else {
        #expect(message?.hasPrefix("\(example.type): '\(name)' is null; it must be ") == true)
      }
    }
  }

  @Test("A newer version is refused", arguments: eventExamples)
  func refusesANewerVersion(example: EventExample) throws {
    let data = try example.object
    #expect(throws: EventError.self) {
      try Event.Payload(type: example.type, version: 2, data: data)
    }
    #expect(
      refusalText(type: example.type, version: 2, data: JSONObject())
        == "\(example.type): version 2 is newer than this program, which reads up to 1; "
        + "use a newer ledger")
  }

  @Test(
    "An unknown type is preserved",
    arguments: ["progress.imagined", "Progress.logged", "", "progress.logged ", "héé"])
  func keepsATypeItDoesNotKnow(type: String) throws {
    let data = try parsedObject(#"{"z":1,"entry":null,"a":[{}]}"#)
    let payload = try Event.Payload(type: type, version: 7, data: data)
    #expect(payload == .unknown(type: type, version: 7, data: data))
    #expect(payload.type == type && payload.version == 7 && payload.kind == nil)
    #expect(payload.data.serialized == data.serialized)
  }

  @Test("An erased event keeps its type and has no data")
  func anErasedEventKeepsItsTypeAndHasNoData() {
    let payload = Event.Payload.erased(type: "progress.logged", version: 1)
    #expect(payload.type == "progress.logged" && payload.version == 1)
    #expect(payload.kind == nil && payload.data.isEmpty)
  }
}

/// The sentence of the refusal.
func refusalText(type: String, version: Int = 1, data: JSONObject) -> String? {
  do throws(EventError) {
    _ = try Event.Payload(type: type, version: version, data: data)
    return nil
  } catch {
    return error.description
  }
}
