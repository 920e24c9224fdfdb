import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// The members before `data`, read by the fast reader.
struct FastFrontTests {
  private static let uuid = Array("0195512f-5c00-7123-8abc-9f00000000ea".utf8)

  @Test("The fast and the reference reader accept the same UUIDs, whatever byte is changed")
  func everyByteOfAUUID() {
    for place in Self.uuid.indices {
      for byte in UInt8.min ... .max {
        var text = Self.uuid
        text[place] = byte
        let (isOne, found, expected) = padded(text) { bytes in
          (
            FastHex.isUUID(bytes, at: 0), FastHex.uuid(bytes, at: 0),
            UUIDText.read(bytes, at: 0)
          )
        }
        #expect(isOne == (expected != nil) && found == expected, "byte \(byte) at \(place)")
      }
    }
  }

  @Test("Any byte of a digest that is not a hexadecimal digit is a fault")
  func everyByteOfADigest() {
    let digest = Array("0123456789abcdef9876543210fedcba00000000ffffffff9999999999aaaaaa".utf8)
    for place in digest.indices {
      for byte in UInt8.min ... .max {
        var text = digest
        text[place] = byte
        let isFault = padded(text) { FastHex.hasFault(FastHex.faults64($0, at: 0)) }
        #expect(isFault == !Hex.isLowerDigit(byte), "byte \(byte) at \(place)")
      }
    }
  }

  @Test("A byte above 0x7F, which may carry, hides no other fault", arguments: 0..<16)
  func carries(place: Int) {
    for other in 0..<16 where other != place {
      var text = [UInt8](repeating: UInt8(ascii: "f"), count: 16)
      (text[place], text[other]) = (0xFF, UInt8(ascii: "g"))
      #expect(padded(text) { FastHex.hasFault(FastHex.faults($0.uncheckedWords(0))) })
    }
  }

  @Test(
    "A seq of up to eight digits matches its own text only",
    arguments: [0, 1, 9, 10, 99, 109, 1_999, 99_999, 9_999_999, 99_999_998, 99_999_999])
  func seqText(number: Int) {
    var text = SeqText(number)
    for number in number...number + 2 {
      let isWritable = number > 0 && number < 100_000_000
      let plain = String(number)
      #expect(text.number == number && text.count == (isWritable ? plain.utf8.count : 0))
      #expect(Self.stands(text, in: plain + ",") == isWritable)
      #expect(!Self.stands(text, in: "\(number + 1),"))
      #expect(!Self.stands(text, in: "0\(plain)"))
      text.advance()
    }
  }

  @Test("A seq incremented up to 12,000 matches each number")
  func seqTexts() {
    var text = SeqText(1)
    for number in 1...12_000 {
      guard Self.stands(text, in: "\(number),"), text.number == number else {
        Issue.record("\(number)")
        return
      }
      text.advance()
    }
  }

  @Test(
    "Only the four actors are accepted",
    arguments: ["user", "sync", "import", "system", "users", "syn", "", "importer", "sysxem"])
  func actors(name: String) {
    for rest in [#"""#, #"x""#, ""] {
      let (actor, end) = padded(Array((name + rest).utf8)) { bytes in
        var position = 0
        let actor = FastFront.actor(bytes, at: &position)
        return (actor, position)
      }
      let isKnown = rest == #"""# && ["user", "sync", "import", "system"].contains(name)
      #expect(actor.isKnown == isKnown)
      guard isKnown else { continue }
      #expect(actor.isSync == (name == "sync") && end == name.utf8.count)
    }
  }

  private static func stands(_ seq: SeqText, in text: String) -> Bool {
    padded(Array(text.utf8)) { seq.matches($0, at: 0) }
  }
}

/// `data` of the common types, skipped by the fast reader.
struct FastDataTests {
  private static let uuid = "0195512f-5c00-7123-8abc-00000000002a"

  /// As written by this program or by others.
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

  @Test("The fast reader skips each usual form", arguments: forms.indices)
  func usualDataIsRead(_ index: Int) {
    let (kind, data) = Self.forms[index]
    #expect(Self.fast(kind, Array(data.utf8)) == data.utf8.count)
  }

