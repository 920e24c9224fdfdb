import Foundation
import LedgerJSON
import LedgerModel
import LedgerPlatform
import Testing

@testable import LedgerLog

/// Old lines stay readable: `Golden/events.jsonl` has one of every type and version, and lines are
/// only added to it (docs/log-format.md, A new version of a type).
struct GoldenTests {
  /// The first version of the file, by its number of lines and last hash.
  private static let oldest = (
    lines: 24, hash: "ae7f678e0a79b4d23f8c47df98eb0d690d38f5a22f6e4f6ad31d0a3f8bcc8de0"
  )

  private let bytes: [UInt8]
  private let lines: [[UInt8]]

  init() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().path + "/Golden/events.jsonl"
    bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  private func event(_ index: Int) throws -> RecordedEvent {
    try EventReader.read(lines[index], line: index + 1, byte: 0)
  }

  private func envelope(_ index: Int) throws -> (kind: EventKind?, version: Int, isErased: Bool) {
    let object = try #require(JSONValue(parsing: lines[index], rules: .log).object)
    return (
      object["type"]?.string.flatMap { EventKind(rawValue: $0) },
      try #require(object["v"]?.integer), object["erased"] != nil
    )
  }

  @Test("The golden log verifies, and its oldest lines are unchanged")
  func oldLines() throws {
    let ledger = TemporaryLedger(log: bytes)
    let found = try Verification.verify(ledger.directory)
    #expect(found.isOK, "\(found.problems)")
    #expect(found.events == lines.count)
    try #require(lines.count >= Self.oldest.lines)
    #expect(try event(Self.oldest.lines - 1).hash == Self.oldest.hash)
  }

  @Test("Every version of every type has a line")
  func everyVersion() throws {
    var missing: [String] = []
    for kind in EventKind.allCases {
      for version in 1...kind.version {
        let isThere = try lines.indices.contains { index in
          let line = try envelope(index)
          return line.kind == kind && line.version == version && !line.isErased
        }
        if !isThere { missing.append("\(kind.rawValue) v\(version)") }
      }
    }
    #expect(missing.isEmpty, "add lines to Golden/events.jsonl: \(missing)")
  }

  @Test("Lines of the newest version are written as they were read")
  func newestVersions() throws {
    var written: [UInt8] = []
    var previous = ChainHash.beforeFirst
    for (index, line) in lines.enumerated() {
      let recorded = try event(index)
      let (kind, version, isErased) = try envelope(index)
      if !isErased, version == kind?.version ?? version {
        let salt = try #require(JSONValue(parsing: line, rules: .log).object?["salt"]?.string)
        written.removeAll()
        var writer = LineWriter()
        _ = try writer.append(
          recorded.event, seq: recorded.seq, salt: try #require(UInt64(salt, radix: 16)),
          after: previous, to: &written)
        #expect(written == line + [UInt8(ascii: "\n")], "line \(index + 1)")
      }
      previous = try #require(ChainHash(line.suffix(66).prefix(64)))
    }
  }

  @Test("A line of an older version decodes to the same payload as the newest version's line")
  func olderVersionsAreUpcast() throws {
    for index in lines.indices {
      let (kind, version, isErased) = try envelope(index)
      guard let kind, !isErased, version < kind.version else { continue }
      let newest = try #require(
        try lines.indices.first {
          let line = try envelope($0)
          return line.kind == kind && line.version == kind.version && !line.isErased
        })
      #expect(try event(index).event.payload == event(newest).event.payload, "line \(index + 1)")
    }
  }

  @Test("Erased events and unknown types are kept")
  func otherPayloads() throws {
    let payloads = try lines.indices.map { try event($0).event.payload }
    #expect(payloads.contains(.erased(type: "progress.deleted", version: 1)))
    #expect(payloads.contains { $0.type == "weather.noticed" && $0.data.members.count == 3 })
  }

  @Test("The fast reader accepts only types whose newest version is 1")
  func fastReader() throws {
    var fast: [EventKind] = []
    let ledger = TemporaryLedger(log: bytes)
    try LineWindows.forEachPadded(
      of: OpenFile(ledger.directory.events, .read), in: 0..<bytes.count
    ) { (padded, lineBytes, _) throws(LogError) in
      var start = 0
      var seq = SeqText(1)
      var days = InstantDay()
      for line in lines {
        if FastFront.read(padded, at: start, seq: seq, days: &days) != nil,
          let kind = (try? envelope(seq.number - 1))?.kind
        {
          fast.append(kind)
        }
        start += line.count + 1
        seq.advance()
      }
      return true
    }
    #expect(fast.count == 11)
    for kind in fast where kind.version > 1 {
      Issue.record("\(kind.rawValue) has version \(kind.version): see FastFront.rarerKind")
    }
  }
}
