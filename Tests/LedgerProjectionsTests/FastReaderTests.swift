import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The fast reader accepts only what the reference reader accepts, and gives the same columns, the same
/// damage and the same position.
@Suite struct FastReaderTests {
  /// With the fourth, the fast reader once accepted shuffled profile fields in the wrong order.
  static let seeds: [UInt64] = [
    901, 902, 903, 11_196_505_644_371_349_697, .random(in: 0 ... .max),
  ]

  @Test("Random histories read the same", arguments: [UInt64(71), 72, 73, 74, 75, 76])
  func stories(seed: UInt64) {
    let log = RandomStory.log(seed: seed, count: 300)
    for checks in [LineChecks.form, .chain] {
      #expect(Self.difference(log.bytes, checks) == nil, "seed \(seed)")
    }
  }

  @Test("Zero bytes are no date, even in the first entry")
  func zerosForADay() {
    let zeros = String(repeating: "\0", count: 10)
    for day in [zeros, "2026-01-01"] {
      var log = HandWrittenLog()
      log.appendCreation()
      log.append(
        type: "progress.logged",
        data:
          #"{"entry":"0195512f-5c00-7123-8abc-9f00000000ea","metric":"steps","quantity":1,"date":"\#(day)"}"#
      )
      #expect(Self.difference(log.bytes, .chain) == nil)
    }
  }

  @Test("Alternating zones, and an invalid zone after a valid one, read the same")
  func zones() {
    var log = HandWrittenLog()
    log.appendCreation()
    for zone in ["+01:00", "+01:00", "-03:30", "+01:00", "+15:59"] { Self.log(zone, in: &log) }
    #expect(Self.difference(log.bytes, .chain) == nil)
    for zone in ["+1:00", "+01:60", "+16:00", "+01:00Z", "Z", "+01:0", "+01:00\\n"] {
      var log = log
      Self.log(zone, in: &log)
      Self.log("+01:00", in: &log)
      #expect(Self.difference(log.bytes, .chain) == nil, "\(zone)")
    }
  }

  private static func log(_ zone: String, in log: inout HandWrittenLog) {
    log.append(
      type: "progress.logged",
      data:
        #"{"entry":"0195512f-5c00-7123-8abc-9f00000000ea","metric":"steps","quantity":1,"date":"2026-01-01","time":"10:00:00","zone":"\#(zone)"}"#
    )
  }

