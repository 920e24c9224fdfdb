import LedgerJSON
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// The fast way over the data of common types accepts only what the general one does, and ends where
/// it ends.
struct FastDataTests {
  private static let uuid = "0195512f-5c00-7123-8abc-00000000002a"

  /// As this program or other ones write them.
  private static let forms: [(kind: FastFront.Kind, data: String)] = [
    (
      .logged,
      #"{"entry":"\#(uuid)","metric":"steps","quantity":5012,"date":"2026-01-02"}"#
    ),
    (
      .logged,
      #"{"entry":"\#(uuid)","metric":"bmi","quantity":20.25,"date":"2026-01-02","#
        + #""time":"21:55:56","zone":"+01:00","notes":"très \"bien\"","source":"fitbit","#
        + #""source_id":"fitbit:88bd"}"#
    ),
    (.corrected, #"{"entry":"\#(uuid)","quantity":1,"date":"2026-01-02","notes":"n"}"#),
    (.corrected, #"{"entry":"\#(uuid)","notes":null}"#),
    (.deleted, #"{"entry":"\#(uuid)","reason":"duplicate"}"#),
    (.deleted, #"{"entry":"\#(uuid)"}"#),
    (
      .acknowledged,
      #"{"call":"\#(uuid)","events":[2,17],"status":201,"via":"response","entry":"\#(uuid)","#
        + #""backend_id":"\#(uuid)"}"#
    ),
    (
      .acknowledged,
      #"{"events":[2],"via":"response","call":"\#(uuid)","status":200,"entry":"\#(uuid)","#
        + #""backend_id":"x"}"#
    ),
    (.acknowledged, #"{"events":[2],"via":"elided"}"#),
    (
      .attempted,
      #"{"call":"\#(uuid)","method":"POST","path":"/api/v1/progress","events":[2],"#
        + #""fingerprint":"00ff","attempt":1}"#
    ),
  ]

  @Test(arguments: forms.indices)
  func usualDataIsRead(_ index: Int) {
    let (kind, data) = Self.forms[index]
    #expect(Self.fast(kind, Array(data.utf8)) == data.utf8.count)
  }

  @Test("Whatever is done to it", arguments: [0xDA7A, 0x5EED, .random(in: 0 ... .max)] as [UInt64])
  func onlyWhatTheGeneralWayAccepts(seed: UInt64) {
    var random = SplitMix(seed)
    var accepted = 0
    for round in 0..<20_000 {
      let (kind, data) = Self.forms.randomElement(using: &random)!
      var bytes = Array(data.utf8)
      for _ in 0...Int.random(in: 0...1, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: place)
        case 3:
          bytes.insert(Array(#"{}[]",:\0e.-9"#.utf8).randomElement(using: &random)!, at: place)
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 9))
        default:
          let end = min(bytes.count, place + 24)
          bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      guard !bytes.contains(0x0A), let end = Self.fast(kind, bytes) else { continue }
      accepted += 1
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(Self.general(bytes) == end, "seed \(seed), round \(round): \(text)")
    }
    #expect(accepted > 1_000, "seed \(seed)")
  }

  /// Where the fast way ends, within a line and the bytes behind it.
  private static func fast(_ kind: FastFront.Kind, _ data: [UInt8]) -> Int? {
    read(data) { bytes, position in FastData.skip(kind, bytes, at: &position) }
  }

  private static func general(_ data: [UInt8]) -> Int? {
    read(data) { bytes, position in
      do throws(JSONError) {
        try JSONScanner.skipObject(in: bytes, at: &position, rules: .log)
        return true
      } catch {
        return false
      }
    }
  }

  private static func read(
    _ data: [UInt8], _ reader: (_ bytes: RawSpan, _ position: inout Int) -> Bool
  ) -> Int? {
    let line = data + Array(",\"hash\":\"0123456789abcdef\"}\n".utf8)
    let padded = line + [UInt8](repeating: 0, count: FastFront.reachBytes)
    return padded.withUnsafeBufferPointer { buffer in
      var position = 0
      return reader(UnsafeRawBufferPointer(buffer).bytes, &position) ? position : nil
    }
  }
}
