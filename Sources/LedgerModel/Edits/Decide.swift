import LedgerJSON

/// What `decide` needs to know about the ledger.
package protocol LedgerFacts {
  func entry(_ id: EntryID) -> EntryFacts?
  func session(_ id: EntryID) -> SessionFacts?
}

package struct EntryFacts: Hashable, Sendable {
  package var metric: Metric
  package var isDeleted: Bool

  package init(metric: Metric, isDeleted: Bool) {
    self.metric = metric
    self.isDeleted = isDeleted
  }
}

/// What `decide` needs to know about a sleep session.
package struct SessionFacts: Hashable, Sendable {
  package var start: ZonedTimestamp
  package var end: ZonedTimestamp
  /// From the first stage's start to the last one's end, in seconds since 1970; `nil` without stages.
  package var stages: Range<Int64>?
  package var isDeleted: Bool

  package init(
    start: ZonedTimestamp, end: ZonedTimestamp, stages: Range<Int64>?, isDeleted: Bool
  ) {
    self.start = start
    self.end = end
    self.stages = stages
    self.isDeleted = isDeleted
  }
}

extension SessionFacts {
  package init(_ data: SleepLogged) {
    self.init(start: data.start, end: data.end, stages: data.stages.extent, isDeleted: false)
  }

  /// The session after a correction.
  package func corrected(by edit: SleepCorrected) -> SessionFacts {
    SessionFacts(
      start: edit.start ?? start, end: edit.end ?? end,
      stages: edit.stages.map(\.extent) ?? stages, isDeleted: isDeleted)
  }
}

extension [SleepStage] {
  /// From the first start to the last end, in seconds since 1970; `nil` without stages.
  fileprivate var extent: Range<Int64>? {
    guard let first = map(\.start.secondsSince1970).min(),
      let last = map(\.end.secondsSince1970).max(), first < last
    else { return nil }
    return first..<last
  }
}

/// The facts of an empty ledger.
package struct NoFacts: LedgerFacts {
  package init() {}
  package func entry(_ id: EntryID) -> EntryFacts? { nil }
  package func session(_ id: EntryID) -> SessionFacts? { nil }
}

/// Accepts or refuses an edit, without side effects. The limits are those of docs/log-format.md,
/// Events.
///
/// - Parameter today: the local day; a birth date must not be later.
/// - Returns: the event's payload, its quantities rounded to what a log holds.
package func decide(
  _ change: Edit.Change, given facts: some LedgerFacts, today: CalendarDate
) throws(Refusal) -> Event.Payload {
  switch change {
  case .updateProfile(let edit):
    try check(edit)
    return .profileUpdated(edit)
  case .updatePhysical(var edit):
    try check(edit, today: today)
    edit.heightCM = try edit.heightCM.map { height throws(Refusal) in try checkedHeight(height) }
    return .physicalUpdated(edit)
  case .updatePreferences(let edit):
    guard !edit.knownData.isEmpty else {
      throw Refusal(
        .noChange,
        "preferences.updated changes nothing; give allergies, dietary_restrictions or "
          + "food_dislikes")
    }
    return .preferencesUpdated(edit)
  case .logProgress(var edit):
    edit.quantity = try checkedQuantity(edit.quantity, of: edit.metric)
    try checkLength(edit.notes, "notes", 0...500)
    try checkIsNew(edit.entry, facts)
    return .progressLogged(edit)
  case .correctProgress(var edit):
    let entry = try liveEntry(edit.entry, facts, "corrected")
    if let quantity = edit.quantity {
      edit.quantity = try checkedQuantity(quantity, of: entry.metric)
    }
    try checkLength(edit.notes?.value, "notes", 0...500)
    guard edit.backendID == nil else {
      throw Refusal(
        .reservedField, field: "backend_id", "backend_id is set by a sync only; leave it out")
    }
    guard edit.knownData.members.count > 1 else {
      throw Refusal(
        .noChange, "the correction changes nothing; give quantity, date, time or notes")
    }
    return .progressCorrected(edit)
  case .deleteProgress(let edit):
    _ = try liveEntry(edit.entry, facts, "deleted")
    return .progressDeleted(edit)
  case .logSleep(let edit):
    try checkSession(edit.start, edit.end, edit.stages)
    try checkLength(edit.notes, "notes", 0...500)
    try checkIsNew(edit.entry, facts)
    return .sleepLogged(edit)
  case .correctSleep(let edit):
    let session = try liveSession(edit.entry, facts, "corrected")
    try checkLength(edit.notes?.value, "notes", 0...500)
    guard edit.knownData.members.count > 1 else {
      throw Refusal(
        .noChange, "the correction changes nothing; give start, end, stages or notes")
    }
    try check(edit, of: session)
    return .sleepCorrected(edit)
  case .deleteSleep(let edit):
    _ = try liveSession(edit.entry, facts, "deleted")
    return .sleepDeleted(edit)
  case .setGoal(var edit):
    edit.quantity = try checkedQuantity(edit.quantity, of: edit.metric)
    if let start = edit.start { edit.start = try checkedQuantity(start, of: edit.metric) }
    try checkTerm(edit, today: today)
    edit.since = edit.since ?? today
    return .goalSet(edit)
  case .removeGoal(let edit):
    return .goalRemoved(edit)
  }
}

