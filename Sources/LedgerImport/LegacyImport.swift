import LedgerJSON
public import LedgerModel

/// Reads the old app's profile: one JSON object.
///
/// `gender` is the biological sex, `height` the height in centimetres, `weight` an entry in
/// kilograms; docs/import.md lists the other members. Unsupported members are reported by name.
public enum LegacyImport {
  /// The old app's profiles have a few hundred bytes.
  static let limitBytes = 1 << 20

  /// - Parameter today: the date of a weight without one.
  /// - Throws: ``ImportError`` if the file is no JSON object or cannot be read.
  public static func read(
    _ source: ImportSource, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var profile = LegacyProfile(file: source.name, today: today)
    profile.take(try object(source, context))
    return profile.finish(context)
  }

  private static func object(
    _ source: ImportSource, _ context: ImportContext
  ) throws(ImportError) -> JSONObject {
    let stream = try ByteStream(opening: source, progress: context.progress)
    var bytes: [UInt8] = []
    while true {
      let piece = try stream.next()
      if piece.isEmpty { break }
      bytes += piece
      guard bytes.count <= limitBytes else {
        throw ImportError(
          .unfit,
          "\(source.name) is larger than \(limitBytes) bytes; it is no profile of one person")
      }
    }
    guard !bytes.isEmpty else {
      throw ImportError(.unfit, "\(source.name) is empty; it should be the old app's profile")
    }
    if let kind = ForeignFile.kind(of: bytes) {
      throw ImportError(
        .unfit, "\(source.name) is \(kind); give the old app's profile, JSON in UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImportError(.unfit, "\(source.name) is no valid UTF-8; save it as JSON in UTF-8")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, rules: .wire)
    } catch {
      throw ImportError(.unfit, "\(source.name) is no JSON that can be read: \(error)")
    }
    guard let object = value.object else {
      throw ImportError(
        .unfit, "\(source.name) is no profile; that is one JSON object with gender, height, weight")
    }
    return object
  }
}

/// Maps the members of an old profile to profile fields and an entry.
private struct LegacyProfile {
  private let file: String
  private let today: CalendarDate
  private var result = ImportResult()
  private var weight: Double?
  private var weighed: CalendarDate?

  static let source = "legacy"
  private static let noHome = "it has no home in this ledger"

  init(file: String, today: CalendarDate) {
    self.file = file
    self.today = today
  }

  /// Names are compared without `_`, `-` and case.
  mutating func take(_ object: JSONObject) {
    for member in object.members {
      let name = String(member.name.filter { $0 != "_" && $0 != "-" }).lowercased()
      if name == "profile" || name == "user", let inner = member.value.object {
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
    case "gender", "sex", "biologicalsex": result.person.biologicalSex = try sex(value)
    case "height", "heightcm": result.person.heightCM = try height(value)
    case "weight", "weightkg": weight = try quantity(value, .weight)
    case "weightdate", "weighedat": weighed = try day(value)
    case "dateofbirth", "birthdate", "birthday", "dob": result.person.dateOfBirth = try birth(value)
    case "name", "fullname", "displayname":
      let name = try text(value)
      try check(.updateProfile(ProfileUpdated(name: name)))
      result.person.name = name
    case "bio", "about":
      let bio = try text(value)
      try check(.updateProfile(ProfileUpdated(bio: .set(bio))))
      result.person.bio = bio
    case "unitsystem", "preferredunitsystem", "units":
      let text = try text(value)
      guard let units = UnitSystem(rawValue: text.lowercased()) else {
        throw RowFault("it is \(quoted(text)); it must be metric or imperial")
      }
      result.person.unitSystem = units
    case "language", "languagecode", "locale":
      let code = String(try text(value).map { $0 == "_" ? "-" : $0 })
      try check(.updateProfile(ProfileUpdated(languageCode: .set(code))))
      result.person.languageCode = code
    case "allergies": result.person.allergies = try list(value)
    case "dietaryrestrictions": result.person.dietaryRestrictions = try list(value)
    case "fooddislikes": result.person.foodDislikes = try list(value)
    case "username", "activitylevel", "email", "id", "userid", "createdat", "updatedat", "avatar",
      "avatarurl", "age":
      result.skipped.add(asWritten, Self.noHome)
    default:
      leaveOut(asWritten, "it is not known", "\(shown(asWritten)) is not known here")
    }
  }

  consuming func finish(_ context: ImportContext) -> ImportResult {
    if let weight { addWeight(weight, context) }
    if result.rows == 0 { result.notes.append("\(file): nothing is in it") }
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
    result.edits.append(
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

  private func height(_ value: JSONValue) throws(RowFault) -> Double {
    let centimetres = try quantity(value, .height)
    // Rejects heights in metres or feet without their unit.
    guard centimetres >= 30 else {
      throw RowFault(
        "it is \(value.serialized), which is no height in cm; write it in cm, or with its "
          + "unit as \"1.8m\"")
    }
    return centimetres
  }

  private func quantity(_ value: JSONValue, _ metric: Metric) throws(RowFault) -> Double {
    let quantity: Double
    if let number = value.number {
      quantity = number
    } else {
      do throws(Refusal) {
        quantity = try Quantity.parse(try metricText(value), for: metric)
      } catch {
        throw RowFault(error.description)
      }
    }
    guard let kept = metric.stored(quantity) else {
      throw RowFault("it is \(value.serialized); it must be \(metric.range) \(metric.unit)")
    }
    return kept
  }

  private func metricText(_ value: JSONValue) throws(Refusal) -> String {
    guard let text = value.string else {
      throw Refusal(.malformed, "it is \(value.serialized), no number")
    }
    return text.trimmingSpaces
  }

  private func birth(_ value: JSONValue) throws(RowFault) -> CalendarDate {
    let date = try day(value)
    guard date <= today else { throw RowFault("it is \(date), which is in the future") }
    return date
  }

  /// A date, or a timestamp that starts with one.
  private func day(_ value: JSONValue) throws(RowFault) -> CalendarDate {
    let text = try text(value)
    let day = text.prefix(10)
    let isAlone = day.endIndex == text.endIndex || text[day.endIndex] == "T"
    guard isAlone, let date = CalendarDate(day) else {
      throw RowFault("it is \(quoted(text)); it must be a day such as 1985-03-04")
    }
    return date
  }

  private func text(_ value: JSONValue) throws(RowFault) -> String {
    guard let text = value.string else {
      throw RowFault("it is \(value.serialized.prefix(60)); it must be text")
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
