import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

@Suite(.blocks) struct InitTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Executable.Result {
    try Executable.ledger.run(arguments, environment: environment, in: folder.path)
  }

  @Test("init creates a ledger in the current folder")
  func makesALedgerHere() throws {
    let made = try run("init")
    #expect(made.code == 0)
    #expect(made.output == "✓ made a ledger in .ledger; next: ledger append weight 75.5\n")
    let log = try StoredLog(folder.bytes(".ledger/events.jsonl"))
    log.expectIntact()
    #expect(log.lines.map(\.type) == ["ledger.created"])
    #expect(log.lines[0].data["format"] == 1)
  }

  @Test("init creates missing parent folders")
  func makesFoldersOnTheWay() throws {
    let made = try run("init", "a/b c", "--device", "phone", "--json")
    let stored = try folder.bytes("a/b c/.ledger/events.jsonl")
    #expect(Data(made.output.utf8) == stored)
    #expect(try StoredLog(stored).lines[0].data["device"] == "phone")
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/a/b c/.ledger")
    #expect(mode[.posixPermissions] as? Int == 0o700)
  }

  @Test("--ledger and LEDGER_DIR name the ledger's folder itself")
  func takesTheNamedFolderItself() throws {
    #expect(try run("--ledger", "x/y", "init").code == 0)
    #expect(try !folder.bytes("x/y/events.jsonl").isEmpty)
    #expect(try run("init", environment: ["LEDGER_DIR": "z"]).code == 0)
    #expect(try !folder.bytes("z/events.jsonl").isEmpty)
    let both = try run("--ledger", "x", "init", "y")
    #expect(both.code == 2)
    #expect(both.error == "ledger: 'DIR' and '--ledger' exclude each other; give one of them\n")
  }

  @Test("The suggested command names the new ledger, quoted for a shell")
  func theLineToCopyWorksFromAnywhere() throws {
    let made = try run("init", "it's")
    let call = #"ledger --ledger 'it'\''s/.ledger' append weight 75.5"#
    #expect(made.output.hasSuffix("next: \(call)\n"))
    // Commands find the one of this folder, unless the environment names another.
    let named = try run("init", ".", environment: ["LEDGER_DIR": "z"])
    #expect(named.output.contains("next: ledger --ledger "))
    try FileManager.default.removeItem(atPath: folder.path + "/.ledger")
    #expect(try run("init", ".").output.hasSuffix("next: ledger append weight 75.5\n"))
  }

  @Test("init of a folder called .ledger makes that one")
  func namesTheLedger() throws {
    #expect(try run("init", "a/.ledger/").code == 0)
    #expect(try run("--ledger", "a/.ledger", "append", "weight", "80").code == 0)
  }

  @Test("init does not change an existing ledger")
  func neverTouchesAnExistingOne() throws {
    _ = try run("init")
    let before = try folder.bytes(".ledger/events.jsonl")
    let again = try run("init")
    #expect(again.code == 2)
    #expect(again.error == "ledger: .ledger is a ledger already; nothing was changed\n")
    #expect(try folder.bytes(".ledger/events.jsonl") == before)
  }

  @Test("A ledger inside another one's folder is announced, and made")
  func insideAnother() throws {
    _ = try run("init")
    let inside = try run("init", "a/b")
    #expect(inside.code == 0)
    #expect(inside.error.contains("/.ledger now, and the new one after this"))
    #expect(try !folder.bytes("a/b/.ledger/events.jsonl").isEmpty)
    #expect(try run("init", "c", "--yes").error.isEmpty)
    #expect(try run("--ledger", "d", "init").error.isEmpty)
  }

  @Test("A path that cannot be a folder is refused")
  func refusesWhatCannotBeAFolder() throws {
    try folder.write(Data(), to: "file")
    let under = try run("init", "file")
    #expect(under.code == 1)
    #expect(under.error == "ledger: cannot make file: file exists\n")
    let nowhere = try run("init", "")
    #expect(nowhere.code == 2)
    #expect(nowhere.error == "ledger: 'DIR' takes the path of a folder, not ''\n")
    let device = try run("init", "--device", "")
    #expect(device.code == 2)
  }
}
