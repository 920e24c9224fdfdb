public import LedgerJSON

/// The units for display; quantities are stored in the metric's own unit.
public enum UnitSystem: String, CaseIterable, Codable, TextualMemberValue {
  /// Kilograms and centimeters.
  case metric
  /// Pounds and inches.
  case imperial
}

/// The values that the backend accepts.
public enum BiologicalSex: String, CaseIterable, Codable, TextualMemberValue {
  case male
  case female
  /// Neither, or not stated.
  case other
}

/// Changes to the profile; `nil` leaves a field unchanged.
public struct ProfileUpdated: EventData {
  public static var kind: EventKind { .profileUpdated }
  /// 1 to 100 characters.
  public var name: String?
  /// At most 500 characters.
  public var bio: FieldChange<String>?
  public var preferredUnitSystem: UnitSystem?
  /// A BCP 47 tag.
  public var languageCode: FieldChange<String>?
  public var unknown = JSONObject()

  /// At least one field must be given.
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

/// Changes to physical data; `nil` leaves a field unchanged.
public struct PhysicalUpdated: EventData {
  public static var kind: EventKind { .physicalUpdated }
  public var biologicalSex: BiologicalSex?
  public var heightCM: Double?
  /// Not after today.
  public var dateOfBirth: CalendarDate?
  public var unknown = JSONObject()

  /// At least one field must be given.
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

/// Changes to preferences; a list replaces the previous one, `nil` leaves it unchanged.
public struct PreferencesUpdated: EventData {
  public static var kind: EventKind { .preferencesUpdated }
  public var allergies: [String]?
  public var dietaryRestrictions: [String]?
  public var foodDislikes: [String]?
  public var unknown = JSONObject()

  /// At least one list must be given.
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

/// A new entry.
public struct ProgressLogged: EventData {
  public static var kind: EventKind { .progressLogged }
  /// The id of the new entry.
  public var entry: EntryID
  public var metric: Metric
  /// In the metric's own unit.
  public var quantity: Double
  public var date: CalendarDate
  /// `nil` for an entry without a time of day.
  public var moment: ZonedTime?
  /// At most 500 characters.
  public var notes: String?
  /// Where it was imported from; with ``sourceID`` it identifies imported entries.
  public var source: String?
  /// Its id at the source.
  public var sourceID: String?
  public var unknown = JSONObject()

  public init(
    entry: EntryID, metric: Metric, quantity: Double, date: CalendarDate, moment: ZonedTime? = nil,
    notes: String? = nil, source: String? = nil, sourceID: String? = nil
  ) {
    self.entry = entry
    self.metric = metric
    self.quantity = quantity
    self.date = date
    self.moment = moment
    self.notes = notes
    self.source = source
    self.sourceID = sourceID
  }

  public init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    date = try members.required("date")
    moment = try members.zonedTime()
    notes = try members.optional("notes")
    source = try members.optional("source")
    sourceID = try members.optional("source_id")
  }

  public func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", notes)
    members.put("source", source)
    members.put("source_id", sourceID)
  }
}

/// Changes to an entry; `nil` leaves a value unchanged. A new date alone keeps the time.
public struct ProgressCorrected: EventData {
  public static var kind: EventKind { .progressCorrected }
  public var entry: EntryID
  /// In the metric's own unit.
  public var quantity: Double?
  public var date: CalendarDate?
  public var moment: ZonedTime?
  /// At most 500 characters.
  public var notes: FieldChange<String>?
  /// The row with these values, if sync records another device's correction.
  public var backendID: BackendID?
  public var unknown = JSONObject()

  /// At least one change must be given.
  public init(
    entry: EntryID, quantity: Double? = nil, date: CalendarDate? = nil, moment: ZonedTime? = nil,
    notes: FieldChange<String>? = nil, backendID: BackendID? = nil
  ) {
    self.entry = entry
    self.quantity = quantity
    self.date = date
    self.moment = moment
    self.notes = notes
    self.backendID = backendID
  }

  public init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    quantity = try members.optional("quantity")
    date = try members.optional("date")
    moment = try members.zonedTime()
    notes = try members.change("notes")
    backendID = try members.optional("backend_id")
  }

  public func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", change: notes)
    members.put("backend_id", backendID)
  }
}

/// Deletes an entry; its events stay in the log.
public struct ProgressDeleted: EventData {
  public static var kind: EventKind { .progressDeleted }
  public var entry: EntryID
  public var reason: String?
  public var unknown = JSONObject()

  public init(entry: EntryID, reason: String? = nil) {
    self.entry = entry
    self.reason = reason
  }

  public init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    reason = try members.optional("reason")
  }

  public func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("reason", reason)
  }
}

/// Undoes an unsent edit.
public struct EditUndone: EventData {
  public static var kind: EventKind { .editUndone }
  public var event: Seq
  public var unknown = JSONObject()

  public init(event: Seq) {
    self.event = event
  }

  public init(from members: inout MemberReader) throws(EventError) {
    event = try members.required("event")
  }

  public func write(to members: inout MemberWriter) {
    members.put("event", event)
  }
}
