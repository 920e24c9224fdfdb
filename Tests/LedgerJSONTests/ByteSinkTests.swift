import LedgerJSON
import Testing

@Suite struct ByteSinkTests {
  @Test(
    "Integers are written in decimal",
    arguments: [
      0, 1, 9, 10, 99, 100, 999, 1_000, 123_456_789, 999_999_999_999_999, 1_000_000_000_000_000_000,
      9_000_000_000_000_000_000, .max, -1, -10, -99, .min,
    ])
  func wholeNumbersAreWrittenInDecimal(_ value: Int) {
    var sink = ByteSink(capacity: 0)
    sink.append(decimal: value)
    #expect(sink.text == String(value))
  }

  @Test("Fixed-width numbers have leading zeros")
  func digitsHaveTheirWidth() {
    var sink = ByteSink(capacity: 4)
    sink.append(decimal: 7, digits: 3)
    sink.append(UInt8(ascii: " "))
    sink.append(decimal: .max, digits: 20)
    sink.append(UInt8(ascii: " "))
    for value in 0..<100 { sink.append(twoDigits: value) }
    let pairs = (0..<100).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    #expect(sink.text == "007 09223372036854775807 " + pairs)
  }

  @Test("Hexadecimal digits are in lower case")
  func hexadecimalDigitsAreLowerCase() {
    for value in (0..<0x400 as Range<UInt32>).map({ $0 &* 0x0040_2011 }) + [0, .max] {
      let digits = String(value, radix: 16)
      let padded = String(repeating: "0", count: 8 - digits.count) + digits
      for width in 0...8 {
        var sink = ByteSink(capacity: 1)
        sink.append(hex: value, digits: width)
        #expect(sink.text == padded.suffix(width))
      }
    }
  }

  @Test("Growing keeps the bytes and removing deletes them")
  func growingKeepsBytes() {
    var sink = ByteSink(capacity: 1)
    var expected = ""
    for number in 0..<2_000 {
      sink.append(plain: "né \(number) ")
      sink.append("·")
      expected += "né \(number) ·"
    }
    #expect(sink.text == expected && sink.count == expected.utf8.count)
    sink.replaceByte(at: 0, by: UInt8(ascii: "m"))
    #expect(sink.text == "m" + expected.dropFirst())
    sink.removeAll()
    #expect(sink.count == 0 && sink.text.isEmpty)
    sink.append("x")
    #expect(sink.text == "x")
  }
}
