import LedgerJSON
import LedgerModel
import LedgerTestSupport

/// A few hundred events as no sane ledger has them: everything that may happen, in any order, about
/// things that are there, are not there yet, or never come.
struct RandomStory {
  struct Line {
    var by: Event.Actor
    var payload: Event.Payload
  }

  private(set) var lines: [Line] = []
  var random: SplitMix
  private let hasHostileDates: Bool
  var entries: [EntryID] = []
  var unborn: [EntryID] = []
  var conflicts: [Seq] = []
  var suspicions: [Seq] = []

  static func lines(
    seed: UInt64, count: Int, hostileDates: Bool = false
  ) -> [Line] {
    var story = RandomStory(seed: seed, hostileDates: hostileDates)
    story.tell(count)
    return story.lines
  }

  static func log(
    seed: UInt64, count: Int, hostileDates: Bool = false
  ) -> HandWrittenLog {
    var log = HandWrittenLog()
    for line in lines(seed: seed, count: count, hostileDates: hostileDates) {
      log.append(line.payload, by: line.by)
    }
    return log
  }

  private init(seed: UInt64, hostileDates: Bool) {
    random = SplitMix(seed)
    hasHostileDates = hostileDates
  }

  private mutating func tell(_ count: Int) {
    let ledger = LedgerID(id())
    add(.system, .ledgerCreated(LedgerCreated(ledger: ledger, device: "test", format: 1)))
    unborn = (0..<4).map { _ in EntryID(id()) }
    while lines.count < count {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<27: addLogged()
      case ..<40: addCorrected()
      case ..<45: addDeleted()
      case ..<49: addPulledEntry()
      case ..<62: addFields()
      case ..<88: addAnswer()
      default: addRare()
      }
    }
  }

  mutating func add(_ by: Event.Actor, _ payload: Event.Payload) {
    lines.append(Line(by: by, payload: payload))
  }

  mutating func id() -> LedgerUUID {
    LedgerUUID.version7(at: HandWrittenLog.at(lines.count), using: &random)
  }

  // MARK: Entries

  private mutating func addLogged() {
    var entry = random.chance(5) && !unborn.isEmpty ? unborn.removeLast() : EntryID(id())
    // No ledger of ours logs an entry twice, but a foreign one may.
    if random.chance(3), !entries.isEmpty { entry = random.pick(entries) }
    entries.append(entry)
    add(
      .user,
      .progressLogged(
        ProgressLogged(
          entry: entry, metric: random.pick(Metric.allCases), quantity: quantity(), date: date(),
          moment: moment(), notes: notes(), source: random.chance(20) ? "csv" : nil,
          sourceID: random.chance(10) ? "csv:\(lines.count)" : nil)))
  }

  private mutating func addPulledEntry() {
    let entry = EntryID(id())
    entries.append(entry)
    add(
      .sync,
      .progressPulled(
        ProgressPulled(
          entry: entry, backendID: BackendID("pulled-\(lines.count)")!,
          metric: random.pick(Metric.allCases), quantity: quantity(), date: date(),
          moment: moment(), notes: notes())))
  }

  private mutating func addCorrected() {
    var edit = ProgressCorrected(entry: someEntry())
    if random.chance(60) { edit.quantity = quantity() }
    if random.chance(30) { edit.date = date() }
    if random.chance(30) { edit.moment = moment() }
    if random.chance(20) { edit.notes = random.chance(50) ? .clear : .set("corrected") }
    add(.user, .progressCorrected(edit))
  }

  private mutating func addDeleted() {
    let reason = random.chance(50) ? "a mistake" : nil
    add(
      random.chance(30) ? .sync : .user,
      .progressDeleted(ProgressDeleted(entry: someEntry(), reason: reason)))
  }

  /// Mostly one that is there; at times one that comes later, or never.
  mutating func someEntry() -> EntryID {
    if random.chance(6), let later = unborn.last { return later }
    if random.chance(3) || entries.isEmpty { return EntryID(id()) }
    return random.chance(70) ? random.pick(entries.suffix(8)) : random.pick(entries)
  }

  mutating func quantity() -> Double {
    Double(Int.random(in: 1...9999, using: &random)) / 100
  }

  private mutating func date() -> CalendarDate {
    if hasHostileDates, random.chance(8) { return random.pick([.first, .last]) }
    return CalendarDate(year: 2025, month: 1, day: Int.random(in: 1...12, using: &random))!
  }

  private mutating func moment() -> ZonedTime? {
    guard random.chance(60) else { return nil }
    // Few enough different times that some are equal.
    let time = ClockTime(hour: Int.random(in: 0...5, using: &random), minute: 0)!
    return ZonedTime(time: time, zone: ZoneOffset(minutes: random.pick([-300, 0, 60, 330]))!)
  }

  private mutating func notes() -> String? {
    random.chance(30) ? random.pick(["fine", "so-so \"quoted\"", "走った 🏃\n"]) : nil
  }
}
