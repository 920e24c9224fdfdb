import Foundation
import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerCLI
@testable import LedgerLog
@testable import LedgerProjections

/// Snapshots with other values and right page sums, as only a person can have made them.
@Suite struct ForgedSnapshotTests {
  private static let count =
    ProcessInfo.processInfo.environment["LEDGER_FORGERIES"].flatMap { Int($0) }
    ?? TestSize.of(8, full: 250)
  private static let seed =
    ProcessInfo.processInfo.environment["LEDGER_FORGERIES_SEED"].flatMap { UInt64($0) }
    ?? .random(in: 0 ... .max)

  private let ledger: LookingLedger
  /// A right snapshot that some events came after.
  private let original: ForgedSnapshot

  init() throws {
    ledger = try LookingLedger()
    try Self.fill(ledger)
    let path = ledger.directory.snapshot
    try FoldedLog(LogView.open(ledger.directory)).keepSnapshot()
    original = try ForgedSnapshot(try #require(try AtomicFile.read(path)))
    try ledger.log(40, .steps, 900, on: "2025-01-09")
    try ledger.add(
      .progressCorrected(ProgressCorrected(entry: LookingLedger.entry(2), quantity: 74)))
  }

  /// Every kind of event that a snapshot's elements come from.
  private static func fill(_ ledger: LookingLedger) throws {
    func add(_ type: String, _ data: String, by: Event.Actor = .user) throws {
      let object = try #require(JSONValue(parsing: Array(data.utf8)).object)
      try ledger.add(Event.Payload(type: type, version: 1, data: object), by: by)
    }
    func id(_ number: Int) -> String { LookingLedger.entry(number).description }
    try add("profile.updated", #"{"name":"Ada","bio":"x","preferred_unit_system":"metric"}"#)
    try add("physical.updated", #"{"height_cm":170.5,"date_of_birth":"1990-02-03"}"#)
    try add("preferences.updated", #"{"allergies":["nuts","soy"],"food_dislikes":[]}"#)
    for number in 1...12 {
      try ledger.log(
        number, number % 3 == 0 ? .steps : .weight, Double(60 + number),
        on: "2025-01-0\(number % 9 + 1)", at: number % 2 == 0 ? "08:30:00" : nil,
        notes: number % 4 == 0 ? "n\(number)" : nil)
    }
    try add("progress.corrected", #"{"entry":"\#(id(1))","quantity":70,"date":"2025-01-05"}"#)
    try add("progress.corrected", #"{"entry":"\#(id(1))","notes":"again"}"#)
    try add("progress.deleted", #"{"entry":"\#(id(3))"}"#)
    let call = #""call":"0198c1a0-7c1e-7def-9abc-0123456789ab""#
    try add(
      "sync.attempted",
      #"{\#(call),"method":"POST","path":"/p","events":[8,9,10],"fingerprint":"ab","attempt":1}"#,
      by: .sync)
    try add(
      "sync.acknowledged",
      #"{\#(call),"events":[8],"status":201,"via":"response","entry":"\#(id(4))","backend_id":"b4"}"#,
      by: .sync)
    try add(
      "sync.acknowledged",
      #"{\#(call),"events":[8],"status":201,"via":"response","entry":"\#(id(4))","backend_id":"b5"}"#,
      by: .sync)
    try add(
      "sync.rejected", #"{\#(call),"events":[9],"status":422,"message":"no"}"#, by: .sync)
    try add(
      "progress.pulled",
      #"{"entry":"\#(id(30))","backend_id":"b30","metric":"mood_score","quantity":7,"date":"2025-01-08"}"#,
      by: .sync)
    try add("profile.pulled", #"{"fields":{"name":"Bea"},"updated_at":"x"}"#, by: .sync)
    try add(
      "conflict.detected",
      #"{"subject":"profile","field":"bio","base":null,"local":"x","remote":"y","decision":"open"}"#,
      by: .sync)
    try add(
      "duplicate.suspected", #"{"entry":"\#(id(4))","backend_ids":["b7","b8"]}"#, by: .sync)
    try add("sync.held", #"{"events":[2],"reason":"cannot-clear"}"#, by: .sync)
    try add("account.signed_in", #"{"account":"a@b.c","origin":"https://h","user_id":"u"}"#)
  }

  /// Answered from the snapshot.
  private static let questions = [
    ["show", "profile"], ["show", "progress"], ["show", "progress", "--json", "-n", "100"],
    [
      "show", "progress", "--type", "weight", "--from", "2025-01-02", "--to", "2025-01-07",
      "--json",
    ],
    ["show", "progress", "--at", "20"], ["show", "days"], ["show", "days", "--json"],
    ["show", "sync"], ["show", "sync", "--json"], ["status"], ["status", "--json"],
    ["export", "csv"], ["export", "jsonl"], ["conflicts", "--all"], ["blame"], ["log", "-n", "4"],
    ["log", "--type", "sync.rejected"], ["explain", "4"], ["diff", "2", "now"],
  ]
  /// What the line blocks alone may change: verify compares them, replay does not read them.
  private static let ofBlocks = [
    ["show", "progress", "--at", "20"], ["log", "--type", "sync.rejected"],
  ]

  private func put(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: ledger.directory.snapshot))
  }

  @Test("What a forged snapshot changes is no crash, and is named by verify", arguments: 0..<2)
  func forgeries(_ half: Int) throws {
    print("snapshots: \(Self.count), LEDGER_FORGERIES_SEED=\(Self.seed), part \(half)")
    let named = try expectNamed(Self.seed, Array(stride(from: half, to: Self.count, by: 2)))
    if Self.count >= 200 { #expect(named > 0) }
  }

  @Test("A forgery that changed line blocks and the front at once is named")
  func foundForgery() throws { _ = try expectNamed(15_960_664_964_895_457_210, [103]) }

  /// - Returns: how many of these forgeries changed an answer; `verify` named all of them.
  private func expectNamed(_ seed: UInt64, _ numbers: [Int]) throws -> Int {
    try put(original.bytes)
    let expected = Self.questions.map { ledger.run($0) }
    #expect(expected.allSatisfy { $0.code == .done })
    #expect(try ledger.run("verify", "--json").member("snapshot") == nil)
    #expect(try ledger.run("replay", "--json").member("snapshot") == nil)
    var named = 0
    for number in numbers {
      var random = SplitMix(seed &+ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
      var forged = original
      var changes: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changes.append(try forged.forge(using: &random))
      }
      let place = "LEDGER_FORGERIES_SEED=\(seed), forgery \(number): \(changes)"
      if ProcessInfo.processInfo.environment["LEDGER_FORGERIES_SHOW"] != nil { print(place) }
      let bytes = forged.bytes
      try? Folder.remove(ledger.directory.verified, on: SystemDisk.shared)
      try put(bytes)
      var changed: [[String]] = []
      for (words, right) in zip(Self.questions, expected) {
        let answer = ledger.run(words)
        #expect(
          [.done, .notFound].contains(answer.code), "\(place): \(words): \(answer.error)")
        if answer.output != right.output { changed.append(words) }
      }
      #expect(ledger.run("doctor", "--strict").code == .done, "\(place)")
      let replay = try ledger.run("replay", "--json").member("snapshot")
      if changed.contains(where: { !Self.ofBlocks.contains($0) }) {
        #expect(replay == NSString(string: "discarded"), "\(place): \(changed)")
      }
      try put(bytes)
      let verify = try ledger.run("verify", "--json").member("snapshot")
      if !changed.isEmpty {
        #expect(verify == NSString(string: "discarded"), "\(place): \(changed)")
        named += 1
      }
      let isGone = try AtomicFile.read(ledger.directory.snapshot) == nil
      #expect(verify == nil || isGone, "\(place)")
    }
    return named
  }

  @Test("verify and replay remove a wrong snapshot and say so; doctor offers to, --no-verify not")
  func discarded() throws {
    let view = try LogView.open(ledger.directory)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 1_000 }
    func forge() throws {
      Snapshot.keep(state, of: view)
      #expect(ledger.run("show", "progress", "--json").output.contains(#""quantity":1900"#))
    }
    try forge()
    let unchecked = ledger.run("replay", "--no-verify")
    #expect(unchecked.code == .done && unchecked.error.isEmpty)
    for words in [["verify"], ["replay"]] {
      try forge()
      let answer = ledger.run(words)
      #expect(answer.code == .done)
      #expect(answer.error.contains("views.snapshot differs from the log"))
      #expect(try AtomicFile.read(ledger.directory.snapshot) == nil)
      #expect(ledger.run("show", "progress", "--json").output.contains(#""quantity":900"#))
      try forge()
      #expect(
        try ledger.run(words + ["--json"]).member("snapshot") == NSString(string: "discarded"))
    }
    try forge()
    let found = try DoctorAnswer(ledger.run("doctor", "--json"))
    #expect(found.code == .done && found.finding("snapshot-differs") != nil)
    #expect(try AtomicFile.read(ledger.directory.snapshot) != nil, "without --repair it stays")
    _ = ledger.run("doctor", "--repair")
    #expect(try AtomicFile.read(ledger.directory.snapshot) == nil)
  }

  @Test("What is written into the log comes from its lines, not from a forged snapshot")
  func written() throws {
    // The correction of entry 1, from 61 to 70.
    try ledger.acknowledge([Seq(17)])
    let view = try LogView.open(ledger.directory)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 1 }
    Snapshot.keep(state, of: view)
    #expect(ledger.run("show", "progress", "--json", "-n", "99").output.contains("65"))
    func expectWritten(_ words: [String], _ data: String) {
      let answer = ledger.run(words)
      #expect(answer.code == .done, "\(words): \(answer.error)")
      let last = ledger.run("log", "--json", "-n", "1").output
      #expect(last.contains(data), "\(words): \(answer.error)\(last)")
    }
    // Entry 4 is 64, and 65 in the snapshot.
    expectWritten(["edit", "8", "65"], #""quantity":65"#)
    expectWritten(["undo", "17"], #""quantity":61"#)
  }
}

/// A snapshot taken apart into its sections, and put together with right sums.
private struct ForgedSnapshot {
  private var header: SnapshotHeader
  private var sections: [String: [UInt8]] = [:]
  /// What the first page says instead of what is there.
  private var claims: [String: SnapshotLayout.Section] = [:]

  init(_ bytes: [UInt8]) throws {
    header = try #require(SnapshotHeader(payload: Array(bytes[..<SnapshotPage.payloadBytes])))
    for (name, section) in header.sections {
      let perPage = SnapshotPage.payloadBytes / section.stride * section.stride
      var rest = section.count * section.stride
      var page = section.firstPage
      while rest > 0 {
        let start = page * SnapshotPage.bytes
        sections[name, default: []] += bytes[start..<start + min(rest, perPage)]
        rest -= min(rest, perPage)
        page += 1
      }
    }
    #expect(self.bytes.count == bytes.count)
  }

  var bytes: [UInt8] {
    var header = header
    var pages: [UInt8] = []
    for (name, bytes) in sections.sorted(by: { $0.key < $1.key }) {
      let stride = header.sections[name]!.stride
      header.sections[name] = .init(
        firstPage: 1 + pages.count / SnapshotPage.bytes, count: bytes.count / stride, stride: stride
      )
      let perPage = SnapshotPage.payloadBytes / stride * stride
      for start in Swift.stride(from: 0, to: bytes.count, by: perPage) {
        let payload = Array(bytes[start..<min(bytes.count, start + perPage)])
        pages += Self.page(payload, 1 + pages.count / SnapshotPage.bytes, header.seed)
      }
    }
    for (name, claim) in claims { header.sections[name] = claim }
    return Self.page(Array(header.json.serialized.utf8), 0, SnapshotHeader.firstSeed) + pages
  }

  private static func page(_ payload: [UInt8], _ number: Int, _ seed: UInt64) -> [UInt8] {
    var page = payload + [UInt8](repeating: 0, count: SnapshotPage.bytes - payload.count)
    page.withUnsafeMutableBytes { SnapshotPage.seal($0, number: number, seed: seed) }
    return page
  }

  /// Changes a number of an element, of the front or of the first page.
  ///
  /// - Returns: what was changed.
  mutating func forge(using random: inout SplitMix) throws -> String {
    let name = header.sections.keys.sorted().randomElement(using: &random)!
    guard Int.random(in: 0..<8, using: &random) > 0 else { return forgeSection(name, &random) }
    if name == SnapshotLayout.front || Int.random(in: 0..<4, using: &random) == 0 {
      return try forgeFront(&random)
    }
    guard var bytes = sections[name], !bytes.isEmpty else { return "none" }
    let width = min([1, 2, 4, 8].randomElement(using: &random)!, header.sections[name]!.stride)
    let place = Int.random(in: 0...(bytes.count - width), using: &random) / width * width
    let value = Self.number(&random)
    for index in 0..<width {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> (index * 8))
    }
    sections[name] = bytes
    return "\(name)[\(place)..<\(place + width)] = \(value)"
  }

  private static func number(_ random: inout SplitMix) -> Int {
    [
      0, 1, 2, 3, 5, 15, 16, 17, 31, 40, 41, 42, 127, 255, 65_535, -1, -2, .min, .max,
      Int(Int32.max), Int(Int32.min), 86_400, 2_932_897, 0x7FF0_0000_0000_0000,
      Int.random(in: .min ... .max, using: &random), Int.random(in: 0..<60, using: &random),
    ].randomElement(using: &random)!
  }

  private mutating func forgeSection(_ name: String, _ random: inout SplitMix) -> String {
    var section = header.sections[name]!
    section.count = sections[name, default: []].count / section.stride
    section.firstPage = 1
    switch Int.random(in: 0..<4, using: &random) {
    case 0: section.count = Int(Int32.max)
    case 1: section.count += [-1, 1, 2].randomElement(using: &random)!
    case 2: section.firstPage = Int(Int32.max)
    default: section.firstPage = Int.random(in: 0..<20, using: &random)
    }
    section.count = max(0, section.count)
    claims[name] = section
    return "\(name) is \(section)"
  }

  private mutating func forgeFront(_ random: inout SplitMix) throws -> String {
    var front = try JSONValue(parsing: sections[SnapshotLayout.front]!)
    var numbers = 0
    Self.forEachNumber(in: &front) { _ in numbers += 1 }
    let chosen = Int.random(in: 0..<numbers, using: &random)
    let value = [Self.number(&random) % 1_000_000_000_000_000, -1, 0, 99]
      .randomElement(using: &random)!
    var index = 0
    Self.forEachNumber(in: &front) { number in
      if index == chosen { number = JSONValue(value) }
      index += 1
    }
    sections[SnapshotLayout.front] = Array(JSONValue.object(front.object!).serialized.utf8)
    return "front number \(chosen) = \(value)"
  }

  private static func forEachNumber(in value: inout JSONValue, _ body: (inout JSONValue) -> Void) {
    switch value {
    case .object(var object):
      for index in object.members.indices {
        forEachNumber(in: &object.members[index].value, body)
      }
      value = .object(object)
    case .array(var array):
      for index in array.indices { forEachNumber(in: &array[index], body) }
      value = .array(array)
    default: if value.integer != nil { body(&value) }
    }
  }
}
