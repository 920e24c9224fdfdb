import LedgerJSON
import LedgerModel

/// A date of the old app.
enum LegacyMoment: Hashable {
  case day(CalendarDate)
  /// A date and time without an offset.
  case wall(CalendarDate, ClockTime)
  case instant(Timestamp)

  /// Seconds from 1970 to 2001, the reference of Swift's numeric dates.
  private static let referenceSeconds = 978_307_200.0

  /// Reads a day, RFC 3339, `1983-07-19 22:00:00 +0000`, or seconds since 2001.
  init(_ value: JSONValue) throws(RowFault) {
    if let seconds = value.number {
      // Rounded up, the last half millisecond of a second would be the next second, which the old app
      // did not send.
      let milliseconds = ((seconds + Self.referenceSeconds) * 1000).rounded(.down)
      guard milliseconds.magnitude < 1e15 else {
        throw RowFault("it is \(value.shown), which is not a date")
      }
      self = .instant(Timestamp(millisecondsSince1970: Int64(milliseconds)))
      return
    }
    let text = value.string?.trimmingSpaces ?? ""
    guard let written = WrittenDate(text), case .date(let date) = written.day,
      !isDigits(text)
    else {
      throw RowFault(
        "it is \(value.shown); it must be a day such as 1985-03-04, or a moment such as "
          + "1985-03-04T07:30:00Z")
    }
    guard let time = written.time else {
      self = .day(date)
      return
    }
    guard let zone = written.zone else {
      self = .wall(date, time)
      return
    }
    self = .instant(ZonedTime(time: time, zone: zone).instant(on: date))
  }
}

extension ImportContext {
  /// The wall time of an instant in the files' zone.
  ///
  /// - Returns: `nil` outside the years 1 to 9999.
  func local(
    _ instant: Timestamp
  ) -> (date: CalendarDate, time: ClockTime, zone: ZoneOffset)? {
    var offset = ZoneOffset.utc
    // The offset is known by wall time, so it is found in two steps.
    for _ in 0..<2 {
      guard let (date, time) = instant.localTime(at: offset) else { return nil }
      offset = zone(time, date)
    }
    guard let (date, time) = instant.localTime(at: offset) else { return nil }
    return (date, time, offset)
  }
}

/// Maps the entries of the old app's store.
struct LegacyEntries {
  static let source = "legacy"

  private let file: String
  private let context: ImportContext
  private var result = ImportResult()
  /// By the hash of an id, the hash of the values of its first entry.
  private var firsts: [TextHash: UInt64] = [:]
  /// Metrics with an imperial unit of which quantities had no unit.
  private var bareMetrics: Set<Metric> = []
  /// Unknown members that are problems of a kind of their own. A hostile file may have any number.
  private var unknownMembers: Set<String> = []
  private static let unknownMembersAtMost = 20
  /// Claimed entries of midnight in the ledger's zone, which may be days.
  private var midnights = 0

  init(file: String, context: ImportContext) {
    self.file = file
    self.context = context
  }

  /// A problem's row is the entry's number in the list, from 1.
  mutating func take(_ value: JSONValue) {
    result.rows += 1
    do throws(RowFault) {
      try takeEntry(value)
    } catch {
      result.report(
        RowProblem(error, file: file, row: result.rows), type: "entry", as: "it cannot be read")
    }
  }

