public import LedgerJSON

/// The fast reader of a line up to its `data`: one pass over lines of common types in the form that
/// this program writes.
///
/// It accepts only lines that ``EnvelopeScanner`` accepts. On `nil` or `false` the caller uses the
/// reference reader, which knows what is wrong. Hexadecimal digits are checked last, all at once, in
/// ``isTail(_:at:)``; no offset depends on them.
public struct FastFront {
  public enum Kind: UInt8, CaseIterable, Sendable {
    case logged, acknowledged, corrected, deleted, attempted
    case rejected, signedOut, profile, physical, preferences, session
  }

  public var kind: Kind
  public var isBySync: Bool
  /// The offset of the 24 characters of `at`.
  public var at: Int
  /// The offset of `"salt":`.
  public var bodyStart: Int
  /// The offset of the object of `data`.
  public var dataStart: Int
  /// ``FastHex/faults(_:)`` of the line's hexadecimal digits so far.
  public var faults: FastHex.Words

  /// How many bytes must be readable after a line's end: an upper bound of how far loads reach.
  public static let reachBytes = 256

  @inlinable @inline(__always)
  init(
    kind: Kind, isBySync: Bool, at: Int, bodyStart: Int, dataStart: Int, faults: FastHex.Words
  ) {
    self.kind = kind
    self.isBySync = isBySync
    self.at = at
    self.bodyStart = bodyStart
    self.dataStart = dataStart
    self.faults = faults
  }

