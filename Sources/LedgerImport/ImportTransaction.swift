public import LedgerJSON
public import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections
package import LedgerStore
import Synchronization

/// Reads files and appends what they contain to a ledger exactly once.
///
/// The files are read without the lock, while another thread reads the log. Under the lock, what another
/// import has added meanwhile is dropped, then everything is appended in one durable write: all of it
/// or nothing. Memory is bounded, however large the files and the log are.
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

  private let store: LedgerStore
  private let now: Timestamp
  private let today: CalendarDate
  private let namesEntries: Bool
  private let units: ProfileUnits

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
    units = ProfileUnits(store)
  }

  /// The units of the profile, for which the log is read once, in bounded memory.
  ///
  /// - Throws: ``ImportError`` if the log cannot be read.
  package func unitSystem() throws -> UnitSystem { try units.system() }

  /// - Parameters:
  ///   - read: reads the files, in a context whose zone and progress it may set.
  ///   - approve: whether to write what was found, given the quantities in the ledger.
  ///   - checkContinues: asked often while the events are written; what it throws takes them back.
  /// - Throws: what the closures throw, ``LogError``, ``ImportError``.
  package func run(
    _ read: (ImportContext) throws -> ImportResult,
    approve: (ImportResult, [Metric: QuantitySample]) throws -> Bool = { _, _ in true },
    checkContinues: () throws -> Void = {}
  ) throws -> Outcome {
    let view = try LogView.open(store.directory)
    let known = LogReading(view, namesEntries: namesEntries)
    defer { known.finish() }
    let context = ImportContext(
      makeEntry: EntryIDs(at: now).next, index: known.index, entriesByID: known.entriesByID,
      known: { source, id in known.entry(source, id)?.loggedQuantity },
      knownEntry: { source, id in known.entry(source, id)?.entry },
      hourOffsets: { known.optional?.hourOffsets ?? [] },
      knownSessions: { session in known.optional?.sessions(like: session) ?? [] },
      unitSystem: units.system, today: today)
    var found: ImportResult
    do { found = try read(context) } catch { throw units.failure ?? error }
    let sources = try known.sources()
    let pulledDays = try found.drop(equalTo: sources.byValue)
    found.sharedDays = try sources.sharedDays(with: found.entries, pulled: pulledDays, in: view)
    // A table of a ledger has what was decided there.
    if !namesEntries { found.warnings += try found.entries.sharedDays(units: units.system) }
    var outcome = Outcome(found: found)
    if found.profile != ImportedProfile() {
      // Reading may take long, so it is done before the lock is taken.
      outcome.profile = ProfileImport(found.profile, given: try Replay.profile(of: view))
    }
    guard try approve(found, sources.usual) else { return outcome }
    if outcome.changeCount > 0 {
      try append(&outcome, sources.position, checkContinues)
    }
    return outcome
  }

  /// - Parameter before: the end of the log that the files were compared with.
  private func append(
    _ outcome: inout Outcome, _ before: ChainPosition, _ checkContinues: () throws -> Void
  ) throws {
    try store.transaction(from: .nothing) { transaction in
      if transaction.end != before {
        try outcome.found.drop(
          knownTo: try ImportedSources(transaction.view(), namesEntries: namesEntries))
        if !outcome.profile.edits.isEmpty {
          outcome.profile = ProfileImport(
            outcome.found.profile, given: try Replay.profile(of: transaction.view()))
        }
      }
      outcome.repairs = transaction.repairs
      outcome.appended = try transaction.append { batch in
        let logged = LoggedEvents(outcome.found.entries, at: now)
        while case let piece = try logged.next(), !piece.isEmpty {
          for (event, salt) in piece {
            try checkContinues()
            try batch.append(event, salt: salt)
          }
        }
        var generator = BufferedEntropy()
        try outcome.forEachOtherChange { change in
          try checkContinues()
          let payload = try change.payload(today: today)
          let id = EventID.make(at: now, using: &generator)
          try batch.append(
            Event(id: id, at: now, by: .import, payload: payload), salt: generator.next())
        }
      }
    }
  }
}

/// Makes entry ids.
private final class EntryIDs {
  private let now: Timestamp
  private var generator = BufferedEntropy()

  init(at now: Timestamp) { self.now = now }

