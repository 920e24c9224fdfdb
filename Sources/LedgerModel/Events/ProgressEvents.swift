public import LedgerJSON

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

/// A row that the backend had and this ledger did not.
public struct ProgressPulled: EventData {
  public static var kind: EventKind { .progressPulled }
  public var entry: EntryID
  public var backendID: BackendID
  public var metric: Metric
  public var quantity: Double
  public var date: CalendarDate
  public var moment: ZonedTime?
  public var notes: String?
  public var unknown = JSONObject()

  public init(
    entry: EntryID, backendID: BackendID, metric: Metric, quantity: Double, date: CalendarDate,
    moment: ZonedTime? = nil, notes: String? = nil
  ) {
    self.entry = entry
    self.backendID = backendID
    self.metric = metric
    self.quantity = quantity
    self.date = date
    self.moment = moment
    self.notes = notes
  }

  public init(from members: inout MemberReader) throws(EventError) {
    entry = try members.required("entry")
    backendID = try members.required("backend_id")
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    date = try members.required("date")
    moment = try members.zonedTime()
    notes = try members.optional("notes")
  }

  public func write(to members: inout MemberWriter) {
    members.put("entry", entry)
    members.put("backend_id", backendID)
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("date", date)
    members.put(moment)
    members.put("notes", notes)
  }
}