private func checkIsNew(_ id: EntryID, _ facts: some LedgerFacts) throws(Refusal) {
  guard facts.entry(id) == nil, facts.session(id) == nil else {
    throw Refusal(
      .entryExists, field: "entry", value: id.description,
      "entry \(id) is in the ledger already; correct it instead")
  }
}

private func checkTerm(_ edit: GoalSet, today: CalendarDate) throws(Refusal) {
  guard (edit.by == nil) == edit.isDaily else {
    throw Refusal(
      .malformed, field: edit.isDaily ? "daily" : "by",
      "give a goal either by (a date) or daily (true)")
  }
  guard edit.isDaily || !edit.isAtMost else {
    throw Refusal(.malformed, field: "at_most", "at_most applies only to a daily goal")
  }
  if let by = edit.by, by < today {
    throw Refusal(
      .outOfRange, field: "by", value: by.description, limit: .days(today ... .last),
      "by is \(by); it must be today or later (today is \(today))")
  }
}

private func check(_ edit: ProfileUpdated) throws(Refusal) {
  guard !edit.knownData.isEmpty else {
    throw Refusal(
      .noChange,
      "profile.updated changes nothing; give name, bio, preferred_unit_system or language_code")
  }
  try checkLength(edit.name, "name", 1...100)
  try checkLength(edit.bio?.value, "bio", 0...500)
  if let code = edit.languageCode?.value, !LanguageTag.isWellFormed(code) {
    throw Refusal(
      .malformed, field: "language_code", value: code,
      "language_code is \"\(code)\"; it must be a BCP 47 tag such as en or de-AT")
  }
}

private func check(_ edit: PhysicalUpdated, today: CalendarDate) throws(Refusal) {
  guard !edit.knownData.isEmpty else {
    throw Refusal(
      .noChange,
      "physical.updated changes nothing; give biological_sex, height_cm or date_of_birth")
  }
  if let birth = edit.dateOfBirth, birth > today {
    throw Refusal(
      .inFuture, field: "date_of_birth", value: birth.description, limit: .latest(today),
      "date_of_birth is \(birth); it must not be in the future (today is \(today))")
  }
}

private func checkedHeight(_ height: Double) throws(Refusal) -> Double {
  guard let stored = Metric.height.stored(height) else {
    throw Refusal(
      .outOfRange, field: "height_cm", value: height.shown,
      limit: .quantity(Metric.height.range), unit: Metric.height.unit,
      "height_cm is \(height.shown); it must be \(Metric.height.range)")
  }
  return stored
}

