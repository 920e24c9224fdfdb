import LedgerJSON
import LedgerModel
import Testing

private let made = EntryID("0198c1a0-7c1e-7def-8abc-00000000feed")!

@Suite struct EditRequestTests {
  private func edit(_ text: String) throws -> Edit {
    try Edit(request: try parsedObject(text), by: .import) { made }
  }

  private func refusal(_ text: String) throws -> String? {
    let object = try parsedObject(text)
    return sentence { () throws(Refusal) in _ = try Edit(request: object) { made } }
  }

  private static func isRequest(_ example: EventExample) -> Bool {
    EventKind(rawValue: example.type).map { $0.isEdit || [.goalSet, .goalRemoved].contains($0) }
      ?? false
  }

  @Test(
    "Every type of edit is accepted",
    arguments: eventExamples.filter(Self.isRequest))
  func takesEveryTypeOfEdit(example: EventExample) throws {
    let edit = try edit(#"{"type":"\#(example.type)","data":\#(example.data)}"#)
    #expect(edit.change.payload.type == example.type)
    #expect(edit.change.payload.data.serialized == example.data)
    #expect(edit.by == .import && edit.id == nil)
  }

  @Test(
    "Events that are not edits are refused",
    arguments: eventExamples.filter { !Self.isRequest($0) })
  func refusesOtherEvents(example: EventExample) throws {
    #expect(
      try refusal(#"{"type":"\#(example.type)","data":\#(example.data)}"#)
        == "'\(example.type)' is not an edit that a person makes; those are profile.updated, "
        + "physical.updated, preferences.updated, progress.logged, progress.corrected, "
        + "progress.deleted, sleep.logged, sleep.corrected, sleep.deleted, goal.set, goal.removed")
  }

  @Test("A missing entry id is created and a given one kept")
  func makesAMissingEntryAndKeepsAGivenOne() throws {
    let rest = #""metric":"weight","quantity":72.4,"date":"2026-07-20"}}"#
    let without = try edit(#"{"type":"progress.logged","data":{\#(rest)"#)
    #expect(without.change.payload.data.serialized == #"{"entry":"\#(made)",\#(rest.dropLast())"#)
    let id = "0198c1a0-7c1e-7def-8abc-0123456789ab"
    let with = try edit(#"{"data":{"entry":"\#(id)",\#(rest.dropLast()),"type":"progress.logged"}"#)
    #expect(with.change.payload.data["entry"] == .string(id))
    let null = #"{"type":"progress.logged","data":{"entry":null,\#(rest)"#
    #expect(
      try refusal(null) == "progress.logged: 'entry' is null; it must be a UUID in lower case")
    let correction = #"{"type":"progress.corrected","data":{"quantity":1}}"#
    #expect(
      try refusal(correction)
        == "progress.corrected: 'entry' is missing; it must be a UUID in lower case")
  }

  @Test("A given event id is kept")
  func takesAnID() throws {
    let id = "0198c1a0-7c1e-7def-8abc-0123456789ab"
    let edit = try edit(#"{"type":"profile.updated","data":{"name":"Z"},"id":"\#(id)"}"#)
    #expect(edit.id == EventID(id))
    #expect(edit.change == .updateProfile(ProfileUpdated(name: "Z")))
  }

  @Test(
    "A refusal names the wrong member",
    arguments: [
      ("{}", #"an edit needs 'type', a string such as "progress.logged""#),
      (#"{"type":1,"data":{}}"#, #"an edit needs 'type', a string such as "progress.logged""#),
      (#"{"type":"profile.updated"}"#, "an edit needs 'data', an object"),
      (#"{"type":"profile.updated","data":[]}"#, "an edit needs 'data', an object"),
      (#"{"type":"profile.updated","data":null}"#, "an edit needs 'data', an object"),
      (
        #"{"type":"profile.updated","data":{},"v":1}"#,
        "'v' is not a member of an edit; it has type, data and optionally id"
      ),
      (
        #"{"type":"profile.updated","data":{},"id":null}"#,
        "'id' is null; it must be a UUID in lower case"
      ),
      (
        #"{"type":"profile.updated","data":{},"id":"7"}"#,
        #"'id' is "7"; it must be a UUID in lower case"#
      ),
      (
        #"{"type":"profile.updated","data":{"name":null}}"#,
        "profile.updated: 'name' is null; it must be a string"
      ),
    ])
  func saysWhatIsWrong(text: String, expected: String) throws {
    #expect(try refusal(text) == expected)
  }
}
