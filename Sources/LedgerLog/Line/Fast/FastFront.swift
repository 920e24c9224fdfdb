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

/// The day of the instant before, as it was written: most lines are of the same day, and what was
/// found to be a day once is one again.
public struct InstantDay: Sendable {
  @usableFromInline var first: UInt64 = 0
  /// Three characters; what nothing reads as at first.
  @usableFromInline var rest: UInt64 = .max

  public init() {}

  /// Whether `YYYY-MM-DDTHH:MM:SS.mmmZ` stands at an offset and names a moment that exists.
  @inlinable @inline(__always)
  public mutating func isInstant(_ bytes: RawSpan, at offset: Int) -> Bool {
    // `YYYY-MM-`, `DDT`; then `.mmm` with the digits' bits and bounds, and `Z`.
    let first = bytes.uncheckedWord(offset)
    let rest = bytes.uncheckedWord(offset &+ 8) & 0xFF_FFFF
    let digits = bytes.uncheckedHalfWord(offset &+ 19) ^ 0x3030_302E
    let isFraction = ((digits &+ 0x7676_767F) | digits) & 0x8080_8080 == 0
    guard isFraction, bytes.uncheckedByte(offset &+ 23) == UInt8(ascii: "Z"),
      FastNumber.time(bytes.uncheckedWord(offset &+ 11)) >= 0
    else { return false }
    return (first == self.first && rest == self.rest) || remember(first, rest, bytes, offset)
  }

  @usableFromInline
  mutating func remember(
    _ first: UInt64, _ rest: UInt64, _ bytes: RawSpan, _ offset: Int
  ) -> Bool {
    guard Instant.isValid(in: bytes, at: offset) else { return false }
    (self.first, self.rest) = (first, rest)
    return true
  }
}
