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

/// A new entry.
public struct ProgressLogged: EventData {
  public static var kind: EventKind { .progressLogged }
  /// The entry's id, which no other entry has.
  public var entry: EntryID
  /// What was measured.
  public var metric: Metric
  /// In the metric's own unit.
  public var quantity: Double
  /// The day it belongs to.
  public var date: CalendarDate
  /// Absent: the entry belongs to the day.
  public var moment: ZonedTime?
  /// At most 500 characters.
  public var notes: String?
  /// Where it came from, and what it is called there: an import finds by them what it brought in.
  public var source: String?
  /// What it is called there.
  public var sourceID: String?
  public var unknown = JSONObject()

  /// An entry as it was measured.
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

/// Only what changed. A new date alone keeps the time.
public struct ProgressCorrected: EventData {
  public static var kind: EventKind { .progressCorrected }
  /// The entry that is corrected.
  public var entry: EntryID
  /// In the metric's own unit; `nil` leaves it as it is.
  public var quantity: Double?
  /// `nil` leaves it as it is.
  public var date: CalendarDate?
  /// `nil` leaves it as it is.
  public var moment: ZonedTime?
  /// At most 500 characters; `nil` leaves them as they are.
  public var notes: FieldChange<String>?
  /// The row that has these values, where another device made the correction; only by `sync`.
  public var backendID: BackendID?
  public var unknown = JSONObject()

  /// A correction has to change something.
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

/// Takes an entry away; what it was stays in the log.
public struct ProgressDeleted: EventData {
  public static var kind: EventKind { .progressDeleted }
  /// The entry that is deleted.
  public var entry: EntryID
  /// For whoever reads the log.
  public var reason: String?
  public var unknown = JSONObject()

  /// Deletes an entry that is live.
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

/// An unsent edit that is to count as never made.
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
