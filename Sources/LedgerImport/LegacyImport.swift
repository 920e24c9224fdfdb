import LedgerJSON
package import LedgerModel

/// Reads the old app's store in JSON: a profile, a list of entries, or an object with both as
/// `profile` and `entries` (docs/moving-in.md lists the members). Unsupported members are reported by
/// name.
package enum LegacyImport {
  /// About two million entries. They are read one by one, but the ids of all are held in memory.
  static let limitBytes = 1 << 28

  /// - Parameter today: the date of a weight without one.
  /// - Throws: ``ImportError`` if the file is no JSON object or cannot be read.
  package static func read(
    _ source: ImportSource, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var profile = LegacyProfile(file: source.name, today: today, context: context)
    var entries = LegacyEntries(file: source.name, context: context)
    var list = try elements(source, context)
    while let value = try list.next() {
      // The size of a pipe is not known before.
      guard list.bytesBefore <= limitBytes else { throw tooLarge(source) }
      entries.take(value)
    }
    if let rest = try list.rest() {
      guard let object = rest.object else {
        throw ImportError(
          .unfit,
          "\(source.name) is neither a profile nor a list of entries; it must be a JSON object or list"
        )
      }
      profile.take(object)
      profile.applyUnits()
    }
    return try entries.finish(profile.finish(context))
  }

  private static func tooLarge(_ source: ImportSource) -> ImportError {
    ImportError(
      .unfit, "\(source.name) is larger than \(limitBytes) bytes; split its list of entries")
  }

  private static func elements(
    _ source: ImportSource, _ context: ImportContext
  ) throws(ImportError) -> JSONElements {
    if let size = source.sizeBytes, size > limitBytes { throw tooLarge(source) }
    let stream = try ByteStream(opening: source, progress: context.progress)
    var beginning: [UInt8] = []
    while beginning.count < ForeignFile.neededBytes, case let piece = try stream.next(),
      !piece.isEmpty
    { beginning += piece }
    guard !beginning.isEmpty else {
      throw ImportError(.unfit, "\(source.name) is empty; it should be the old app's data")
    }
    if ForeignFile.isLockedZip(beginning) { throw ForeignFile.lockedZip(named: source.name) }
    if ForeignFile.isZip(beginning) {
      throw ImportError(
        .unfit, "\(source.name) is a zip file; unpack it and give the JSON file that is in it")
    }
    if let kind = ForeignFile.kind(of: beginning) {
      throw ImportError(
        .unfit, "\(source.name) is \(kind); give the old app's data, JSON in UTF-8")
    }
    return JSONElements(stream, name: source.name, beginning: beginning, list: "entries")
  }
}

/// Maps the members of an old profile to profile fields and an entry.
struct LegacyProfile {
  private let file: String
  private let today: CalendarDate
  private let context: ImportContext
  private var result = ImportResult()
  private var weight: Double?
  private var weighed: CalendarDate?
  private var firstName: String?
  private var lastName: String?
  /// Numbers wait for their unit, which may follow. `unit` is that of the name.
  private var measures: [(name: String, value: JSONValue, metric: Metric, unit: String?)] = []
  private var units: [Metric: String] = [:]
  /// Fields of which two members give different values.
  private var contradicted: Set<PartialKeyPath<LegacyProfile>> = []

  static let source = "legacy"
  static let noField = "the ledger has no field for it"

  init(file: String, today: CalendarDate, context: ImportContext) {
    self.file = file
    self.today = today
    self.context = context
  }

  /// Names are compared without `_`, `-` and case.
  mutating func take(_ object: JSONObject) {
    for member in object.members {
      let name = String(member.name.filter { $0 != "_" && $0 != "-" }).lowercased()
      if ["profile", "user", "metadata", "physical", "physicalprofile", "preferences"].contains(
        name),
        let inner = member.value.object
      {
        take(inner)
        continue
      }
      guard !isEmpty(member.value) else { continue }
      do throws(RowFault) {
        try take(name, member.name, member.value)
      } catch {
        leaveOut(member.name, "it cannot be read", "\(shown(member.name)): \(error.sentence)")
      }
    }
  }

