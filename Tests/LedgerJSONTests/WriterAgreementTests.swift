import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Stored bytes are a contract, so the fast writer must agree with a simple one.
@Suite struct WriterAgreementTests {
  @Test("Values are written as by the plain writer", arguments: [21, 22, 23] as [UInt64])
  func valuesAreWrittenAsPlainly(seed: UInt64) {
    var values = RandomValue(seed: seed)
    for _ in 0..<TestSize.of(250, full: 2_000) {
      let value = values.value()
      guard value.serialized.utf8.elementsEqual(PlainWriting.text(value).utf8) else {
        Issue.record("seed \(seed): \(value.serialized) instead of \(PlainWriting.text(value))")
        return
      }
    }
  }

  /// Covers ends and escapes at every position of an eight-byte word.
  @Test("Every byte at every position is written as by the plain writer")
  func everyByteAtEveryPlaceIsWrittenAsPlainly() {
    let scalars = (0..<0x100).map { Unicode.Scalar(UInt8($0)) } + ["\u{2028}", "💪", "\u{10FFFF}"]
    for scalar in scalars {
      for length in 0...17 {
        for place in 0...length {
          let before = String(repeating: "x", count: place)
          let text = before + String(scalar) + String(repeating: "\u{7F}", count: length - place)
          expectPlain(text)
          expectPlain(text + "\\" + text)
        }
      }
    }
    expectPlain("")
    expectPlain(String(repeating: "\u{1}", count: 1_000))
    expectPlain(String(repeating: "\"", count: 70_000))
  }

  /// Strings with other storage: bridged strings and substrings.
  @Test("Strings of any storage are written as by the plain writer")
  func stringsOfAnyKindAreWrittenAsPlainly() {
    let long = "a long text, in which\nthere are \"quotes\" – and 💪, so that it is not small"
    expectPlain(String(long.dropFirst(3)))
    expectPlain(String(NSString(string: long)))
    expectPlain("\(long)\(long)")
  }

  private func expectPlain(_ text: String) {
    let written = JSONValue.string(text).serialized
    let plain = PlainWriting.string(text)
    if !written.utf8.elementsEqual(plain.utf8) { Issue.record("\(written) instead of \(plain)") }
  }

  @Test("Numbers are written as by the plain writer", arguments: [31, 32] as [UInt64])
  func numbersAreWrittenAsPlainly(seed: UInt64) {
    var generator = SplitMix(seed)
    for _ in 0..<TestSize.of(1_500, full: 20_000) {
      let digits = Int64.random(
        in: 0...Int64(pow(10, Double.random(in: 0...16, using: &generator))),
        using: &generator)
      let scale = pow(10, Double(Int.random(in: -3...18, using: &generator)))
      let short = Double(digits) / scale
      // Its neighbors have more digits, like the results of sums.
      for value in [short, short.nextUp, short.nextDown, -short, short * 1.1] {
        guard JSONNumber.text(value) == PlainWriting.number(value) else {
          Issue.record(
            "seed \(seed): \(value) is \(JSONNumber.text(value)), not \(PlainWriting.number(value))"
          )
          return
        }
        let isShort =
          PlainWriting.number(value).filter { $0 != "." && $0 != "-" }
          .drop { $0 == "0" }.reversed().drop { $0 == "0" }.count <= 15
        guard JSONNumber.isWritable(value) == (isShort && value.magnitude <= 1e15) else {
          Issue.record("seed \(seed): \(value) counts as \(isShort ? "unwritable" : "writable")")
          return
        }
      }
    }
  }
}
