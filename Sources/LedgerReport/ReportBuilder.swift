package import LedgerLog
package import LedgerModel
package import LedgerProjections

/// How a report words times, metrics and events.
package struct ReportWording {
  package enum TimePrecision: Sendable {
    case minute
    case second
    /// With seconds and the UTC offset.
    case full
  }

  package var time: (Timestamp, TimePrecision) -> String
  package var metric: (Metric, UnitSystem) -> MetricDisplay
  /// A sentence for each event, given the state at the log's end.
  package var sentences: ([RecordedEvent], LedgerState) -> [String]
  /// How far the goals in force are.
  package var goals: (LedgerState) -> [Metric: GoalProgress]

  package init(
    time: @escaping (Timestamp, TimePrecision) -> String,
    metric: @escaping (Metric, UnitSystem) -> MetricDisplay,
    sentences: @escaping ([RecordedEvent], LedgerState) -> [String],
    goals: @escaping (LedgerState) -> [Metric: GoalProgress]
  ) {
    self.time = time
    self.metric = metric
    self.sentences = sentences
    self.goals = goals
  }
}

/// Builds a report's content in one pass over the log from its first line, which verifies the chain.
package struct ReportBuilder {
  package struct Report {
    package let content: ReportContent
    package let head: ChainPosition
    /// The length of the log that was verified.
    package let offsetBytes: Int
  }

  private let view: LogView
  private let zone: LocalZone
  private let now: Timestamp
  private let newestEvents: Int
  private let days: (from: CalendarDate?, to: CalendarDate?)
  private let wording: ReportWording
  private let onBytes: (Int) -> Void

  /// On a phone, more bars would run into each other.
  private static let spans = 48
  private static let twoDays: Int64 = 2 * 86_400_000

  /// - Parameters:
  ///   - days: the first and the last day of the charts; `nil` for the first of all and for today.
  ///   - newestEvents: how many events the audit trail lists.
  ///   - onBytes: called with the size of each piece of the log that was read.
  package init(
    view: LogView, zone: LocalZone, now: Timestamp,
    days: (from: CalendarDate?, to: CalendarDate?) = (nil, nil), newestEvents: Int,
    wording: ReportWording,
    onBytes: @escaping (Int) -> Void
  ) {
    self.view = view
    self.zone = zone
    self.now = now
    self.newestEvents = newestEvents
    self.days = days
    self.wording = wording
    self.onBytes = onBytes
  }

  /// - Throws: ``LogError``, damage included: a report must not show half a log.
  package func build() throws -> Report {
    let (axis, stops) = try spans()
    var counts: [SyncHistory.Counts] = []
    var next = stops[...]
    let outcome = try Replay.run(view, verifies: true, stops: stops, onBytes: onBytes) { state in
      let now = SyncHistory.Counts(state)
      // A span without events repeats the counts of the one before.
      while let stop = next.first, stop <= state.position.seq {
        counts.append(now)
        next.removeFirst()
      }
    }
    if let damage = outcome.damage { throw LogError.damaged(damage) }
    let state = outcome.state
    let person = state.profileView()
    let created = try created()
    let today = zone.today(at: now)
    // A period that begins in the future is shown to its last entry.
    let end = days.to ?? (days.from ?? today > today ? .last : today)
    let goals = wording.goals(state)
    let isLocal = state.account.owner == nil && state.tally.lastSyncAt == nil
    let content = ReportContent(
      person: person.name, device: created?.device, madeAt: wording.time(now, .full),
      series: series(
        state, to: end, units: person.unitSystem ?? .metric, orWith: Set(goals.keys)),
      sync: SyncHistory(
        axis: axis, counts: counts,
        lastSync: state.tally.lastSyncAt.map { wording.time($0, .minute) },
        hasAccount: state.account.owner != nil,
        days: isLocal ? [] : try SyncDay.newest(in: view, zone: zone)),
      audit: try audit(state, ledger: created?.ledger), goals: goals,
      loggedSpan: loggedSpan(state, today: today),
      laterEntries: days.to == nil && end == today
        ? state.days(from: today.adding(days: 1)).reduce(0) { $0 + $1.count } : 0,
      from: days.from, today: min(end, today), madeOn: today)
    return Report(content: content, head: state.position, offsetBytes: state.offsetBytes)
  }

  /// `nil` without entries, and if the series have all.
  private func loggedSpan(
    _ state: LedgerState, today: CalendarDate
  ) -> ClosedRange<CalendarDate>? {
    let logged = state.days()
    guard let first = logged.first?.date, let last = logged.last?.date,
      days.from != nil || days.to != nil || last > today
    else { return nil }
    return first...last
  }

  /// The series with a day in the charts, each with its earlier days.
  ///
  /// - Parameter goals: metrics whose series are there without a day, too.
  private func series(
    _ state: LedgerState, to last: CalendarDate, units: UnitSystem, orWith goals: Set<Metric>
  ) -> [MetricSeries] {
    var groups = [[DayGroup]](repeating: [], count: Metric.allCases.count)
    for day in state.days(to: last) { groups[Int(day.metric.index)].append(day) }
    let nights = state.sleepDurations(to: last)
    return Metric.allCases.compactMap { metric in
      let groups = groups[Int(metric.index)]
      guard let last = groups.last, last.date >= days.from ?? .first else {
        return goals.contains(metric)
          ? MetricSeries(wording.metric(metric, units), days: []) : nil
      }
      return MetricSeries(
        wording.metric(metric, units), groups: groups,
        nights: metric == .sleepHours ? nights : [:])
    }
  }

  /// Equal spans of time, or of events if the log covers less than two days.
  private func spans() throws -> (axis: SyncHistory.Axis, stops: [Int]) {
    guard let last = try view.lastLine() else { return (.events(1...1), []) }
    let events = last.seq
    let firstAt = try view.line(Seq(1)).event().event.at
    let lastAt = try last.event().event.at
    let span = lastAt.millisecondsSince1970 - firstAt.millisecondsSince1970
    guard span > Self.twoDays, let first = zone.localTime(at: firstAt),
      let end = zone.localTime(at: lastAt)
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

  private func created() throws -> LedgerCreated? {
    guard view.endBytes > 0,
      case .ledgerCreated(let created) = try view.line(Seq(1)).event().event.payload
    else { return nil }
    return created
  }

  private func audit(_ state: LedgerState, ledger: LedgerID?) throws -> AuditTrail {
    let recorded = try view.lastLines(newestEvents).map { line throws(LogError) in
      try line.event()
    }
    let sentences = wording.sentences(recorded, state)
    var span: (first: String, last: String)?
    if let first = state.tally.firstAt, let last = state.tally.lastAt {
      span = (wording.time(first, .minute), wording.time(last, .minute))
    }
    return AuditTrail(
      newest: zip(recorded, sentences).reversed().map { recorded, sentence in
        AuditTrail.Event(
          seq: recorded.seq.number, time: wording.time(recorded.event.at, .second),
          actor: recorded.event.by.rawValue, words: sentence, hash: recorded.hash)
      },
      byType: state.tally.byType.map { AuditTrail.TypeCount(type: $0.type, count: $0.count) },
      events: state.position.seq, erased: state.tally.erased,
      head: state.position.hash.description, span: span,
      checkpoint: checkpoint(state, ledger)?.text,
      checkedBefore: VerificationRecord.lastWhole(of: view).map { check in
        AuditTrail.Check(time: wording.time(check.at, .minute), seq: check.position.seq)
      })
  }

  private func checkpoint(_ state: LedgerState, _ ledger: LedgerID?) -> Checkpoint? {
    guard let ledger, let seq = Seq(exactly: state.position.seq) else { return nil }
    return Checkpoint(
      ledger: ledger, seq: seq, hash: state.position.hash,
      erased: state.erasureLog.lines.map { Seq($0.seq) }, at: now)
  }
}

extension SyncHistory.Counts {
  fileprivate init(_ state: LedgerState) {
    let counts = state.syncCounts()
    self.init(
      acknowledged: state.acknowledgedEdits(), pending: counts.pending, inDoubt: counts.inDoubt,
      held: counts.held, rejected: counts.rejected, conflicts: counts.conflicts)
  }
}
