import LedgerJSON
package import LedgerLog
import LedgerModel
import LedgerPlatform
package import LedgerProjections

/// Maps pending edits to calls (docs/sync.md, What is sent). Pure: the same state gives the same plan,
/// so a plan can be shown before it is carried out.
package struct Planner<Texts: LedgerTexts> {
  private let state: LedgerState
  private let texts: Texts
  private let dialect: Dialect
  private let request: PlanRequest
  /// The person's, for descriptions of calls.
  private let units: UnitSystem
  private var plan = Plan()

  /// - Throws: only if the log cannot be read.
  package static func plan(
    _ state: LedgerState, texts: Texts, dialect: Dialect, _ request: PlanRequest = PlanRequest()
  ) throws(LogError) -> Plan {
    var planner = Planner(state: state, texts: texts, dialect: dialect, request: request)
    if request.includesPerson {
      try planner.planProfile()
      try planner.planPhysical()
      try planner.planPreferences()
    }
    if request.includesLeftovers { try planner.planSleep() }
    try planner.planProgress()
    planner.plan.isProbing = state.hasOpenConflictFromAnswer
    return planner.plan
  }

  private init(state: LedgerState, texts: Texts, dialect: Dialect, request: PlanRequest) {
    self.state = state
    self.texts = texts
    self.dialect = dialect
    self.request = request
    units = state.profileView().unitSystem ?? .metric
  }

  /// The edits of a group to send, including rejected ones once a later edit sends the group again;
  /// empty if there is nothing to send.
  ///
  /// A PUT or PATCH whose answer was lost is sent again: it replaces what it sent before.
  ///
  /// An open conflict over a field holds back the whole group: sending would decide it.
  private mutating func due(_ subject: ProfileSubject) -> [Seq] {
    guard !subject.fields.contains(where: state.profile.hasOpenConflict) else { return [] }
    let all = state.profile.edits(of: subject)
    let open = all.filter { state.edits.state($0).isOpen }
    let settled = Set(open.filter { state.isOvertaken($0, in: subject) })
    if !settled.isEmpty { elide(settled.sorted().map { Seq($0) }, nil) }
    guard open.count > settled.count else { return [] }
    return all.filter {
      state.edits.state($0).needsCall && !settled.contains($0)
    }.map { Seq($0) }
  }

  /// How many edits one event names at most, so that it fits a line of the log (64 KiB) beside a refused
  /// body: of the profile the newest are sent, and the next run needs no call for the others, or sends them.
  private static var mostEvents: Int { 1_500 }

  private static func parts(of events: [Seq]) -> [[Seq]] {
    stride(from: 0, to: events.count, by: mostEvents).map {
      Array(events[$0...].prefix(mostEvents))
    }
  }

  /// Whether the backend has a profile, by a GET or else by the log.
  private var hasRemoteProfile: Bool {
    switch request.remote {
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
      events,
      isDefaulted ? "\(why); no unit system was set, so \(unit) goes out" : why)
  }

  /// The backend's value, or else the API's default.
  private var defaultUnitSystem: JSONValue {
    if let agreed = state.profile.agreed(.preferredUnitSystem), agreed.string != nil {
      return agreed
    }
    return .string(UnitSystem.metric.rawValue)
  }

  /// The edit that cleared the language: no call can clear it at the backend.
  private func unclearableLanguage() -> Seq? {
    guard let current = state.profile.current(.languageCode, state.edits), current.value.isNull,
      let agreed = state.profile.agreed(.languageCode), !agreed.isNull
    else { return nil }
    return Seq(exactly: current.seq)
  }

  /// Sends only what changed since both sides last agreed: another device may have changed the rest.
  /// The backend rejects a birth date alone, so the last agreed sex or height is sent with it.
  private mutating func planPhysical() throws(LogError) {
    let events = due(.physical)
    guard !events.isEmpty else { return }
    var body = changed(in: .physical)
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

  private func changed(in subject: ProfileSubject) -> JSONObject {
    var body = JSONObject()
    for field in subject.fields where isChanged(field) {
      body[field.rawValue] = state.profile.current(field, state.edits)?.value
    }
    return body
  }

  /// Whether the current value was set here and differs from the agreed one.
  private func isChanged(_ field: ProfileField) -> Bool {
    guard let current = state.profile.current(field, state.edits), !current.value.isNull,
      state.edits.state(current.seq).needsCall
    else { return false }
    guard let agreed = state.profile.agreed(field), let agreedAt = state.profile.agreedAt(field)
    else { return true }
    guard current.value.isSameField(as: agreed) else { return true }
    // A call whose answer was lost since may have brought another value.
    return state.profile.edits(setting: field).contains { edit in
      state.edits.state(edit).isOpen && state.edits.marker(edit).map { $0 > agreedAt } ?? false
    }
  }

  /// Sends only the lists that changed here: each replaces that list as a whole.
  private mutating func planPreferences() throws(LogError) {
    let events = due(.preferences)
    guard !events.isEmpty else { return }
    let body = changed(in: .preferences)
    guard !body.isEmpty else { return elide(events, nil) }
    try add(
      .patchPreferences, .patch, "/api/v1/users/me/preferences", body,
      events,
      "the lists that changed, as they are now")
  }

  // MARK: Progress

  /// One call per entry, oldest entry first. Entries with an unresolved call wait.
  private mutating func planProgress() throws(LogError) {
    let (rows, next) = state.rowsWithOpenEdits(from: request.firstRow, limit: request.limit)
    for index in rows { try planEntry(index) }
    if request.firstRow == 0 { try planErased() }
    plan.next = next
    guard request.includesLeftovers else { return }
    try planDuplicates()
    for (leftover, id) in try state.rowsToDelete(texts.backendID)
    where !state.hasOpenConflict(of: leftover.entry) {
      try addDeletion(
        of: id, .deleteSuperseded(leftover.entry, id), leftover.events, "with the old values")
    }
  }

  /// Deletes rows that the user declared to be duplicates. One event may cover several rows, so an
  /// acknowledged one still covers the remaining rows.
  private mutating func planDuplicates() throws(LogError) {
    for suspicion in state.suspicions() where suspicion.decision == .one {
      guard let seq = suspicion.resolvedBy else { continue }
      // Several events may have bound the entry's row. That of a deleted entry may be back.
      let live = state.row(of: suspicion.entry).flatMap {
        state.entry(at: $0).isDeleted ? nil : $0
      }
      let own = try live.flatMap(state.binding(ofRow:))
        .flatMap { seq throws(LogError) in try texts.backendID(boundBy: seq) }
      let left = suspicion.backendIDs.filter { id in
        id != own && !state.isDeletedAtBackend(id, since: suspicion.seq)
          && !state.isOfEarlierAccount(seq)
      }
      if left.isEmpty, state.edits.state(seq.number).isOpen { elide([seq], suspicion.entry) }
      for id in left where state.edits.state(seq.number) != .rejected {
        if let own, id.text < own.text, !request.hasAllRows { continue }
        try addDeletion(
          of: id, .deleteDuplicate(suspicion.entry, id), [seq], "that is a duplicate")
      }
    }
  }

  private mutating func planEntry(_ index: Int) throws(LogError) {
    let entry = state.entry(at: index)
    let edits = state.edits(ofRow: index)
    if !request.notFound.contains(entry.id),
      let call = try AttemptReader(state: state, texts: texts).unresolvedCall(ofRow: index)
    {
      plan.inDoubt += edits.filter { state.edits.state($0.number) == .inDoubt }
      plan.unresolvedGroups.formUnion(call.key.group.withNeighbors)
      return
    }
    // The values of an entry are unknown while a conflict is open.
    guard !state.hasOpenConflict(of: entry.id) else { return }
    // The next call of the entry covers rejected edits too.
    var covered = edits.filter {
      state.edits.state($0.number).needsCall
    }
    if covered.count > Self.mostEvents {
      // The newest ones override those between, which one event could not name as well.
      let between = covered.dropFirst().dropLast(Self.mostEvents - 1)
      elide(Array(between), entry.id)
      covered = [covered[0]] + covered.suffix(Self.mostEvents - 1)
    }
    let bound = try entry.boundBy.map { seq throws(LogError) in try texts.backendID(boundBy: seq) }
    switch (entry.isDeleted, bound ?? nil) {
    case (true, nil): elide(covered, entry.id)
    case (true, let id?):
      try addDeletion(of: id, .deleteProgress(entry.id, id), covered, "of an entry deleted here")
    case (false, let old):
      try addPost(entry, covered, isCorrection: old != nil)
      if let old {
        try addDeletion(of: old, .deleteSuperseded(entry.id, old), covered, "with the old values")
      }
    }
  }

  /// Deletes rows of erased entries. One deletion may cover several rows, so an acknowledged one still
  /// covers the remaining rows.
  private mutating func planErased() throws(LogError) {
    let erased = state.erasedEntries()
    guard !erased.isEmpty else { return }
    var rows: [EntryID: [BackendID]] = [:]
    for seq in state.bindingsOfErased {
      guard case .syncAcknowledged(let data) = try texts.event(seq).event.payload,
        let entry = data.entry, let id = data.backendID, !state.isDeletedAtBackend(id, since: seq),
        rows[entry]?.contains(id) != true
      else { continue }
      rows[entry, default: []].append(id)
    }
    for item in erased {
      let open = item.deletions.filter { state.edits.state($0.number).isOpen }
      let left = rows[item.entry] ?? []
      let accepted = item.deletions.filter { state.edits.state($0.number) == .acknowledged }
      if left.isEmpty, !open.isEmpty { elide(open, item.entry) }
      for id in left {
        try addDeletion(
          of: id, .deleteProgress(item.entry, id), open.isEmpty ? accepted : open,
          "of an erased entry")
      }
    }
  }

  private mutating func addPost(
    _ entry: EntryView, _ events: [Seq], isCorrection: Bool
  ) throws(LogError) {
    var body: JSONObject = [
      "type": .string(entry.metric.name), "quantity": .number(entry.quantity),
    ]
    body.members += dialect.moment(date: entry.date, time: entry.moment)
    // Mostly the same line, which is then read once.
    let first = try texts.salted(events[0])
    var notes: String?
    if let seq = entry.notesIn {
      notes = try seq == events[0] ? first.event.event.payload.entryNotes : texts.notes(in: seq)
    }
    if let notes, !notes.isEmpty { body["notes"] = .string(notes) }
    let quantity = entry.metric.words(entry.quantity, in: units)
    let what = "\(entry.metric.name) \(quantity) of \(entry.date)"
    try add(
      .logProgress(entry.id), .post, "/api/v1/progress", body, events,
      isCorrection ? "\(what), corrected: sent again" : what,
      key: RowKey(entry, notes: notes ?? ""), salt: first.salt)
  }

  private mutating func addDeletion(
    of id: BackendID, _ kind: PlannedCall.Kind, _ events: [Seq], _ why: String
  ) throws(LogError) {
    guard !events.isEmpty else { return }
    let path = "/api/v1/progress/" + PercentEncoding.pathSegment(id.text)
    try add(kind, .delete, path, nil, events, "delete the row \(why)")
  }

  // MARK: Sleep

  /// One POST a session. It carries the backend's idempotency key, so one whose answer was lost is
  /// sent again. What the backend has can be neither changed nor deleted there.
  private mutating func planSleep() throws(LogError) {
    var taken: [String: Int]?
    for index in state.sessionsWithOpenEdits() {
      let session = state.session(at: index)
      let all = state.edits(ofSession: index)
      let open = all.filter {
        state.edits.state($0.number).needsCall
      }
      guard session.boundBy == nil else {
        if !state.hasOpenConflict(of: session.id) {
          try hold(open, .backendCannotChangeSleep)
        }
        continue
      }
      let sent = all.last { edit in
        state.edits.attempts(edit.number) > 0 && !state.edits.state(edit.number).isFailed
      }
      // The backend cannot delete a session, so a deleted one is never sent: a listing of all sessions shows
      // whether an earlier call has created it.
      guard !session.isDeleted, let last = all.last else {
        if sent == nil || request.hasAllRows { elide(open, session.id) }
        continue
      }
      let values = try state.sleepValues(
        state.session(at: index, upTo: last), at: index, texts)
      if taken == nil { taken = try keysOfSentSessions() }
      guard taken?[values.sourceID] ?? index == index else {
        // The backend would answer with the other session.
        try hold(open, .backendCannotChangeSleep)
        continue
      }
      taken?[values.sourceID] = index
      try addSleep(index, open, values)
    }
    for item in state.erasedSessions() {
      let open = item.deletions.filter { state.edits.state($0.number).isOpen }
      if !open.isEmpty { try hold(open, .backendCannotChangeSleep) }
    }
  }

  /// The live sessions that the backend has, by its idempotency key.
  private func keysOfSentSessions() throws(LogError) -> [String: Int] {
    var keys: [String: Int] = [:]
    for index in state.sessions where state.binding(ofSession: index) != nil {
      let session = state.session(at: index)
      guard !session.isDeleted else { continue }
      keys[try state.sleepValues(session, at: index, texts).sourceID] = index
    }
    return keys
  }

  private mutating func addSleep(
    _ index: Int, _ events: [Seq], _ values: SleepValues
  ) throws(LogError) {
    let session = state.session(at: index)
    var earlier: [SleepCall.Version] = []
    for edit in events.dropLast().reversed() where state.edits.attempts(edit.number) > 0 {
      let sent = state.session(at: index, upTo: edit)
      earlier.append(
        .init(
          values: try state.sleepValues(sent, at: index, texts),
          events: events.filter { $0 <= edit }.suffix(Self.mostEvents)))
    }
    try add(
      .logSleep(session.id), .post, "/api/v1/sleep", values.body, events,
      "sleep of \(session.date), \(session.start.moment.time) to \(session.end.moment.time)",
      sleep: SleepCall(sent: values, earlier: earlier))
  }

  // MARK: Plan

  private mutating func add(
    _ kind: PlannedCall.Kind, _ method: WireRequest.Method, _ path: String, _ body: JSONObject?,
    _ covered: [Seq], _ why: String, key: RowKey? = nil, salt: String? = nil,
    sleep: SleepCall? = nil
  ) throws(LogError) {
    let events = Array(covered.suffix(Self.mostEvents))
    let bytes = body.map { Array($0.serialized.utf8) }
    let known: String
    if let salt { known = salt } else { known = try texts.salted(events[0]).salt }
    let digest = Digest.hex(of: Array(known.utf8) + (bytes ?? Array(path.utf8)))
    plan.calls.append(
      PlannedCall(
        kind: kind, request: WireRequest(method, path, body: bytes), events: events,
        fingerprint: String(digest.prefix(32)),
        attempt: state.edits.attempts(events[0].number) + 1, why: why, units: units, key: key,
        sleep: sleep))
  }

  /// Holds edits. A hold that is already recorded with this reason is not recorded again.
  private mutating func hold(_ events: [Seq], _ reason: HoldReason) throws(LogError) {
    var isNews = false
    for seq in events where !isNews { isNews = try !isHeld(seq, for: reason) }
    for part in Self.parts(of: events) {
      plan.holds.append(.init(events: part, reason: reason, isNews: isNews))
    }
  }

  private func isHeld(_ seq: Seq, for reason: HoldReason) throws(LogError) -> Bool {
    guard state.edits.state(seq.number) == .held,
      let marker = state.edits.marker(seq.number).flatMap(Seq.init(exactly:)),
      case .syncHeld(let data) = try texts.event(marker).event.payload
    else { return false }
    return data.reason == reason.rawValue
  }

  private mutating func elide(_ events: [Seq], _ entry: EntryID?) {
    for part in Self.parts(of: events) { plan.elisions.append(.init(events: part, entry: entry)) }
  }
}
