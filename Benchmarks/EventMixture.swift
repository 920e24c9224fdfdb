import LedgerModel

/// Draws events as a life with the ledger would leave them: mostly logging, some second thoughts,
/// and the calls that carry both to a backend. Of every 125 events about 60 log, 10 correct, 3
/// delete, 2 edit the profile, and 50 are the two halves of calls.
struct EventMixture {
  /// What the events drawn so far come to.
  var liveCount: Int { live.count }
  private(set) var deletedCount = 0
  /// The drawn clock; minutes pass with every event, so that 200,000 of them fill some years.
  private(set) var now = Timestamp(millisecondsSince1970: 1_600_000_000_000)

  var generator: SplitMix64
  /// Entries that can be corrected, deleted and sent.
  var live: [LiveEntry] = []
  var openCall: OpenCall?
  /// Line 1 is the ledger's creation.
  private(set) var seq = Seq(1)

  struct LiveEntry {
    var id: EntryID
    var metric: Metric
    var unsent: [Seq]
  }

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> Event {
    now.millisecondsSince1970 += Int64(generator.below(26 * 60_000))
    seq = seq.next
    let isAnswer = openCall != nil
    let payload = isAnswer ? answer() : drawPayload()
    return Event(
      id: .make(at: now, using: &generator), at: now, by: isSync(payload) ? .sync : .user,
      payload: payload)
  }

  private func isSync(_ payload: Event.Payload) -> Bool {
    switch payload {
    case .syncAttempted, .syncAcknowledged: true
    default: false
    }
  }

  private mutating func drawPayload() -> Event.Payload {
    let drawn = generator.below(100)
    guard drawn >= 60, !live.isEmpty else { return log() }
    switch drawn {
    case ..<70: return correct()
    case ..<73: return delete()
    case ..<75: return editProfile()
    default: return attempt() ?? log()
    }
  }

  private mutating func log() -> Event.Payload {
    let metric = Metric.allCases[generator.below(Metric.allCases.count)]
    let entry = EntryID.make(at: now, using: &generator)
    live.append(LiveEntry(id: entry, metric: metric, unsent: [seq]))
    let isImported = generator.oneIn(4)
    return .progressLogged(
      ProgressLogged(
        entry: entry, metric: metric, quantity: quantity(metric), date: date(),
        moment: generator.oneIn(3) ? nil : moment(),
        notes: generator.oneIn(8) ? "after a long walk by the river" : nil,
        source: isImported ? "fitbit" : nil, sourceID: isImported ? "steps-\(seq)" : nil))
  }

  private mutating func correct() -> Event.Payload {
    let index = generator.below(live.count)
    live[index].unsent.append(seq)
    return .progressCorrected(
      ProgressCorrected(
        entry: live[index].id, quantity: quantity(live[index].metric),
        date: generator.oneIn(4) ? date() : nil,
        notes: generator.oneIn(8) ? .set("read off again") : nil))
  }

  private mutating func delete() -> Event.Payload {
    let index = generator.below(live.count)
    let entry = live[index].id
    live.swapAt(index, live.count - 1)
    live.removeLast()
    deletedCount += 1
    return .progressDeleted(
      ProgressDeleted(entry: entry, reason: generator.oneIn(2) ? "logged twice" : nil))
  }
}
