import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import Testing

@testable import LedgerCLI
@testable import LedgerLog

@Suite struct ReplayVerifyTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    for number in 1...8 { try ledger.log(number, on: "2025-01-3\(number % 2)") }
    try ledger.add(.progressDeleted(ProgressDeleted(entry: LookingLedger.entry(1))))
    try ledger.acknowledge([Seq(3)], id: "a")
    try ledger.reject([Seq(4)], "no")
  }

  private func hash(_ seq: Int) throws -> String {
    String(try ledger.lines()[seq - 1].suffix(66).prefix(64))
  }

  /// Changes a byte of a line, so that its form stays correct and its hash is wrong.
  private func tamper(_ seq: Int) throws {
    let lines = try ledger.lines()
    let start = lines[..<(seq - 1)].reduce(0) { $0 + $1.utf8.count + 1 }
    let line = lines[seq - 1]
    let digit = try #require(line.range(of: "75.5")).lowerBound
    var bytes = try ledger.bytes()
    bytes[start + line[..<digit].utf8.count] = UInt8(ascii: "8")
    try ledger.overwrite(bytes)
  }

  @Test("replay --json has the documented members")
  func replayJSON() throws {
    let answer = ledger.run("replay", "--json")
    let expected =
      #"{"events":12,"by_type":{"ledger.created":1,"progress.logged":8,"progress.deleted":1,"#
      + #""sync.acknowledged":1,"sync.rejected":1},"unknown":0,"erased":0,"#
      + #""first_at":"2025-01-01T12:00:00.000Z","last_at":"2025-01-01T12:00:11.000Z","#
      + #""head":{"seq":12,"hash":"\#(try hash(12))"},"verified":true,"#
      + #""entries":{"live":7,"deleted":1,"pending":5,"synced":1,"failed":1},"seconds":0,"#
      + #""events_per_second":0}"#
    #expect(answer.output == expected + "\n" && answer.code == .done && answer.error.isEmpty)
    #expect(ledger.run("replay", "--json", "--threads", "3").output == expected + "\n")
    let unchecked = expected.replacing("true", with: "false")
    #expect(ledger.run("replay", "--json", "--no-verify").output == unchecked + "\n")
  }

  @Test("--until takes a seq or a time")
  func replayUntil() throws {
    for until in ["9", "2025-01-01T12:00:08.500Z"] {
      let answer = ledger.run("replay", "--json", "--until", until)
      #expect(try answer.member("events") == NSNumber(value: 9), "\(until)")
      #expect(answer.output.contains(#""head":{"seq":9,"hash":"\#(try hash(9))"}"#))
    }
  }

  @Test("With --json the trace goes to standard error")
  func trace() throws {
    let lines = ledger.run("replay", "--trace").output.split(separator: "\n")
    #expect(
      lines[1].hasSuffix("user  progress.logged  entry #2 weight 75.5 kg on 2025-01-31, pending"))
    #expect(lines[9].hasSuffix("user  progress.deleted  entry #2 weight deleted"))
    #expect(lines[10].contains("status pending → synced, bound to a row"))
    #expect(lines[11].contains("status pending → failed"))
    let json = ledger.run("replay", "--trace", "--json")
    #expect(json.output == ledger.run("replay", "--json").output)
    #expect(json.error.split(separator: "\n").count == 12)
  }

  @Test("Damage is located, with exit code 3; --up-to-break answers up to it")
  func damagedReplay() throws {
    try tamper(5)
    let refused = ledger.run("replay", "--json")
    #expect(refused.code == .damaged && refused.output.isEmpty)
    #expect(refused.error.contains("damaged at line 5, byte "))
    let partial = ledger.run("replay", "--json", "--up-to-break")
    #expect(partial.code == .damaged && partial.error == refused.error)
    #expect(try partial.member("events") == NSNumber(value: 4))
    #expect(try partial.member("verified") == NSNumber(false))
    let unchecked = ledger.run("replay", "--json", "--no-verify")
    #expect(unchecked.code == .done)
    #expect(try unchecked.member("verified") == NSNumber(false))
    let until = ledger.run("replay", "--json", "--up-to-break", "--until", "2030-01-01T00:00:00Z")
    #expect(try until.member("events") == NSNumber(value: 4) && until.code == .damaged)
  }

  @Test("A log shorter than head is refused, except by --up-to-break and verify")
  func cutOff() throws {
    let lines = try ledger.lines()
    try ledger.overwrite(Data((lines[..<6].joined(separator: "\n") + "\n").utf8))
    for words in [["replay"], ["status"], ["show", "days"], ["log"]] {
      let answer = ledger.run(words + ["--json"])
      #expect(answer.code == .damaged && answer.output.isEmpty, "\(words)")
    }
    let replay = ledger.run("replay", "--json", "--up-to-break")
    #expect(try replay.code == .damaged && replay.member("events") == NSNumber(value: 6))
    #expect(try replay.member("verified") == NSNumber(false))
    let verify = ledger.run("verify", "--json")
    #expect(try verify.code == .damaged && verify.member("events") == NSNumber(value: 6))
    #expect(
      verify.output.contains(#""head":{"seq":6,"hash":"\#(lines[5].suffix(66).prefix(64))"}"#))
    let problems = try #require(try verify.member("problems") as? [NSDictionary])
    #expect(problems.count == 1 && problems[0]["line"] as? Int == 7)
  }

  @Test("verify --json has the documented members")
  func verifyJSON() throws {
    let answer = ledger.run("verify", "--json")
    #expect(
      answer.output
        == #"{"ok":true,"events":12,"erased":0,"head":{"seq":12,"hash":"\#(try hash(12))"},"#
        + #""torn_tail_bytes":0,"problems":[]}"# + "\n")
    #expect(answer.code == .done)
    try tamper(5)
    let broken = ledger.run("verify", "--json")
    #expect(try broken.code == .damaged && broken.member("ok") == NSNumber(false))
    #expect(try broken.member("events") == NSNumber(value: 4))
    let problems = try #require(try broken.member("problems") as? [NSDictionary])
    #expect(problems.count == 1 && problems[0]["line"] as? Int == 5)
    #expect(problems[0]["problem"] as? String != nil && problems[0]["byte"] as? Int != nil)
    let text = ledger.run("verify").output
    #expect(text.hasPrefix("not ok, 4 events right\n  line 5, byte "))
    #expect(text.hasSuffix("event 4 has the hash \(try hash(4))\n"))
  }

  @Test(
    "An edit that changes a line's length is located at that line, wherever head then points",
    arguments: [#""quantity":75.55"#, #""quantity":7"#])
  func edited(_ quantity: String) throws {
    let text = try ledger.lines().enumerated().map { index, line in
      index == 4 ? line.replacing(/"quantity":[0-9.]+/, with: quantity) : line
    }
    try ledger.overwrite(Data((text.joined(separator: "\n") + "\n").utf8))
    let verify = ledger.run("verify", "--json")
    let problems = try #require(try verify.member("problems") as? [NSDictionary])
    #expect(problems.count == 1 && problems[0]["line"] as? Int == 5, "\(problems)")
    let problem = try #require(problems[0]["problem"] as? String)
    #expect(problem.hasPrefix("the hash does not follow"))
    for words in [["doctor"], ["doctor", "--strict"]] {
      let doctor = ledger.run(words)
      #expect(doctor.code == .damaged)
      #expect(doctor.output.contains("line 5, byte "), "\(doctor.output)")
      #expect(!doctor.output.contains("head says one does"))
    }
  }

  @Test("A wrong last line, which head also contradicts, is one problem")
  func tamperedLastLine() throws {
    var bytes = try ledger.bytes()
    bytes[bytes.count - 70] = UInt8(ascii: "z")
    try ledger.overwrite(bytes)
    let problems = try #require(
      try ledger.run("verify", "--json").member("problems") as? [NSObject])
    #expect(problems.count == 1)
  }

  @Test("--head finds a hash stored elsewhere")
  func verifyHead() throws {
    let head = try hash(12)
    #expect(ledger.run("verify", "--head", head).code == .done)
    let several = ledger.run("verify", "--head", head, "a", "b")
    #expect(several.code == .usage)
    #expect(several.error.contains("--head is the hash of one ledger, and 2 are named"))
    #expect(several.error.contains("ledger verify --head HASH DIR"))
    let older = ledger.run("verify", "--head", try hash(7))
    #expect(older.code == .done && older.output.contains("event 7's; 5 events came after it"))
    #expect(
      ledger.run("verify", "--head", head).output.hasSuffix("hash is event 12's; it is the last\n"))
    let foreign = ledger.run("verify", "--json", "--head", String(repeating: "a", count: 64))
    #expect(try foreign.code == .damaged && foreign.member("ok") == NSNumber(false))
    #expect(ledger.run("verify", "--head", "abc").code == .usage)
    #expect(ledger.run("verify", "--head", head, "a", "b").code == .usage)
  }

  @Test("Of many ledgers each is reported; the worst decides the exit code")
  func verifyMany() throws {
    let other = try LookingLedger()
    let paths = [ledger.directory.path, other.directory.path]
    let answer = ledger.run(["verify", "--json"] + paths)
    let list = try #require(try answer.parsed() as? [NSDictionary])
    #expect(answer.code == .done && list.compactMap { $0["ledger"] as? String } == paths)
    #expect(list.compactMap { $0["events"] as? Int } == [12, 1])
    let missing = ledger.run("verify", "--json", paths[0], "/nowhere/at/all", paths[1])
    #expect(missing.code == .notFound && missing.error.contains("/nowhere/at/all"))
    #expect(try (missing.parsed() as? [NSDictionary])?.count == 2)
    #expect(ledger.run(["verify"] + paths).output.hasSuffix("\n2 ledgers: 2 ok; 13 events\n"))
    try tamper(3)
    let worst = ledger.run("verify", "/nowhere/at/all", paths[0])
    #expect(worst.code == .damaged)
    #expect(worst.output.hasSuffix("\n2 ledgers: 1 not ok, 1 not read; 2 events\n"))
  }

  @Test("More ledgers than one batch are answered in the given order")
  func verifyInOrder() throws {
    let other = try LookingLedger()
    // Of different lengths, to show a wrong order.
    let paths = (0..<2100).map {
      $0.isMultiple(of: 7) ? other.directory.path : ledger.directory.path
    }
    let answer = ledger.run(["verify", "--json"] + paths)
    let list = try #require(try answer.parsed() as? [NSDictionary])
    #expect(answer.code == .done && list.compactMap { $0["ledger"] as? String } == paths)
    let events = list.compactMap { $0["events"] as? Int }
    #expect(events == paths.map { $0 == other.directory.path ? 1 : 12 })
    let text = ledger.run(["verify"] + paths).output.split(separator: "\n")
    #expect(text.count == paths.count + 1)
    #expect(zip(text, paths).allSatisfy { $0.hasPrefix($1 + ": ok, ") })
  }

  @Test("Without any existing ledger the JSON answer is an empty list")
  func verifyNone() throws {
    let answer = ledger.run("verify", "--json", "/nowhere/a", "/nowhere/b")
    #expect(answer.output == "[]\n" && answer.code == .notFound)
    #expect(answer.error.contains("/nowhere/a") && answer.error.contains("/nowhere/b"))
  }

  @Test("An unrecorded erasure is located by its byte, even beyond 1 MB")
  func erasedFarIn() throws {
    let note = String(repeating: "x", count: 400)
    try ledger.add(
      (1...3000).map { _ in
        .unknown(type: "padding", version: 1, data: ["note": .string(note)])
      })
    var lines = try ledger.lines()
    let line = lines[2999]
    let salt = try #require(line.range(of: #""salt":"#)).lowerBound
    let body = Array(line[salt...].utf8.dropLast(75))
    lines[2999] = line[..<salt] + #""erased":"\#(Digest.hex(of: body))""# + line.suffix(75)
    let start = lines[..<2999].reduce(0) { $0 + $1.utf8.count + 1 }
    try ledger.overwrite(Data((lines.joined(separator: "\n") + "\n").utf8))
    try FileManager.default.removeItem(atPath: ledger.directory.head)
    let answer = ledger.run("verify", "--json")
    #expect(try answer.code == .damaged && answer.member("erased") == NSNumber(value: 1))
    let problems = try #require(try answer.member("problems") as? [NSDictionary])
    #expect(problems.count == 1 && problems[0]["line"] as? Int == 3000)
    #expect(problems[0]["byte"] as? Int == start && start > 1 << 20)
    try ledger.add(.eventErased(EventErased(event: Seq(3000), reason: "asked for")))
    let answered = ledger.run("verify", "--json")
    #expect(try answered.code == .done && answered.member("ok") == NSNumber(true))
  }
}