  private mutating func takeEntry(_ value: JSONValue) throws(RowFault) {
    guard let object = value.object else {
      throw RowFault("it is \(value.shown); it must be an object")
    }
    let members = LegacyMembers(object)
    noteOtherMembers(members)
    guard try !members.isDeleted else {
      result.skipped.add("entry", "it is deleted in the old app")
      return
    }
    let logged = try entry(members)
    let sourceID = logged.sourceID ?? ""
    let values = Self.hash(logged)
    if let first = firsts.updateValue(values, forKey: TextHash(sourceID)) {
      firsts[TextHash(sourceID)] = first
      guard first == values else {
        throw RowFault("its id is \(quoted(sourceID)), as of an entry with other values")
      }
      result.reportDuplicate(
        RowProblem(file: file, row: result.rows, reason: "the same entry again"))
      return
    }
    if context.knownEntry(Self.source, sourceID) != nil {
      result.knownEntries[logged.metric, default: 0] += 1
    } else {
      result.entries.append(logged)
      let isOfTime = try members.value("time") != nil
      if logged.moment?.time == .midnight, !isOfTime, logged.claimedBackendID != nil {
        midnights += 1
      }
    }
  }

  /// Names without `_`, `-` and case that ``entry(_:)`` reads, or that say nothing of an entry.
  private static let members: Set<String> = [
    "id", "type", "metric", "quantity", "value", "unit", "date", "loggedat", "time", "notes",
    "note",
    "backendid", "syncstatus", "isdeleted", "deleted", "deletedat",
  ]
  private static let withoutField: Set<String> = [
    "userid", "localid", "createdat", "updatedat", "lastsyncedat", "source", "version",
  ]

  private mutating func noteOtherMembers(_ members: LegacyMembers) {
    for (name, asWritten) in members.names where !Self.members.contains(name) {
      guard !Self.withoutField.contains(name) else {
        result.skipped.add(asWritten, LegacyProfile.noField)
        continue
      }
      var problem = RowProblem(
        file: file, row: result.rows,
        reason: "\(quoted(asWritten)) is not known in the old app's data",
        isOfTable: true)
      if unknownMembers.count < Self.unknownMembersAtMost { unknownMembers.insert(name) }
      problem.kind =
        unknownMembers.contains(name) ? problem.reason : "other members are not known"
      result.report(problem, type: asWritten, as: "it is not known")
    }
  }

  /// Equal for entries of equal values.
  private static func hash(_ logged: ProgressLogged) -> UInt64 {
    let moment = logged.moment.map { "\($0.time)\($0.zone)" } ?? ""
    return TextHash.short(
      "\(logged.metric.index) \(logged.date.daysSince1970) \(moment) \(logged.quantity)")
  }

  private mutating func entry(_ members: LegacyMembers) throws(RowFault) -> ProgressLogged {
    let type = try members.text("type", "metric") ?? ""
    guard let metric = Self.metric(type) else {
      throw RowFault(
        "its type is \(quoted(type)), which is not a metric", kind: "its type is not a metric")
    }
    let quantity = try self.quantity(members, metric)
    guard let dated = try members.value("date", "loggedAt") else {
      throw RowFault("it has no date")
    }
    let (date, moment) = try self.moment(dated, time: members.text("time"))
    let notes = try members.text("notes", "note")
    let id = try members.text("id") ?? ""
    var logged = ProgressLogged(
      entry: context.makeEntry(), metric: metric, quantity: quantity, date: date, moment: moment,
      notes: notes?.isEmpty == true ? nil : notes, source: Self.source)
    logged.sourceID = id.isEmpty ? Self.derivedID(logged) : id
    logged.claimedBackendID = try members.text("backendID").flatMap { BackendID($0) }
    do throws(Refusal) {
      _ = try decide(.logProgress(logged), given: NoFacts(), today: date)
    } catch {
      throw RowFault(error.description)
    }
    return logged
  }

