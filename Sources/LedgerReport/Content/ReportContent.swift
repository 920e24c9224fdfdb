package import LedgerModel

/// Everything that a report says, before it is a page. Nothing else goes in: the same content makes
/// the same bytes.
package struct ReportContent: Sendable {
  /// What the person calls themselves; `nil` where they have not said.
  package var person: String?
  /// The machine the ledger was made on.
  package var device: String?
  /// When the page was made, in words.
  package var madeAt: String
  /// Metrics without a day are passed over.
  package var series: [MetricSeries]
  package var sync: SyncHistory
  package var audit: AuditTrail

  package init(
    person: String?, device: String?, madeAt: String, series: [MetricSeries], sync: SyncHistory,
    audit: AuditTrail
  ) {
    self.person = person
    self.device = device
    self.madeAt = madeAt
    self.series = series
    self.sync = sync
    self.audit = audit
  }

  func series(of metric: Metric) -> MetricSeries? {
    series.first { $0.display.metric == metric && !$0.days.isEmpty }
  }
}

/// Where edits stood with the backend, over the log's life.
package struct SyncHistory: Hashable, Sendable {
  /// What the bars stand for, from left to right: equal spans of time, or, in a log that came about
  /// within hours, of events.
  package enum Axis: Hashable, Sendable {
    case days(ClosedRange<CalendarDate>)
    case events(ClosedRange<Int>)
  }

  /// Edits by where they stand, each counted once.
  package struct Standing: Hashable, Sendable {
    package var acknowledged: Int
    package var pending: Int
    package var inDoubt: Int
    package var held: Int
    package var rejected: Int
    package var conflicts: Int

    package init(
      acknowledged: Int = 0, pending: Int = 0, inDoubt: Int = 0, held: Int = 0, rejected: Int = 0,
      conflicts: Int = 0
    ) {
      self.acknowledged = acknowledged
      self.pending = pending
      self.inDoubt = inDoubt
      self.held = held
      self.rejected = rejected
      self.conflicts = conflicts
    }
  }

  package var axis: Axis
  /// As it was at the end of each span; the last is how it is now.
  package var standings: [Standing]
  /// When the backend was last spoken to, in words; `nil` for never.
  package var lastSync: String?
  /// Whether anybody has ever signed in.
  package var hasAccount: Bool

  /// Whether no backend has ever come into it, so that nothing is about to leave the machine.
  var isLocal: Bool { !hasAccount && lastSync == nil }

  package init(axis: Axis, standings: [Standing], lastSync: String?, hasAccount: Bool) {
    self.axis = axis
    self.standings = standings
    self.lastSync = lastSync
    self.hasAccount = hasAccount
  }
}

/// The events as evidence.
package struct AuditTrail: Sendable {
  package struct Event: Hashable, Sendable {
    package var seq: Int
    /// When it was recorded, in words.
    package var time: String
    /// On whose behalf: a person, an import, sync or the system.
    package var actor: String
    package var words: String
    /// 64 hexadecimal digits.
    package var hash: String

    package init(seq: Int, time: String, actor: String, words: String, hash: String) {
      self.seq = seq
      self.time = time
      self.actor = actor
      self.words = words
      self.hash = hash
    }
  }

  package struct TypeCount: Hashable, Sendable {
    package var type: String
    package var count: Int

    package init(type: String, count: Int) {
      self.type = type
      self.count = count
    }
  }

  /// Newest first; not all of them, where there are many.
  package var newest: [Event]
  package var byType: [TypeCount]
  package var events: Int
  package var erased: Int
  /// The hash of the last event.
  package var head: String
  /// Whether every link of the chain was checked for this page.
  package var isVerified: Bool
  /// When the first and the last event were recorded, in words.
  package var span: (first: String, last: String)?

  package init(
    newest: [Event], byType: [TypeCount], events: Int, erased: Int, head: String,
    isVerified: Bool, span: (first: String, last: String)?
  ) {
    self.newest = newest
    self.byType = byType
    self.events = events
    self.erased = erased
    self.head = head
    self.isVerified = isVerified
    self.span = span
  }
}
