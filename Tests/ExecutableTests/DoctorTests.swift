import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `doctor` in the terminal and in scripts.
@Suite(.blocks) struct DoctorTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    _ = try ledger.logged()
  }

  private func append(_ bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: ledger.path + "/events.jsonl"))
    try file.seekToEnd()
    try file.write(contentsOf: bytes)
    try file.close()
  }

  private func findings(_ words: String...) throws -> [String: JSONObject] {
    let result = try Executable.ledger.run(["doctor", "--json"] + words, in: ledger.folder.path)
    let answer = try #require(JSONValue(parsing: Array(result.output.utf8)).object)
    let found = (answer["findings"]?.array ?? []).compactMap(\.object)
    return Dictionary(found.map { ($0["name"]?.string ?? "", $0) }) { first, _ in first }
  }

  @Test("An intact ledger is reported as such, without colors")
  func intact() throws {
    let result = try ledger.run("doctor", "--strict")
    #expect(result.code == 0 && result.error.isEmpty)
    #expect(result.output.contains("All is well.") && !result.output.contains("\u{1B}"))
  }

  @Test("The traces of a crash are repaired; removed bytes are kept in quarantine")
  func repairs() throws {
    let before = try ledger.bytes()
    try append(Data("{\"id\":\"01".utf8))
    try FileManager.default.removeItem(atPath: ledger.path + "/head")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: ledger.path)
    let found = try findings()
    for name in ["torn-tail", "head-missing", "open-to-others"] {
      #expect(found[name]?["level"]?.string == "warning", "\(name)")
    }
    #expect(try ledger.bytes().count == before.count + 9)
    let report = try ledger.run("doctor")
    #expect(report.code == 0 && report.error.contains("ledger doctor --repair"))
    let repaired = try ledger.run("doctor", "--repair")
    #expect(repaired.code == 0 && repaired.output.contains("repaired: mode 0755 → 0700"))
    #expect(try ledger.bytes().starts(with: before))
    try ledger.log().expectIntact()
    #expect(try ledger.log().lines.last?.type == "log.repaired")
    let name = try #require(try ledger.last()["quarantined"]?.string)
    #expect(try ledger.folder.bytes(".ledger/quarantine/" + name) == Data("{\"id\":\"01".utf8))
    let after = try findings("--strict")
    #expect(Set(after.values.compactMap { $0["level"]?.string }) == ["fine", "notice"])
    #expect(try ledger.run("verify").code == 0)
  }

  @Test("Damage has exit code 3 and is not repaired")
  func damage() throws {
    _ = try ledger.logged("76")
    var bytes = try ledger.bytes()
    let place = try #require(bytes.firstRange(of: Data("75.5".utf8))).lowerBound
    bytes[place] = UInt8(ascii: "8")
    try bytes.write(to: URL(filePath: ledger.path + "/events.jsonl"))
    #expect(try ledger.run("doctor", "--strict", "--repair").code == 3)
    #expect(try ledger.bytes() == bytes)
    #expect(try findings("--strict")["chain-broken"]?["level"]?.string == "damage")
  }

  @Test("A suggested command names the ledger if --ledger did")
  func commands() throws {
    try append(Data("{".utf8))
    let report = try ledger.run("doctor", "--ledger", ledger.path)
    #expect(report.error.contains("ledger --ledger \(ledger.path) doctor --repair\n"))
    let repaired = try ledger.run("--ledger", ledger.path, "doctor", "--repair")
    #expect(repaired.output.contains("1 problem repaired. All is well."))
  }

  @Test("Without a ledger the exit code is 4")
  func noLedger() throws {
    let folder = try TemporaryFolder()
    let result = try Executable.ledger.run(["doctor"], in: folder.path)
    #expect(result.code == 4 && result.output.isEmpty)
  }
}
