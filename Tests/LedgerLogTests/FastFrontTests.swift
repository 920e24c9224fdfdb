import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerLog

/// The parts of a line's front, each byte of them put to every value.
struct FastFrontTests {
  private static let uuid = Array("0195512f-5c00-7123-8abc-9f00000000ea".utf8)

  @Test func everyByteOfAUUID() {
    for place in Self.uuid.indices {
      for byte in UInt8.min ... .max {
        var text = Self.uuid
        text[place] = byte
        let (isOne, found, expected) = Self.padded(text) { bytes in
          (
            FastHex.isUUID(bytes, at: 0), FastHex.uuid(bytes, at: 0),
            UUIDText.read(bytes, at: 0)
          )
        }
        #expect(isOne == (expected != nil) && found == expected, "byte \(byte) at \(place)")
      }
    }
  }

  @Test func everyByteOfADigest() {
    let digest = Array("0123456789abcdef9876543210fedcba00000000ffffffff9999999999aaaaaa".utf8)
    for place in digest.indices {
      for byte in UInt8.min ... .max {
        var text = digest
        text[place] = byte
        let isFault = Self.padded(text) { FastHex.hasFault(FastHex.faults64($0, at: 0)) }
        #expect(isFault == !Hex.isLowerDigit(byte), "byte \(byte) at \(place)")
      }
    }
  }

  @Test("A byte above 0x7F, which may carry, hides no other", arguments: 0..<16)
  func carries(place: Int) {
    for other in 0..<16 where other != place {
      var text = [UInt8](repeating: UInt8(ascii: "f"), count: 16)
      (text[place], text[other]) = (0xFF, UInt8(ascii: "g"))
      #expect(Self.padded(text) { FastHex.hasFault(FastHex.faults($0.uncheckedWords(0))) })
    }
  }

  @Test(arguments: [0, 1, 9, 10, 99, 109, 1_999, 99_999, 9_999_999, 99_999_998, 99_999_999])
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

  @Test("Every seq up to twelve thousand, one after the other")
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

  @Test(arguments: ["user", "sync", "import", "system", "users", "syn", "", "importer", "sysxem"])
  func actors(name: String) {
    for behind in [#"""#, #"x""#, ""] {
      let (actor, end) = Self.padded(Array((name + behind).utf8)) { bytes in
        var position = 0
        let actor = FastFront.actor(bytes, at: &position)
        return (actor, position)
      }
      let isKnown = behind == #"""# && ["user", "sync", "import", "system"].contains(name)
      #expect(actor.isKnown == isKnown)
      guard isKnown else { continue }
      #expect(actor.isSync == (name == "sync") && end == name.utf8.count)
    }
  }

  private static func stands(_ seq: SeqText, in text: String) -> Bool {
    padded(Array(text.utf8)) { seq.stands(in: $0, at: 0) }
  }

  private static func padded<Result>(_ text: [UInt8], _ body: (RawSpan) -> Result) -> Result {
    let padded = text + [UInt8](repeating: 0, count: FastFront.reachBytes)
    return padded.withUnsafeBufferPointer { body(UnsafeRawBufferPointer($0).bytes) }
  }
}
