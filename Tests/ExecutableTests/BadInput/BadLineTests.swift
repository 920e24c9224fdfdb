import Foundation
import Testing

/// Lines of the log that are not as they were written: docs/bad-input.md, row by row.
@Suite(.blocks) struct BadLineTests {
  private typealias Damage = @Sendable ([Data]) -> [Data]

  /// A fourth line that another program has written, its hash right.
  private static func forged(
    quantity: String = "75", date: String = "2026-01-02", more: [UInt8] = []
  ) -> [UInt8] {
    let entry = "019b6fbd-1c2a-7000-8000-00000000000b"
    let data =
      #"{"entry":"\#(entry)","metric":"weight","quantity":\#(quantity),"date":"\#(date)""#
    return Array(data.utf8) + more + Array("}".utf8)
  }

  private static func forged(more: String) -> [UInt8] { forged(more: Array(more.utf8)) }

  private static let damages: [String: [Damage]] = [
    "a digit of line 2 changed": [
      { lines in
        let text = String(decoding: lines[1], as: UTF8.self)
        let changed = text.replacing(#""quantity":1"#, with: #""quantity":9"#)
        return [lines[0], Data(changed.utf8), lines[2]]
      }
    ],
    "line 2 missing": [{ [$0[0], $0[2]] }],
    "the last line missing": [{ Array($0[..<2]) }],
    "lines 2 and 3 swapped": [{ [$0[0], $0[2], $0[1]] }],
    "the last line twice": [{ $0 + [$0[2]] }],
    "half a line at the end": [{ $0 + [$0[2].prefix(50)] }],
    "a byte order mark before line 1": [{ [Data([0xEF, 0xBB, 0xBF])] + $0 }],
    "CR LF": [{ $0.map { $0.dropLast() + Data("\r\n".utf8) } }],
    "an empty line at the end": [{ $0 + [Data("\n".utf8)] }],
    "a line of 70,000 bytes at the end": [
      { $0 + [Data(repeating: UInt8(ascii: "x"), count: 70_000) + Data("\n".utf8)] }
    ],
  ]

  private static let wrongData: [String: [[UInt8]]] = [
    "`NaN`, with a correct hash": [forged(quantity: "NaN")],
    "`1e400` or 2^53+1, with a correct hash": [
      forged(quantity: "1e400"), forged(quantity: "9007199254740993"),
    ],
    "a number of 17 digits, with a correct hash": [forged(quantity: "75.123456789012345")],
    "a duplicate member, with a correct hash": [forged(more: #","date":"2026-01-02""#)],
    "lists too deep, with a correct hash": [
      forged(
        more: #","x":"# + String(repeating: "[", count: 8) + String(repeating: "]", count: 8))
    ],
    "half of a surrogate pair, with a correct hash": [forged(more: #","notes":"\ud800""#)],
    "overlong UTF-8, with a correct hash": [
      forged(more: Array(#","notes":""#.utf8) + [0xC0, 0xAF] + Array("\"".utf8))
    ],
    "`data` that is not an object, with a correct hash": [Array("[]".utf8)],
  ]

  private static let wrongValues: [String: [UInt8]] = [
    "30 February": forged(date: "2026-02-30"),
    "year 0": forged(date: "0000-01-01"),
    "24:00": forged(more: #","time":"24:00:00","zone":"+00:00""#),
  ]

  private func ledger(with data: [UInt8]) throws -> ThreeEvents {
    let ledger = try ThreeEvents()
    let log = try StoredLog(ledger.log())
    let line = try log.line(by: "user", type: "progress.logged", data: data)
    try ledger.write(ledger.lines() + [line])
    return ledger
  }

  @Test("verify finds every bad line of the page")
  func asVerifyFindsThem() throws {
    let table = try BadInputTable("damage")
    table.expectTried(Array(Self.damages.keys) + Array(Self.wrongData.keys))
    for (name, damages) in Self.damages {
      for damage in damages {
        let ledger = try ThreeEvents()
        try ledger.write(damage(ledger.lines()))
        try expectFound(table.row(name), in: ledger, name)
      }
    }
    for (name, datas) in Self.wrongData {
      for data in datas { try expectFound(table.row(name), in: ledger(with: data), name) }
    }
  }

  private func expectFound(
    _ row: BadInputTable.Row, in ledger: ThreeEvents, _ name: String
  ) throws {
    let before = try ledger.log()
    let result = try ledger.run(["verify"])
    #expect(result.code == row.code, "\(name): \(result.output)")
    let lines = result.output.split(separator: "\n")
    try #require(lines.count >= 2, "\(name): \(result.output) \(result.error)")
    row.expectIs(ledger.sentence(String(lines[1].drop { $0 == " " })), "\(name)")
    #expect(try ledger.log() == before, "\(name)")
  }

  /// A rule that `verify` does not know stops whoever would believe what stands there.
  @Test("replay finds every bad line of the page")
  func asReplayFindsThem() throws {
    let table = try BadInputTable("damage, with a correct hash")
    table.expectTried(Array(Self.wrongValues.keys))
    for (name, data) in Self.wrongValues {
      let row = try table.row(name)
      let ledger = try ledger(with: data)
      #expect(try ledger.run(["verify"]).code == 0, "\(name)")
      for words in [["replay"], ["status"], ["show", "days"]] {
        let result = try ledger.run(words)
        #expect(result.code == row.code, "\(name): \(words)")
        row.expectIs(ledger.sentence(result.error), "\(name): \(words)")
        #expect(result.output.isEmpty, "\(name): \(words)")
      }
    }
  }
}
