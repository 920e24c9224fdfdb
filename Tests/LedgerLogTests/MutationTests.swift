import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Randomly mutated lines.
struct MutationTests {
  private static let lines: [String] =
    [
      PlainLine(seq: "7"),
      PlainLine(
        seq: "123456", by: "import", type: "progress.logged",
        data: #"{"entry":"0195512f-5c00-7aaa-8bbb-0123456789ab","metric":"weight","#
          + #""quantity":75.5,"date":"2026-02-28","time":"07:05:09","zone":"-03:30","#
          + #""notes":"a \"b\"\n\u0001 – très bien 💪","later":[1,0.1,{"x":null}]}"#),
      PlainLine(seq: "1", by: "system", type: "ledger.created", data: #"{"a":1e-7,"b":"\u00e9"}"#),
    ].map { $0.text().line } + [PlainLine(seq: "9").erased(after: hashBeforeFirst)]

  private static func mutate(_ line: inout [UInt8], using random: inout SplitMix) {
    for _ in 0...Int.random(in: 0...2, using: &random) {
      guard !line.isEmpty else { return }
      let place = Int.random(in: 0..<line.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: line.remove(at: place)
      case 2: line.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 3: line.insert(Array(#"{}[]",:\0eu-."#.utf8).randomElement(using: &random)!, at: place)
      case 4: line.removeSubrange(place..<min(line.count, place + 9))
      default: line.insert(contentsOf: line[place..<min(line.count, place + 40)], at: place)
      }
    }
  }

  @Test(
    "A mutated line breaks the chain; if it decodes, the event has the same front",
    arguments: [0xA11CE, 0xB0B, .random(in: 0 ... .max)] as [UInt64])
  func aChangedLineFailsOrReadsAsItself(seed: UInt64) throws {
    var random = SplitMix(seed)
    var accepted = 0
    let rounds = TestSize.of(4_000, full: 34_000)
    for round in 0..<rounds {
      let original = Array(Self.lines[round % Self.lines.count].utf8)
      var line = original
      Self.mutate(&line, using: &random)
      guard let envelope = try? scan(line) else { continue }
      accepted += 1
      let place: Comment = "seed \(seed), round \(round): \(String(decoding: line, as: UTF8.self))"
      #expect(line == original || !followsFromNothing(envelope, line), place)
      guard !envelope.isErased, let recorded = try? EventReader.read(line, line: 1, byte: 0) else {
        continue
      }
      let (written, again) = try rewritten(recorded, salt: line[envelope.salt])
      let count = envelope.bodyStart + 33
      #expect(written.prefix(count).elementsEqual(line.prefix(count)), place)
      #expect(again.event == recorded.event, place)
    }
    // Some changes inside strings and numbers leave a valid line.
    #expect(accepted > rounds / 34, "seed \(seed)")
  }

  private func followsFromNothing(_ envelope: Envelope, _ line: [UInt8]) -> Bool {
    line.withUnsafeBufferPointer { buffer in
      let bytes = UnsafeRawBufferPointer(buffer).bytes
      return envelope.expectedHash(after: .beforeFirst, in: bytes)
        == envelope.storedHash(in: bytes)
    }
  }

  private func rewritten(
    _ recorded: RecordedEvent, salt: ArraySlice<UInt8>
  ) throws -> (bytes: [UInt8], event: RecordedEvent) {
    let salt = try #require(UInt64(String(decoding: salt, as: UTF8.self), radix: 16))
    var bytes: [UInt8] = []
    var writer = LineWriter()
    _ = try writer.append(
      recorded.event, seq: recorded.seq, salt: salt, after: .beforeFirst, to: &bytes)
    bytes.removeLast()
    return (bytes, try EventReader.read(bytes, line: 1, byte: 0))
  }
}
