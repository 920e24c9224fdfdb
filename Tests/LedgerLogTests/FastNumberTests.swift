import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Numbers, times and zones of the fast way beside the general way's.
struct FastNumberTests {
  @Test("Digits, points and what else a number may have, in any order")
  func quantities() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed)
    let letters = Array("00123456789....,},}-eE+ x".utf8)
    var count = 0
    for _ in 0..<200_000 {
      let length = Int.random(in: 1...18, using: &random)
      let text = (0..<length).map { _ in letters.randomElement(using: &random)! } + [0x2C]
      let (fast, general) = Self.readBoth(text)
      #expect(fast == general, "\(String(decoding: text, as: UTF8.self)), seed \(seed)")
      if fast != nil { count += 1 }
    }
    #expect(count > 10_000, "only \(count) of them are numbers, seed \(seed)")
  }

  @Test("Every number of up to four digits and up to three behind the point")
  func shortQuantities() {
    for whole in 0...9_999 {
      for behind in ["", ".", ".0", ".5", ".25", ".00", ".07", ".125", ".999", "0", "-"] {
        let text = Array("\(whole)\(behind)".utf8)
        let (fast, general) = Self.readBoth(text + [whole & 1 == 0 ? 0x2C : 0x7D])
        #expect(fast == general, "\(whole)\(behind)")
      }
    }
  }

  @Test("Every minute of a day and beyond, ahead and behind")
  func zones() {
    for sign in ["+", "-"] {
      for hours in 0...99 {
        for minutes in 0...99 {
          let text = sign + Self.two(hours) + ":" + Self.two(minutes)
          let total = (hours * 60 + minutes) * (sign == "-" ? -1 : 1)
          let isOne = minutes < 60 && abs(total) <= 959
          #expect(Self.zone(Array(text.utf8)) == (isOne ? total : nil), "\(text)")
        }
      }
    }
  }

  @Test func everyByteOfAZoneAndOfATime() {
    for byte in UInt8.min ... .max {
      for place in 0..<6 {
        var text = Array("+05:30".utf8)
        text[place] = byte
        let plain = Self.minutes(text)
        #expect(Self.zone(text) == plain, "byte \(byte) at \(place)")
      }
      for place in 0..<8 {
        var text = Array("05:30:15".utf8)
        text[place] = byte
        let plain = ClockTime(String(decoding: text, as: UTF8.self))
        let time = Self.padded(text) { FastNumber.time($0.uncheckedWord(0)) }
        let seconds = plain.map { Int($0.secondsSinceMidnight) } ?? -1
        #expect(time == seconds, "byte \(byte) at \(place)")
      }
    }
  }

  @Test("Nothing is a day before one was seen")
  func noDayAtFirst() {
    var days = InstantDay()
    let text = [UInt8](repeating: 0, count: 11) + Array("05:30:15.000Z".utf8)
    #expect(!Self.padded(text) { days.isInstant($0, at: 0) })
  }

  private struct Read: Equatable {
    var value: Double
    var end: Int
  }

  private static func readBoth(_ text: [UInt8]) -> (fast: Read?, general: Read?) {
    padded(text) { bytes in
      var (fastEnd, end) = (0, 0)
      let fast = FastQuantity.read(bytes, at: &fastEnd).map { Read(value: $0, end: fastEnd) }
      let value = try? JSONScanner.number(in: bytes, at: &end, bounded: true)
      return (fast, value.map { Read(value: $0, end: end) })
    }
  }

  private static func zone(_ text: [UInt8]) -> Int? {
    padded(text) { bytes in
      let zone = FastNumber.zone(bytes.uncheckedWord(0))
      return zone.faults == 0 ? Int(zone.minutes) : nil
    }
  }

  /// The plain way, by digits.
  private static func minutes(_ text: [UInt8]) -> Int? {
    let digits = [1, 2, 4, 5].map { Int(text[$0]) - 0x30 }
    guard text[0] == 0x2B || text[0] == 0x2D, text[3] == 0x3A,
      digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6
    else { return nil }
    let total = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return total <= 959 ? (text[0] == 0x2D ? -total : total) : nil
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func padded<Result>(_ text: [UInt8], _ body: (RawSpan) -> Result) -> Result {
    let padded = text + [UInt8](repeating: 0, count: FastFront.reachBytes)
    return padded.withUnsafeBufferPointer { body(UnsafeRawBufferPointer($0).bytes) }
  }
}
