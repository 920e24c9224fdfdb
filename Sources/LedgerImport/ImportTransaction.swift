public import LedgerJSON
public import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections
package import LedgerStore

/// Reads files and appends what they contain to a ledger exactly once.
///
/// The files are read without the lock. Under it, what another import has added meanwhile is dropped,
/// then everything is appended in one durable write, or in several if the lines would fill memory.
public struct ImportTransaction {
  /// What an import has read and appended.
  public struct Outcome: Sendable {
    /// What the file contained.
    public fileprivate(set) var found: ImportResult
    /// What the import did with the person's fields.
    public fileprivate(set) var profile = ProfileImport()
    /// The new events; `nil` if the ledger had everything.
    public fileprivate(set) var appended: ClosedRange<Seq>?
    /// What opening the log repaired.
    public fileprivate(set) var repairs: [LogRepair] = []
  }

  /// A write failed after earlier ones of the same import. Importing again adds the rest.
  public struct Interruption: Error {
    /// The events that were appended.
    public let appended: ClosedRange<Seq>
    /// Why the rest was not.
    public let cause: LogError
  }

  static let eventsInAWrite = 16_384

  private let store: LedgerStore
  private let now: Timestamp
  private let today: CalendarDate
  private let namesEntries: Bool

  /// - Parameters:
  ///   - today: the day in the ledger's zone.
  ///   - namesEntries: whether the files contain entry ids that the ledger may have.
  package init(
    into store: LedgerStore, at now: Timestamp, today: CalendarDate, namesEntries: Bool = false
  ) {
    self.store = store
    self.now = now
    self.today = today
    self.namesEntries = namesEntries
  }

  /// - Parameters:
  ///   - read: reads the files, in a context whose zone and progress it may set.
  ///   - approve: whether to write what was found.
  /// - Throws: what `read` and `approve` throw, ``LogError``, ``Interruption``.
  package func run(
    _ read: (ImportContext) throws -> ImportResult,
    approve: (ImportResult) throws -> Bool = { _ in true }
  ) throws -> Outcome {
    let sources = try ImportedSources(
      LogView.open(store.directory), namesEntries: namesEntries)
    let found = try read(
      ImportContext(
        makeEntry: makeEntry,
        known: { source, id in sources.quantity(source: source, id: id) },
        knownEntry: { source, id in sources.entry(source: source, id: id) },
        knownSessions: { session in sources.sessions(like: session) },
        knowsEntry: { entry in sources.knows(entry) }, today: today))
    var outcome = Outcome(found: found)
    if found.person != PersonFields() {
      // Folding may take long, so it is done before the lock is taken.
      outcome.profile = try store.ask { ProfileImport(found.person, given: $0) }
    }
    guard try approve(found) else { return outcome }
    if outcome.changeCount > 0 {
      try append(&outcome, sources)
    }
    return outcome
  }

  private func makeEntry() -> EntryID {
    var generator = SystemEntropy()
    return .make(at: now, using: &generator)
  }

  private func append(_ outcome: inout Outcome, _ before: ImportedSources) throws {
    try store.log.withSession { session in
      if ChainPosition(session.head) != before.position {
        outcome.found.drop(
          knownTo: try ImportedSources(session.view(), namesEntries: namesEntries))
        if !outcome.profile.edits.isEmpty {
          let wanted = outcome.found.person
          outcome.profile = try FoldedLog(session.view(), keepsSnapshot: false).ask {
            ProfileImport(wanted, given: $0)
          }
        }
      }
      outcome.repairs = session.repairs
      let count = outcome.changeCount
      for start in stride(from: 0, to: count, by: Self.eventsInAWrite) {
        try write(start..<min(count, start + Self.eventsInAWrite), of: &outcome, to: &session)
      }
    }
  }

  private func write(
    _ changes: Range<Int>, of outcome: inout Outcome, to session: inout LogSession
  ) throws {
    var generator = SystemEntropy()
    let events = try changes.map { index in
      let change = outcome.change(index)
      let payload = try decide(change.edit, given: change.facts, today: today)
      let id = EventID.make(at: now, using: &generator)
      return Event(id: id, at: now, by: .import, payload: payload)
    }
    do throws(LogError) {
      let started = ContinuousClock.now
      let written = try session.append(events, using: &generator)
      store.onActivity?(
        .appended(
          events: written.events.count, bytes: written.lines.count, duration: .now - started))
      guard let first = written.events.first?.seq, let last = written.events.last?.seq else {
        return
      }
      outcome.appended = (outcome.appended?.lowerBound ?? first)...last
    } catch {
      guard let appended = outcome.appended else { throw error }
      throw Interruption(appended: appended, cause: error)
    }
  }
}

/// One event to be. It becomes an edit only when it is written, since there may be many.
private enum ImportChange {
  case logged(ProgressLogged)
  case grown(GrownSum)
  case slept(SleepLogged)
  case grownSession(GrownSession)
  case profile(Edit.Change)

  var edit: Edit.Change {
    switch self {
    case .logged(let logged): .logProgress(logged)
    case .grown(let grown):
      .correctProgress(ProgressCorrected(entry: grown.entry, quantity: grown.quantity))
    case .slept(let session): .logSleep(session)
    case .grownSession(let grown): .correctSleep(grown.correction)
    case .profile(let change): change
    }
  }

