public import LedgerJSON

/// The units that a person wants to see; quantities are kept in the metric's own.
public enum UnitSystem: String, CaseIterable, TextualMemberValue {
  /// Kilograms and centimetres.
  case metric
  /// Pounds and inches.
  case imperial
}

/// As the backend knows it.
public enum BiologicalSex: String, CaseIterable, TextualMemberValue {
  /// Male.
  case male
  /// Female.
  case female
  /// Neither, or not said.
  case other
}

/// What others may see of a person; what is `nil` stays as it is.
public struct ProfileUpdated: EventData {
  public static var kind: EventKind { .profileUpdated }
  /// 1 to 100 characters; `nil` leaves it as it is.
  public var name: String?
  /// At most 500 characters; `nil` leaves it as it is.
  public var bio: FieldChange<String>?
  /// `nil` leaves it as it is.
  public var preferredUnitSystem: UnitSystem?
  /// A BCP 47 tag; `nil` leaves it as it is.
  public var languageCode: FieldChange<String>?
  public var unknown = JSONObject()

  /// At least one field has to be given.
  public init(
    name: String? = nil, bio: FieldChange<String>? = nil, preferredUnitSystem: UnitSystem? = nil,
    languageCode: FieldChange<String>? = nil
  ) {
    self.name = name
    self.bio = bio
    self.preferredUnitSystem = preferredUnitSystem
    self.languageCode = languageCode
  }

  public init(from members: inout MemberReader) throws(EventError) {
    name = try members.optional("name")
    bio = try members.change("bio")
    preferredUnitSystem = try members.optional("preferred_unit_system")
    languageCode = try members.change("language_code")
  }

  public func write(to members: inout MemberWriter) {
    members.put("name", name)
    members.put("bio", change: bio)
    members.put("preferred_unit_system", preferredUnitSystem)
    members.put("language_code", change: languageCode)
  }
}

/// What is known of a person's body; what is `nil` stays as it is.
public struct PhysicalUpdated: EventData {
  public static var kind: EventKind { .physicalUpdated }
  /// `nil` leaves it as it is.
  public var biologicalSex: BiologicalSex?
  /// In centimetres.
  public var heightCM: Double?
  /// Never after today; `nil` leaves it as it is.
  public var dateOfBirth: CalendarDate?
  public var unknown = JSONObject()

  /// At least one field has to be given.
  public init(
    biologicalSex: BiologicalSex? = nil, heightCM: Double? = nil, dateOfBirth: CalendarDate? = nil
  ) {
    self.biologicalSex = biologicalSex
    self.heightCM = heightCM
    self.dateOfBirth = dateOfBirth
  }

  public init(from members: inout MemberReader) throws(EventError) {
    biologicalSex = try members.optional("biological_sex")
    heightCM = try members.optional("height_cm")
    dateOfBirth = try members.optional("date_of_birth")
  }

  public func write(to members: inout MemberWriter) {
    members.put("biological_sex", biologicalSex)
    members.put("height_cm", heightCM)
    members.put("date_of_birth", dateOfBirth)
  }
}

/// Each list replaces the whole list before it.
public struct PreferencesUpdated: EventData {
  public static var kind: EventKind { .preferencesUpdated }
  /// `nil` leaves the list as it is.
  public var allergies: [String]?
  /// `nil` leaves the list as it is.
  public var dietaryRestrictions: [String]?
  /// `nil` leaves the list as it is.
  public var foodDislikes: [String]?
  public var unknown = JSONObject()

  /// At least one list has to be given.
  public init(
    allergies: [String]? = nil, dietaryRestrictions: [String]? = nil, foodDislikes: [String]? = nil
  ) {
    self.allergies = allergies
    self.dietaryRestrictions = dietaryRestrictions
    self.foodDislikes = foodDislikes
  }

  public init(from members: inout MemberReader) throws(EventError) {
    allergies = try members.optional("allergies")
    dietaryRestrictions = try members.optional("dietary_restrictions")
    foodDislikes = try members.optional("food_dislikes")
  }

  public func write(to members: inout MemberWriter) {
    members.put("allergies", allergies)
    members.put("dietary_restrictions", dietaryRestrictions)
    members.put("food_dislikes", foodDislikes)
  }
}
