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

  public func appendText(to bytes: inout ByteSink) { uuid.appendText(to: &bytes) }
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

  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }

  public var description: String { text }
}

/// The place of an event in the log: 1, 2, 3 … without gaps. It is the order.
public struct Seq: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let number: Int

  /// - Precondition: `number` is 1 or more.
  public init(_ number: Int) {
    precondition(number >= 1, "seq starts at 1")
    self.number = number
  }

  public init?(exactly number: Int) {
    guard number >= 1 else { return nil }
    self.number = number
  }

  public var next: Seq { Seq(number + 1) }
  public var description: String { String(number) }

  public static func < (left: Seq, right: Seq) -> Bool { left.number < right.number }
}
