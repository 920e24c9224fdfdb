import LedgerJSON

/// `data` of the common types stepped over, checked as ``EnvelopeScanner/scanData(_:in:)`` checks it:
/// that it is an object of the log's JSON, whatever its values mean.
///
/// A member is known by its place among the names, each of which is looked for once, so none is there
/// twice. Where it says no, the general way decides.
enum FastData {
  /// Steps from the object's first brace over its last.
  @inline(__always)
  static func skip(
    _ kind: FastFront.Kind, _ bytes: RawSpan, at position: inout Int
  ) -> Bool {
    kind == .logged ? logged(bytes, &position) : rarer(kind, bytes, &position)
  }

  private static func rarer(
    _ kind: FastFront.Kind, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    switch kind {
    case .acknowledged: acknowledged(bytes, &position)
    case .corrected: corrected(bytes, &position)
    case .deleted: deleted(bytes, &position)
    case .attempted: attempted(bytes, &position)
    case .logged, .rejected, .signedOut, .profile, .physical, .preferences: false
    }
  }

  @inline(__always)
  private static func logged(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    bytes.uncheckedStep(over: #"{"entry":""#, at: &position)
      && FastText.skipUUID(bytes, at: &position)
      && bytes.uncheckedStep(over: #","metric":""#, at: &position)
      && FastText.skip(bytes, at: &position)
      && bytes.uncheckedStep(over: #","quantity":"#, at: &position)
      && FastQuantity.read(bytes, at: &position) != nil
      && moment(bytes, &position)
      && mayHave(#","notes":""#, bytes, &position)
      && mayHave(#","source":""#, bytes, &position)
      && mayHave(#","source_id":""#, bytes, &position)
      && isEnd(bytes, &position)
  }

  @inline(__always)
  private static func corrected(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.uncheckedStep(over: #"{"entry":""#, at: &position),
      FastText.skipUUID(bytes, at: &position)
    else { return false }
    if bytes.uncheckedStep(over: #","quantity":"#, at: &position),
      FastQuantity.read(bytes, at: &position) == nil
    {
      return false
    }
    return moment(bytes, &position)
      && (bytes.uncheckedStep(over: #","notes":null"#, at: &position)
        || mayHave(#","notes":""#, bytes, &position))
      && isEnd(bytes, &position)
  }

  @inline(__always)
  private static func deleted(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    bytes.uncheckedStep(over: #"{"entry":""#, at: &position)
      && FastText.skipUUID(bytes, at: &position)
      && mayHave(#","reason":""#, bytes, &position)
      && isEnd(bytes, &position)
  }

  /// With the events first, as this program writes it, or the call, as others do.
  @inline(__always)
  private static func acknowledged(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    if bytes.uncheckedStep(over: #"{"events":["#, at: &position) {
      guard numbers(bytes, &position), mayHave(#","via":""#, bytes, &position),
        mayHaveUUID(#","call":""#, bytes, &position), mayHaveStatus(bytes, &position)
      else { return false }
    } else {
      guard bytes.uncheckedStep(over: #"{"call":""#, at: &position),
        FastText.skipUUID(bytes, at: &position),
        bytes.uncheckedStep(over: #","events":["#, at: &position), numbers(bytes, &position),
        mayHaveStatus(bytes, &position), mayHave(#","via":""#, bytes, &position)
      else { return false }
    }
    return mayHaveUUID(#","entry":""#, bytes, &position)
      && mayHaveUUID(#","backend_id":""#, bytes, &position)
      && isEnd(bytes, &position)
  }

  @inline(__always)
  private static func attempted(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    bytes.uncheckedStep(over: #"{"call":""#, at: &position)
      && FastText.skipUUID(bytes, at: &position)
      && mayHave(#","method":""#, bytes, &position)
      && mayHave(#","path":""#, bytes, &position)
      && bytes.uncheckedStep(over: #","events":["#, at: &position)
      && numbers(bytes, &position)
      && mayHave(#","fingerprint":""#, bytes, &position)
      && bytes.uncheckedStep(over: #","attempt":"#, at: &position)
      && FastQuantity.read(bytes, at: &position) != nil
      && isEnd(bytes, &position)
  }

  // MARK: Members

  /// The day, and the time and zone as far as they are there.
  @inline(__always)
  private static func moment(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    mayHave(#","date":""#, bytes, &position) && mayHave(#","time":""#, bytes, &position)
      && mayHave(#","zone":""#, bytes, &position)
  }

  @inline(__always)
  private static func mayHaveStatus(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    !bytes.uncheckedStep(over: #","status":"#, at: &position)
      || FastQuantity.read(bytes, at: &position) != nil
  }

  /// - Returns: false only where the member is there and its text is wrong.
  @inline(__always)
  private static func mayHave(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    !bytes.uncheckedStep(over: name, at: &position) || FastText.skip(bytes, at: &position)
  }

  @inline(__always)
  private static func mayHaveUUID(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    !bytes.uncheckedStep(over: name, at: &position) || FastText.skipUUID(bytes, at: &position)
  }

  /// Whole numbers, one or more, up to and with the closing bracket.
  @inline(__always)
  private static func numbers(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    while FastNumber.whole(bytes, at: &position) != nil {
      let next = bytes.uncheckedByte(position)
      position &+= 1
      if next == UInt8(ascii: "]") { return true }
      guard next == UInt8(ascii: ",") else { return false }
    }
    return false
  }

  @inline(__always)
  private static func isEnd(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    bytes.uncheckedStep(over: "}", at: &position)
  }
}
