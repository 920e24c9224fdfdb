import LedgerJSON
import LedgerLog

/// The fast reader for the events of a call: members in the order of docs/log-format.md, or with the
/// call first, as other programs write them. Each reader steps over the object's closing brace. When
/// it returns false, the caller removes any marks it added.
enum SyncScanner {
  /// A `sync.acknowledged` of a progress entry, answered with 200 or 201.
  @inline(__always)
  static func acknowledged(
    _ bytes: RawSpan, at position: inout Int, seq: Int, into marks: inout [Mark]
  ) -> Bool {
    let (start, count) = (position, marks.count)
    if acknowledgedInOrder(bytes, at: &position, seq: seq, into: &marks) { return true }
    marks.removeLast(marks.count - count)
    position = start
    return acknowledgedInAnyOrder(bytes, at: &position, seq: seq, into: &marks)
  }

  @inline(__always)
  private static func acknowledgedInOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int, into marks: inout [Mark]
  ) -> Bool {
    let by = UInt32(truncatingIfNeeded: seq)
    guard beginning(of: &position, bytes, by, &marks),
      bytes.uncheckedHolds(#","entry":""#, at: position),
      FastHex.isUUID(bytes, at: position &+ 10),
      bytes.uncheckedHolds(#"","backend_id":""#, at: position &+ 46),
      bytes.uncheckedByte(position &+ 62) != UInt8(ascii: "\"")
    else { return false }
    position &+= 62
    return FastText.skip(bytes, at: &position) && FieldScanner.isEnd(bytes, &position)
  }

  /// The members before `entry`, in either order.
  @inline(__always)
  private static func beginning(
    of position: inout Int, _ bytes: RawSpan, _ by: UInt32, _ marks: inout [Mark]
  ) -> Bool {
    if bytes.uncheckedHolds(#"{"events":["#, at: position) {
      position &+= 11
      guard targets(bytes, &position, by: by, .acknowledged, binds: true, &marks),
        bytes.uncheckedHolds(#","via":"response","call":""#, at: position),
        FastHex.isUUID(bytes, at: position &+ 26),
        bytes.uncheckedByte(position &+ 62) == UInt8(ascii: "\"")
      else { return false }
      position &+= 63
      return status(bytes, &position)
    }
    guard call(bytes, &position), bytes.uncheckedHolds(#","events":["#, at: position) else {
      return false
    }
    position &+= 11
    guard targets(bytes, &position, by: by, .acknowledged, binds: true, &marks),
      status(bytes, &position), bytes.uncheckedHolds(#","via":"response""#, at: position)
    else { return false }
    position &+= 17
    return true
  }

  /// `,"status":200` or 201.
  @inline(__always)
  private static func status(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.uncheckedHolds(#","status":20"#, at: position) else { return false }
    position &+= 13
    return bytes.uncheckedByte(position &- 1) & 0xFE == UInt8(ascii: "0")
  }

  /// A `sync.attempted`.
  @inline(__always)
  static func attempted(
    _ bytes: RawSpan, at position: inout Int, seq: Int, into marks: inout [Mark]
  ) -> Bool {
    let by = UInt32(truncatingIfNeeded: seq)
    guard call(bytes, &position), text(#","method":"#, bytes, &position),
      text(#","path":"#, bytes, &position),
      bytes.uncheckedHolds(#","events":["#, at: position)
    else { return false }
    position &+= 11
    guard targets(bytes, &position, by: by, .inDoubt, binds: false, &marks),
      text(#","fingerprint":"#, bytes, &position),
      bytes.uncheckedHolds(#","attempt":"#, at: position)
    else { return false }
    position &+= 11
    return FastNumber.whole(bytes, at: &position) != nil && FieldScanner.isEnd(bytes, &position)
  }

  /// A `sync.rejected`.
  @inline(__always)
  static func rejected(
    _ bytes: RawSpan, at position: inout Int, seq: Int, into marks: inout [Mark]
  ) -> Bool {
    let by = UInt32(truncatingIfNeeded: seq)
    guard call(bytes, &position), bytes.uncheckedHolds(#","events":["#, at: position) else {
      return false
    }
    position &+= 11
    guard targets(bytes, &position, by: by, .rejected, binds: false, &marks),
      bytes.uncheckedHolds(#","status":"#, at: position)
    else { return false }
    position &+= 10
    return FastNumber.whole(bytes, at: &position) != nil
      && text(#","message":"#, bytes, &position) && FieldScanner.isEnd(bytes, &position)
  }

  /// Skips a member with a string value.
  @inline(__always)
  private static func text(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    guard bytes.uncheckedHolds(name, at: position) else { return false }
    position &+= name.utf8CodeUnitCount
    return FastText.skipString(bytes, at: &position)
  }

  /// `{"call":"…"`
  @inline(__always)
  private static func call(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.uncheckedHolds(#"{"call":""#, at: position),
      FastHex.isUUID(bytes, at: position &+ 9),
      bytes.uncheckedByte(position &+ 45) == UInt8(ascii: "\"")
    else { return false }
    position &+= 46
    return true
  }

  /// Adds a mark for each seq of an array, up to and including the closing bracket.
  @inline(__always)
  private static func targets(
    _ bytes: RawSpan, _ position: inout Int, by: UInt32, _ state: EditState, binds: Bool,
    _ marks: inout [Mark]
  ) -> Bool {
    while true {
      guard let target = FastNumber.whole(bytes, at: &position) else { return false }
      marks.append(
        Mark(target: UInt32(truncatingIfNeeded: target), by: by, state: state, binds: binds))
      let next = bytes.uncheckedByte(position)
      position &+= 1
      if next == UInt8(ascii: "]") { return true }
      guard next == UInt8(ascii: ",") else { return false }
    }
  }

  // MARK: Any order of members

  private static let allMembers: UInt8 = 0b11_1111

  /// The same with members in any order, each exactly once. Internal for tests.
  @inline(never)
  static func acknowledgedInAnyOrder(
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
    return FieldScanner.isEnd(bytes, &position) && seen == allMembers
  }

  /// Steps over one member.
  ///
  /// - Returns: its bit in `allMembers`; `nil` for an unusual form.
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
      let areTargets = targets(
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
