package import LedgerJSON

/// The units for display; quantities are stored in the metric's own unit.
public enum UnitSystem: String, CaseIterable, Codable, TextualMemberValue {
  /// Kilograms and centimeters.
  case metric
  /// Pounds and inches.
  case imperial
}

/// The values that the backend accepts.
public enum BiologicalSex: String, CaseIterable, Codable, TextualMemberValue {
  /// Male.
  case male
  /// Female.
  case female
  /// Neither, or not stated.
  case other
}

/// Changes to the profile; `nil` leaves a field unchanged.
public struct ProfileUpdated: EventData {
  package static var kind: EventKind { .profileUpdated }
  /// 1 to 100 characters.
  public var name: String?
  /// At most 500 characters.
  public var bio: FieldChange<String>?
  /// The units for display.
  public var preferredUnitSystem: UnitSystem?
  /// A BCP 47 tag.
  public var languageCode: FieldChange<String>?
  package var unknown = JSONObject()

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

  package init(from members: inout MemberReader) throws(EventError) {
    name = try members.optional("name")
    bio = try members.change("bio")
    preferredUnitSystem = try members.optional("preferred_unit_system")
    languageCode = try members.change("language_code")
  }

  package func write(to members: inout MemberWriter) {
    members.put("name", name)
    members.put("bio", change: bio)
    members.put("preferred_unit_system", preferredUnitSystem)
    members.put("language_code", change: languageCode)
  }
}

/// Changes to physical data; `nil` leaves a field unchanged.
public struct PhysicalUpdated: EventData {
  package static var kind: EventKind { .physicalUpdated }
  /// The value that the backend uses.
  public var biologicalSex: BiologicalSex?
  /// In centimeters, within the range of ``Metric/height``.
  public var heightCM: Double?
  /// Not after today.
  public var dateOfBirth: CalendarDate?
  package var unknown = JSONObject()

  /// At least one field must be given.
  public init(
    biologicalSex: BiologicalSex? = nil, heightCM: Double? = nil, dateOfBirth: CalendarDate? = nil
  ) {
    self.biologicalSex = biologicalSex
    self.heightCM = heightCM
    self.dateOfBirth = dateOfBirth
  }

  package init(from members: inout MemberReader) throws(EventError) {
    biologicalSex = try members.optional("biological_sex")
    heightCM = try members.optional("height_cm")
    dateOfBirth = try members.optional("date_of_birth")
  }

  package func write(to members: inout MemberWriter) {
    members.put("biological_sex", biologicalSex)
    members.put("height_cm", heightCM)
    members.put("date_of_birth", dateOfBirth)
  }
}

/// Changes to preferences; a list replaces the previous one, `nil` leaves it unchanged.
public struct PreferencesUpdated: EventData {
  package static var kind: EventKind { .preferencesUpdated }
  /// The complete list; empty for none.
  public var allergies: [String]?
  /// The complete list; empty for none.
  public var dietaryRestrictions: [String]?
  /// The complete list; empty for none.
  public var foodDislikes: [String]?
  package var unknown = JSONObject()

  /// At least one list must be given.
  public init(
    allergies: [String]? = nil, dietaryRestrictions: [String]? = nil, foodDislikes: [String]? = nil
  ) {
    self.allergies = allergies
    self.dietaryRestrictions = dietaryRestrictions
    self.foodDislikes = foodDislikes
  }

  package init(from members: inout MemberReader) throws(EventError) {
    allergies = try members.optional("allergies")
    dietaryRestrictions = try members.optional("dietary_restrictions")
    foodDislikes = try members.optional("food_dislikes")
  }

  package func write(to members: inout MemberWriter) {
    members.put("allergies", allergies)
    members.put("dietary_restrictions", dietaryRestrictions)
    members.put("food_dislikes", foodDislikes)
  }
}

/// A new entry.
public struct ProgressLogged: EventData {
  package static var kind: EventKind { .progressLogged }
  /// The id of the new entry.
  public var entry: EntryID
  /// What was measured.
  public var metric: Metric
  /// In the metric's own unit.
  public var quantity: Double
  /// The local day of the measurement.
  public var date: CalendarDate
  /// `nil` for an entry without a time of day.
  public var moment: ZonedTime?
  /// At most 500 characters.
  public var notes: String?
  /// Where it was imported from; with ``sourceID`` it identifies imported entries.
  public var source: String?
  /// Its id at the source.
  public var sourceID: String?
  /// The backend's row as the imported data names it; a claim that sync checks before it binds.
  public var claimedBackendID: BackendID?
  package var unknown = JSONObject()

  /// A new entry; `entry` must not be in the ledger.
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

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    date = try members.required("date")
    moment = try members.zonedTime()
    notes = try members.optional("notes")
    source = try members.optional("source")
    sourceID = try members.optional("source_id")
    claimedBackendID = try members.optional("claimed_backend_id")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", notes)
    members.put("source", source)
    members.put("source_id", sourceID)
    members.put("claimed_backend_id", claimedBackendID)
  }
}

