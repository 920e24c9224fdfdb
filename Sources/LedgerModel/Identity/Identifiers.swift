package import LedgerJSON

/// A separate type for each kind of id, so that a local entry id cannot be sent as a backend id.
public protocol UUIDIdentifier: Codable, Hashable, LosslessStringConvertible, Sendable {
  /// The UUID itself.
  var uuid: LedgerUUID { get }
  /// The id with a UUID.
  init(_ uuid: LedgerUUID)
}

extension UUIDIdentifier {
  /// Exactly 36 characters in lower case; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard let uuid = LedgerUUID(text) else { return nil }
    self.init(uuid)
  }

  /// A new id. Later ids sort later unless the clock steps back.
  public static func make(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> Self {
    Self(LedgerUUID.version7(at: now, using: &generator))
  }

  /// A stable id for something that another program named, so that importing it twice records it
  /// once. The log accepts only version 7 UUIDs, which other programs rarely use.
  ///
  /// - Parameters:
  ///   - name: its name there, such as the UUID of a HealthKit sample.
  ///   - moment: part of the id, which sorts by it. Without one, the name alone finds the id again, such as
  ///     when a sample is deleted, whose moment is then unknown.
  public static func derived(
    from name: String, at moment: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) -> Self {
    var bits = NameBits(name)
    return make(at: moment, using: &bits)
  }

  package func appendText(to bytes: inout ByteSink) { uuid.appendText(to: &bytes) }
}

/// Bits derived from a name: FNV-1a of its bytes seeds SplitMix64.
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

/// The id of an event.
public struct EventID: UUIDIdentifier, PlainText, TextCodable {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// The local id of an entry or sleep session. The backend sees only a session's, as `source_id`.
public struct EntryID: UUIDIdentifier, PlainText, TextCodable {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// The id of a call to the backend, shared by all events about it.
public struct CallID: UUIDIdentifier, PlainText, TextCodable {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// The id of a ledger.
public struct LedgerID: UUIDIdentifier, PlainText, TextCodable {
  public let uuid: LedgerUUID
  public init(_ uuid: LedgerUUID) { self.uuid = uuid }
}

/// The backend's id of a row: any text except the empty one.
public struct BackendID: Hashable, LosslessStringConvertible, Sendable, TextCodable {
  /// The text, unchanged.
  public let text: String

  /// `nil` if `text` is empty.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }

  public var description: String { text }
}

/// The number of an event in the log: 1, 2, 3 … without gaps. It defines the order of events.
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

  /// The number after this one.
  package var next: Seq { Seq(number + 1) }
  public var description: String { String(number) }

  public static func < (left: Seq, right: Seq) -> Bool { left.number < right.number }
}

extension Seq: Codable {
  /// - Throws: `DecodingError` for a number below 1.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let number = try container.decode(Int.self)
    guard let seq = Seq(exactly: number) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "seq starts at 1")
    }
    self = seq
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// A UUID in lower case, as the log requires. Not Foundation's, because loading Foundation would
/// slow down every start of `ledger`.
public struct LedgerUUID: Hashable, Comparable, BitwiseCopyable, LosslessStringConvertible,
  Sendable, PlainText, TextCodable
{
  /// The first 64 bits.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// The UUID with these halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses exactly 36 characters with hexadecimal digits in lower case.
  public init?(_ text: some StringProtocol) {
    var value: (high: UInt64, low: UInt64) = (0, 0)
    var count = 0
    for byte in text.utf8 {
      defer { count += 1 }
      if count == 8 || count == 13 || count == 18 || count == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if count < 18 {
        value.high = value.high << 4 | UInt64(digit)
      } else {
        value.low = value.low << 4 | UInt64(digit)
      }
    }
    guard count == 36 else { return nil }
    self.init(high: value.high, low: value.low)
  }

  /// A version 7 UUID (RFC 9562): milliseconds, then random bits.
  package static func version7(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> LedgerUUID {
    let milliseconds = UInt64(bitPattern: max(0, now.millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
    let high = milliseconds << 16 | 0x7000 | generator.next() >> 52
    let low = 0b10 << 62 | generator.next() >> 2
    return LedgerUUID(high: high, low: low)
  }

  /// 36 characters with hexadecimal digits in lower case.
  package func appendText(to bytes: inout ByteSink) {
    bytes.append(uuid: high, low)
  }

  public static func < (left: LedgerUUID, right: LedgerUUID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// A value whose text is ASCII that JSON never escapes, so that it is written without a temporary
/// string.
package protocol PlainText: CustomStringConvertible {
  func appendText(to bytes: inout ByteSink)
}

extension PlainText {
  public var description: String {
    var bytes = ByteSink(capacity: 40)
    appendText(to: &bytes)
    return bytes.text
  }
}

/// A value that is encoded as its text: a date as `2026-01-05`, an id as a UUID in lower case.
package protocol TextCodable: Codable, CustomStringConvertible {
  /// - Returns: `nil` for a text that is no such value.
  init?(_ text: String)
}

extension TextCodable {
  /// - Throws: `DecodingError` for text that is no such value, such as 30 February.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a valid \(Self.self)")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
