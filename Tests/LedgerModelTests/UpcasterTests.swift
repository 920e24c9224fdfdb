import LedgerJSON
import LedgerModel
import Testing

/// Reads `data` of older versions, with made-up versions.
@Suite struct UpcasterTests {
  /// Version 1 calls the undone event `edit`, version 2 writes it as a string.
  private let upcasters = Upcasters([
    .init(.editUndone, fromVersion: 1) { data in
      JSONObject(
        members: data.members.map {
          JSONObject.Member(name: $0.name == "edit" ? "event" : $0.name, value: $0.value)
        })
    },
    .init(.editUndone, fromVersion: 2) { data in
      var data = data
      if let text = data["event"]?.string, let seq = Int(text) { data["event"] = JSONValue(seq) }
      return data
    },
  ])

  private func read(_ version: Int, _ text: String) throws -> Event.Payload {
    try Event.Payload(
      type: "edit.undone", version: version, data: try parsedObject(text), upcasters: upcasters
    ) { $0 == .editUndone ? 3 : 1 }
  }

  @Test("Every version is converted to the newest")
  func everyVersionBecomesTheNewest() throws {
    let newest = try read(3, #"{"event":7,"why":"x"}"#)
    #expect(try read(1, #"{"edit":"7","why":"x"}"#) == newest)
    #expect(try read(2, #"{"event":"7","why":"x"}"#) == newest)
    #expect(newest.data.serialized == #"{"event":7,"why":"x"}"#)
  }

  @Test("Invalid data stays invalid")
  func whatIsWrongStaysWrong() throws {
    for (version, text) in [(1, #"{"event":[]}"#), (2, #"{"event":"x"}"#), (2, "{}")] {
      #expect(throws: EventError.self) { try read(version, text) }
    }
  }

  @Test("Unknown versions are refused")
  func unknownVersionsAreRefused() throws {
    #expect(
      throws: EventError(
        type: "edit.undone",
        problem: "version 4 is newer than this program, which reads up to 3; use a newer ledger")
    ) { try read(4, #"{"event":7}"#) }
    #expect(
      throws: EventError(
        type: "edit.undone", problem: "version 0 does not exist")
    ) { try read(0, #"{"event":7}"#) }
  }

  @Test("Unknown types are not converted")
  func unknownTypesAreNotConverted() throws {
    let data = try parsedObject(#"{"edit":"7"}"#)
    let payload = try Event.Payload(
      type: "edit.imagined", version: 1, data: data, upcasters: upcasters
    ) { _ in 3 }
    #expect(payload == .unknown(type: "edit.imagined", version: 1, data: data))
  }
}
