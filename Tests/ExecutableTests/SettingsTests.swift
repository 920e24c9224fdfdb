import Foundation
import LedgerTestSupport
import Testing

@Suite(.blocks) struct SettingsTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test("Settings are answered as a JSON object")
  func areAnObject() throws {
    let standard =
      #"{"backend.url":null,"backend.dialect":"date-time","sync.conflicts":"local","#
      + #""sync.concurrency":4,"sync.settle_seconds":5,"zone":null,"#
      + #""credentials.helper":null}"# + "\n"
    #expect(try ledger.run("settings", "--json").output == standard)
    #expect(try ledger.run("settings", "sync.concurrency", "8").output == "8\n")
    #expect(
      try ledger.run("settings", "--json", "sync.concurrency").output
        == #"{"sync.concurrency":8}"# + "\n")
    #expect(try ledger.run("settings", "--unset", "sync.concurrency").output == "4\n")
    #expect(try ledger.run("settings", "--json").output == standard)
  }

  @Test("settings shows the chosen values")
  func showWhatIsChosen() throws {
    try ledger.run("settings", "zone", "Europe/Vienna")
    let shown = try ledger.run("settings").output
    #expect(shown.contains("\nzone                 Europe/Vienna\n"))
    #expect(shown.contains("\nsync.conflicts       local          default\n"))
  }

  @Test("A number in the file counts as its digits, so that a wrong one is refused")
  func numbersInFile() throws {
    let ledger = try TestLedger()
    func write(_ text: String) throws {
      try ledger.folder.write(Data(text.utf8), to: ".ledger/settings.json")
    }
    try write(#"{"zone":5}"#)
    let refused = try ledger.run("append", "weight", "75")
    #expect(refused.code == 2)
    #expect(refused.error.contains("the setting zone is '5', which this system does not know"))
    #expect(try ledger.run("doctor").output.contains("zone is '5': unknown time zone"))
    try write(#"{"sync.concurrency":8}"#)
    #expect(try ledger.must("settings", "sync.concurrency") == "8\n")
  }

  @Test("A value in the file that is neither text nor a number is the default, and doctor names it")
  func otherValuesInFile() throws {
    let ledger = try TestLedger()
    for key in ["zone", "credentials.helper", "sync.conflicts"] {
      try ledger.must("settings", "--unset", key)
      let unset = try ledger.run("settings", key)
      for value in ["null", "true", "{}", #"["UTC"]"#] {
        try ledger.folder.write(
          Data("{\"\(key)\":\(value)}".utf8), to: ".ledger/settings.json")
        let answer = try ledger.run("settings", key)
        #expect(answer.output == unset.output && answer.error == unset.error)
        #expect(try ledger.run("sync").error.contains("not signed in"))
        try ledger.must("append", "mood", "7")
        #expect(try ledger.run("doctor").output.contains("\(key) is '': it is not text"))
      }
    }
  }

  @Test("A zone that is one offset all year is set, with the one that has daylight saving")
  func fixedZone() throws {
    let fixed = try ledger.run("settings", "zone", "EST")
    #expect(fixed.output == "EST\n")
    #expect(fixed.error.contains("ledger settings zone America/New_York"))
    #expect(try ledger.run("settings", "zone", "America/New_York").error.isEmpty)
  }

  @Test("A broken settings file is refused")
  func areNotGuessedFromABrokenFile() throws {
    try ledger.folder.write(Data("{".utf8), to: ".ledger/settings.json")
    try ledger.expectRefusal(
      ["append", "weight", "70"], 1,
      "\(ledger.path)/settings.json is not a JSON object; fix it, or delete it to restore the "
        + "defaults")
  }

  @Test(
    "An invalid setting is refused",
    arguments: [
      (
        ["zone", "Nowhere"],
        "zone cannot be 'Nowhere': unknown time zone; take a name such as Europe/Vienna, or an offset such "
          + "as +02:00"
      ),
      (
        ["zone", "CEST"],
        "zone cannot be 'CEST': unknown time zone; did you mean 'Europe/Paris', 'Europe/Berlin' or "
          + "'Europe/Vienna'?"
      ),
      (
        ["zone", "Europe/Wien"],
        "zone cannot be 'Europe/Wien': unknown time zone; take a name such as Europe/Vienna, or an "
          + "offset such as +02:00"
      ),
      (["zoen"], "there is no setting 'zoen'; did you mean 'zone'?"),
      (["conflicts", "ask"], "there is no setting 'conflicts'; did you mean 'sync.conflicts'?"),
      (["--unset", "zoen"], "there is no setting 'zoen'; did you mean 'zone'?"),
      (
        ["sync.concurrency", "0"],
        "sync.concurrency cannot be '0': it must be a whole number from 1 to 64"
      ),
      (
        ["sync.conflicts", "mine"],
        "sync.conflicts cannot be 'mine': it must be 'local', 'remote' or 'ask'"
      ),
    ] as [([String], String)])
  func refuse(_ words: [String], _ sentence: String) throws {
    try ledger.expectRefusal(["settings"] + words, 2, sentence)
  }
}