  @Test("Unusual and invalid values of profile fields read the same")
  func person() {
    for (type, data) in [
      ("profile.updated", #"{"name":"\u00c5sa \"Å\" \\","bio":null,"language_code":"de-AT"}"#),
      ("profile.updated", #"{"name":"Åsa","preferred_unit_system":"metric","shoe_size":38}"#),
      ("profile.updated", #"{"name":"Åsa","preferred_unit_system":"m\u0065tric"}"#),
      ("profile.updated", #"{"bio":"","name":"Åsa"}"#),
      ("physical.updated", #"{"biological_sex":"other","height_cm":180.50}"#),
      ("physical.updated", #"{"height_cm":99999999999999.9,"date_of_birth":"2024-02-29"}"#),
      ("physical.updated", #"{"biological_sex":"male","date_of_birth":"2023-02-29"}"#),
      (
        "preferences.updated",
        #"{"allergies":[],"food_dislikes":["\u006euts","ol\ud83c\udf4f","é"]}"#
      ),
      ("preferences.updated", #"{"allergies":["a","b"],"dietary_restrictions":["c" ]}"#),
    ] {
      var log = HandWrittenLog()
      log.appendCreation()
      for data in [data, data.replacing(",", with: ",\"x\":1,", maxReplacements: 1), data] {
        log.append(type: type, data: data)
      }
      #expect(Self.difference(log.bytes, .chain) == nil, "\(data)")
    }
  }

  /// The hashes are recomputed, so only the form of `data` matters.
  @Test("Randomly edited data with a valid chain reads the same", arguments: seeds)
  func editedData(seed: UInt64) {
    var random = SplitMix(seed)
    for round in 0..<TestSize.of(30, full: 600) {
      var log = HandWrittenLog()
      log.appendCreation()
      var shown: [String] = []
      for _ in 0..<4 {
        var (type, data) = LineForms.event(using: &random)
        if random.chance(50) { data = LineForms.shuffled(data, using: &random) }
        if random.chance(60) {
          var bytes = Array(data.utf8)
          LineForms.mutate(&bytes, using: &random)
          data = String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self)
        }
        shown.append("\(type) \(data)")
        log.append(type: type, data: data, by: random.pick([.user, .sync, .import, .system]))
      }
      let difference = Self.difference(log.bytes, .chain)
      #expect(difference == nil, "seed \(seed), round \(round): \(shown)")
    }
  }

  @Test("Logs with random changes read the same", arguments: seeds)
  func editedLogs(seed: UInt64) {
    var random = SplitMix(seed)
    var log = HandWrittenLog()
    log.appendCreation()
    for _ in 0..<11 {
      var (type, data) = LineForms.event(using: &random)
      if random.chance(30) { data = LineForms.shuffled(data, using: &random) }
      log.append(type: type, data: data, by: random.pick([.user, .sync, .import]))
    }
    for round in 0..<TestSize.of(100, full: 2500) {
      var bytes = log.bytes
      LineForms.mutate(&bytes, using: &random)
      // Windows hold whole lines only.
      guard let last = bytes.lastIndex(of: 0x0A) else { continue }
      bytes.removeSubrange((last + 1)...)
      let checks: LineChecks = random.chance(70) ? .form : .chain
      let difference = Self.difference(bytes, checks)
      #expect(difference == nil, "seed \(seed), round \(round)")
    }
  }

  /// The first difference between the two readers.
  static func difference(_ bytes: [UInt8], _ checks: LineChecks) -> String? {
    let fast = Reading(bytes, checks, isFast: true)
    let general = Reading(bytes, checks, isFast: false)
    let (left, right) = (fast.reader.batch, general.reader.batch)
    if fast.damage != general.damage {
      return "\(String(describing: fast.damage)) or \(String(describing: general.damage))"
    }
    if fast.reader.scan.position != general.reader.scan.position { return "position" }
    if fast.reader.scan.offsetBytes != general.reader.scan.offsetBytes { return "offset" }
    if left.tally != right.tally { return "tally: \(left.tally) or \(right.tally)" }
    if left.lastSeq != right.lastSeq { return "last seq" }
    if left.rows.map(Self.text) != right.rows.map(Self.text) { return "rows" }
    if left.changes.map(Self.text) != right.changes.map(Self.text) { return "changes" }
    if left.sleep.map({ "\($0)" }) != right.sleep.map({ "\($0)" }) { return "sleep" }
    if left.marks.map(Self.text) != right.marks.map(Self.text) { return "marks" }
    if left.profile.seqs != right.profile.seqs { return "edits of the profile" }
    for field in ProfileField.allCases {
      let values = (left.profile.versions(of: field), right.profile.versions(of: field))
      guard values.0.elementsEqual(values.1) else { return "\(field)" }
    }
    return left.others == right.others ? nil : "others: \(left.others) or \(right.others)"
  }

  private static func text(_ row: EntryRow) -> String { "\(row) \(row.quantity.bitPattern)" }
  private static func text(_ change: EntryChange) -> String { "\(change)" }
  private static func text(_ mark: Mark) -> String { "\(mark)" }
}

/// One window read by one of the readers.
private struct Reading {
  var reader: BatchReader
  var damage: Damage?

  init(_ bytes: [UInt8], _ checks: LineChecks, isFast: Bool) {
    reader = BatchReader(from: .start, offsetBytes: 0, checks: checks)
    reader.isFast = isFast
    guard !bytes.isEmpty else { return }
    // The bytes after the lines do not matter.
    let padded = bytes + Array(bytes.prefix(40)) + [UInt8](repeating: 0x22, count: 400)
    do throws(LogError) {
      try padded.withUnsafeBufferPointer { buffer throws(LogError) in
        try reader.read(
          UnsafeRawBufferPointer(buffer).bytes, lineBytes: bytes.count, at: 0)
      }
    } catch {
      if case .damaged(let found) = error { damage = found }
    }
  }
}

extension ProfileEdits {
  /// The values of a field, which compare equal however they are written.
  fileprivate func versions(of field: ProfileField) -> VersionList {
    var (edits, list) = (self, VersionList())
    var values = edits.takeValues(of: field)
    list.take(&values)
    return list
  }
}
