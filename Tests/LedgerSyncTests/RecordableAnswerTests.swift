import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import Testing

@testable import LedgerSync

/// Answers that hold more than a line of the log does: a run takes what it can, and never ends at
/// them with an error, or it would end there each time.
@Suite struct RecordableAnswerTests {
  private typealias Call = AnswerTableTests.Call

  @Test("Digits that a log cannot hold are rounded")
  func digitsThatNoLogHoldsAreRounded() throws {
    let body = #"{"data":{"height_cm":170.00000000001234}}"#
    let (journey, edit, _) = try AnswerTableTests.run(.physical, .answer(200, body))
    #expect(try journey.state(of: edit) == .acknowledged)
  }

  enum Unfit: CaseIterable {
    case deep, large, long

    var json: String {
      switch self {
      case .deep: "[[[[[[[[1]]]]]]]]"
      case .large: "1e300"
      case .long: "\"\(String(repeating: "x", count: 70_000))\""
      }
    }
  }

  @Test(
    "An answer that cannot be recorded counts as none", arguments: Unfit.allCases)
  func whatCannotBeRecordedIsNoAnswer(unfit: Unfit) throws {
    let body = #"{"data":{"name":\#(unfit.json)}}"#
    for call in [Call.create, .put] {
      let (journey, edit, report) = try AnswerTableTests.run(call, .answer(200, body))
      #expect(report.pending == 1)
      #expect(try journey.state(of: edit) != .acknowledged)
      try AnswerTableTests.expectArrival(call, journey, edit)
    }
  }

  @Test(
    "An id that is too long, or part of a path, counts as none",
    arguments: [String(repeating: "7", count: 70_000), "..", "."])
  func unfitID(_ id: String) throws {
    let (journey, edit, _) = try AnswerTableTests.run(.post, .answer(201, #"{"id":"\#(id)"}"#))
    #expect(try journey.state(of: edit) == .inDoubt)
    try AnswerTableTests.expectArrival(.post, journey, edit)
    let row = JSONValue.object([
      "id": .string(id), "type": "weight", "quantity": 70, "date": "2026-03-01",
    ])
    #expect(ListedRow(json: row) == nil)
  }

  @Test("A value that is too long beside others is recorded shortened, and cannot be taken")
  func shortened() throws {
    let name = String(repeating: "n", count: 20_000)
    let (journey, _, _) = try AnswerTableTests.run(
      .put, .answer(200, #"{"data":{"name":"\#(name)"}}"#))
    let ledger = journey.fixture.ledger
    let conflict = try #require(ledger.state().openConflicts().first { $0.fieldName == "name" })
    #expect(conflict.remote.object?["shortened"]?.string?.hasPrefix("\"nnn") == true)
    let refusal = ConflictRefusal.unusableValue(
      conflict.seq, field: "name", value: "a value that is too long")
    #expect(throws: refusal) {
      try ledger.resolve(
        conflict.seq, taking: .remote, at: LedgerFixture.now, using: &journey.generator)
    }
  }

  @Test(
    "A message that is too long is cut", arguments: ["x", "\u{0}", "e\u{301}\u{301}\u{301}"])
  func anEndlessMessageIsCut(part: String) throws {
    let text = JSONValue.string(String(repeating: part, count: 30_000)).serialized
    let (journey, edit, _) = try AnswerTableTests.run(
      .post, .answer(422, #"{"error":{"message":\#(text)}}"#))
    #expect(try journey.state(of: edit) == .rejected)
    let message = try #require(journey.rejections().last?.message)
    #expect(message.unicodeScalars.count == 1000)
  }

  @Test("A refused body stays visible: whole up to 48 KiB, else its start", arguments: [100, 250])
  func refusedBody(count: Int) throws {
    let journey = try Journey.settledPerson()
    for (number, field) in [\PreferencesUpdated.allergies, \.foodDislikes].enumerated() {
      var edit = PreferencesUpdated()
      edit[keyPath: field] = (0..<count).map {
        "\(number) \($0) " + String(repeating: "x", count: 110)
      }
      try journey.fixture.edit(.updatePreferences(edit))
    }
    journey.backend.instead = {
      ScriptedBackend.kind(of: $0) == Journey.preferences ? .error(422) : nil
    }
    #expect(try journey.sync().rejected == 2)
    let body = try #require(journey.rejections().last?.body)
    if count == 100 {
      #expect(body.object?["allergies"]?.array?.count == count)
    } else {
      #expect(body.string?.hasPrefix(#"{"allergies":["0 0 x"#) == true)
      #expect(body.string?.hasSuffix(" bytes)") == true)
    }
  }
}
