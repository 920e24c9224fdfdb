import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@Suite struct LedgerStoreTests {
  /// An erased line may keep its length, so that the lines after it keep their offsets.
  @Test("Erased content is dropped from the folded state, whatever its line's length")
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
    after.append(.editUndone(EditUndone(event: Seq(2))))
    after.append(
      .eventErased(EventErased(event: Seq(2), reason: "asked for", fields: ["height_cm"])))
    try after.write(to: folder)
    #expect(try ledger.state().fields(of: .physical).isEmpty)
    #expect(try ledger.state().tally.erased == 1)
  }

  @Test("A log of the same length but with another last line is folded again")
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
}
