import LedgerJSON
import LedgerLog
import LedgerModel

/// The members of an answer of the backend, in whatever order they stand: as other programs write
/// them. Each name is known by its characters and must be there once.
enum AnswerMembers {
  private static let all: UInt8 = 0b11_1111

  /// A `sync.acknowledged` of a progress entry, answered with 200 or 201: from the object's first
  /// brace over its last. Where it answers no, it may have left marks.
  @inline(never)
  static func acknowledged(
    _ bytes: RawSpan, at position: inout Int, seq: Int, into marks: inout [Mark]
  ) -> Bool {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "{") else { return false }
    var seen: UInt8 = 0
    repeat {
      position &+= 1
      guard let bit = member(bytes, &position, UInt32(truncatingIfNeeded: seq), &marks),
        seen & bit == 0
      else { return false }
      seen |= bit
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    return FieldScanner.isEnd(bytes, &position) && seen == all
  }

  /// Steps over one member and says which it is; `nil` where it is unusual.
  @inline(__always)
  private static func member(
    _ bytes: RawSpan, _ position: inout Int, _ by: UInt32, _ marks: inout [Mark]
  ) -> UInt8? {
    if bytes.uncheckedHolds(#""call":""#, at: position) {
      position &+= 8
      return FieldScanner.uuid(bytes, &position) != nil ? 1 : nil
    }
    if bytes.uncheckedHolds(#""events":["#, at: position) {
      position &+= 10
      let areTargets = SyncScanner.targets(
        bytes, &position, by: by, .acknowledged, binds: true, &marks)
      return areTargets ? 2 : nil
    }
    if bytes.uncheckedHolds(#""status":20"#, at: position) {
      position &+= 12
      return bytes.uncheckedByte(position &- 1) & 0xFE == UInt8(ascii: "0") ? 4 : nil
    }
    if bytes.uncheckedHolds(#""via":"response""#, at: position) {
      position &+= 16
      return 8
    }
    if bytes.uncheckedHolds(#""entry":""#, at: position) {
      position &+= 9
      return FieldScanner.uuid(bytes, &position) != nil ? 16 : nil
    }
    if bytes.uncheckedHolds(#""backend_id":""#, at: position) {
      position &+= 14
      guard bytes.uncheckedByte(position) != UInt8(ascii: "\"") else { return nil }
      return FastText.skip(bytes, at: &position) ? 32 : nil
    }
    return nil
  }
}