private func checkedQuantity(_ quantity: Double, of metric: Metric) throws(Refusal) -> Double {
  let unit = metric.unit.isEmpty ? "" : " \(metric.unit)"
  guard let stored = metric.stored(quantity) else {
    throw Refusal(
      .outOfRange, field: "quantity", value: quantity.shown, limit: .quantity(metric.range),
      unit: metric.unit,
      "quantity is \(quantity.shown)\(unit); \(metric.name) must be \(metric.range)\(unit)")
  }
  return stored
}

private func liveEntry(
  _ id: EntryID, _ facts: some LedgerFacts, _ verb: String
) throws(Refusal) -> EntryFacts {
  guard let entry = facts.entry(id) else { throw .unknownEntry(id) }
  guard !entry.isDeleted else { throw .entryDeleted(id, verb) }
  return entry
}

private func liveSession(
  _ id: EntryID, _ facts: some LedgerFacts, _ verb: String
) throws(Refusal) -> SessionFacts {
  guard let session = facts.session(id) else { throw .unknownEntry(id) }
  guard !session.isDeleted else { throw .entryDeleted(id, verb) }
  return session
}

extension Refusal {
  fileprivate static func unknownEntry(_ id: EntryID) -> Refusal {
    Refusal(.unknownEntry, field: "entry", value: id.description, "there is no entry \(id)")
  }

  fileprivate static func entryDeleted(_ id: EntryID, _ verb: String) -> Refusal {
    Refusal(
      .entryDeleted, field: "entry", value: id.description,
      verb == "deleted"
        ? "entry \(id) is deleted already" : "entry \(id) is deleted; it cannot be \(verb)")
  }
}

/// Counts Unicode scalars, as the backend does.
private func checkLength(
  _ text: String?, _ field: String, _ allowed: ClosedRange<Int>
) throws(Refusal) {
  // A scalar has at least one byte, so that most texts need not be counted.
  guard let text, text.utf8.count > allowed.upperBound || text.isEmpty else { return }
  let count = text.unicodeScalars.count
  guard !allowed.contains(count) else { return }
  throw Refusal(
    .wrongLength, field: field, value: text, limit: .characters(allowed),
    count < allowed.lowerBound
      ? "\(field) is empty; it needs at least one character"
      : "\(field) has \(count) characters; it may have \(allowed.upperBound)")
}

extension Double {
  fileprivate var shown: String { isFinite ? JSONNumber.text(self) : "\(self)" }
}

package let longestSessionSeconds: Int64 = 48 * 3600
private let firstDay = CalendarDate(year: 1900, month: 1, day: 1)!

/// - Parameter stages: in any order.
private func checkSession(
  _ start: ZonedTimestamp, _ end: ZonedTimestamp, _ stages: [SleepStage]
) throws(Refusal) {
  try checkPeriod(start, end)
  for stage in stages {
    guard stage.start.secondsSince1970 < stage.end.secondsSince1970 else {
      throw Refusal(
        .invalidPeriod, field: "stages", value: stage.start.description,
        "the \(stage.stage.rawValue) stage from \(stage.start) ends at \(stage.end); a stage must "
          + "end after it starts")
    }
    guard start.secondsSince1970 <= stage.start.secondsSince1970,
      stage.end.secondsSince1970 <= end.secondsSince1970
    else {
      throw Refusal(
        .invalidStages, field: "stages", value: stage.start.description,
        "the \(stage.stage.rawValue) stage from \(stage.start) to \(stage.end) is not inside the "
          + "session, from \(start) to \(end)")
    }
  }
  try checkOverlaps(stages)
}

private func checkPeriod(_ start: ZonedTimestamp, _ end: ZonedTimestamp) throws(Refusal) {
  guard start.date >= firstDay else {
    throw Refusal(
      .invalidPeriod, field: "start", value: start.description,
      "the session starts at \(start); it must not be before \(firstDay)")
  }
  let seconds = end.secondsSince1970 - start.secondsSince1970
  guard seconds > 0 else {
    throw Refusal(
      .invalidPeriod, field: "end", value: end.description,
      "the session ends at \(end); it must end after it starts, at \(start)")
  }
  guard seconds <= longestSessionSeconds else {
    throw Refusal(
      .invalidPeriod, field: "end", value: end.description,
      "the session lasts from \(start) to \(end); it may last 48 hours")
  }
}

