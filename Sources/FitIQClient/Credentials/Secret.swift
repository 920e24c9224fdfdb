import LedgerJSON

/// Text that no description, dump or message shows.
public struct Secret: Hashable, Sendable {
  let text: String

  /// A password, a key or a token.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether it can stand in a header: visible ASCII alone, so that no line end in it can begin a
  /// header of its own.
  var fitsHeader: Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  static let mask = "***"

  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  /// Without this, `dump` would look behind the description.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension String {
  /// The text with these secrets masked: a peer may echo what it was sent, and messages go into
  /// logs. Secrets of a few letters stay, since they would tear up ordinary words.
  func masking(_ secrets: [Secret?]) -> String {
    var masked = self
    for case let secret? in secrets where secret.text.utf8.count >= 6 {
      masked = masked.split(separator: secret.text, omittingEmptySubsequences: false)
        .joined(separator: Secret.mask)
    }
    return masked
  }
}

extension JSONValue {
  /// The value with these secrets masked in every text it holds.
  func masking(_ secrets: [Secret?]) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(text.masking(secrets))
    case .array(let values): .array(values.map { $0.masking(secrets) })
    case .object(let object):
      .object(
        JSONObject(
          members: object.members.map {
            .init(name: $0.name.masking(secrets), value: $0.value.masking(secrets))
          }))
    }
  }
}
