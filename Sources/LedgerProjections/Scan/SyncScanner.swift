import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast way for the two events that every call leaves behind: members in the order of
/// log-format.md, or with the call first, as other writers put it.
enum SyncScanner {
  /// A `sync.acknowledged` of a progress entry, answered with 200 or 201.
  ///
  /// - Returns: false, with `marks` as they were, for any other form.
  @inline(__always)
  static func acknowledged(
    _ bytes: RawSpan, _ envelope: Envelope, into marks: inout [Mark]
  ) -> Bool {
    let count = marks.count
    var position = envelope.data.lowerBound
    if readAcknowledgement(bytes, &position, envelope, &marks),
      bytes.holds(#","entry":""#, at: position),
      UUIDText.read(bytes, at: position + 10) != nil,
      bytes.holds(#"","backend_id":""#, at: position + 46),
      bytes.byte(position + 62) != UInt8(ascii: "\"")
    {
      position += 61
      if FieldScanner.skipString(bytes, at: &position), isEnd(bytes, position, envelope) {
        return true
      }
    }
    marks.removeLast(marks.count - count)
    return false
  }

  /// What stands before `entry`, in either order.
  @inline(__always)
  private static func readAcknowledgement(
    _ bytes: RawSpan, _ position: inout Int, _ envelope: Envelope, _ marks: inout [Mark]
  ) -> Bool {
    let by = UInt32(envelope.seq)
    if bytes.holds(#"{"events":["#, at: position) {
      position += 11
      guard targets(bytes, &position, by: by, .acknowledged, binds: true, &marks),
        bytes.holds(#","via":"response","call":""#, at: position),
        UUIDText.read(bytes, at: position + 26) != nil,
        bytes.byte(position + 62) == UInt8(ascii: "\"")
      else { return false }
      position += 63
      return status(bytes, &position)
    }
    guard call(bytes, &position), bytes.holds(#","events":["#, at: position) else { return false }
    position += 11
    guard targets(bytes, &position, by: by, .acknowledged, binds: true, &marks),
      status(bytes, &position), bytes.holds(#","via":"response""#, at: position)
    else { return false }
    position += 17
    return true
  }

  /// `,"status":200` or 201.
  @inline(__always)
  private static func status(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.holds(#","status":20"#, at: position) else { return false }
    let last = bytes.byte(position + 12)
    position += 13
    return last == UInt8(ascii: "0") || last == UInt8(ascii: "1")
  }

  /// A `sync.attempted`.
  @inline(__always)
  static func attempted(
    _ bytes: RawSpan, _ envelope: Envelope, into marks: inout [Mark]
  ) -> Bool {
    let count = marks.count
    var position = envelope.data.lowerBound
    if readAttempt(bytes, &position, envelope, &marks), isEnd(bytes, position, envelope) {
      return true
    }
    marks.removeLast(marks.count - count)
    return false
  }

  @inline(__always)
  private static func readAttempt(
    _ bytes: RawSpan, _ position: inout Int, _ envelope: Envelope, _ marks: inout [Mark]
  ) -> Bool {
    guard call(bytes, &position), text(#","method":"#, bytes, &position),
      text(#","path":"#, bytes, &position), bytes.holds(#","events":["#, at: position)
    else { return false }
    position += 11
    let by = UInt32(envelope.seq)
    guard targets(bytes, &position, by: by, .inDoubt, binds: false, &marks),
      text(#","fingerprint":"#, bytes, &position), bytes.holds(#","attempt":"#, at: position)
    else { return false }
    position += 11
    return FieldScanner.wholeNumber(bytes, at: &position) != nil
  }

  /// A member's name and its string, whose text is of no interest here.
  @inline(__always)
  private static func text(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    guard bytes.holds(name, at: position) else { return false }
    position += name.utf8CodeUnitCount
    return FieldScanner.skipString(bytes, at: &position)
  }

  /// `{"call":"…"`
  @inline(__always)
  private static func call(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.holds(#"{"call":""#, at: position),
      UUIDText.read(bytes, at: position + 9) != nil,
      bytes.byte(position + 45) == UInt8(ascii: "\"")
    else { return false }
    position += 46
    return true
  }

  /// The numbers up to and with the closing bracket.
  @inline(__always)
  private static func targets(
    _ bytes: RawSpan, _ position: inout Int, by: UInt32, _ state: EditState, binds: Bool,
    _ marks: inout [Mark]
  ) -> Bool {
    while true {
      guard let target = FieldScanner.wholeNumber(bytes, at: &position) else { return false }
      marks.append(Mark(target: UInt32(target), by: by, state: state, binds: binds))
      let next = bytes.byte(position)
      position += 1
      if next == UInt8(ascii: "]") { return true }
      guard next == UInt8(ascii: ",") else { return false }
    }
  }

  @inline(__always)
  private static func isEnd(_ bytes: RawSpan, _ position: Int, _ envelope: Envelope) -> Bool {
    bytes.byte(position) == UInt8(ascii: "}") && position + 1 == envelope.data.upperBound
  }
}
