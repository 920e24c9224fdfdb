import LedgerJSON
public import LedgerLog
import LedgerModel
public import LedgerProjections

/// Maps what is pending to calls (docs/sync.md, What is sent). It asks nobody and
/// changes nothing: the same state gives the same plan, so a plan can be shown before it is carried
/// out.
public struct Planner<Texts: LedgerTexts> {
  public let state: LedgerState
  let texts: Texts
  public let dialect: Dialect
  public let wish: PlanRequest
  private(set) var plan = Plan()

  var remote: RemoteProfile { wish.remote }

  /// - Throws: only when the log cannot be read.
  public static func plan(
    _ state: LedgerState, texts: Texts, dialect: Dialect, _ wish: PlanRequest = PlanRequest()
  ) throws(LogError) -> Plan {
    var planner = Planner(state: state, texts: texts, dialect: dialect, wish: wish)
    if wish.includesPerson {
      try planner.planProfile()
      try planner.planPhysical()
      try planner.planPreferences()
    }
    try planner.planProgress()
    planner.plan.isProbing = state.hasOpenConflictFromAnswer
    return planner.plan
  }

  private init(state: LedgerState, texts: Texts, dialect: Dialect, wish: PlanRequest) {
    self.state = state
    self.texts = texts
    self.dialect = dialect
    self.wish = wish
  }

  /// The edits of a group that wait for the backend, refused ones included once a later edit gives
  /// reason to send the group again; empty when there is nothing to send.
  ///
  /// A PUT or PATCH whose answer was lost is simply sent again: it replaces what it sent before.
  ///
  /// While a person has yet to decide a conflict over one of its fields, the whole group waits: what
  /// is sent would decide it.
  private mutating func due(_ subject: ProfileSubject) -> [Seq] {
    guard !subject.fields.contains(where: state.profile.hasOpenConflict) else { return [] }
    let all = state.profile.edits(of: subject)
    let open = all.filter { state.edits.state($0).isOpen }
    let settled = open.filter { state.isOvertaken($0, in: subject) }
    if !settled.isEmpty { elide(settled.map { Seq($0) }, nil) }
    guard open.count > settled.count else { return [] }
    return all.filter {
      (state.edits.state($0).isOpen || state.edits.state($0).isFailed) && !settled.contains($0)
    }.map { Seq($0) }
  }

  /// Whether the backend has a profile, as far as the log or a GET can tell.
  var hasRemoteProfile: Bool {
    switch remote {
    case .present: true
    case .absent: false
    case .unknown:
      ProfileSubject.profile.fields.contains { state.profile.agreed($0) != nil }
    }
  }

  // MARK: Profile fields

  private mutating func planProfile() throws(LogError) {
    let subject = ProfileSubject.profile
    var events = due(subject)
    guard !events.isEmpty else { return }
    if let clearing = unclearableLanguage(), let index = events.firstIndex(of: clearing) {
      try hold([clearing], .cannotClear)
      events.remove(at: index)
      guard events.contains(where: { state.edits.state($0.number).isOpen }) else { return }
    }
    var fields = state.fields(of: subject)
    guard fields["name"] != nil else {
      try hold(events, .profileNeedsName)
      return
    }
    let isDefaulted = fields["preferred_unit_system"] == nil
    if isDefaulted { fields["preferred_unit_system"] = defaultUnitSystem }
    var body = JSONObject()
    for name in ["name", "preferred_unit_system", "bio", "language_code"] {
      body[name] = fields[name]
    }
    let isCleared = state.profile.current(.bio, state.edits)?.value == .null
    if isCleared, hasRemoteProfile { body["bio"] = "" }
    let create = !hasRemoteProfile
    let why =
      create ? "the profile, which the backend does not have yet" : "the profile as it is now"
    let unit = fields["preferred_unit_system"]?.string ?? ""
    try add(
      create ? .createProfile : .replaceProfile, create ? .post : .put, "/api/v1/users/me", body,
      events, isDefaulted ? "\(why); no unit system was set, so \(unit) goes out" : why)
  }

  /// The backend's own value; `metric`, the API's default, where it has none.
  private var defaultUnitSystem: JSONValue {
    if let agreed = state.profile.agreed(.preferredUnitSystem), agreed.string != nil {
      return agreed
    }
    return .string(UnitSystem.metric.rawValue)
  }