  func next() -> EntryID { .make(at: now, using: &generator) }
}

/// The units of the profile, for which the log is read.
private final class ProfileUnits {
  private let store: LedgerStore
  private var known: UnitSystem?
  /// Why the log could not be read.
  private(set) var failure: (any Error)?

  init(_ store: LedgerStore) { self.store = store }

  func system() throws(ImportError) -> UnitSystem {
    if let known { return known }
    do {
      let system = try Replay.profile(of: store.view()).unitSystem ?? .metric
      known = system
      return system
    } catch {
      failure = error
      throw ImportError(.unreadable, "the units of the profile cannot be read: \(error)")
    }
  }
}

/// Reads a log on another thread, for an importer that meanwhile reads a file.
private final class LogReading {
  private let work: BackgroundWork<Result<ImportedSources, any Error>>
  private var result: Result<ImportedSources, any Error>?
  private var failure: ImportError?

  init(_ view: LogView, namesEntries: Bool) {
    work = Threads.begin {
      Result { try ImportedSources(view, namesEntries: namesEntries) }
    }
  }

  /// - Throws: why the log could not be read, or a lookup not be answered.
  func sources() throws -> ImportedSources {
    if let failure { throw failure }
    return try finished().get()
  }

  /// `nil` if the log could not be read; ``sources()`` then tells why.
  var optional: ImportedSources? { try? finished().get() }

  func index() throws(ImportError) -> KnownEntries { optional?.entries ?? .none }

  func entriesByID() throws(ImportError) -> EntryVersions { optional?.entriesByID ?? .none }

  func entry(_ source: String, _ id: String) -> KnownEntries.Found? {
    do throws(ImportError) {
      return try optional?.entry(source: source, id: id)
    } catch {
      failure = error
      return nil
    }
  }

  func finish() { _ = finished() }

  private func finished() -> Result<ImportedSources, any Error> {
    if let result { return result }
    let finished = work.wait()
    result = finished
    return finished
  }
}

/// The events of new entries in pieces: the next one is made on another thread while the caller writes
/// the last.
///
/// An entry was decided when it was read, and its id is fresh, so that the ledger cannot have it.
private final class LoggedEvents {
  typealias Piece = [(event: Event, salt: UInt64)]

  private final class Maker: Sendable {
    private let state: Mutex<(cursor: ImportedEntries.Cursor, generator: BufferedEntropy)>
    private let now: Timestamp

    init(_ entries: ImportedEntries, at now: Timestamp) {
      state = Mutex((entries.cursor(), BufferedEntropy()))
      self.now = now
    }

    func piece() -> Result<Piece, ImportError> {
      Result { () throws(ImportError) in
        try state.withLock { state throws(ImportError) in
          var piece: Piece = []
          piece.reserveCapacity(LoggedEvents.pieceEvents)
          while piece.count < LoggedEvents.pieceEvents, let entry = try state.cursor.next() {
            let id = EventID.make(at: now, using: &state.generator)
            let event = Event(id: id, at: now, by: .import, payload: .progressLogged(entry))
            piece.append((event, state.generator.next()))
          }
          return piece
        }
      }
    }
  }

  private static let pieceEvents = 2048

  private let maker: Maker
  private var work: BackgroundWork<Result<Piece, ImportError>>?

  init(_ entries: ImportedEntries, at now: Timestamp) { maker = Maker(entries, at: now) }

  deinit { _ = work?.wait() }

  /// Empty at the end.
  func next() throws(ImportError) -> Piece {
    let made = work?.wait() ?? maker.piece()
    work = nil
    let piece = try made.get()
    if piece.count == Self.pieceEvents { work = Threads.begin { [maker] in maker.piece() } }
    return piece
  }
}

/// One event to be, other than a new entry.
private enum ImportChange {
  case grown(GrownSum)
  case slept(SleepLogged)
  case grownSession(GrownSession)
  /// Another session that is part of a grown one.
  case part(KnownSession)
  case profile(Edit.Change)