  private mutating func take(
    _ name: String, _ asWritten: String, _ value: JSONValue
  ) throws(RowFault) {
    switch name {
    case "gender", "sex", "biologicalsex": try set(\.result.profile.biologicalSex, try sex(value))
    case "height": measures.append((asWritten, value, .height, nil))
    case "weight": measures.append((asWritten, value, .weight, nil))
    case "heightcm": measures.append((asWritten, value, .height, "cm"))
    case "weightkg": measures.append((asWritten, value, .weight, "kg"))
    case "heightunit": try set(\.units[.height], try text(value))
    case "weightunit": try set(\.units[.weight], try text(value))
    case "firstname": try set(\.firstName, try text(value))
    case "lastname": try set(\.lastName, try text(value))
    case "weightdate", "weighedat": try set(\.weighed, try day(value))
    case "dateofbirth", "birthdate", "birthday", "dob":
      try set(\.result.profile.dateOfBirth, try birth(value))
    case "name", "fullname", "displayname":
      let name = try text(value)
      try check(.updateProfile(ProfileUpdated(name: name)))
      try set(\.result.profile.name, name)
    case "bio", "about":
      let bio = try text(value)
      try check(.updateProfile(ProfileUpdated(bio: .set(bio))))
      try set(\.result.profile.bio, bio)
    case "unitsystem", "preferredunitsystem", "units":
      let text = try text(value)
      guard let units = UnitSystem(rawValue: text.lowercased()) else {
        throw RowFault("it is \(quoted(text)); it must be metric or imperial")
      }
      try set(\.result.profile.unitSystem, units)
    case "language", "languagecode", "locale":
      let code = String(try text(value).map { $0 == "_" ? "-" : $0 })
      try check(.updateProfile(ProfileUpdated(languageCode: .set(code))))
      try set(\.result.profile.languageCode, code)
    case "allergies": try set(\.result.profile.allergies, try list(value))
    case "dietaryrestrictions": try set(\.result.profile.dietaryRestrictions, try list(value))
    case "fooddislikes": try set(\.result.profile.foodDislikes, try list(value))
    case "username", "activitylevel", "email", "id", "userid", "createdat", "updatedat", "avatar",
      "avatarurl", "age", "backendid", "syncstatus", "version":
      result.skipped.add(asWritten, Self.noField)
    default:
      leaveOut(
        asWritten, "it is not known", "\(shown(asWritten)) is not known in the old app's data")
    }
  }

  /// Sets a field, unless two members give it different values: then neither counts.
  private mutating func set<Value: Equatable>(
    _ field: WritableKeyPath<LegacyProfile, Value?>, _ value: Value
  ) throws(RowFault) {
    guard !contradicted.contains(field), self[keyPath: field] ?? value == value else {
      contradicted.insert(field)
      self[keyPath: field] = nil
      throw RowFault("it is \(value), but another member says otherwise; take one of them away")
    }
    self[keyPath: field] = value
  }

  /// Reads what waits for other members: quantities for their units, the parts of the name.
  mutating func applyUnits() {
    for (name, value, metric, named) in measures {
      do throws(RowFault) {
        let stated = try unit(of: metric)
        if let named, let stated, stated != named {
          throw RowFault(
            "it is \(value.shown), '\(named)' by its name and '\(stated)' by its unit; take one "
              + "of them away")
        }
        let unit = named ?? stated
        if metric == .height {
          try set(\.result.profile.heightCM, try height(value, unit))
        } else {
          try set(\.weight, try weight(value, unit))
        }
      } catch {
        leaveOut(name, "it cannot be read", "\(shown(name)): \(error.sentence)")
      }
    }
    let whole = [firstName, lastName].compactMap { $0 }.joined(separator: " ")
    guard result.profile.name == nil, !whole.isEmpty else { return }
    do throws(RowFault) {
      try check(.updateProfile(ProfileUpdated(name: whole)))
      result.profile.name = whole
    } catch {
      leaveOut("firstName", "it cannot be read", "'firstName': \(error.sentence)")
    }
  }

  /// The unit of a bare number, as ``Quantity`` calls it.
  private func unit(of metric: Metric) throws(RowFault) -> String? {
    guard !contradicted.contains(\LegacyProfile.units[metric]) else {
      throw RowFault("its unit is not certain")
    }
    guard let text = units[metric] else { return nil }
    return try legacyUnit(text, of: metric)
  }

  consuming func finish(_ context: ImportContext) -> ImportResult {
    if let weight { addWeight(weight, context) }
    return result
  }

  /// The profile has one weight, usually without a date, so the value is part of its source id.
  private mutating func addWeight(_ weight: Double, _ context: ImportContext) {
    let day = weighed.map { ":\($0)" } ?? ""
    let sourceID = "\(Self.source):weight:\(JSONNumber.text(weight))\(day)"
    guard context.knownEntry(Self.source, sourceID) == nil else {
      result.knownEntries[.weight] = 1
      return
    }
    if weighed == nil { result.notes.append("the weight has no date, so it is one of today") }
    result.entries.append(
      ProgressLogged(
        entry: context.makeEntry(), metric: .weight, quantity: weight, date: weighed ?? today,
        source: Self.source, sourceID: sourceID))
  }

  private mutating func leaveOut(_ type: String, _ reason: String, _ sentence: String) {
    result.report(RowProblem(file: file, row: 1, reason: sentence), type: type, as: reason)
  }

  private func shown(_ name: String) -> String { quoted(name) }

  private mutating func isEmpty(_ value: JSONValue) -> Bool {
    result.rows += 1
    return value.isNull || value.string?.trimmingSpaces.isEmpty == true
  }
}