  /// The edit that cleared the language, where the backend has one: there is no call for it.
  private func unclearableLanguage() -> Seq? {
    guard let current = state.profile.current(.languageCode, state.edits), current.value.isNull,
      let agreed = state.profile.agreed(.languageCode), !agreed.isNull
    else { return nil }
    return Seq(exactly: current.seq)
  }

  /// Only what changed here since both sides last agreed: another device may have changed the rest.
  /// The backend refuses a birth date alone, so it takes the last agreed sex or height along.
  private mutating func planPhysical() throws(LogError) {
    let events = due(.physical)
    guard !events.isEmpty else { return }
    var body = JSONObject()
    for field in ProfileSubject.physical.fields where isChanged(field) {
      body[field.rawValue] = state.profile.current(field, state.edits)?.value
    }
    guard hasRemoteProfile || plan.calls.contains(where: { $0.kind == .createProfile }) else {
      try hold(events, .physicalNeedsProfile)
      return
    }
    if body.members.count == 1, let birth = body["date_of_birth"] {
      let companion = [ProfileField.biologicalSex, .heightCM].first { field in
        state.profile.agreed(field)?.isNull == false
      }
      guard let field = companion, let value = state.profile.agreed(field) else {
        try hold(events, .physicalNeedsHeightOrSex)
        return
      }
      body = [field.rawValue: value, "date_of_birth": birth]
    }
    guard !body.isEmpty else { return elide(events, nil) }
    try add(
      .patchPhysical, .patch, "/api/v1/users/me/physical", body, events,
      "what changed of height, sex and birth date")
  }

  /// Whether the value in force was set here and is not what both sides last agreed on.
  private func isChanged(_ field: ProfileField) -> Bool {
    guard let current = state.profile.current(field, state.edits), !current.value.isNull,
      state.edits.state(current.seq).isOpen || state.edits.state(current.seq).isFailed
    else { return false }
    guard let agreed = state.profile.agreed(field) else { return true }
    // An edit in doubt may have arrived after the backend last answered.
    return !current.value.isSameField(as: agreed) || state.edits.state(current.seq) == .inDoubt
  }

  private mutating func planPreferences() throws(LogError) {
    let events = due(.preferences)
    guard !events.isEmpty else { return }
    try add(
      .patchPreferences, .patch, "/api/v1/users/me/preferences", state.fields(of: .preferences),
      events, "the lists as they are now")
  }

  mutating func add(
    _ kind: PlannedCall.Kind, _ method: WireRequest.Method, _ path: String, _ body: JSONObject?,
    _ events: [Seq], _ why: String, key: RowKey? = nil
  ) throws(LogError) {
    let bytes = body.map { Array($0.serialized.utf8) }
    let salt = try texts.salt(of: events[0])
    let digest = Digest.hex(of: Array(salt.utf8) + (bytes ?? Array(path.utf8)))
    plan.calls.append(
      PlannedCall(
        kind: kind, request: WireRequest(method, path, body: bytes), events: events,
        fingerprint: String(digest.prefix(32)),
        attempt: state.edits.attempts(events[0].number) + 1, why: why, key: key))
  }

  /// Holds edits; those that the log already says are held for this reason are not recorded again.
  private mutating func hold(_ events: [Seq], _ reason: HoldReason) throws(LogError) {
    var isNews = false
    for seq in events where !isNews { isNews = try !isHeld(seq, for: reason) }
    plan.holds.append(.init(events: events, reason: reason, isNews: isNews))
  }

  private func isHeld(_ seq: Seq, for reason: HoldReason) throws(LogError) -> Bool {
    guard state.edits.state(seq.number) == .held,
      let marker = state.edits.marker(seq.number).flatMap(Seq.init(exactly:)),
      case .syncHeld(let data) = try texts.event(marker).event.payload
    else { return false }
    return data.reason == reason.rawValue
  }

  mutating func elide(_ events: [Seq], _ entry: EntryID?) {
    plan.elisions.append(.init(events: events, entry: entry))
  }

  mutating func doubt(_ events: [Seq], _ key: RowKey) {
    plan.inDoubt += events
    plan.barred.formUnion(key.group.withNeighbors)
  }

  mutating func goOn(at row: Int?) {
    plan.next = row
  }
}
