import LedgerTestSupport
import Testing

@testable import LedgerJSON

/// Compares the scan of eight bytes at a time with one byte at a time.
@Suite struct SkipPlainTests {
  private func skipped(_ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { buffer in
      var position = start
      JSONScanner.skipPlain(in: buffer.bytes, at: &position)
      return position
    }
  }

  private func skippedOneByOne(_ bytes: [UInt8], from start: Int) -> Int {
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 || byte > 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return position
      }
      position += 1
    }
    return position
  }

  private func agree(_ bytes: [UInt8], from start: Int) -> Bool {
    skipped(bytes, from: start) == skippedOneByOne(bytes, from: start)
  }

  /// The prefix consists of quotes, so that reading before the start would stop at once.
  @Test("A special byte stops the scan at every alignment", arguments: 0..<8)
  func oneSpecialByteAnywhere(alignment: Int) {
    let specials: [UInt8] = [
      0x00, 0x01, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF,
    ]
    let before = [UInt8](repeating: 0x22, count: alignment)
    for count in 0...40 {
      var bytes = before + [UInt8](repeating: UInt8(ascii: "a"), count: count)
      #expect(skipped(bytes, from: alignment) == bytes.count)
      for index in alignment..<bytes.count {
        for special in specials {
          bytes[index] = special
          if !agree(bytes, from: alignment) { Issue.record("\(bytes)") }
        }
        bytes[index] = UInt8(ascii: "a")
      }
    }
  }

  @Test("Every byte stops the scan or not at every position")
  func everyByteAtEveryPlaceOfTwoWords() {
    var bytes = [UInt8](repeating: UInt8(ascii: "~"), count: 16)
    for index in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        bytes[index] = byte
        if !agree(bytes, from: 0) { Issue.record("\(byte) at \(index)") }
      }
      bytes[index] = UInt8(ascii: "~")
    }
  }

  /// A borrow can falsify the mark of the next byte, but never one below a true mark.
  @Test("No pair of neighboring bytes causes a false stop")
  func everyPairOfNeighbors() {
    var bytes = [UInt8](repeating: UInt8(ascii: " "), count: 8)
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        bytes[3] = first
        bytes[4] = second
        guard agree(bytes, from: 0) else {
          Issue.record("\(first), \(second)")
          return
        }
      }
    }
  }

  @Test("Random strings are skipped as byte by byte", arguments: [41, 42, 43] as [UInt64])
  func randomStrings(seed: UInt64) {
    var generator = SplitMix(seed)
    let near: [UInt8] = [0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80]
    for _ in 0..<TestSize.of(2_000, full: 20_000) {
      let specialEvery = Int.random(in: 1...40, using: &generator)
      let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
        Int.random(in: 0..<specialEvery, using: &generator) == 0
          ? near.randomElement(using: &generator)!
          : UInt8.random(in: 0x23...0x5B, using: &generator)
      }
      let start = Int.random(in: 0...bytes.count, using: &generator)
      guard agree(bytes, from: start) else {
        Issue.record("seed \(seed): \(bytes) from \(start)")
        return
      }
    }
  }

  @Test("Strings of every length around a word are read", arguments: 0...40)
  func stringsOfEveryLength(count: Int) throws {
    let run = String(repeating: "x", count: count)
    for inside in ["", "é", "\\\"", "\\u00e9", "\\n"] {
      let expected = run + inside.replacingEscapes + run
      let parsed = try JSONValue(parsing: "\"\(run)\(inside)\(run)\"", rules: .bounded).string
      #expect(parsed == expected)
    }
    let broken = "\"\(run)\u{1}\(run)\""
    #expect(refusal(of: broken, .bounded) == JSONError(.controlCharacter, at: count + 1))
  }
}

extension String {
  /// The decoded insertions of the test above.
  fileprivate var replacingEscapes: String {
    switch self {
    case "\\\"": "\""
    case "\\u00e9": "\u{E9}"
    case "\\n": "\n"
    default: self
    }
  }
}
