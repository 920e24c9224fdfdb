import LedgerJSON
import LedgerLog
import LedgerTestSupport

/// A log as an attacker with write access can make it: any content, with valid hashes.
struct ForgedLog {
  struct Line: Equatable {
    var id: String
    var at: String
    var by: String
    var type: String
    var version = 1
    var data: JSONObject
    var salt: String
    /// Whether its body was erased to the digest.
    var isErased = false
  }

  var lines: [Line] = []

  init() {}

  /// - Returns: its seq.
  @discardableResult
  mutating func add(_ type: String, by: String = "user", _ data: JSONObject) -> Int {
    let seq = lines.count + 1
    lines.append(
      Line(
        id: "0198c1a0-\(Self.hex(seq, 4))-7def-8abc-0123456789ab",
        at: "2026-03-01T\(Self.two(8 + seq / 60 % 12)):\(Self.two(seq % 60)):00.000Z", by: by,
        type: type, data: data, salt: Self.hex(0xA000 + seq, 16)))
    return seq
  }

  /// The stored lines, each without its `\n`.
  func rendered() -> [String] {
    var previous = hashBeforeFirst
    return lines.enumerated().map { index, line in
      let plain = PlainLine(
        id: line.id, seq: "\(index + 1)", at: line.at, by: line.by, type: line.type,
        version: "\(line.version)", salt: line.salt, data: line.data.serialized)
      defer { previous = plain.text(after: previous).hash }
      return line.isErased ? plain.erased(after: previous) : plain.text(after: previous).line
    }
  }

