package import LedgerJSON
import LedgerLog
package import LedgerModel
import LedgerPlatform
package import LedgerProjections

// Values that are written into the log again come from its lines, never from a snapshot alone, which can be
// forged (docs/snapshot.md).

extension LedgerState {
  /// Checks that lines of the entry give its quantity, date and time.
  ///
  /// - Parameter payload: the content of a line.
  /// - Throws: ``SnapshotMismatch``; what `payload` throws.
  package func confirm(
    _ entry: EntryView, ofRow row: Int,
    by payload: (Seq) throws -> Event.Payload
  ) throws {
    try confirm {
      var quantities: Set<Double> = []
      var dates: Set<CalendarDate> = []
      var moments: Set<ZonedTime?> = [nil]
      func add(_ quantity: Double?, _ date: CalendarDate?, _ moment: ZonedTime?) {
        if let quantity {
          quantities.formUnion([quantity, entry.metric.stored(quantity) ?? quantity])
        }
        if let date { dates.insert(date) }
        moments.insert(moment)
      }
      for seq in allEdits(ofRow: row) {
        switch try payload(seq) {
        case .progressLogged(let data) where data.metric == entry.metric:
          add(data.quantity, data.date, data.moment)
        case .progressPulled(let data) where data.metric == entry.metric:
          add(data.quantity, data.date, data.moment)
        case .progressCorrected(let data): add(data.quantity, data.date, data.moment)
        default: continue
        }
      }
      return quantities.contains(entry.quantity) && dates.contains(entry.date)
        && moments.contains(entry.moment)
    }
  }

  /// Checks that lines of the session give its start and end.
  ///
  /// - Throws: ``SnapshotMismatch``; what `payload` throws.
  package func confirm(
    _ session: SleepView, at index: Int,
    by payload: (Seq) throws -> Event.Payload
  ) throws {
    try confirm {
      var starts: Set<ZonedTimestamp> = []
      var ends: Set<ZonedTimestamp> = []
      func add(_ start: ZonedTimestamp?, _ end: ZonedTimestamp?) {
        if let start { starts.insert(start) }
        if let end { ends.insert(end) }
      }
      for seq in allEdits(ofSession: index) {
        switch try payload(seq) {
        case .sleepLogged(let data): add(data.start, data.end)
        case .sleepPulled(let data): add(data.start, data.end)
        case .sleepCorrected(let data): add(data.start, data.end)
        default: continue
        }
      }
      return starts.contains(session.start) && ends.contains(session.end)
    }
  }

  /// Checks that the line of a field's version gives its value.
  ///
  /// - Throws: ``SnapshotMismatch``; what `payload` throws.
  package func confirm(
    _ version: (value: JSONValue, seq: Int)?, of field: ProfileField,
    by payload: (Seq) throws -> Event.Payload
  ) throws {
    guard let version, let seq = Seq(exactly: version.seq) else { return }
    try confirm {
      switch try payload(seq) {
      case .profileUpdated(let data): data.data[field.rawValue] == version.value
      case .physicalUpdated(let data): data.data[field.rawValue] == version.value
      case .preferencesUpdated(let data): data.data[field.rawValue] == version.value
      case .profilePulled(let data): data.fields[field.rawValue] == version.value
      case .conflictDetected(let data): data.remote ?? .null == version.value
      case .conflictResolved(let data): data.value ?? .null == version.value
      default: false
      }
    }
  }
}

extension LedgerStore {
  /// The content of a line.
  ///
  /// - Throws: ``LogError``.
  package func payload(_ seq: Seq) throws -> Event.Payload {
    try view().line(seq).event().event.payload
  }

  /// Whether the log's lines give the entry's values.
  ///
  /// - Throws: ``LogError``.
  package func confirms(_ entry: EntryView) throws -> Bool {
    try withRightSnapshot {
      try ask { state in
        guard let row = state.row(of: entry.id) else { return false }
        let known = state.entry(at: row)
        try state.confirm(known, ofRow: row, by: payload)
        return known.quantity == entry.quantity && known.date == entry.date
          && known.moment == entry.moment
      }
    }
  }

  /// Runs `body` again without the snapshot if that has a value which no line gives.
  ///
  /// - Parameter body: writes nothing before it throws ``SnapshotMismatch``.
  func withRightSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch is SnapshotMismatch {
      _ = try log.withSession { _ in
        try logErrors { () throws(IOFailure) in
          try directory.removeSnapshot(
            OpenFile.identity(of: directory.snapshot, on: directory.disk))
        }
      }
      distrust()
      return try body()
    }
  }
}