  @Test(
    "What the fast reader accepts of mutated data, the reference reader accepts up to the same byte",
    arguments: [0xDA7A, 0x5EED, .random(in: 0 ... .max)] as [UInt64])
  func onlyWhatTheReferenceReaderAccepts(seed: UInt64) {
    var random = SplitMix(seed)
    var accepted = 0
    let rounds = TestSize.of(2_000, full: 20_000)
    for round in 0..<rounds {
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
      #expect(Self.reference(bytes) == end, "seed \(seed), round \(round): \(text)")
    }
    #expect(accepted > rounds / 20, "seed \(seed)")
  }

  private static func fast(_ kind: FastFront.Kind, _ data: [UInt8]) -> Int? {
    read(data) { bytes, position in FastData.skip(kind, bytes, at: &position) }
  }

  private static func reference(_ data: [UInt8]) -> Int? {
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

/// Numbers, times and zones of the fast reader, compared with slower readers.
struct FastNumberTests {
  @Test("The fast reader reads random number texts as the JSON scanner does")
  func quantities() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed)
    let letters = Array("00123456789....,},}-eE+ x".utf8)
    var count = 0
    let texts = TestSize.of(10_000, full: 200_000)
    for _ in 0..<texts {
      let length = Int.random(in: 1...18, using: &random)
      let text = (0..<length).map { _ in letters.randomElement(using: &random)! } + [0x2C]
      let (fast, reference) = Self.readBoth(text)
      #expect(fast == reference, "\(String(decoding: text, as: UTF8.self)), seed \(seed)")
      if fast != nil { count += 1 }
    }
    #expect(count > texts / 20, "only \(count) of them are numbers, seed \(seed)")
  }

  @Test("Numbers of up to four digits and three decimals are read as by the JSON scanner")
  func shortQuantities() {
    for whole in stride(from: 0, through: 9_999, by: TestSize.of(7, full: 1)) {
      for rest in ["", ".", ".0", ".5", ".25", ".00", ".07", ".125", ".999", "0", "-"] {
        let text = Array("\(whole)\(rest)".utf8)
        let (fast, reference) = Self.readBoth(text + [whole & 1 == 0 ? 0x2C : 0x7D])
        #expect(fast == reference, "\(whole)\(rest)")
      }
    }
  }

  @Test("Zones up to 15:59 in both directions are read, others rejected")
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

  @Test("Zones and times with any byte changed are read as by the digits")
  func everyByteOfAZoneAndOfATime() {
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
        let time = padded(text) { FastNumber.time($0.uncheckedWord(0)) }
        let seconds = plain.map { Int($0.secondsSinceMidnight) } ?? -1
        #expect(time == seconds, "byte \(byte) at \(place)")
      }
    }
  }

  @Test("Zero bytes are not a day before the first day was read")
  func noDayAtFirst() {
    var days = InstantDay()
    let text = [UInt8](repeating: 0, count: 11) + Array("05:30:15.000Z".utf8)
    #expect(!padded(text) { days.isInstant($0, at: 0) })
  }

  private struct Read: Equatable {
    var value: Double
    var end: Int
  }

  private static func readBoth(_ text: [UInt8]) -> (fast: Read?, reference: Read?) {
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

  /// Reads a zone digit by digit.
  private static func minutes(_ text: [UInt8]) -> Int? {
    let digits = [1, 2, 4, 5].map { Int(text[$0]) - 0x30 }
    guard text[0] == 0x2B || text[0] == 0x2D, text[3] == 0x3A,
      digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6
    else { return nil }
    let total = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return total <= 959 ? (text[0] == 0x2D ? -total : total) : nil
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Lends a text with as many readable bytes after it as the fast reader needs.
private func padded<Result>(_ text: [UInt8], _ body: (RawSpan) -> Result) -> Result {
  let padded = text + [UInt8](repeating: 0, count: FastFront.reachBytes)
  return padded.withUnsafeBufferPointer { body(UnsafeRawBufferPointer($0).bytes) }
}
