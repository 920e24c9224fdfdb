import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast way for edits of a person's fields: known names, once each and in the order of
/// docs/log-format.md, with values as they are written.
enum ProfileScanner {
  /// The values of a `profile.updated`, `physical.updated` or `preferences.updated`; steps over the
  /// object's last brace.
  ///
  /// - Returns: false where anything is unusual; what was put down by then is to be taken back.
  static func fields(
    of subject: ProfileSubject, _ bytes: RawSpan, at position: inout Int, seq: Int,
    into edits: inout PersonEdits
  ) -> Bool {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "{") else { return false }
    var last = -1
    repeat {
      position &+= 1
      guard let field = name(of: subject, bytes, &position), field.place > last else {
        return false
      }
      last = field.place
      let start = position
      guard skipValue(of: field, bytes, &position) else { return false }
      edits.add(bytes.extracting(start..<position), of: field, seq: seq)
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    return FieldScanner.isEnd(bytes, &position)
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

  /// - Returns: whether a value that the field may have stands there, as it is written mostly.
  private static func skipValue(
    of field: ProfileField, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    switch field {
    case .name: FastText.skipString(bytes, at: &position)
    case .bio, .languageCode:
      bytes.uncheckedStep(over: "null", at: &position)
        || FastText.skipString(bytes, at: &position)
    case .preferredUnitSystem:
      bytes.uncheckedStep(over: #""metric""#, at: &position)
        || bytes.uncheckedStep(over: #""imperial""#, at: &position)
    case .biologicalSex:
      bytes.uncheckedStep(over: #""male""#, at: &position)
        || bytes.uncheckedStep(over: #""female""#, at: &position)
        || bytes.uncheckedStep(over: #""other""#, at: &position)
    case .heightCM: FastQuantity.read(bytes, at: &position) != nil
    case .dateOfBirth:
      bytes.uncheckedStep(over: "\"", at: &position)
        && FieldScanner.skipDay(bytes, &position)
    case .allergies, .dietaryRestrictions, .foodDislikes: skipList(bytes, &position)
    }
  }

  private static func skipList(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    if bytes.uncheckedStep(over: "[]", at: &position) { return true }
    guard bytes.uncheckedByte(position) == UInt8(ascii: "[") else { return false }
    repeat {
      position &+= 1
      guard FastText.skipString(bytes, at: &position) else { return false }
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    return bytes.uncheckedStep(over: "]", at: &position)
  }
}
