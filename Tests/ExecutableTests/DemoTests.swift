import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// The whole story in one command, told with a session that lives and with one that keeps dying.
@Suite(.blocks) struct DemoTests {
  @Test(
    "The demo ends well: nothing to send a second time, and the log verifies",
    arguments: [[], ["--access-token-uses", "3"]])
  func demo(_ more: [String]) throws {
    let folder = try TemporaryFolder()
    let stage = folder.path + "/demo"
    let told = try Executable.ledger.run(
      ["demo"] + more, environment: ["LEDGER_DEMO_DIR": stage], in: folder.path)
    #expect(told.code == 0, "\(told.error)")
    let scenes = told.output.components(separatedBy: "$ ledger sync\n").dropFirst()
    try #require(scenes.count == 3)
    #expect(!scenes[1].contains("nothing to send"))
    #expect(scenes[2].contains("nothing to send"))
    #expect(!scenes[3].contains("nothing to send"))

    let verified = try Executable.ledger.run(
      ["verify", "--ledger", stage + "/.ledger"], in: folder.path)
    #expect(verified.code == 0, "\(verified.error)")
    let log = try StoredLog(folder.bytes("demo/.ledger/events.jsonl"))
    log.expectIntact()

    let again = try Executable.ledger.run(["status", "--ledger", stage + "/.ledger"])
    #expect(again.code == 0, "\(again.error)")
  }

  @Test("Every entry of the demo is acknowledged once, under an attempt that stands before it")
  func onceEach() throws {
    let folder = try TemporaryFolder()
    let told = try Executable.ledger.run(
      ["demo", "--access-token-uses", "3"],
      environment: ["LEDGER_DEMO_DIR": folder.path + "/demo"], in: folder.path)
    try #require(told.code == 0, "\(told.error)")
    var attempted: Set<String> = []
    var acknowledged: Set<String> = []
    // With tokens of three uses, a call may never get hold of one in time: it is made anew.
    var deferred: Set<String> = []
    for line in try StoredLog(folder.bytes("demo/.ledger/events.jsonl")).lines {
      let call = line.data["call"]?.string ?? ""
      switch line.type {
      case "sync.attempted": #expect(attempted.insert(call).inserted)
      case "sync.acknowledged":
        #expect(attempted.contains(call))
        #expect(acknowledged.insert(call).inserted)
      case "sync.deferred": #expect(deferred.insert(call).inserted)
      default: break
      }
    }
    #expect(attempted == acknowledged.union(deferred))
    #expect(acknowledged.isDisjoint(with: deferred))
    // Profile, body, weights, steps, and a correction's POST and DELETE.
    #expect(acknowledged.count == 65)
  }

  @Test("A day without a time leaves as that day, wherever one is")
  func dayInEveryZone() throws {
    let ledger = try TestLedger()
    _ = try ledger.logged()
    for offset in -12...14 {
      // POSIX counts west of Greenwich as positive.
      let zone = "LOC\(offset > 0 ? "-" : "+")\(abs(offset))"
      let plan = try ledger.run("sync", "--dry-run", zone: zone)
      #expect(plan.code == 0, "\(plan.error)")
      #expect(plan.output.contains(#""date":"2026-01-02"}"#), "\(zone): \(plan.output)")
    }
  }
}