  /// A grown entry was checked to exist unchanged.
  func payload(today: CalendarDate) throws(Refusal) -> Event.Payload {
    switch self {
    case .grown(let grown):
      try decide(
        .correctProgress(ProgressCorrected(entry: grown.entry, quantity: grown.quantity)),
        given: LiveEntry(metric: grown.metric), today: today)
    case .slept(let session): try decide(.logSleep(session), given: NoFacts(), today: today)
    case .grownSession(let grown):
      try decide(
        .correctSleep(grown.correction), given: LiveSession(session: grown.known), today: today)
    case .part(let session):
      try decide(
        .deleteSleep(SleepDeleted(entry: session.entry, reason: "part of a longer session")),
        given: LiveSession(session: session), today: today)
    case .profile(let change): try decide(change, given: NoFacts(), today: today)
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
    found.entries.count + found.growths.count + found.sessions.count + found.grownSessions.count
      + profile.edits.count
  }

  /// After the entries come grown sums, sessions, grown sessions, and the profile.
  fileprivate func forEachOtherChange(_ body: (ImportChange) throws -> Void) throws {
    for grown in found.growths { try body(.grown(grown)) }
    for session in found.sessions { try body(.slept(session)) }
    for grown in found.grownSessions {
      try body(.grownSession(grown))
      for part in grown.parts { try body(.part(part)) }
    }
    for change in profile.edits { try body(.profile(change)) }
  }
}

extension ImportResult {
  fileprivate mutating func drop(knownTo sources: ImportedSources) throws {
    var cursor = entries.cursor()
    while let entry = try cursor.next() {
      guard try sources.knows(entry) else { continue }
      knownEntries[entry.metric, default: 0] += 1
      entries.remove(cursor.place, entry.metric)
    }
    _ = try drop(equalTo: sources.byValue)
    func isKnown(_ grown: GrownSum) throws -> Bool {
      let entry = try sources.entry(source: grown.source, id: grown.sourceID)?.entry
      return entry.map { $0.isTouched || $0.quantity >= grown.quantity } ?? true
    }
    for grown in growths where try isKnown(grown) {
      knownEntries[grown.metric, default: 0] += 1
    }
    try growths.removeAll(where: isKnown)
    let isKnownSession: (SleepLogged) -> Bool = { !sources.sessions(like: $0).isEmpty }
    knownSessions += sessions.count(where: isKnownSession)
    sessions.removeAll(where: isKnownSession)
    let isUnchanged: (GrownSession) -> Bool = { grown in
      ([grown.known] + grown.parts).allSatisfy { sources.session($0.entry) == $0 }
    }
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

  init(_ wanted: ImportedProfile, given known: ProfileView) {
    var profile = ProfileUpdated()
    var physical = PhysicalUpdated()
    var preferences = PreferencesUpdated()
    fill(.name, wanted.name, known) { profile.name = $0 }
    fill(.bio, wanted.bio, known) { profile.bio = .set($0) }
    fill(.preferredUnitSystem, wanted.unitSystem, known) { profile.preferredUnitSystem = $0 }
    fill(.languageCode, wanted.languageCode, known) { profile.languageCode = .set($0) }
    fill(.biologicalSex, wanted.biologicalSex, known) { physical.biologicalSex = $0 }
    fill(.heightCM, wanted.heightCM, known) { physical.heightCM = $0 }
    fill(.dateOfBirth, wanted.dateOfBirth, known) { physical.dateOfBirth = $0 }
    fill(.allergies, wanted.allergies, known) { preferences.allergies = $0 }
    fill(.dietaryRestrictions, wanted.dietaryRestrictions, known) {
      preferences.dietaryRestrictions = $0
    }
    fill(.foodDislikes, wanted.foodDislikes, known) { preferences.foodDislikes = $0 }
    if profile != ProfileUpdated() { edits.append(.updateProfile(profile)) }
    if physical != PhysicalUpdated() { edits.append(.updatePhysical(physical)) }
    if preferences != PreferencesUpdated() { edits.append(.updatePreferences(preferences)) }
  }

  private mutating func fill<Value: MemberValue>(
    _ field: ProfileField, _ wanted: Value?, _ known: ProfileView, _ set: (Value) -> Void
  ) {
    guard let wanted else { return }
    let value = wanted.json
    if known.status(of: field) == nil {
      set(wanted)
      filled.append(Field(name: field.rawValue, value: value))
    } else if known.value(of: field) != value {
      kept.append(Field(name: field.rawValue, value: value))
    }
  }
}
