import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerReport

/// Gathers what a report says: one pass over the log from line 1, which checks the chain and looks
/// at the ledger now and then on the way.
struct ReportBuilder {
  let view: LogView
  let zone: LocalZone
  let now: Timestamp
  /// How many events the audit trail lists.
  let newest: Int
  let onBytes: (Int) -> Void

  /// Over more bars than this a phone would draw none that can be told from the next.
  private static let spans = 48
  private static let twoDays: Int64 = 2 * 86_400_000

  struct Built {
    let content: ReportContent
    let head: ChainPosition
    /// The log's length after it.
    let offsetBytes: Int
  }

  /// - Throws: ``LogError``, damage included: a report on half a log would be a lie.
  func build() throws -> Built {
    let (axis, stops) = try spans()
    var standings: [SyncHistory.Standing] = []
    var next = stops[...]
    let outcome = try Replay.run(view, verifies: true, stops: stops, onBytes: onBytes) { state in
      let standing = SyncHistory.Standing(state)
      // Spans in which nothing was recorded are as the one before them.
      while let stop = next.first, stop <= state.position.seq {
        standings.append(standing)
        next.removeFirst()
      }
    }
    if let damage = outcome.damage { throw LogError.damaged(damage) }
    let state = outcome.state
    let person = state.profileView()
    let quantities = QuantityText(units: person.unitSystem ?? .metric)
    let days = state.days()
    let content = ReportContent(
      person: person.name, device: try device(), madeAt: TimeText(zone: zone).exact(now),
      series: Metric.allCases.map { metric in
        MetricSeries(MetricDisplay(metric, quantities), groups: days)
      },
      sync: SyncHistory(
        axis: axis, standings: standings,
        lastSync: state.tally.lastSyncAt.map(TimeText(zone: zone).minute),
        hasAccount: state.account.owner != nil),
      audit: try audit(state, quantities))
    return Built(content: content, head: state.position, offsetBytes: state.offsetBytes)
  }

  /// Equal spans of time; of a log that came about within two days, of events.
  private func spans() throws -> (axis: SyncHistory.Axis, stops: [Int]) {
    guard let last = try view.lastLine() else { return (.events(1...1), []) }
    let events = last.seq
    let firstAt = try view.line(Seq(1)).event().event.at
    let lastAt = try last.event().event.at
    let span = lastAt.millisecondsSince1970 - firstAt.millisecondsSince1970
    guard span > Self.twoDays, let first = zone.wall(at: firstAt), let end = zone.wall(at: lastAt)
    else {
      let count = min(Self.spans, events)
      return (.events(1...max(1, events)), (1...count).map { events * $0 / count })
    }
    var stops: [Int] = []
    for index in 1..<Self.spans {
      var moment = firstAt
      moment.millisecondsSince1970 += span / Int64(Self.spans) * Int64(index)
      stops.append(max(stops.last ?? 1, try view.eventsRecorded(upTo: moment)))
    }
    return (.days(first.date...max(first.date, end.date)), stops + [events])
  }

  private func device() throws -> String? {
    guard view.endBytes > 0,
      case .ledgerCreated(let created) = try view.line(Seq(1)).event().event.payload
    else { return nil }
    return created.device
  }

  private func audit(_ state: LedgerState, _ quantities: QuantityText) throws -> AuditTrail {
    let recorded = try view.lastLines(newest).map { line throws(LogError) in try line.event() }
    let names = EntryNames(state, for: recorded.map(\.event))
    let words = EventWords(names: names)
    let times = TimeText(zone: zone)
    var span: (first: String, last: String)?
    if let first = state.tally.firstAt, let last = state.tally.lastAt {
      span = (times.minute(first), times.minute(last))
    }
    return AuditTrail(
      newest: recorded.reversed().map { recorded in
        AuditTrail.Event(
          seq: recorded.seq.number, time: times.second(recorded.event.at),
          actor: recorded.event.by.rawValue, words: words.sentence(recorded.event),
          hash: recorded.hash)
      },
      byType: state.tally.byType.map { AuditTrail.TypeCount(type: $0.type, count: $0.count) },
      events: state.position.seq, erased: state.tally.erased,
      head: state.position.hash.description, isVerified: true, span: span)
  }
}

extension SyncHistory.Standing {
  init(_ state: LedgerState) {
    let counts = state.syncCounts()
    self.init(
      acknowledged: state.acknowledgedEdits(), pending: counts.pending, inDoubt: counts.inDoubt,
      held: counts.held, rejected: counts.rejected, conflicts: counts.conflicts)
  }
}

extension MetricDisplay {
  init(_ metric: Metric, _ quantities: QuantityText) {
    let shown = quantities.shown(metric)
    self.init(
      metric: metric, name: metric.words, unit: shown.unit, factor: shown.factor,
      decimals: metric.decimalsInColumns, addsUp: metric.addsUp)
  }
}

extension Metric {
  /// How many digits behind the point are worth a column of a report.
  fileprivate var decimalsInColumns: Int {
    switch self {
    case .weight, .height, .bodyFatPercentage, .bmi, .sleepHours, .moodScore: 1
    case .distanceKM, .waterLiters: 2
    case .steps, .caloriesOut, .caloriesIn, .activeMinutes, .restingHeartRate, .proteinG, .carbsG,
      .fatG:
      0
    }
  }
}
