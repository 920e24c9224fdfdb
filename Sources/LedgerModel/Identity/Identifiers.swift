public import LedgerJSON

/// A type of its own for every kind of id: the compiler keeps a local entry from being sent as a
/// backend's id, the mistake that this project exists to make impossible.
public protocol UUIDIdentifier: Hashable, Sendable, PlainText {
  var uuid: LedgerUUID { get }
  init(_ uuid: LedgerUUID)
}

extension UUIDIdentifier {
  /// Exactly 36 characters in lower case; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard let uuid = LedgerUUID(text) else { return nil }
    self.init(uuid)
  }

  /// A new one; ids made later sort later as long as the clock does not step back.
  public static func make(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> Self {
    Self(LedgerUUID.version7(at: now, using: &generator))
  }

  /// The id of something that another program has named: the same each time, so that what is told
  /// of twice is recorded once. The log takes version 7 alone, which other programs' ids rarely are.
  ///
  /// - Parameters:
  ///   - name: what it is called there, such as the UUID of a sample of HealthKit.
  ///   - moment: when it was measured, which must not change either; ids sort by it.
  public static func derived(from name: String, at moment: Timestamp) -> Self {
    var bits = NameBits(name)
    return make(at: moment, using: &bits)
  }

  public func appendText(to bytes: inout ByteSink) { uuid.appendText(to: &bytes) }
}

/// Bits that a name alone decides: FNV-1a over its bytes, drawn out by SplitMix64.
private struct NameBits: RandomNumberGenerator {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ name: String) {
    for byte in name.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

/// One event in the log.
public struct EventID: UUIDIdentifier {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// One progress entry, here. The backend knows nothing of it.
public struct EntryID: UUIDIdentifier {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// One call to the backend, over all its answers.
public struct CallID: UUIDIdentifier {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// One ledger, over its whole life.
public struct LedgerID: UUIDIdentifier {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// What the backend calls one of its rows: text of its choosing, never empty.
public struct BackendID: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  /// `nil` for an empty text.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }

  public var description: String { text }
}

/// The place of an event in the log: 1, 2, 3 … without gaps. It is the order.
public struct Seq: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 1 or more.
  public let number: Int

  /// - Precondition: `number` is 1 or more.
  public init(_ number: Int) {
    precondition(number >= 1, "seq starts at 1")
    self.number = number
  }

  /// `nil` for a number below 1.
  public init?(exactly number: Int) {
    guard number >= 1 else { return nil }
    self.number = number
  }

  /// The place after this one.
  public var next: Seq { Seq(number + 1) }
  public var description: String { String(number) }

  public static func < (left: Seq, right: Seq) -> Bool { left.number < right.number }
}
