public import LedgerLog
public import LedgerModel

/// The texts that the state does not hold: notes, the backend's ids, methods of attempts. They are
/// read from the log, line by line, when a plan needs them.
public protocol LedgerTexts {
  func event(_ seq: Seq) throws(LogError) -> RecordedEvent
  /// The salt of an event; empty for an erased one.
  func salt(of seq: Seq) throws(LogError) -> String
}

extension LogView: LedgerTexts {
  public func event(_ seq: Seq) throws(LogError) -> RecordedEvent { try line(seq).event() }
  public func salt(of seq: Seq) throws(LogError) -> String { try line(seq).salt() }
}

extension LedgerTexts {
  /// The notes that an event set.
  public func notes(in seq: Seq) throws(LogError) -> String? {
    switch try event(seq).event.payload {
    case .progressLogged(let data): data.notes
    case .progressPulled(let data): data.notes
    case .progressCorrected(let data): data.notes?.value
    default: nil
    }
  }

  /// The backend's id that an event bound to an entry.
  public func backendID(boundBy seq: Seq) throws(LogError) -> BackendID? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.backendID
    case .progressPulled(let data): data.backendID
    default: nil
    }
  }

  /// The method of the attempt that put an edit in doubt.
  func attemptedMethod(_ seq: Seq) throws(LogError) -> String? {
    if case .syncAttempted(let data) = try event(seq).event.payload { data.method } else { nil }
  }

  /// The number of the attempt that an answer ended, or of the attempt itself; 0 where there was
  /// none. An attempt stands shortly before its answer.
  func attempt(endingIn seq: Seq) throws(LogError) -> Int {
    let call: CallID?
    switch try event(seq).event.payload {
    case .syncAttempted(let data): return data.attempt
    case .syncDeferred(let data): call = data.call
    case .syncRejected(let data): call = data.call
    case .syncAcknowledged(let data): call = data.call
    default: call = nil
    }
    guard let call else { return 0 }
    for number in stride(from: seq.number - 1, through: max(1, seq.number - 256), by: -1) {
      if case .syncAttempted(let data) = try event(Seq(number)).event.payload, data.call == call {
        return data.attempt
      }
    }
    return 1
  }
}
