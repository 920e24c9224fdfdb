import LedgerJSON
public import LedgerLog
package import LedgerModel

/// Access to what the state does not hold: notes, the backend's ids, methods of attempts. They are
/// read from the log when needed, and the chain link of each line is checked.
package protocol LedgerTexts {
  /// An event, and its salt; that of an erased event is empty.
  func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String)
}

extension LogView: LedgerTexts {
  package func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String) {
    let line = try checkedLine(seq)
    return (try line.event(), try line.salt())
  }
}

/// For plans, which go through a log in order.
extension NearbyLines: LedgerTexts {
  package func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String) {
    let line = try checkedLine(seq)
    return (try line.event(), try line.salt())
  }
}

extension LedgerTexts {
  package func event(_ seq: Seq) throws(LogError) -> RecordedEvent { try salted(seq).event }

  /// The notes that an event set.
  package func notes(in seq: Seq) throws(LogError) -> String? { try event(seq).notes }

  /// The backend's id that an event bound to an entry.
  package func backendID(boundBy seq: Seq) throws(LogError) -> BackendID? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.backendID
    case .progressPulled(let data): data.backendID
    case .sleepPulled(let data): data.backendID
    case .progressCorrected(let data): data.backendID
    case .syncDiffered(let data): data.backendID
    default: nil
    }
  }

  /// The edits whose values are in the row that an event bound.
  func boundEdits(by seq: Seq) throws(LogError) -> [Seq]? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.events
    case .syncDiffered(let data): data.events
    case .progressPulled, .progressCorrected: [seq]
    default: nil
    }
  }

  /// The quantity at the backend, if it rounded the one that was sent.
  func agreedQuantity(boundBy seq: Seq) throws(LogError) -> Double? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.remote?["quantity"]?.number
    default: nil
    }
  }
}

extension RecordedEvent {
  /// The notes that it set.
  var notes: String? {
    switch event.payload {
    case .progressLogged(let data): data.notes
    case .progressPulled(let data): data.notes
    case .progressCorrected(let data): data.notes?.value
    default: nil
    }
  }
}
