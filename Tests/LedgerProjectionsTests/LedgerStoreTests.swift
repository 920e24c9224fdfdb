import LedgerJSON
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

@Suite struct LocalLedgerTests {
  /// An erased line may be exactly as long as it was, so that everything behind it stands where it
  /// stood.
  @Test("What was erased is not remembered, however long its line was")
  func erasureIsNoticed() throws {
    let folder = try TemporaryFolder()
    let data = #"{"height_cm":168.55,"padding":"012345678"}"#
    var before = HandWrittenLog()
    before.appendCreation()
    before.append(type: "physical.updated", data: data)
    let ledger = LedgerStore(try before.write(to: folder))
    #expect(try ledger.state().fields(of: .physical)["height_cm"]?.number == 168.55)

    var after = HandWrittenLog()
    after.appendCreation()
    after.appendErased(type: "physical.updated", data: data)
    #expect(after.bytes.count == before.bytes.count)
    after.append(.eventErased(EventErased(event: Seq(2), reason: "asked for")))
    try after.write(to: folder)
    #expect(try ledger.state().fields(of: .physical).isEmpty)
    #expect(try ledger.state().tally.erased == 1)
  }

  /// A log that was written anew to the same length has another last line.
  @Test("A log of the same length is still another log")
  func sameLength() throws {
    let folder = try TemporaryFolder()
    let names = ["Ada", "Bob"]
    let ledger = LedgerStore(folder.ledger)
    for name in names {
      var log = HandWrittenLog()
      log.append(
        .ledgerCreated(LedgerCreated(ledger: .init(.init(high: 1, low: 2)), device: "x", format: 1))
      )
      log.append(.profileUpdated(ProfileUpdated(name: name)))
      try log.write(to: folder)
      #expect(try ledger.state().profileView().name == name)
    }
  }

  @Test("What is appended is folded on, not folded again")
  func growsOn() throws {
    let folder = try TemporaryFolder()
    var log = RandomStory.log(seed: 41, count: 50)
    let ledger = LedgerStore(try log.write(to: folder))
    #expect(try ledger.state().position.seq == 50)
    for line in RandomStory.lines(seed: 42, count: 30).dropFirst() {
      log.append(line.payload, by: line.by)
      try log.write(to: folder)
      let grown = Answers(try ledger.state())
      let whole = Answers(try Replay.run(try LogView.open(folder.ledger)).state)
      #expect(grown.difference(from: whole) == nil)
    }
  }
}
