import LedgerJSON
import LedgerProjections

/// A field of the profile and its value, in words.
struct FieldWords {
  let name: String
  private let field: ProfileField?
  private let quantities: QuantityText

  init(_ name: String, _ quantities: QuantityText) {
    field = ProfileField(rawValue: name)
    self.name = field?.words ?? name
    self.quantities = quantities
  }

  func value(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "cleared"
    case .string(let text) where field == .name || field == .bio: "“\(text)”"
    case .string(let text): text
    case .number(let number) where field == .heightCM: quantities.height(centimetres: number)
    case .array(let values) where values.isEmpty: "none"
    case .array(let values): values.map { $0.string ?? $0.serialized }.joined(separator: ", ")
    case .some(let other): other.serialized
    }
  }
}
