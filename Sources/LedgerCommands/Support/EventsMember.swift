import LedgerJSON

/// A look at the `events` of a call or an answer that spares decoding the line: of a million lines,
/// one edit's life concerns a handful.
enum EventsMember {
  /// Whether the line may name one of these events.
  ///
  /// - Returns: false only where it surely does not. Members may stand in any order, so the list is
  ///   searched for by its name; what is written in an unusual way is for the decoder.
  static func mayName(_ seqs: Set<Int>, _ data: Range<Int>, in bytes: RawSpan) -> Bool {
    var offset = data.lowerBound
    let end = data.upperBound
    var hasList = false
    while offset < end {
      switch bytes.byte(offset) {
      // An escape could hide the name.
      case UInt8(ascii: "\\"): return true
      case UInt8(ascii: "\"") where bytes.holds(#""events":["#, at: offset):
        hasList = true
        offset += 10
        if named(seqs, bytes, &offset, end) { return true }
      default: offset += 1
      }
    }
    return !hasList
  }

  /// Reads the numbers of a list; anything else than plain numbers counts as named.
  private static func named(
    _ seqs: Set<Int>, _ bytes: RawSpan, _ offset: inout Int, _ end: Int
  ) -> Bool {
    var number = 0
    var digits = 0
    while offset < end {
      let byte = bytes.byte(offset)
      offset += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 18:
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
        digits += 1
      case UInt8(ascii: ","), UInt8(ascii: "]"):
        if digits > 0, seqs.contains(number) { return true }
        if byte == UInt8(ascii: "]") { return false }
        (number, digits) = (0, 0)
      default: return true
      }
    }
    return true
  }
}
