import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// A log as docs/log-format.md describes it, read and checked without the code that wrote it.
struct StoredLog {
  struct Line {
    var bytes: [UInt8]
    var object: JSONObject

    var seq: Int? { object["seq"]?.integer }
    var type: String? { object["type"]?.string }
    var data: JSONObject { object["data"]?.object ?? JSONObject() }
  }

  private(set) var lines: [Line] = []

  init(_ bytes: Data) throws {
    #expect(bytes.last == UInt8(ascii: "\n"), "the last line has its end")
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      let object = try JSONValue(parsing: Array(line), rules: .log).object
      lines.append(Line(bytes: Array(line), object: try #require(object)))
    }
  }

  /// Seqs without gaps, ids without repeats, every hash following from the one before.
  func expectIntact(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(lines.map(\.seq) == Array(1...lines.count), sourceLocation: sourceLocation)
    let ids = Set(lines.compactMap { $0.object["id"]?.string })
    #expect(ids.count == lines.count, sourceLocation: sourceLocation)
    var previous = [UInt8](repeating: UInt8(ascii: "0"), count: 64)
    for line in lines {
      let link = Self.link(of: line.bytes, after: previous)
      let stored = Array((line.object["hash"]?.string ?? "").utf8)
      #expect(link == stored, "line \(line.seq ?? 0)", sourceLocation: sourceLocation)
      previous = stored
    }
  }

  /// A further line, as another program would write it from the description alone.
  func line(by actor: String, type: String, data: String) throws -> Data {
    try line(by: actor, type: type, data: Array(data.utf8))
  }

  /// The same for `data` that is no text.
  func line(by actor: String, type: String, data: [UInt8]) throws -> Data {
    let previous = try #require(lines.last?.object["hash"]?.string)
    let front =
      #"{"id":"019b6fbd-1c2a-7000-8000-00000000000a","seq":\#(lines.count + 1),"#
      + #""at":"2026-01-02T03:04:05.678Z","by":"\#(actor)","type":"\#(type)","v":1,"#
    let body = Array(#""salt":"00000000000000aa","data":"#.utf8) + data
    let hash = Self.hex(Array(previous.utf8) + Array(front.utf8) + Self.hex(body))
    return Data(front.utf8) + body + Data(#","hash":""#.utf8) + hash + Data("\"}\n".utf8)
  }

  /// What is left of a line whose body is replaced by its digest.
  static func erased(_ line: [UInt8]) throws -> [UInt8] {
    let text = String(decoding: line, as: UTF8.self)
    let salt = try #require(text.range(of: #""salt":"#))
    let front = Array(text[..<salt.lowerBound].utf8)
    let body = Array(line[front.count..<(line.count - 75)])
    return front + Array(#""erased":""#.utf8) + hex(body) + Array("\"".utf8) + line.suffix(75)
  }

  private static func link(of line: [UInt8], after previous: [UInt8]) -> [UInt8] {
    let text = String(decoding: line, as: UTF8.self)
    guard line.count > 75 else { return [] }
    if let digest = text.range(of: #""erased":""#) {
      // What was erased is proven by its digest.
      let front = Array(text[..<digest.lowerBound].utf8)
      return hex(previous + front + Array(text[digest.upperBound...].utf8.prefix(64)))
    }
    guard let salt = text.range(of: #""salt":"#) else { return [] }
    let front = Array(text[..<salt.lowerBound].utf8)
    let body = Array(line[front.count..<(line.count - 75)])
    return hex(previous + front + hex(body))
  }

  private static func hex(_ bytes: [UInt8]) -> [UInt8] { Array(sha256Hex(bytes).utf8) }
}
