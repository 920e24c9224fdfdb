import LedgerJSON
import LedgerLog

/// The edits of profile fields in a batch: the events of each group, and the values of each field.
struct ProfileEdits: Sendable {
  /// Values by ``ProfileField/place``.
  private var values = [ValueColumn](
    repeating: ValueColumn(), count: ProfileField.allCases.count)
  /// Seqs of edits by ``ProfileSubject/place``.
  private(set) var seqs = [[UInt32]](repeating: [], count: ProfileSubject.allCases.count)

  /// Adds an edit of a group without its values.
  mutating func add(_ subject: ProfileSubject, seq: Int) {
    seqs[subject.place].append(UInt32(seq))
  }

  /// Adds the value that an edit gives a field.
  ///
  /// - Parameter text: JSON that was validated by the rules of the log.
  mutating func add(_ text: RawSpan, of field: ProfileField, seq: Int) {
    values[field.place].append(text, seq: seq, isTyped: true)
  }

  /// Adds a decoded edit; unknown members are skipped.
  mutating func add(_ data: JSONObject, of subject: ProfileSubject, seq: Int) {
    add(subject, seq: seq)
    for member in data.members {
      guard let field = ProfileField(rawValue: member.name), field.subject == subject else {
        continue
      }
      values[field.place].insert(member.value, seq: seq, isTyped: true)
    }
  }

  mutating func takeSeqs(of subject: ProfileSubject) -> [UInt32] {
    var taken: [UInt32] = []
    swap(&taken, &seqs[subject.place])
    return taken
  }

  mutating func takeValues(of field: ProfileField) -> ValueColumn {
    var taken = ValueColumn()
    swap(&taken, &values[field.place])
    return taken
  }

  /// Appends the edits of the next range.
  mutating func take(_ later: inout ProfileEdits) {
    for place in values.indices { values[place].take(&later.values[place]) }
    for place in seqs.indices {
      seqs[place].append(contentsOf: later.seqs[place])
      later.seqs[place].removeAll(keepingCapacity: true)
    }
  }

  mutating func removeAll(after seq: Int) {
    for place in values.indices { values[place].removeAll(after: seq) }
    for place in seqs.indices {
      while let last = seqs[place].last, last > seq { seqs[place].removeLast() }
    }
  }

  /// Keeps the capacity.
  mutating func removeAll() {
    for place in values.indices { values[place].removeAll() }
    for place in seqs.indices { seqs[place].removeAll(keepingCapacity: true) }
  }
}

/// The fast reader for edits of profile fields: known names, once each and in the order of
/// docs/log-format.md, with values in their usual form.
enum ProfileScanner {
  /// Adds the values of a `profile.updated`, `physical.updated` or `preferences.updated` and steps
  /// over the object's closing brace.
  ///
  /// - Returns: false for an unusual form; the caller removes the values added so far.
  static func fields(
    of subject: ProfileSubject, _ bytes: RawSpan, at position: inout Int, seq: Int,
    into edits: inout ProfileEdits
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

  /// Steps over the name of one of the group's fields and its colon.
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

  /// - Returns: false unless the field may have the value, in its usual form.
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
