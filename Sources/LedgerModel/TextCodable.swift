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
