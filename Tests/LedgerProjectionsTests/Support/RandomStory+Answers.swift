import LedgerJSON
import LedgerModel

// What the backend says, or might.
extension RandomStory {
  /// Earlier events mostly, edits or not; now and then one that does not exist yet.
  private mutating func targets() -> [Seq] {
    let last = lines.count
    return (0..<random.pick([1, 1, 1, 2, 3])).map { _ in
      let recent = max(1, last - 12)...last
      let range = random.chance(4) ? last + 1...last + 20 : random.chance(70) ? recent : 1...last
      return Seq(Int.random(in: range, using: &random))
    }
  }

  mutating func addAnswer() {
    let call = CallID(id())
    let events = targets()
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      add(
        .sync,
        .syncAttempted(
          SyncAttempted(
            call: call, method: "POST", path: "/api/v1/progress", events: events,
            fingerprint: "00ff", attempt: 1)))
    case 3...5: addAcknowledged(call, events)
    case 6:
      add(.sync, .syncDeferred(SyncDeferred(call: call, events: events, reason: .offline)))
    case 7:
      add(
        .sync,
        .syncRejected(SyncRejected(call: call, events: events, status: 422, message: "Why?")))
    case 8: add(.sync, .syncHeld(SyncHeld(events: events, reason: "cannot-clear")))
    default: add(.user, .editUndone(EditUndone(event: events[0])))
    }
  }

  /// The backend has other values than were sent.
  mutating func addDiffered() {
    let isOfEntry = random.chance(70)
    add(
      .sync,
      .syncDiffered(
        SyncDiffered(
          call: CallID(id()), events: targets(), status: 201, via: .response,
          entry: isOfEntry ? someEntry() : nil,
          backendID: isOfEntry ? BackendID("row-\(lines.count)") : nil, remote: someFields())))
  }

  /// A correction that another device made, with its row; at times without one.
  mutating func addCorrectedElsewhere() {
    var edit = ProgressCorrected(entry: someEntry())
    if random.chance(80) { edit.quantity = quantity() }
    if random.chance(20) { edit.notes = random.chance(50) ? .clear : .set("elsewhere") }
    if random.chance(80) { edit.backendID = BackendID("row-\(lines.count)") }
    add(.sync, .progressCorrected(edit))
  }

  private mutating func addAcknowledged(_ call: CallID, _ events: [Seq]) {
    let id = BackendID("row-\(lines.count)")
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      add(.sync, .syncAcknowledged(SyncAcknowledged(events: events, via: .elided)))
    case 1:
      add(
        .sync,
        .syncAcknowledged(
          SyncAcknowledged(
            call: call, events: events, status: 204, via: .response, entry: someEntry(),
            backendID: id)))
    case 2...4:
      add(
        .sync,
        .syncAcknowledged(
          SyncAcknowledged(
            call: call, events: events, status: 200, via: .response, remote: someFields())))
    case 5:
      add(
        .sync,
        .syncAcknowledged(
          SyncAcknowledged(
            call: call, events: events, via: .reconciled, entry: someEntry(), backendID: id)))
    default:
      add(
        .sync,
        .syncAcknowledged(
          SyncAcknowledged(
            call: call, events: events, status: 201, via: .response, entry: someEntry(),
            backendID: id)))
    }
  }
}