private func checkOverlaps(_ stages: [SleepStage]) throws(Refusal) {
  let sorted = stages.sorted { $0.start.secondsSince1970 < $1.start.secondsSince1970 }
  for (stage, next) in zip(sorted, sorted.dropFirst())
  where next.start.secondsSince1970 < stage.end.secondsSince1970 {
    throw Refusal(
      .invalidStages, field: "stages", value: next.start.description,
      "the \(next.stage.rawValue) stage from \(next.start) overlaps the "
        + "\(stage.stage.rawValue) stage from \(stage.start) to \(stage.end)")
  }
}

/// Checks a correction against the values that it leaves unchanged.
private func check(_ edit: SleepCorrected, of session: SessionFacts) throws(Refusal) {
  let (start, end) = (edit.start ?? session.start, edit.end ?? session.end)
  if let stages = edit.stages { return try checkSession(start, end, stages) }
  guard edit.start != nil || edit.end != nil else { return }
  try checkPeriod(start, end)
  guard let stages = session.stages else { return }
  guard start.secondsSince1970 <= stages.lowerBound, stages.upperBound <= end.secondsSince1970
  else {
    throw Refusal(
      .invalidStages, field: "stages",
      "the session has stages outside \(start) to \(end); correct or clear its stages, too")
  }
}

/// Syntax of BCP 47 tags (RFC 5646, section 2.1): language, script, region, variants, extensions,
/// private use. Subtags need not be registered.
private enum LanguageTag {
  static func isWellFormed(_ tag: String) -> Bool {
    let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { Array($0) }
    guard tag.utf8.count <= 100, parts.allSatisfy({ (1...8).contains($0.count) }),
      parts.allSatisfy({ $0.allSatisfy(isAlphanumeric) })
    else { return false }
    var rest = parts[...]
    if isSingleton(rest.first, "x") { return rest.count > 1 }
    guard let language = rest.popFirst(), (2...8).contains(language.count), isLetters(language)
    else { return false }
    if language.count <= 3 { dropExtendedLanguages(&rest) }
    if let script = rest.first, script.count == 4, isLetters(script) { rest.removeFirst() }
    if let region = rest.first, isRegion(region) { rest.removeFirst() }
    while let variant = rest.first, isVariant(variant) { rest.removeFirst() }
    return areExtensions(rest)
  }

  private static func dropExtendedLanguages(_ rest: inout ArraySlice<[UInt8]>) {
    var left = 3
    while left > 0, let part = rest.first, part.count == 3, isLetters(part) {
      rest.removeFirst()
      left -= 1
    }
  }

  /// An extension is a single letter or digit and one or more longer parts; `x` takes the rest.
  private static func areExtensions(_ parts: ArraySlice<[UInt8]>) -> Bool {
    var rest = parts
    while let singleton = rest.popFirst() {
      guard singleton.count == 1, !rest.isEmpty else { return false }
      if isSingleton(singleton, "x") { return true }
      guard let first = rest.first, first.count >= 2 else { return false }
      while let part = rest.first, part.count >= 2 { rest.removeFirst() }
    }
    return true
  }

  private static func isRegion(_ part: [UInt8]) -> Bool {
    (part.count == 2 && isLetters(part)) || (part.count == 3 && part.allSatisfy(isDigit))
  }

  private static func isVariant(_ part: [UInt8]) -> Bool {
    part.count >= 5 || (part.count == 4 && isDigit(part[0]))
  }

  private static func isSingleton(_ part: [UInt8]?, _ letter: Character) -> Bool {
    part?.count == 1 && part?.first.map { $0 | 0x20 } == letter.asciiValue
  }

  private static func isLetters(_ part: [UInt8]) -> Bool {
    part.allSatisfy { isAlphanumeric($0) && !isDigit($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
