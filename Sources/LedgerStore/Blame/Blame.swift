public import LedgerJSON
package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Which event set each of some values.
public struct Blame: Sendable {
  /// What values are asked for.
  package enum Subject: Hashable, Sendable {
    case fields([ProfileField])
    case entry(row: Int)
    case session(Int)
  }

  /// A value with the event that set it.
  public struct Value: Sendable {
    /// What a value is.
    public enum Name: Hashable, Sendable {
      /// A profile field.
      case field(ProfileField)
      /// A value of an entry, with its metric.
      case part(EntryValue, of: Metric)
      /// A value of a sleep session.
      case sleep(SleepValue)
    }

    /// A value of an entry.
    public enum EntryValue: String, Sendable {
      /// The metric.
      case type
      /// The quantity, in the metric's unit.
      case quantity
      /// The local day.
      case date
      /// The local time, with its offset.
      case time
      /// The notes.
      case notes
      /// The backend's id of the row.
      case backendID = "backend_id"
      /// Whether it is deleted.
      case deleted
    }

    /// A value of a sleep session.
    public enum SleepValue: String, Sendable {
      /// The moment it began.
      case start
      /// The moment it ended.
      case end
      /// The stages.
      case stages
      /// The notes.
      case notes
      /// The backend's id of the session.
      case backendID = "backend_id"
      /// Whether it is deleted.
      case deleted
    }

    /// A sync status.
    public enum Status: Hashable, Sendable {
      /// That of a profile field.
      case field(FieldStatus)
      /// That of an entry.
      case entry(EntryStatus)
    }

    /// What the value is.
    public let name: Name
    /// `nil` for a value that was never set; `null` for a cleared one.
    public let value: JSONValue?
    /// The status of the edit that set it.
    public let status: Status?
    /// `nil` for a value that was never set.
    public let recorded: RecordedEvent?

    /// Where the value came from; `nil` if it was never set.
    public var source: ValueSource? { recorded.map { ValueSource($0) } }

    fileprivate init(
      _ name: Name, _ value: JSONValue?, _ status: Status?, setBy seq: Seq?, in view: LogView
    ) throws(LogError) {
      (self.name, self.value, self.status) = (name, value, status)
      recorded = try seq.map { seq throws(LogError) in try view.line(seq).event() }
    }
  }

  /// The values, in the order of their fields.
  public let values: [Value]
  /// The device name recorded when the ledger was created.
  public let device: String?

  /// - Parameter state: a fold of the same log.
  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(_ subject: Subject, _ state: LedgerState, in view: LogView) throws(LogError) {
    values =
      switch subject {
      case .fields(let fields):
        try fields.map { field throws(LogError) in
          let origin = state.origin(of: field)
          return try Value(
            .field(field), origin?.value, state.fieldStatus(field).map { .field($0) },
            setBy: origin?.seq, in: view)
        }
      case .entry(let row): try Self.values(ofRow: row, state, in: view)
      case .session(let index): try Self.values(ofSession: index, state, in: view)
      }
    device =
      if case .ledgerCreated(let data) = try view.line(Seq(1)).event().event.payload {
        data.device
      } else {
        nil
      }
  }

  private static func values(
    ofRow row: Int, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> [Value] {
    let shown = try DetailedEntry(state.entry(at: row), in: view)
    let entry = shown.entry
    let origins = state.origins(ofRow: row)
    func value(_ name: Value.EntryValue, _ value: JSONValue?, _ seq: Seq?) throws(LogError) -> Value
    {
      let status = seq.flatMap { EntryStatus(state.edits.state($0.number)) }
      return try Value(
        .part(name, of: entry.metric), value, name == .backendID ? nil : status.map { .entry($0) },
        setBy: seq, in: view)
    }
    let notes = shown.notes.map { JSONValue.string($0) }
    var values = [
      try value(.type, .string(entry.metric.name), entry.seq),
      try value(.quantity, .number(entry.quantity), origins[.quantity] ?? entry.seq),
      try value(.date, .string(entry.date.description), origins[.date] ?? entry.seq),
      try value(
        .time, entry.moment.map { .string("\($0.time)\($0.zone)") },
        entry.moment == nil ? nil : origins[.time] ?? entry.seq),
      try value(
        .notes, notes ?? (origins[.notes] == nil ? nil : .null),
        origins[.notes] ?? (notes == nil ? nil : entry.seq)),
      try value(.backendID, shown.backendID.map { .string($0.text) }, entry.boundBy),
    ]
    if let deletion = origins[.deletion] {
      values.append(try value(.deleted, .bool(true), deletion))
    }
    return values
  }
}

extension Blame {
  private static func values(
    ofSession index: Int, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> [Value] {
    let shown = try DetailedSession(state.session(at: index), in: view)
    let session = shown.session
    let origins = state.origins(ofSession: index)
    func value(
      _ name: Value.SleepValue, _ value: JSONValue?, _ seq: Seq?
    ) throws(LogError) -> Value {
      let status = seq.flatMap { EntryStatus(state.edits.state($0.number)) }
      return try Value(
        .sleep(name), value, name == .backendID ? nil : status.map { .entry($0) }, setBy: seq,
        in: view)
    }
    var values = [
      try value(.start, .string(session.start.description), origins.start),
      try value(.end, .string(session.end.description), origins.end),
      try value(
        .stages,
        session.stagesIn == nil ? origins.stages.map { _ in .null } : shown.texts.stages.json,
        origins.stages),
      try value(
        .notes, shown.texts.notes.map { .string($0) } ?? (origins.notes == nil ? nil : .null),
        origins.notes),
      try value(.backendID, shown.backendID.map { .string($0.text) }, session.boundBy),
    ]
    if let deletion = state.deletion(ofSession: index) {
      values.append(try value(.deleted, .bool(true), deletion))
    }
    return values
  }
}

extension EntryStatus {
  /// The status of one edit.
  fileprivate init?(_ state: EditState) {
    switch state {
    case .none, .undone: return nil
    case .pending, .held: self = .pending
    case .inDoubt: self = .syncing
    case .acknowledged: self = .synced
    case .rejected, .differed: self = .failed
    }
  }
}
