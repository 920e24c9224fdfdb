import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import Testing

@testable import LedgerCLI
@testable import LedgerStore

/// For each finding of `doctor` without `--strict` a ledger that has it, and what `--repair` does.
@Suite struct DoctorTests {
  let ledger: LookingLedger
  private let files = FileManager.default

  init() throws {
    ledger = try LookingLedger()
    for number in 1...3 { try ledger.log(number, on: "2025-01-31") }
  }

  private var directory: LedgerDirectory { ledger.directory }

  private func write(_ text: String, _ path: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    try setMode(path, mode)
  }

  private func setMode(_ path: String, _ mode: Int) throws {
    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func mode(_ path: String) throws -> Int? {
    try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func quarantined() throws -> [String: String] {
    let names = (try? files.contentsOfDirectory(atPath: directory.quarantine)) ?? []
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try String(contentsOfFile: "\(directory.quarantine)/\($0)", encoding: .utf8))
      })
  }

  private func expectRepaired(_ name: String, _ level: Finding.Severity, strict: Bool = false)
    throws
  {
    try expectFound(name, level, strict: strict)
    let words = ["doctor", "--repair"] + (strict ? ["--strict"] : [])
    let repaired = try DoctorAnswer(ledger.run(words + ["--json"]))
    #expect(repaired.code == .done && repaired.finding(name)?["repaired"]?.string != nil, "\(name)")
    let after = try DoctorAnswer(ledger.run(["doctor", "--strict", "--json"]))
    #expect(after.finding(name) == nil && after.object["ok"]?.bool == true, "\(after.names)")
  }

  private func expectFound(
    _ name: String, _ level: Finding.Severity, strict: Bool = false
  ) throws {
    let before = try ledger.snapshot()
    let answer = try DoctorAnswer(
      ledger.run(["doctor", "--json"] + (strict ? ["--strict"] : [])))
    #expect(answer.finding(name)?["level"]?.string == level.rawValue, "\(answer.names)")
    #expect(answer.code == (level == .damage ? .damaged : .done), "\(name)")
    #expect(answer.object["ok"]?.bool == (level < .warning), "\(name)")
    #expect(try ledger.snapshot() == before, "\(name)")
  }

  @Test("An intact ledger has only fine results")
  func intact() throws {
    for strict in [[], ["--strict"]] {
      let answer = try DoctorAnswer(ledger.run(["doctor", "--json"] + strict))
      #expect(answer.code == .done && answer.object["ok"]?.bool == true)
      #expect(answer.findings.allSatisfy { $0["level"]?.string == "fine" }, "\(answer.names)")
      #expect(answer.findings.count == (strict.isEmpty ? 9 : 12))
    }
    #expect(ledger.run("doctor").output.contains("All is well"))
  }

  @Test("Modes are repaired, except those of credentials, whose tokens may be known")
  func modes() throws {
    try setMode(directory.path, 0o755)
    try expectRepaired("open-to-others", .warning)
    #expect(try mode(directory.path) == 0o700)
    for path in [directory.events, directory.head] {
      try setMode(path, 0o644)
      try expectRepaired("open-to-others", .warning)
      #expect(try mode(path) == 0o600)
    }
    try setMode(directory.head, 0o400)
    try expectRepaired("closed-to-owner", .warning)
    #expect(try mode(directory.head) == 0o600)
    try write("{}", directory.credentials, mode: 0o640)
    try expectFound("credentials-exposed", .warning)
    #expect(ledger.run("doctor", "--repair").code == .done)
    #expect(try mode(directory.credentials) == 0o640)
  }

  @Test("A torn tail is moved to quarantine")
  func tornTail() throws {
    let whole = try ledger.bytes()
    try ledger.overwrite(whole + Data("{\"id\":".utf8))
    try expectRepaired("torn-tail", .warning)
    #expect(try ledger.bytes().starts(with: whole))
    #expect(try ledger.lines().last?.contains("log.repaired") == true)
    #expect(try quarantined().values.contains("{\"id\":"))
  }

  @Test("head is rewritten if it is missing, unreadable or out of date")
  func head() throws {
    let good = try String(contentsOfFile: directory.head, encoding: .utf8)
    try files.removeItem(atPath: directory.head)
    #expect(ledger.run("doctor").output.contains("the last one written cannot be known"))
    try expectRepaired("head-missing", .warning)
    #expect(try String(contentsOfFile: directory.head, encoding: .utf8) == good)
    try write("what?", directory.head)
    try expectRepaired("head-unreadable", .warning)
    #expect(try String(contentsOfFile: directory.head, encoding: .utf8) == good)
    #expect(try quarantined().values.contains("what?"))
    // More than any file of a ledger but the log has.
    #expect(truncate(directory.head, 65 << 20) == 0)
    try expectRepaired("head-unreadable", .warning)
    #expect(try String(contentsOfFile: directory.head, encoding: .utf8) == good)
    try ledger.log(4, on: "2025-01-31")
    try write(good, directory.head)
    try expectRepaired("head-behind", .notice)
    #expect(try String(contentsOfFile: directory.head, encoding: .utf8) > good)
  }

  @Test("Incomplete files are removed without a copy")
  func leftovers() throws {
    let texts = [
      "views.snapshot.tmp": "x", "settings.json.999999999.5.tmp": "{\"a", "events.jsonl.new": "y",
    ]
    for (name, text) in texts {
      try write(text, "\(directory.path)/\(name)")
      try expectRepaired("leftover", .notice)
      #expect(!files.fileExists(atPath: "\(directory.path)/\(name)"))
      #expect(try quarantined().isEmpty, "\(name)")
    }
  }

  @Test("An empty temporary file stays, since its writer may be about to lock it")
  func emptyTemporaryFiles() throws {
    for name in ["settings.json.1.5.tmp", "events.jsonl.new"] {
      let path = "\(directory.path)/\(name)"
      try write("", path)
      let answer = try DoctorAnswer(ledger.run("doctor", "--repair", "--json"))
      #expect(answer.finding("leftover") == nil && files.fileExists(atPath: path), "\(name)")
    }
  }

  @Test("A temporary file is in use while its lock is held, whatever its name")
  func temporaryFilesInUse() throws {
    let ownNumber = ProcessInfo.processInfo.processIdentifier
    for name in [
      "settings.json.999999999.5.tmp", "credentials.json.1.5.tmp", "views.snapshot.tmp",
      "events.jsonl.new",
    ] {
      let path = "\(directory.path)/\(name)"
      try write("{", path)
      do {
        let held = try FileLock(path, .exclusive)
        let answer = try DoctorAnswer(ledger.run("doctor", "--repair", "--json"))
        #expect(answer.finding("leftover") == nil && files.fileExists(atPath: path), "\(name)")
        withExtendedLifetime(held) {}
      }
      try expectRepaired("leftover", .notice)
      #expect(!files.fileExists(atPath: path), "\(name)")
    }
    // With the number of a running process, which means nothing in another container.
    let path = "\(directory.path)/settings.json.\(ownNumber).5.tmp"
    try write("{", path)
    try expectRepaired("leftover", .notice)
    #expect(!files.fileExists(atPath: path))
  }

  @Test("An unusable snapshot is removed")
  func unusableSnapshot() throws {
    try write("{\"what\":1}", directory.snapshot)
    try expectRepaired("snapshot-unusable", .notice)
    #expect(!files.fileExists(atPath: directory.snapshot))
  }

  @Test("Findings that need a decision are not repaired")
  func unrepaired() throws {
    try write("mine", "\(directory.path)/notes.txt")
    try expectFound("unknown-file", .notice)
    try write("{", directory.settings)
    try expectFound("settings-unreadable", .warning)
    try write(#"{"zone":"Mars/Olympus","color":"red"}"#, directory.settings)
    try expectFound("settings-value", .warning)
    try write(#"{"color":"red"}"#, directory.settings)
    try expectFound("settings-unknown", .notice)
    let secret = "hunter2hunter2"
    try write(#"{"origin":"https://a.b","access_token":"\#(secret)"}"#, directory.credentials)
    try expectFound("credentials-unreadable", .warning)
    try files.createDirectory(atPath: directory.syncLock, withIntermediateDirectories: false)
    try expectFound("wrong-kind", .warning)
    try expectFound("lock-unusable", .warning)
    try files.createDirectory(atPath: directory.quarantine, withIntermediateDirectories: false)
    try setMode(directory.quarantine, 0o700)
    try write("abc", directory.quarantine + "/x.torn")
    let before = try ledger.snapshot()
    let answer = ledger.run("doctor", "--repair")
    #expect(try ledger.snapshot() == before && answer.output.contains("1 file (3 bytes)"))
    #expect(!answer.output.contains(secret))
  }

  @Test("Valid credentials and settings are fine")
  func credentialsAndSettings() throws {
    try write(
      #"{"origin":"https://a.b","email":"a@b.c","access_token":"x","refresh_token":"y","generation":1}"#,
      directory.credentials)
    try write(#"{"zone":"Europe/Vienna","sync.concurrency":"8"}"#, directory.settings)
    let answer = try DoctorAnswer(ledger.run("doctor", "--json"))
    #expect(answer.finding("settings")?["finding"]?.string == "2 settings chosen")
    #expect(answer.finding("credentials")?["level"]?.string == "fine")
  }

  @Test("A log without its end, or without its file, is never repaired")
  func cutShort() throws {
    let lines = try ledger.lines()
    let whole = try ledger.bytes()
    try ledger.overwrite(Data((lines[..<2].joined(separator: "\n") + "\n").utf8))
    try expectFound("log-cut-short", .damage)
    try expectFound("log-cut-short", .damage, strict: true)
    let cut = try ledger.bytes()
    #expect(ledger.run("doctor", "--repair").code == .damaged)
    #expect(try ledger.bytes() == cut)
    var other = whole
    other[whole.count - 70] = UInt8(ascii: "z")
    try ledger.overwrite(other)
    try expectFound("head-disagrees", .damage)
    try ledger.overwrite(whole + Data("{\"whole\":\"but wrong\"}\n".utf8))
    try expectFound("tail-damaged", .damage)
    #expect(ledger.run("doctor").output.contains("ledger replay --up-to-break"))
    try files.removeItem(atPath: directory.events)
    try expectFound("log-missing", .damage)
    try files.createSymbolicLink(atPath: directory.events, withDestinationPath: directory.head)
    try expectFound("wrong-kind", .damage)
    try expectFound("log-unreadable", .damage)
  }

  @Test("A held lock is a notice; a warning if it is the log's, which is never held for long")
  func locks() throws {
    do {
      let sync = try FileLock(directory.syncLock, .exclusive)
      let auth = try FileLock(directory.authLock, .exclusive)
      try expectFound("sync-running", .notice)
      try expectFound("sign-in-running", .notice)
      withExtendedLifetime((sync, auth)) {}
    }
    do {
      let held = try FileLock(directory.ledgerLock, .exclusive)
      try expectFound("ledger-lock-held", .warning)
      withExtendedLifetime(held) {}
    }
    let after = try DoctorAnswer(ledger.run("doctor", "--json"))
    #expect(after.finding("locks")?["level"]?.string == "fine")
  }

  @Test("Foreign owners, a full disk and a wrong clock are warnings")
  func surroundings() throws {
    var checkup = Checkup(directory)
    func codes() throws -> [String] {
      try checkup.findings().filter(\.isOpen).map(\.code)
    }
    #expect(try codes().isEmpty)
    checkup.freeBytes = DiskCheck.lowBytes - 1
    #expect(try codes() == ["disk-low"])
    checkup.freeBytes = nil
    checkup.now = try #require(Timestamp("2025-01-01T11:00:00.000Z"))
    #expect(try codes().isEmpty)
    checkup.now = try #require(Timestamp("2024-12-31T12:00:00.000Z"))
    #expect(try codes() == ["clock-behind"])
    checkup.now = try #require(Timestamp("2025-01-02T12:00:00.000Z"))
    checkup.user += 1
    #expect(try codes() == ["foreign-owner"])
    var file = try #require(try FileFacts.of(directory.head))
    let folder = try #require(try FileFacts.of(directory.path))
    file.owner += 7
    let found = FileChecks(
      directory: directory, folder: folder, files: [file], user: folder.owner
    ).findings()
    #expect(found == [Finding(.file(.foreignFile(file, ledgerOwner: folder.owner)))])
    #expect(found[0].code == "foreign-owner")
    let command = FindingText(found[0], in: directory).command
    #expect(command?.hasPrefix("sudo chown \(folder.owner) ") == true)
  }
}

/// The JSON answer of `doctor`.
struct DoctorAnswer {
  var code: ExitCode
  var object: JSONObject
  var findings: [JSONObject]

  init(_ answer: LookingLedger.Answer) throws {
    code = answer.code
    object = try #require(JSONValue(parsing: Array(answer.output.utf8)).object, "\(answer.error)")
    findings = (object["findings"]?.array ?? []).compactMap(\.object)
  }

  var names: [String] { findings.compactMap { $0["name"]?.string } }

  /// The first finding with this name.
  func finding(_ name: String) -> JSONObject? { findings.first { $0["name"]?.string == name } }
}