  /// A new entry's id is fresh, so the ledger cannot have it; a grown entry was checked to exist
  /// unchanged.
  var facts: any LedgerFacts {
    switch self {
    case .grown(let grown): LiveEntry(metric: grown.metric)
    case .grownSession(let grown): LiveSession(session: grown.known)
    case .logged, .slept, .profile: NoFacts()
    }
  }
}

private struct LiveEntry: LedgerFacts {
  let metric: Metric

  func entry(_ id: EntryID) -> EntryFacts? { EntryFacts(metric: metric, isDeleted: false) }
  func session(_ id: EntryID) -> SessionFacts? { nil }
}

private struct LiveSession: LedgerFacts {
  let session: KnownSession

  func entry(_ id: EntryID) -> EntryFacts? { nil }
  func session(_ id: EntryID) -> SessionFacts? {
    SessionFacts(start: session.start, end: session.end, stages: nil, isDeleted: false)
  }
}

extension ImportTransaction.Outcome {
  fileprivate var changeCount: Int {
    found.edits.count + found.growths.count + found.sessions.count + found.grownSessions.count
      + profile.edits.count
  }

  /// Entries come first, then grown sums, sessions, grown sessions, and the profile.
  fileprivate func change(_ index: Int) -> ImportChange {
    if index < found.edits.count { return .logged(found.edits[index]) }
    var rest = index - found.edits.count
    if rest < found.growths.count { return .grown(found.growths[rest]) }
    rest -= found.growths.count
    if rest < found.sessions.count { return .slept(found.sessions[rest]) }
    rest -= found.sessions.count
    if rest < found.grownSessions.count { return .grownSession(found.grownSessions[rest]) }
    return .profile(profile.edits[rest - found.grownSessions.count])
  }
}

extension ImportResult {
  fileprivate mutating func drop(knownTo sources: ImportedSources) {
    for logged in edits where sources.knows(logged) {
      knownEntries[logged.metric, default: 0] += 1
    }
    edits.removeAll(where: sources.knows)
    func isKnown(_ grown: GrownSum) -> Bool {
      let entry = sources.entry(source: grown.source, id: grown.sourceID)
      return entry.map { $0.isTouched || $0.quantity >= grown.quantity } ?? true
    }
    for grown in growths where isKnown(grown) {
      knownEntries[grown.metric, default: 0] += 1
    }
    growths.removeAll(where: isKnown)
    let isKnownSession: (SleepLogged) -> Bool = { !sources.sessions(like: $0).isEmpty }
    knownSessions += sessions.count(where: isKnownSession)
    sessions.removeAll(where: isKnownSession)
    let isUnchanged: (GrownSession) -> Bool = { sources.session($0.known.entry) == $0.known }
    knownSessions += grownSessions.count { !isUnchanged($0) }
    grownSessions = grownSessions.filter(isUnchanged)
  }
}

/// The profile edits of an import. Fills only fields that have never been set.
public struct ProfileImport: Sendable {
  /// A field of the file.
  public struct Field: Sendable {
    /// The name in the log.
    public var name: String
    /// The value in the file.
    public var value: JSONValue
  }

  /// The edits that fill the fields.
  public private(set) var edits: [Edit.Change] = []
  /// Fields that had never been set.
  public private(set) var filled: [Field] = []
  /// Fields with another value in the ledger, which is kept.
  public private(set) var kept: [Field] = []

  init() {}

  init(_ wanted: PersonFields, given state: LedgerState) {
    var profile = ProfileUpdated()
    var physical = PhysicalUpdated()
    var preferences = PreferencesUpdated()
    fill(.name, wanted.name, state) { profile.name = $0 }
    fill(.bio, wanted.bio, state) { profile.bio = .set($0) }
    fill(.preferredUnitSystem, wanted.unitSystem, state) { profile.preferredUnitSystem = $0 }
    fill(.languageCode, wanted.languageCode, state) { profile.languageCode = .set($0) }
    fill(.biologicalSex, wanted.biologicalSex, state) { physical.biologicalSex = $0 }
    fill(.heightCM, wanted.heightCM, state) { physical.heightCM = $0 }
    fill(.dateOfBirth, wanted.dateOfBirth, state) { physical.dateOfBirth = $0 }
    fill(.allergies, wanted.allergies, state) { preferences.allergies = $0 }
    fill(.dietaryRestrictions, wanted.dietaryRestrictions, state) {
      preferences.dietaryRestrictions = $0
    }
    fill(.foodDislikes, wanted.foodDislikes, state) { preferences.foodDislikes = $0 }
    if profile != ProfileUpdated() { edits.append(.updateProfile(profile)) }
    if physical != PhysicalUpdated() { edits.append(.updatePhysical(physical)) }
    if preferences != PreferencesUpdated() { edits.append(.updatePreferences(preferences)) }
  }

  private mutating func fill<Value: MemberValue>(
    _ field: ProfileField, _ wanted: Value?, _ state: LedgerState, _ set: (Value) -> Void
  ) {
    guard let wanted else { return }
    let value = wanted.json
    if state.fieldStatus(field) == nil {
      set(wanted)
      filled.append(Field(name: field.rawValue, value: value))
    } else if state.fields(of: field.subject)[field.rawValue] != value {
      kept.append(Field(name: field.rawValue, value: value))
    }
  }
}