  private mutating func quantity(
    _ members: LegacyMembers, _ metric: Metric
  ) throws(RowFault) -> Double {
    if let other = members.names.first(where: { $0.plain.hasSuffix("unit") && $0.plain != "unit" })
    {
      throw RowFault(
        "its unit is in \(quoted(other.asWritten)), which is not known; call it 'unit'",
        kind: "its unit is in a member that is not known")
    }
    let given = try members.value("quantity", "value")
    let unit = try members.text("unit").flatMap { text throws(RowFault) in
      text.isEmpty ? nil : try legacyUnit(text, of: metric)
    }
    // A number in quotes is one, as programs that keep decimals write it.
    if let text = given?.string {
      try Self.refuseTwoReadings(of: text, metric)
      guard unit == nil || !QuantityReader.hasUnit(text) else {
        throw RowFault(
          "its quantity \(quoted(text)) has a unit beside 'unit'; write the number alone",
          kind: "its quantity has two units")
      }
    }
    if let given, unit != nil || given.string != nil {
      do {
        return try given.quantity(of: metric, in: unit)
      } catch {
        throw RowFault(error.sentence, kind: "its quantity does not fit")
      }
    }
    guard let quantity = given?.number.flatMap({ metric.stored($0) }) else {
      throw RowFault(
        "its quantity is \(given?.shown ?? "missing"); "
          + "\(metric.name) must be \(metric.range) \(metric.unit)",
        kind: "its quantity does not fit")
    }
    if quantity != 0, metric.imperialUnit != nil { bareMetrics.insert(metric) }
    return quantity
  }

  /// Refuses `"5.000"` steps, which are five for a program that keeps decimals, and 5,000 for one that
  /// writes numbers as people do.
  private static func refuseTwoReadings(of text: String, _ metric: Metric) throws(RowFault) {
    guard let shape = NumberShape(text), shape.isAmbiguous,
      let grouped = NumberStyle(mark: shape.onlyMark == .comma ? .point : .comma).value(text),
      metric.accepts(grouped)
    else { return }
    throw RowFault(
      "its quantity \(quoted(text)) can be read in two ways; write it without quotes",
      kind: "its quantity can be read in two ways")
  }

  /// Midnight in UTC is a day without a time, as the backend has it.
  private func moment(
    _ value: JSONValue, time text: String?
  ) throws(RowFault) -> (CalendarDate, ZonedTime?) {
    var time: ClockTime?
    if let text, !text.isEmpty {
      guard let read = WrittenDate.timeOfDay(text) else {
        throw RowFault("its time is \(quoted(text)); it must be a time of day such as 07:30:00")
      }
      time = read
    }
    func at(_ date: CalendarDate, _ time: ClockTime) -> ZonedTime {
      ZonedTime(time: time, zone: context.zone(time, date))
    }
    switch try LegacyMoment(value) {
    case .day(let date): return (date, time.map { at(date, $0) })
    case .wall(let date, let wall): return (date, at(date, time ?? wall))
    case .instant(let instant):
      guard let local = context.local(instant), let utc = instant.localTime(at: .utc) else {
        throw RowFault("its date is \(value.shown), which is out of range")
      }
      let isDay = utc.time == .midnight
      if let time {
        let date = isDay && local.time != .midnight ? utc.date : local.date
        return (date, at(date, time))
      }
      return isDay ? (utc.date, nil) : (local.date, ZonedTime(time: local.time, zone: local.zone))
    }
  }

  /// Names are compared without `_`, `-` and case: `caloriesOut` is `calories_out`.
  private static func metric(_ text: String) -> Metric? {
    func plain(_ text: String) -> String {
      String(text.filter { $0 != "_" && $0 != "-" && $0 != " " }).lowercased()
    }
    let wanted = plain(text)
    return Metric.allCases.first { plain($0.name) == wanted } ?? otherNames[wanted]
  }

  private static let otherNames: [String: Metric] = [
    "bodyfat": .bodyFatPercentage, "bodyweight": .weight, "distance": .distanceKM,
    "sleep": .sleepHours, "water": .waterLiters, "heartrateresting": .restingHeartRate,
    "mood": .moodScore, "protein": .proteinG, "carbs": .carbsG, "fat": .fatG,
    "caloriesburned": .caloriesOut, "caloriesconsumed": .caloriesIn,
  ]

