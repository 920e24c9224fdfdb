public import LedgerJSON

/// A line from its first byte to its `data`, in the form that this program writes, for the types
/// that are common. One pass: what has been looked at need not be looked at again.
///
/// It says yes only where ``EnvelopeScanner`` would, and never says what is wrong. Whether what must
/// be hexadecimal digits is, it says last, for the whole line at once, in ``isTail(_:at:)``: where
/// they end does not hang on it.
public struct FastFront {
  /// The types that have a fast way; whatever else goes the general one.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case logged, acknowledged, corrected, deleted, attempted
    case rejected, signedOut, profile, physical, preferences
  }

  public var kind: Kind
  public var isBySync: Bool
  /// Where the 24 characters of `at` stand.
  public var at: Int
  /// Where `"salt":` begins.
  public var bodyStart: Int
  /// Where the object of `data` begins.
  public var dataStart: Int
  /// What has been found of the line's hexadecimal digits so far.
  public var faults: FastHex.Words

  /// How far loads reach ahead of what has been looked at, rounded up.
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

  /// The front of the line that begins at an offset and must have this seq.
  @inlinable @inline(__always)
  public static func read(
    _ bytes: RawSpan, at start: Int, seq: SeqText, days: inout InstantDay
  ) -> FastFront? {
    let id = UUIDDigits(bytes, at: start &+ 7)
    guard bytes.uncheckedHolds(#"{"id":""#, at: start), id.areHyphensThere, id.isOfEvent,
      bytes.uncheckedHolds(#"","seq":"#, at: start &+ 43), seq.stands(in: bytes, at: start &+ 51)
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

  /// `user`, `sync`, `import` or `system`; steps to the closing quote.
  ///
  /// Without a branch: which of them comes next nobody can guess.
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

  /// Steps from the actor's closing quote to the salt's first digit.
  @inlinable @inline(__always)
  static func kind(_ bytes: RawSpan, at position: inout Int) -> Kind? {
    // By sixteen characters, wherever a word of them ends.
    if bytes.uncheckedHolds(#"","type":"progre"#, at: position),
      bytes.uncheckedHolds(#"ss.logged","v":1"#, at: position &+ 16),
      bytes.uncheckedHolds(#","salt":""#, at: position &+ 32)
    {
      position &+= 41
      return .logged
    }
    return otherKind(bytes, at: &position)
  }

  /// As ``kind(_:at:)``, for any type but the most common.
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

  /// Steps over a type's name; what follows it is looked at by the caller, its quote included.
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
    return nil
  }

  /// Whether a line ends properly behind its data's last brace, with the hash member, `}` and `\n`,
  /// and all its hexadecimal digits are some.
  @inlinable @inline(__always)
  public func isTail(_ bytes: RawSpan, at position: Int) -> Bool {
    bytes.uncheckedHolds(#","hash":""#, at: position)
      && bytes.uncheckedHolds("\"}\n", at: position &+ 73)
      && !FastHex.hasFault(faults | FastHex.faults64(bytes, at: position &+ 9))
  }
}

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

/// A seq as it must stand in the next line. Lines are numbered one after the other, so that its text
/// need not be read, but only be compared.
public struct SeqText: Sendable {
  public var number: Int
  /// How many digits; 0 for a seq of more than eight, which stands nowhere.
  public var count = 0
  /// The first digit lowest, and which of the eight bytes count.
  @usableFromInline var digits: UInt64 = 0
  @usableFromInline var mask: UInt64 = 0
  /// One in the last digit's place.
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

  /// Whether it stands at an offset; what follows it is not looked at.
  @inlinable @inline(__always)
  public func stands(in bytes: RawSpan, at offset: Int) -> Bool {
    (bytes.uncheckedWord(offset) ^ digits) & mask == 0 && mask != 0
  }

  /// Goes on to the next one.
  @inlinable @inline(__always)
  public mutating func advance() {
    number &+= 1
    digits &+= one
    // The last digit stands highest, and no bytes above it.
    if digits >= one &* 0x3A { carry() }
  }

  /// Goes on where the last digit went past `9`, or none stands anywhere.
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
