import LedgerJSON
import LedgerTestSupport
import Testing

/// The standard library's validation is the oracle.
@Suite struct UTF8Tests {
  private func isWellFormed(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether the string is accepted unchanged exactly if it is well formed and has no special bytes.
  private func check(_ bytes: [UInt8]) -> Bool {
    let text = [0x22] + bytes + [0x22]
    let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    guard isPlain, isWellFormed(bytes) else { return refusal(of: text, .bounded) != nil }
    let parsed = try? JSONValue(parsing: text, rules: .bounded).string
    return parsed.map { Array($0.utf8) == bytes } ?? false
  }

  @Test("Every lead byte with every second byte is validated")
  func everyLeadByteWithEverySecondByte() {
    for lead in UInt8(0x80)...0xFF {
      #expect(check([lead]), "\(lead)")
      for second in UInt8.min...UInt8.max where !check([lead, second]) {
        Issue.record("\([lead, second])")
      }
    }
  }

  @Test("Sequences with boundary bytes are validated")
  func everyLeadByteWithBoundarySequences() {
    let boundaries: [UInt8] = [0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    for lead in UInt8(0xC0)...0xFF {
      for second in boundaries {
        for third in boundaries {
          let three = [lead, second, third]
          if !check(three) { Issue.record("\(three)") }
          for fourth in boundaries where !check(three + [fourth]) {
            Issue.record("\(three + [fourth])")
          }
        }
      }
    }
  }

  static let invalid: [RefusedText] = [
    .init(bytes: [0x22, 0xC0, 0xAF, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xE0, 0x80, 0xAF, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xED, 0xBF, 0xBF, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0x61, 0x81, 0x22], .invalidUTF8, at: 2),
    .init(bytes: [0x22, 0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA, 0x22], .invalidUTF8, at: 6),
    .init(bytes: [0x22, 0xE2, 0x82, 0x22], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xF0, 0x9F, 0x98], .invalidUTF8, at: 1),
    .init(bytes: [0x22, 0xC3], .invalidUTF8, at: 1),
    .init(bytes: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], .invalidUTF8, at: 2),
  ]

  @Test("Invalid UTF-8 is reported where it begins", arguments: invalid, bothRules)
  func refusesWhereItBegins(text: RefusedText, rules: JSONRules) {
    #expect(refusal(of: text.bytes, rules) == text.error)
  }

  @Test("Random bytes are validated as by the standard library", arguments: [31, 32] as [UInt64])
  func randomBytes(seed: UInt64) {
    var generator = SplitMix(seed)
    let common: [UInt8] = [0x41, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xED, 0xA0]
    for _ in 0..<TestSize.of(2_000, full: 20_000) {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        common.randomElement(using: &generator)!
      }
      guard check(bytes) else {
        Issue.record("seed \(seed): \(bytes)")
        return
      }
    }
  }
}
