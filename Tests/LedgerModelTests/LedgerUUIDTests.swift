import Foundation
import LedgerModel
import LedgerTestSupport
import Testing

@Suite struct LedgerUUIDTests {
  @Test("UUIDs round-trip through text and agree with Foundation", arguments: [101] as [UInt64])
  func textsRoundTripAndAgreeWithFoundation(seed: UInt64) throws {
    var generator = SplitMix(seed)
    for _ in 0..<2_000 {
      let uuid = LedgerUUID(high: generator.next(), low: generator.next())
      let theirs = try #require(UUID(uuidString: uuid.description))
      guard LedgerUUID(uuid.description) == uuid,
        theirs.uuidString.lowercased() == uuid.description
      else {
        Issue.record("seed \(seed): \(uuid)")
        return
      }
    }
  }

  @Test("Each digit has its position")
  func eachDigitHasItsPlace() throws {
    let uuid = try #require(LedgerUUID("01234567-89ab-cdef-fedc-ba9876543210"))
    #expect(uuid.high == 0x0123_4567_89AB_CDEF)
    #expect(uuid.low == 0xFEDC_BA98_7654_3210)
  }

  @Test(
    "Only 36 characters in lower case are accepted",
    arguments: [
      "", "0198c1a0-7c1e-7def-8abc-0123456789a", "0198c1a0-7c1e-7def-8abc-0123456789abc",
      "0198C1A0-7c1e-7def-8abc-0123456789ab", "0198c1a07c1e-7def-8abc-0123456789ab-",
      "0198c1a07c1e7def8abc0123456789ab", "{198c1a0-7c1e-7def-8abc-0123456789ab}",
      "0198c1a0-7c1e-7def-8abc-0123456789ag", "0198c1a0-7c1e-7def-8abc_0123456789ab",
      " 198c1a0-7c1e-7def-8abc-0123456789ab", "0198c1a0-7c1e-7def-8abc-0123456789é",
      "-198c1a0-7c1e-7def-8abc-0123456789ab", "0198c1a0--c1e-7def-8abc-0123456789ab",
    ])
  func refusesEveryOtherSpelling(text: String) {
    #expect(LedgerUUID(text) == nil)
    #expect(EntryID(text) == nil)
  }

  @Test(
    "A version 7 UUID has time, version and variant",
    arguments: [0, 1, 1_784_541_600_123, 0xFFFF_FFFF_FFFF] as [Int64])
  func version7HasItsLayout(milliseconds: Int64) {
    var generator = SplitMix(UInt64(milliseconds))
    let now = Timestamp(millisecondsSince1970: milliseconds)
    for _ in 0..<200 {
      let uuid = LedgerUUID.version7(at: now, using: &generator)
      #expect(uuid.high >> 16 == UInt64(milliseconds))
      #expect(uuid.high >> 12 & 0xF == 7)
      #expect(uuid.low >> 62 == 0b10)
    }
  }

  /// Over many ids, each of the 74 bits has both values.
  @Test("A version 7 UUID has 74 random bits")
  func version7UsesAllItsRandomBits() {
    var generator = SplitMix(111)
    let now = Timestamp(millisecondsSince1970: 0)
    var (ones, zeros): ((UInt64, UInt64), (UInt64, UInt64)) = ((0, 0), (0, 0))
    for _ in 0..<200 {
      let uuid = LedgerUUID.version7(at: now, using: &generator)
      ones = (ones.0 | uuid.high, ones.1 | uuid.low)
      zeros = (zeros.0 | ~uuid.high, zeros.1 | ~uuid.low)
    }
    #expect(ones.0 & zeros.0 == 0xFFF)
    #expect(ones.1 & zeros.1 == 0x3FFF_FFFF_FFFF_FFFF)
  }

  @Test("A time before 1970 counts as 1970")
  func version7BeforeTheEpochIsAtTheEpoch() {
    var generator = SplitMix(112)
    let uuid = LedgerUUID.version7(at: .init(millisecondsSince1970: -5), using: &generator)
    #expect(uuid.high >> 16 == 0)
  }

  @Test("Later UUIDs sort later, also as text")
  func laterSortsLaterAsTextToo() {
    var generator = SplitMix(113)
    let ids = (0..<300).map { step in
      LedgerUUID.version7(
        at: Timestamp(millisecondsSince1970: 1_784_541_600_000 + Int64(step) * 997),
        using: &generator)
    }
    #expect(ids.shuffled(using: &generator).sorted() == ids)
    #expect(ids.map(\.description).sorted() == ids.map(\.description))
    #expect(LedgerUUID(high: 1, low: 0) > LedgerUUID(high: 0, low: .max))
  }

  @Test("A backend id is not empty and a seq starts at 1")
  func otherIdentifiers() {
    #expect(BackendID("") == nil)
    #expect(BackendID("42")?.text == "42")
    #expect(Seq(exactly: 0) == nil && Seq(exactly: -1) == nil)
    #expect(Seq(exactly: 1)?.next == Seq(2))
    #expect(Seq(2) > Seq(1))
  }
}