/// Changes to an entry; `nil` leaves a value unchanged. A new date alone keeps the time.
public struct ProgressCorrected: EventData {
  package static var kind: EventKind { .progressCorrected }
  /// The entry to correct.
  public var entry: EntryID
  /// In the metric's own unit.
  public var quantity: Double?
  /// The new day; `nil` leaves it unchanged.
  public var date: CalendarDate?
  /// The new time; `nil` leaves it unchanged.
  public var moment: ZonedTime?
  /// At most 500 characters.
  public var notes: FieldChange<String>?
  /// The row with these values, if sync records another device's correction.
  public var backendID: BackendID?
  package var unknown = JSONObject()

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

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    quantity = try members.optional("quantity")
    date = try members.optional("date")
    moment = try members.zonedTime()
    notes = try members.change("notes")
    backendID = try members.optional("backend_id")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", change: notes)
    members.put("backend_id", backendID)
  }
}

/// Why an entry was deleted by sync.
package enum DeletionReason {
  package static let missing = "deleted at the backend"
  private static let rowBelongs = "its row belongs to "
  private static let rowMayBelong = "its row may be one of "

  /// The row is the corrected one of another entry.
  package static func rowBelongs(to entry: EntryID) -> String { "\(rowBelongs)\(entry)" }

  /// The row may be another device's correction of another entry.
  package static func rowMayBelong(to entry: EntryID) -> String { "\(rowMayBelong)\(entry)" }

  /// Whether the row is at the backend, as another entry's.
  package static func namesAnotherEntry(_ reason: String?) -> Bool {
    saysRowBelongsToAnother(reason) || reason?.hasPrefix(rowMayBelong) == true
  }

  package static func saysRowBelongsToAnother(_ reason: String?) -> Bool {
    reason?.hasPrefix(rowBelongs) == true
  }
}

/// Deletes an entry; its events stay in the log.
public struct ProgressDeleted: EventData {
  package static var kind: EventKind { .progressDeleted }
  /// The entry to delete.
  public var entry: EntryID
  /// Why, as the user stated; kept in the log.
  public var reason: String?
  package var unknown = JSONObject()

  /// The deletion of an entry.
  public init(entry: EntryID, reason: String? = nil) {
    self.entry = entry
    self.reason = reason
  }

  package init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    reason = try members.optional("reason")
  }

  package func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("reason", reason)
  }
}

/// Undoes an unsent edit.
package struct EditUndone: EventData {
  package static var kind: EventKind { .editUndone }
  package var event: Seq
  package var unknown = JSONObject()

  package init(event: Seq) {
    self.event = event
  }

  package init(from members: inout MemberReader) throws(EventError) {
    event = try members.required("event")
  }

  package func write(to members: inout MemberWriter) {
    members.put("event", event)
  }
}

/// A goal for a metric; it is local, never sent, and replaces the metric's earlier goal.
public struct GoalSet: EventData {
  package static var kind: EventKind { .goalSet }
  /// The metric.
  public var metric: Metric
  /// In ``Metric/unit``, within ``Metric/range``.
  public var quantity: Double
  /// The day by which the quantity is to be reached; `nil` for a daily goal.
  public var by: CalendarDate?
  /// Whether the quantity is to be reached on each day.
  public var isDaily: Bool
  /// Whether a daily goal is a limit: at most the quantity, not at least.
  public var isAtMost: Bool
  /// The quantity that progress is measured from; `nil` to take it from the entries on ``since``. A goal
  /// above it is approached from below, one below it from above, except for metrics of which more is
  /// always better, such as steps. Earlier versions wrote the latest quantity when the goal was set.
  public var start: Double?
  /// The local day on which the goal was set; `nil` before an edit is decided, and in events of earlier
  /// versions.
  public package(set) var since: CalendarDate?
  package var unknown = JSONObject()

  /// A goal to reach by a day; without a day, a goal for each day.
  public init(
    metric: Metric, quantity: Double, by: CalendarDate?, isAtMost: Bool = false,
    start: Double? = nil
  ) {
    self.metric = metric
    self.quantity = quantity
    self.by = by
    self.isAtMost = isAtMost
    self.start = start
    isDaily = by == nil
  }

  package init(from members: inout MemberReader) throws(EventError) {
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    by = try members.optional("by")
    isDaily = try members.optional("daily") ?? false
    isAtMost = try members.optional("at_most") ?? false
    start = try members.optional("start")
    since = try members.optional("since")
  }

  package func write(to members: inout MemberWriter) {
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("by", by)
    members.put("daily", isDaily ? true : nil)
    members.put("at_most", isAtMost ? true : nil)
    members.put("start", start)
    members.put("since", since)
  }
}

/// The removal of a metric's goal.
public struct GoalRemoved: EventData {
  package static var kind: EventKind { .goalRemoved }
  /// The metric.
  public var metric: Metric
  package var unknown = JSONObject()

  /// The removal of a metric's goal.
  public init(metric: Metric) { self.metric = metric }

  package init(from members: inout MemberReader) throws(EventError) {
    metric = try members.required("metric")
  }

  package func write(to members: inout MemberWriter) { members.put("metric", metric) }
}