  /// For an entry without an id.
  private static func derivedID(_ logged: ProgressLogged) -> String {
    let moment = logged.moment.map { "T\($0.time)\($0.zone)" } ?? ""
    return "\(logged.metric.name):\(logged.date)\(moment):\(JSONNumber.text(logged.quantity))"
  }

  private func isImperial(_ stated: UnitSystem?) throws(ImportError) -> Bool {
    if let stated { return stated == .imperial }
    return try context.unitSystem() == .imperial
  }

  /// - Parameter profile: what the same file has of the person.
  consuming func finish(_ profile: ImportResult) throws(ImportError) -> ImportResult {
    var whole = profile
    try whole.add(result)
    if midnights > 0 {
      whole.notes.append(
        "\(midnights) entries are of midnight in the ledger's zone; if the backend has days without a "
          + "time, write such as 2026-01-05, since they are sent again otherwise")
    }
    if !bareMetrics.isEmpty, try isImperial(whole.profile.unitSystem) {
      let metrics = Metric.allCases.filter(bareMetrics.contains)
      let shown = metrics.map { "\($0.name) in \($0.unit)" }.joined(separator: ", ")
      whole.notes.append(
        "\(file): quantities without a unit are read as the old app kept them, \(shown), although the "
          + "units are imperial; write 'unit' beside those that are not")
    }
    if whole.rows == 0 { whole.notes.append("\(file): nothing is in it") }
    return whole
  }
}

/// Members by name without `_`, `-` and case.
private struct LegacyMembers {
  private var values: [String: JSONValue] = [:]
  /// The names of members that are there twice, with different values.
  private var twice: [String: String] = [:]
  /// Each name without `_`, `-` and case, and as written.
  private(set) var names: [(plain: String, asWritten: String)] = []

  init(_ object: JSONObject) {
    for member in object.members where !member.value.isNull {
      let name = Self.plain(member.name)
      if let other = values[name], other != member.value { twice[name] = member.name }
      values[name] = member.value
      names.append((name, member.name))
    }
  }

  /// - Throws: for a status that says neither that the entry lives nor that it is deleted.
  var isDeleted: Bool {
    get throws(RowFault) {
      let status = try text("syncStatus") ?? ""
      guard ["", "pending", "syncing", "synced", "failed"].contains(status.lowercased()) else {
        throw RowFault(
          "its syncStatus is \(quoted(status)), which is not known",
          kind: "its syncStatus is not known")
      }
      for name in ["isDeleted", "deleted", "deletedAt"] where try isSet(name) { return true }
      return false
    }
  }

  /// Databases have 0 and 1 for false and true.
  private func isSet(_ name: String) throws(RowFault) -> Bool {
    switch try value(name) {
    case nil, .bool(false)?, .string("")?, .string("false")?, .string("0")?: false
    case let value?: value.number != 0
    }
  }

  private static func plain(_ name: String) -> String {
    String(name.filter { $0 != "_" && $0 != "-" }).lowercased()
  }

  /// The first of these members that is there.
  ///
  /// - Throws: for one that is there twice, with different values.
  func value(_ names: String...) throws(RowFault) -> JSONValue? {
    for name in names {
      if let value = try only(Self.plain(name)) { return value }
    }
    return nil
  }

  private func only(_ plain: String) throws(RowFault) -> JSONValue? {
    if let name = twice[plain] {
      throw RowFault("its \(name) is there twice, with different values")
    }
    return values[plain]
  }

  /// Text, or a number as text.
  func text(_ names: String...) throws(RowFault) -> String? {
    for name in names {
      guard let value = try only(Self.plain(name)) else { continue }
      if let text = value.string { return text.trimmingSpaces }
      if let number = value.number {
        guard number.magnitude < 9_007_199_254_740_992 else {
          throw RowFault("its \(name) is a number of more than 15 digits; it must be text")
        }
        return JSONNumber.text(number)
      }
      throw RowFault("its \(name) is \(value.shown); it must be text")
    }
    return nil
  }
}
