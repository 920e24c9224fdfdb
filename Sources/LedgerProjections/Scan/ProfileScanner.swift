import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast way for edits of a person's fields: known names, once each and in the order of
/// log-format.md, with values as they are written.
enum ProfileScanner {
  /// The values of a `profile.updated`, `physical.updated` or `preferences.updated`; steps over the
  /// object's last brace.
  static func fields(
    of subject: ProfileSubject, _ bytes: RawSpan, at position: inout Int
  ) -> [OtherEvent.FieldValue]? {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "{") else { return nil }
    var values: [OtherEvent.FieldValue] = []
    var last = -1
    repeat {
      position &+= 1
      guard let field = name(of: subject, bytes, &position),
        let place = ProfileField.allCases.firstIndex(of: field), place > last,
        let value = value(of: field, bytes, &position)
      else { return nil }
      last = place
      values.append(.init(field: field, value: value))
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    return FieldScanner.isEnd(bytes, &position) ? values : nil
  }

  /// `"name":` and the like.
  private static func name(
    of subject: ProfileSubject, _ bytes: RawSpan, _ position: inout Int
  ) -> ProfileField? {
    func found(_ text: StaticString, _ field: ProfileField) -> ProfileField? {
      guard bytes.uncheckedHolds(text, at: position) else { return nil }
      position &+= text.utf8CodeUnitCount
      return field
    }
    switch subject {
    case .profile:
      return found(#""name":"#, .name) ?? found(#""bio":"#, .bio)
        ?? found(#""preferred_unit_system":"#, .preferredUnitSystem)
        ?? found(#""language_code":"#, .languageCode)
    case .physical:
      return found(#""biological_sex":"#, .biologicalSex) ?? found(#""height_cm":"#, .heightCM)
        ?? found(#""date_of_birth":"#, .dateOfBirth)
    case .preferences:
      return found(#""allergies":"#, .allergies)
        ?? found(#""dietary_restrictions":"#, .dietaryRestrictions)
        ?? found(#""food_dislikes":"#, .foodDislikes)
    }
  }

  private static func value(
    of field: ProfileField, _ bytes: RawSpan, _ position: inout Int
  ) -> JSONValue? {
    switch field {
    case .name: return text(bytes, &position)
    case .bio, .languageCode:
      if bytes.uncheckedHolds("null", at: position) {
        position &+= 4
        return .null
      }
      return text(bytes, &position)
    case .preferredUnitSystem:
      return text(bytes, &position).flatMap { UnitSystem(json: $0)?.json }
    case .biologicalSex:
      return text(bytes, &position).flatMap { BiologicalSex(json: $0)?.json }
    case .heightCM: return FastQuantity.read(bytes, at: &position).map { .number($0) }
    case .dateOfBirth:
      return text(bytes, &position).flatMap { CalendarDate(json: $0)?.json }
    case .allergies, .dietaryRestrictions, .foodDislikes: return list(bytes, &position)
    }
  }

  private static func list(_ bytes: RawSpan, _ position: inout Int) -> JSONValue? {
    if bytes.uncheckedHolds("[]", at: position) {
      position &+= 2
      return .array([])
    }
    guard bytes.uncheckedByte(position) == UInt8(ascii: "[") else { return nil }
    var values: [JSONValue] = []
    repeat {
      position &+= 1
      guard let value = text(bytes, &position) else { return nil }
      values.append(value)
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    position &+= 1
    return bytes.uncheckedByte(position &- 1) == UInt8(ascii: "]") ? .array(values) : nil
  }

  private static func text(_ bytes: RawSpan, _ position: inout Int) -> JSONValue? {
    do {
      return .string(try JSONReader.text(in: bytes, at: &position))
    } catch {
      return nil
    }
  }
}