  /// The front of the line at an offset, if it has this seq.
  @inlinable @inline(__always)
  public static func read(
    _ bytes: RawSpan, at start: Int, seq: SeqText, days: inout InstantDay
  ) -> FastFront? {
    let id = UUIDDigits(bytes, at: start &+ 7)
    guard bytes.uncheckedHolds(#"{"id":""#, at: start), id.hasHyphens, id.isOfEvent,
      bytes.uncheckedHolds(#"","seq":"#, at: start &+ 43), seq.matches(bytes, at: start &+ 51)
    else { return nil }
    var position = start &+ 51 &+ seq.count
    let at = position &+ 7
    guard bytes.uncheckedHolds(#","at":""#, at: position), days.isInstant(bytes, at: at),
      bytes.uncheckedHolds(#"","by":""#, at: position &+ 31)
    else { return nil }
    position &+= 39
    let actor = actor(bytes, at: &position)
    guard actor.isKnown, let kind = kind(bytes, at: &position),
      bytes.uncheckedHolds(#"","data":{"#, at: position &+ 16)
    else { return nil }
    return FastFront(
      kind: kind, isBySync: actor.isSync, at: at, bodyStart: position &- 8,
      dataStart: position &+ 25,
      faults: id.faults | FastHex.faults(bytes.uncheckedWords(position)))
  }

  /// Reads `user`, `sync`, `import` or `system` up to the closing quote.
  ///
  /// Branchless: the next value is unpredictable.
  @inlinable @inline(__always)
  static func actor(_ bytes: RawSpan, at position: inout Int) -> (isKnown: Bool, isSync: Bool) {
    let text = bytes.uncheckedWord(position)
    // Four letters and a quote, or six.
    let isLong = FastNumber.isNotZero((text >> 32 & 0xFF) ^ 0x22)
    let name = text & (UInt64.max &>> (24 &- isLong &* 16))
    let fromShort = min(name ^ 0x22_7265_7375, name ^ 0x22_636E_7973)
    let fromLong = min(name ^ 0x22_7472_6F70_6D69, name ^ 0x22_6D65_7473_7973)
    position &+= 4 &+ Int(truncatingIfNeeded: isLong &* 2)
    return (min(fromShort, fromLong) == 0, name == 0x22_636E_7973)
  }

  /// Reads from the actor's closing quote to the salt's first digit.
  @inlinable @inline(__always)
  static func kind(_ bytes: RawSpan, at position: inout Int) -> Kind? {
    // In parts of 16 bytes.
    if bytes.uncheckedHolds(#"","type":"progre"#, at: position),
      bytes.uncheckedHolds(#"ss.logged","v":1"#, at: position &+ 16),
      bytes.uncheckedHolds(#","salt":""#, at: position &+ 32)
    {
      position &+= 41
      return .logged
    }
    return otherKind(bytes, at: &position)
  }

  /// As ``kind(_:at:)``, for all types but the most common.
  @inlinable
  static func otherKind(_ bytes: RawSpan, at position: inout Int) -> Kind? {
    guard bytes.uncheckedHolds(#"","type":""#, at: position) else { return nil }
    position &+= 10
    guard let kind = rarerKind(bytes, at: &position),
      bytes.uncheckedHolds(#"","v":1,"salt":""#, at: position)
    else { return nil }
    position &+= 16
    return kind
  }

  /// Reads a type's name; the caller checks the closing quote.
  @inlinable @inline(__always)
  static func rarerKind(_ bytes: RawSpan, at position: inout Int) -> Kind? {
    if bytes.uncheckedStep(over: "sync.acknowledged", at: &position) { return .acknowledged }
    if bytes.uncheckedStep(over: "progress.corrected", at: &position) { return .corrected }
    if bytes.uncheckedStep(over: "progress.deleted", at: &position) { return .deleted }
    if bytes.uncheckedStep(over: "sync.attempted", at: &position) { return .attempted }
    if bytes.uncheckedStep(over: "profile.updated", at: &position) { return .profile }
    if bytes.uncheckedStep(over: "physical.updated", at: &position) { return .physical }
    if bytes.uncheckedStep(over: "preferences.updated", at: &position) { return .preferences }
    if bytes.uncheckedStep(over: "sync.rejected", at: &position) { return .rejected }
    if bytes.uncheckedStep(over: "account.signed_out", at: &position) { return .signedOut }
    if bytes.uncheckedStep(over: "sleep.logged", at: &position) { return .session }
    return nil
  }

  /// Whether the hash member, `}` and `\n` follow the data, and all hexadecimal digits of the line
  /// are valid.
  @inlinable @inline(__always)
  public func isTail(_ bytes: RawSpan, at position: Int) -> Bool {
    bytes.uncheckedHolds(#","hash":""#, at: position)
      && bytes.uncheckedHolds("\"}\n", at: position &+ 73)
      && !FastHex.hasFault(faults | FastHex.faults64(bytes, at: position &+ 9))
  }
}

/// Skips `data` of the common types with the same checks as ``EnvelopeScanner/scanData(_:in:)``: that
/// it is a valid JSON object, not what its values mean.
///
/// Each name is tried once, in a fixed order, so no member occurs twice. On `false` the reference
/// reader decides.
enum FastData {
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
    case .logged, .rejected, .signedOut, .profile, .physical, .preferences, .session: false
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
      && mayHave(#","claimed_backend_id":""#, bytes, &position)
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

  /// `events` first, as this program writes it, or `call` first, as other writers do.
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

  /// - Returns: false only if the member is present and its text is invalid.
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

  /// Up to and including the closing bracket.
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

/// The text of the next line's seq. Lines are numbered consecutively, so a reader compares the text
/// instead of parsing it.
public struct SeqText: Sendable {
  public var number: Int
  /// The number of digits; 0 for a seq of more than eight digits, which matches no text.
  public var count = 0
  /// The first digit is the lowest byte; `mask` covers the bytes in use.
  @usableFromInline var digits: UInt64 = 0
  @usableFromInline var mask: UInt64 = 0
  /// 1 in the last digit's byte.
  @usableFromInline var one: UInt64 = 0

  public init(_ number: Int) {
    self.number = number
    guard number > 0, number < 100_000_000 else { return }
    var rest = number
    while rest > 0 {
      digits = digits << 8 | UInt64(UInt8(ascii: "0") + UInt8(rest % 10))
      mask = mask << 8 | 0xFF
      count += 1
      rest /= 10
    }
    one = 1 << UInt64((count - 1) * 8)
  }

  /// Whether the text at an offset begins with this seq.
  @inlinable @inline(__always)
  public func matches(_ bytes: RawSpan, at offset: Int) -> Bool {
    (bytes.uncheckedWord(offset) ^ digits) & mask == 0 && mask != 0
  }

  @inlinable @inline(__always)
  public mutating func advance() {
    number &+= 1
    digits &+= one
    // The last digit is the highest byte in use.
    if digits >= one &* 0x3A { carry() }
  }

  /// Carries after the last digit went past `9`; also reached when ``count`` is 0.
  @usableFromInline @inline(never)
  mutating func carry() {
    var place = UInt64(max(count - 1, 0)) * 8
    while place > 0, digits >> place & 0xFF > UInt64(UInt8(ascii: "9")) {
      digits -= 10 << place
      place -= 8
      digits += 1 << place
    }
    if place == 0 { self = SeqText(number) }
  }
}
