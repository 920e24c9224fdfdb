import LedgerModel

/// Calls in drawn events: each attempt is answered by the event after it.
extension EventMixture {
  struct OpenCall {
    var id: CallID
    var entry: EntryID
    var events: [Seq]
  }

  /// Sends what one of the latest entries has unsent, as a sync soon after the edits would.
  ///
  /// - Returns: `nil` when everything of it is sent.
  mutating func attempt() -> Event.Payload? {
    let index = live.count - 1 - generator.below(min(64, live.count))
    guard !live[index].unsent.isEmpty else { return nil }
    let call = OpenCall(
      id: .make(at: now, using: &generator), entry: live[index].id, events: live[index].unsent)
    live[index].unsent = []
    openCall = call
    return .syncAttempted(
      SyncAttempted(
        call: call.id, method: "POST", path: "/api/v1/progress", events: call.events,
        fingerprint: fingerprint(), attempt: 1))
  }

  /// - Precondition: a call is open.
  mutating func answer() -> Event.Payload {
    let call = openCall!
    openCall = nil
    let row = LedgerUUID.version7(at: now, using: &generator)
    return .syncAcknowledged(
      SyncAcknowledged(
        call: call.id, events: call.events, status: 201, via: .response, entry: call.entry,
        backendID: BackendID(row.description)))
  }

  /// 64 hexadecimal digits, as long as a real one.
  private mutating func fingerprint() -> String {
    (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
