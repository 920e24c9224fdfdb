import LedgerJSON

/// What deciding needs to know of the ledger.
public protocol LedgerFacts {
  func entry(_ id: EntryID) -> EntryFacts?
}

public struct EntryFacts: Hashable, Sendable {
  public var metric: Metric
  public var isDeleted: Bool

  public init(metric: Metric, isDeleted: Bool) {
    self.metric = metric
    self.isDeleted = isDeleted
  }
}

/// A ledger without entries.
public struct NoFacts: LedgerFacts {
  public init() {}
  public func entry(_ id: EntryID) -> EntryFacts? { nil }
}

/// Accepts an edit, or refuses it with a sentence.
///
/// Pure: the same edit, facts and day give the same answer. The limits are those of docs/log-format.md,
/// «Events».
///
/// - Parameter today: the day in the ledger's zone; a birth date may not lie after it.
/// - Returns: what the event will say, with zeros and moments in their canonical form.
public func decide(
  _ change: Edit.Change, given facts: some LedgerFacts, today: CalendarDate
) throws(Refusal) -> Event.Payload {
  switch change {
  case .updateProfile(let edit):
    try check(edit)
    return .profileUpdated(edit)
  case .updatePhysical(let edit):
    try check(edit, today: today)
    return .physicalUpdated(edit)
  case .updatePreferences(let edit):
    guard !edit.knownData.isEmpty else {
      throw .rule(
        "preferences.updated changes nothing; give allergies, dietary_restrictions or "
          + "food_dislikes")
    }
    return .preferencesUpdated(edit)
  case .logProgress(var edit):
    edit.quantity = try checkedQuantity(edit.quantity, of: edit.metric)
    try checkLength(edit.notes, "notes", 0...500)
    guard facts.entry(edit.entry) == nil else {
      throw .rule("entry \(edit.entry) is in the ledger already; correct it instead")
    }
    return .progressLogged(edit)
  case .correctProgress(var edit):
    let entry = try liveEntry(edit.entry, facts, "corrected")
    if let quantity = edit.quantity {
      edit.quantity = try checkedQuantity(quantity, of: entry.metric)
    }
    try checkLength(edit.notes?.value, "notes", 0...500)
    guard edit.backendID == nil else {
      throw .rule("backend_id is set by a sync only; leave it out")
    }
    guard edit.knownData.members.count > 1 else {
      throw .rule("the correction changes nothing; give quantity, date, time or notes")
    }
    return .progressCorrected(edit)
  case .deleteProgress(let edit):
    _ = try liveEntry(edit.entry, facts, "deleted")
    return .progressDeleted(edit)
  }
}

private func check(_ edit: ProfileUpdated) throws(Refusal) {
  guard !edit.knownData.isEmpty else {
    throw .rule(
      "profile.updated changes nothing; give name, bio, preferred_unit_system or language_code")
  }
  try checkLength(edit.name, "name", 1...100)
  try checkLength(edit.bio?.value, "bio", 0...500)
  if let code = edit.languageCode?.value, !LanguageTag.isWellFormed(code) {
    throw .rule("language_code is \"\(code)\"; it must be a BCP 47 tag such as en or de-AT")
  }
}

private func check(_ edit: PhysicalUpdated, today: CalendarDate) throws(Refusal) {
  guard !edit.knownData.isEmpty else {
    throw .rule(
      "physical.updated changes nothing; give biological_sex, height_cm or date_of_birth")
  }
  if let height = edit.heightCM {
    guard height > 0, height < 300 else {
      throw .rule("height_cm is \(height.shown); it must be more than 0 and less than 300")
    }
    try checkDigits(height, "height_cm")
  }
  if let birth = edit.dateOfBirth, birth > today {
    throw .rule("date_of_birth is \(birth); it must not be in the future (today is \(today))")
  }
}

private func checkedQuantity(_ quantity: Double, of metric: Metric) throws(Refusal) -> Double {
  let unit = metric.unit.isEmpty ? "" : " \(metric.unit)"
  guard metric.accepts(quantity) else {
    throw .rule(
      "quantity is \(quantity.shown)\(unit); \(metric.name) must be \(metric.range)\(unit)")
  }
  try checkDigits(quantity, "quantity")
  return quantity == 0 ? 0 : quantity
}

private func checkDigits(_ value: Double, _ field: String) throws(Refusal) {
  guard JSONNumber.isWritable(value) else {
    throw .rule(
      "\(field) is \(value.shown); a ledger keeps at most \(JSONNumber.mostDigits) "
        + "significant digits")
  }
}

private func liveEntry(
  _ id: EntryID, _ facts: some LedgerFacts, _ verb: String
) throws(Refusal) -> EntryFacts {
  guard let entry = facts.entry(id) else { throw .noSuchEntry("there is no entry \(id)") }
  guard !entry.isDeleted else {
    throw .rule("entry \(id) was deleted; it cannot be \(verb)")
  }
  return entry
}

/// Length in characters as the backend counts them: Unicode scalars.
private func checkLength(
  _ text: String?, _ field: String, _ allowed: ClosedRange<Int>
) throws(Refusal) {
  guard let count = text?.unicodeScalars.count, !allowed.contains(count) else { return }
  if count < allowed.lowerBound { throw .rule("\(field) is empty; it needs a character or more") }
  throw .rule("\(field) has \(count) characters; it may have \(allowed.upperBound)")
}

extension Double {
  fileprivate var shown: String { isFinite ? JSONNumber.text(self) : "\(self)" }
}