extension LegacyProfile {
  private func sex(_ value: JSONValue) throws(RowFault) -> BiologicalSex {
    let text = try text(value)
    switch text.lowercased() {
    case "male", "m", "man": return .male
    case "female", "f", "woman": return .female
    case "other", "o", "diverse", "non-binary", "nonbinary": return .other
    default: throw RowFault("it is \(quoted(text)); it must be male, female or other")
    }
  }

  private func height(_ value: JSONValue, _ unit: String?) throws(RowFault) -> Double {
    let centimetres = try value.quantity(of: .height, in: unit)
    // Rejects heights in metres or feet without their unit.
    guard centimetres >= 30 else {
      throw RowFault(
        "it is \(value.shown), which is not a height in cm; write it in cm, or with its "
          + "unit as \"1.8m\"")
    }
    // Hardly anyone is smaller than a metre, but people are 65 inches tall.
    if unit == nil, value.isBareNumber, centimetres < 100, result.profile.unitSystem != .metric {
      throw RowFault(
        "it is \(value.shown), which may be cm or inches; add heightUnit, or write it with its unit"
      )
    }
    return centimetres
  }

  private func weight(_ value: JSONValue, _ unit: String?) throws(RowFault) -> Double {
    if unit == nil, value.isBareNumber, result.profile.unitSystem == .imperial {
      throw RowFault(
        "it is \(value.shown), which may be kg or lb; add weightUnit, or write it with its unit"
      )
    }
    return try value.quantity(of: .weight, in: unit)
  }

  /// A day; an instant is the day of which it is the midnight, in the ledger's zone, else in UTC.
  private func birth(_ value: JSONValue) throws(RowFault) -> CalendarDate {
    let date: CalendarDate
    switch try LegacyMoment(value) {
    case .day(let day), .wall(let day, _): date = day
    case .instant(let instant):
      guard let local = context.local(instant), let utc = instant.localTime(at: .utc) else {
        throw RowFault("it is \(value.shown), which is not a date")
      }
      if local.time == .midnight {
        date = local.date
      } else if utc.time == .midnight {
        date = utc.date
      } else {
        throw RowFault(
          "it is \(value.shown): midnight neither in the ledger's zone, where it is "
            + "\(local.date) \(local.time), nor in UTC, where it is \(utc.date) \(utc.time); write "
            + "the day, such as \(local.date)")
      }
    }
    guard date <= today else { throw RowFault("it is \(date), which is in the future") }
    return date
  }

  /// A day, or the local day of an instant.
  private func day(_ value: JSONValue) throws(RowFault) -> CalendarDate {
    switch try LegacyMoment(value) {
    case .day(let day), .wall(let day, _): return day
    case .instant(let instant):
      guard let local = context.local(instant) else {
        throw RowFault("it is \(value.shown), which is not a date")
      }
      return local.date
    }
  }

  private func text(_ value: JSONValue) throws(RowFault) -> String {
    guard let text = value.string else {
      throw RowFault("it is \(value.shown); it must be text")
    }
    return text.trimmingSpaces
  }

  private func list(_ value: JSONValue) throws(RowFault) -> [String] {
    guard let items = value.array else { return [try text(value)] }
    var texts: [String] = []
    for item in items { texts.append(try text(item)) }
    return texts
  }

  private func check(_ change: Edit.Change) throws(RowFault) {
    do throws(Refusal) {
      _ = try decide(change, given: NoFacts(), today: today)
    } catch {
      throw RowFault(error.description)
    }
  }
}

/// The unit of a bare number, as ``Quantity`` calls it.
func legacyUnit(_ text: String, of metric: Metric) throws(RowFault) -> String {
  guard let unit = UnitName(text)?.suffix(for: metric) else {
    throw RowFault("its unit is \(quoted(text)), which is not a unit of \(metric.name)")
  }
  return unit
}

extension JSONValue {
  /// Whether it is a number, or text that ends in one, without a unit.
  var isBareNumber: Bool { number != nil || string?.trimmingSpaces.last?.isNumber == true }

  /// - Parameter unit: of bare numbers; `nil` for the metric's own.
  func quantity(of metric: Metric, in unit: String?) throws(RowFault) -> Double {
    let quantity: Double
    do throws(Refusal) {
      if let number {
        quantity =
          try unit.map { unit throws(Refusal) in
            try Quantity.parse(
              JSONNumber.text(JSONNumber.writable(number) ?? number) + unit, for: metric)
          } ?? number
      } else {
        guard let text = string?.trimmingSpaces else {
          throw Refusal(.malformed, "it is \(shown), no number")
        }
        quantity = try Quantity.parse(text + (isBareNumber ? unit ?? "" : ""), for: metric)
      }
    } catch {
      throw RowFault(error.description)
    }
    guard let kept = metric.stored(quantity) else {
      throw RowFault("it is \(shown); it must be \(metric.range) \(metric.unit)")
    }
    return kept
  }
}
