import LedgerLog
import LedgerModel

/// What sync recorded on one day.
struct SyncDay: Hashable, Sendable {
  enum Outcome: Int, CaseIterable, Sendable {
    case sent, acknowledged, deferred, held, refused, differed, pulled, changed, conflicts,
      duplicates, skipped, signIns, signOuts

    init?(_ kind: EventKind, by actor: Event.Actor) {
      switch kind {
      case .syncAttempted: self = .sent
      case .syncAcknowledged: self = .acknowledged
      case .syncDeferred: self = .deferred
      case .syncHeld: self = .held
      case .syncRejected: self = .refused
      case .syncDiffered: self = .differed
      case .profilePulled, .progressPulled, .sleepPulled: self = .pulled
      case .progressCorrected, .progressDeleted, .sleepCorrected, .sleepDeleted:
        guard actor == .sync else { return nil }
        self = .changed
      case .conflictDetected: self = .conflicts
      case .duplicateSuspected: self = .duplicates
      case .rowSkipped: self = .skipped
      case .accountSignedIn: self = .signIns
      case .accountSignedOut: self = .signOuts
      case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated,
        .progressLogged, .sleepLogged, .conflictResolved, .duplicateResolved, .goalSet,
        .goalRemoved, .editUndone, .accountReplaced, .eventErased, .logRepaired:
        return nil
      }
    }

    /// `3 calls sent`
    func words(_ count: Int) -> String {
      let number = FigureText.count(count)
      return switch self {
      case .sent: "\(FigureText.counted(count, "call")) sent"
      case .acknowledged: "\(number) acknowledged"
      case .deferred: "\(number) without an answer, to be repeated"
      case .held: "\(number) held"
      case .refused: "\(number) refused"
      case .differed: "\(FigureText.counted(count, "answer")) with other values"
      case .pulled: "\(number) pulled"
      case .changed: "\(number) changed elsewhere"
      case .conflicts: FigureText.counted(count, "conflict")
      case .duplicates: FigureText.counted(count, "suspected duplicate")
      case .skipped: "\(FigureText.counted(count, "row")) skipped"
      case .signIns: FigureText.counted(count, "sign-in")
      case .signOuts: FigureText.counted(count, "sign-out")
      }
    }

    /// The kind of mark in the timeline; `nil` for none: a call counts by its answer.
    var mark: String? {
      switch self {
      case .sent, .signIns, .signOuts: nil
      case .acknowledged: "acknowledged"
      case .pulled, .changed: "pending"
      case .deferred, .held, .skipped: "held"
      case .refused, .differed, .conflicts, .duplicates: "rejected"
      }
    }
  }

  var date: CalendarDate
  /// By ``Outcome/rawValue``.
  private(set) var counts = [Int](repeating: 0, count: Outcome.allCases.count)

  init(date: CalendarDate) { self.date = date }

  mutating func add(_ outcome: Outcome, _ count: Int = 1) { counts[outcome.rawValue] += count }

  func count(_ outcome: Outcome) -> Int { counts[outcome.rawValue] }

  /// The outcomes that occurred.
  var outcomes: [Outcome] { Outcome.allCases.filter { count($0) > 0 } }

  /// `3 calls sent, 2 acknowledged, 1 refused`
  var words: String { outcomes.map { $0.words(count($0)) }.joined(separator: ", ") }

  /// The number of answers and changes, which the timeline draws.
  var marked: Int { outcomes.reduce(0) { $1.mark == nil ? $0 : $0 + count($1) } }

  /// How many days are shown at most.
  static let mostDays = 14
  /// Reading ends after so many events, so that a long log is not read twice.
  private static let mostEvents = 20_000

  /// The newest days on which sync recorded anything, newest first. Reads the log from its end.
  static func newest(in view: LogView, zone: LocalZone) throws(LogError) -> [SyncDay] {
    var days: [CalendarDate: SyncDay] = [:]
    var events = 0
    // Cached for a quarter of an hour, within which the local date does not change.
    var known: (quarter: Int64, date: CalendarDate)?
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      events += 1
      guard envelope.by == .sync || envelope.by == .system, let kind = envelope.kind(in: window),
        let outcome = Outcome(kind, by: envelope.by)
      else { return }
      let at = envelope.milliseconds(in: window)
      let quarter = at.flooredQuotient(by: 900_000)
      if known?.quarter != quarter {
        known = zone.localTime(at: Timestamp(millisecondsSince1970: at)).map { (quarter, $0.date) }
      }
      guard let date = known?.date else { return }
      days[date, default: SyncDay(date: date)].add(outcome)
    } while: { _ in
      days.count <= mostDays && events < mostEvents
    }
    let newest = days.values.sorted { $0.date > $1.date }
    // The oldest day may not have been read whole.
    let isCut = events >= mostEvents && newest.count > 1 && newest.count <= mostDays
    return Array(newest.prefix(isCut ? newest.count - 1 : mostDays))
  }
}

extension Envelope {
  fileprivate func kind(in bytes: RawSpan) -> EventKind? {
    let name = bytes.extracting(type).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    return EventKind(rawValue: name)
  }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