  /// The file `head` of these lines.
  static func head(of lines: [String]) -> String {
    let bytes = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    let hash = lines.last.map { String($0.dropLast(2).suffix(64)) } ?? ""
    return PlainLine.head(seq: lines.count, offsetBytes: bytes, hash: hash)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func hex(_ number: Int, _ digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  // MARK: The log that is forged

  static func entry(_ number: Int) -> String {
    "0198c1a0-7c1e-7def-8abc-0123456789\(hex(number, 2))"
  }

  private static func call(_ number: Int) -> JSONValue {
    .string("0198c1a0-7c1e-7def-9abc-0123456789\(hex(number, 2))")
  }

  /// Two people's worth of everything: entries in each state, fields, calls, conflicts, a suspicion,
  /// an undone edit, an unknown type, and the erasures of an entry and of a field.
  static func sample() -> ForgedLog {
    var log = ForgedLog()
    log.add(
      "ledger.created", by: "system",
      ["ledger": "0198c1a0-7c1e-7def-aabc-0123456789ab", "device": "phone", "format": 1])
    let name = log.add("profile.updated", ["name": "Ada", "bio": "b"])
    let oldBio = log.add("profile.updated", ["bio": "older"])
    log.add("physical.updated", ["height_cm": 170, "date_of_birth": "1990-02-28"])
    log.add("preferences.updated", ["allergies": ["nuts"]])
    var logged: [Int] = []
    for number in 1...7 {
      logged.append(
        log.add(
          "progress.logged",
          [
            "entry": .string(entry(number)), "metric": "weight",
            "quantity": .number(70 + Double(number)), "date": .string("2026-01-0\(number)"),
            "notes": "n",
          ]))
    }
    log.add(
      "account.signed_in", by: "system",
      ["account": "ada@example.org", "origin": "https://api.example.org", "user_id": "u1"])
    log.add("progress.corrected", ["entry": .string(entry(2)), "quantity": 60])
    let gone = log.add("progress.corrected", ["entry": .string(entry(3)), "quantity": 61])
    log.add("progress.deleted", ["entry": .string(entry(4)), "reason": "double"])
    func exchange(_ number: Int, _ seq: Int, _ path: String, _ answer: JSONObject) {
      log.add(
        "sync.attempted", by: "sync",
        [
          "call": call(number), "method": "POST", "path": .string(path),
          "events": [JSONValue(seq)], "fingerprint": "ab12", "attempt": 1,
        ])
      var data = answer
      data["call"] = call(number)
      data["events"] = [JSONValue(seq)]
      let type = data["type"]?.string ?? ""
      data["type"] = nil
      log.add(type, by: "sync", data)
    }
    exchange(
      1, logged[0], "/api/v1/progress",
      [
        "type": "sync.acknowledged", "via": "response", "status": 201,
        "entry": .string(entry(1)), "backend_id": "r1",
      ])
    exchange(
      2, name, "/api/v1/users/me",
      [
        "type": "sync.acknowledged", "via": "response", "status": 200,
        "remote": ["name": "Ada", "bio": "b"],
      ])
    exchange(
      3, logged[4], "/api/v1/progress",
      ["type": "sync.rejected", "status": 422, "message": "no"])
    exchange(
      4, logged[5], "/api/v1/progress", ["type": "sync.deferred", "reason": "offline"])
    log.add("sync.held", by: "sync", ["events": [JSONValue(logged[6])], "reason": "cannot-clear"])
    log.add(
      "progress.pulled", by: "sync",
      [
        "entry": .string(entry(9)), "backend_id": "r9", "metric": "steps", "quantity": 9000,
        "date": "2026-02-01",
      ])
    let conflict = log.add(
      "conflict.detected", by: "sync",
      [
        "subject": "profile", "field": "bio", "base": "a", "local": "b", "remote": "c",
        "decision": "open",
      ])
    log.add(
      "conflict.resolved", ["conflict": JSONValue(conflict), "decision": "local", "value": "b"])
    let suspicion = log.add(
      "duplicate.suspected", by: "sync",
      ["entry": .string(entry(1)), "backend_ids": ["r7"]])
    log.add("duplicate.resolved", ["suspicion": JSONValue(suspicion), "decision": "both"])
    log.add("edit.undone", ["event": JSONValue(logged[6])])
    log.add(
      "row.skipped", by: "sync", ["field": "type", "value": "mass", "reason": "unknown type"])
    log.add("weather.noticed", ["z": 1])
    for seq in [logged[2], gone] {
      log.add(
        "event.erased",
        ["event": JSONValue(seq), "reason": "asked", "entry": .string(entry(3))])
      log.lines[seq - 1].isErased = true
    }
    log.add("edit.undone", ["event": JSONValue(oldBio)])
    log.add("event.erased", ["event": JSONValue(oldBio), "reason": "asked", "fields": ["bio"]])
    log.lines[oldBio - 1].isErased = true
    log.add("log.repaired", by: "system", ["bytes": 12, "quarantined": "tail-1"])
    for number in 10...14 {
      log.add(
        "progress.logged",
        [
          "entry": .string(entry(number)), "metric": "weight", "quantity": 80,
          "date": .string("2026-02-\(number)"),
        ])
    }
    log.add("progress.corrected", ["entry": .string(entry(11)), "quantity": 81])
    log.add(
      "account.signed_out", by: "system",
      ["account": "ada@example.org", "origin": "https://api.example.org"])
    return log
  }

  // MARK: Forging

  /// Changes something, as a person with write access may want to.
  mutating func forge(using random: inout SplitMix) {
    switch Int.random(in: 0..<18, using: &random) {
    case 0..<3: changeValue(using: &random)
    case 3:
      at(&random) { line, random in
        line.type = Self.types.randomElement(using: &random)!
      }
    case 4:
      at(&random) { line, random in
        line.by = ["user", "import", "sync", "system"].randomElement(using: &random)!
      }
    case 5:
      at(&random) { line, random in
        line.at = ["2020-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z"].randomElement(
          using: &random)!
      }
    case 6: lines.swapAt(place(&random), place(&random))
    case 7: lines.remove(at: place(&random))
    case 8: lines.insert(lines[place(&random)], at: place(&random))
    case 9: lines.removeLast(min(lines.count - 1, Int.random(in: 1...12, using: &random)))
    case 10: at(&random) { line, _ in line.isErased.toggle() }
    case 11: at(&random) { line, _ in line.version += 1 }
    case 12, 13: undo(using: &random)
    default: erase(using: &random)
    }
    if lines.isEmpty { self = Self.sample() }
  }

  private static let types = [
    "ledger.created", "profile.updated", "physical.updated", "progress.logged",
    "progress.corrected", "progress.deleted", "progress.pulled", "sync.attempted",
    "sync.acknowledged", "sync.rejected", "sync.differed", "sync.held", "conflict.detected",
    "conflict.resolved", "edit.undone", "event.erased", "account.signed_in", "account.x",
    "account.replaced", "log.repaired", "sleep.logged", "sleep.corrected", "goal.set", "x",
  ]

  private func place(_ random: inout SplitMix) -> Int {
    Int.random(in: lines.indices, using: &random)
  }

  private mutating func at(
    _ random: inout SplitMix, _ change: (inout Line, inout SplitMix) -> Void
  ) {
    change(&lines[place(&random)], &random)
  }

  /// Erases some lines, and appends records for none, some or all of them.
  private mutating func erase(using random: inout SplitMix) {
    var seqs = Set((0..<Int.random(in: 1...4, using: &random)).map { _ in place(&random) + 1 })
    // Mostly an entry as a whole, or nearly.
    if Bool.random(using: &random), let entry = lines[place(&random)].data["entry"] {
      seqs = Set(
        lines.indices.filter {
          lines[$0].data["entry"] == entry && lines[$0].type.hasPrefix("progress.")
        }.map { $0 + 1 })
      if Int.random(in: 0..<3, using: &random) == 0 { seqs.insert(place(&random) + 1) }
      if Int.random(in: 0..<3, using: &random) == 0 { _ = seqs.popFirst() }
    }
    let subject: JSONObject.Member? =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: nil
      case 1: .init(name: "fields", value: ["bio"])
      default:
        seqs.compactMap { lines[$0 - 1].data["entry"] }.first.map {
          .init(name: "entry", value: $0)
        }
      }
    let recorded = Int.random(in: 0..<5, using: &random)
    for seq in seqs.sorted() {
      lines[seq - 1].isErased = true
      guard recorded > 0, recorded > 1 || Bool.random(using: &random) else { continue }
      var data: JSONObject = ["event": JSONValue(seq), "reason": "asked"]
      if let subject { data.members.append(subject) }
      add("event.erased", data)
    }
  }

  /// Claims that something undoes an event, which may be itself or a later one.
  private mutating func undo(using random: inout SplitMix) {
    let undone = JSONValue(Int.random(in: 1...lines.count + 2, using: &random))
    if Bool.random(using: &random) {
      add("edit.undone", ["event": undone])
    } else {
      at(&random) { line, _ in line.data["undoes"] = undone }
    }
  }

  private mutating func changeValue(using random: inout SplitMix) {
    let index = place(&random)
    guard !lines[index].data.members.isEmpty else { return }
    let member = Int.random(in: lines[index].data.members.indices, using: &random)
    if Int.random(in: 0..<6, using: &random) == 0 {
      lines[index].data.members.remove(at: member)
      return
    }
    let seq = Int.random(in: 0...lines.count + 1, using: &random)
    let values: [JSONValue] = [
      .number(0), .number(-1), .number(1e15), .number(71.5), JSONValue(seq), .null, .bool(true),
      "", "x", .string(Self.entry(Int.random(in: 1...14, using: &random))), "r1", [],
      [JSONValue(seq)], .string(String(repeating: "y", count: 600)), ["a": nil], "2026-01-01",
    ]
    lines[index].data.members[member].value = values.randomElement(using: &random)!
  }
}
