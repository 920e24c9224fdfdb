import LedgerModel

/// A rare event, as far as the fold asks for it.
struct OtherEvent: Hashable, Sendable {
  var seq: Int
  var payload: Event.Payload

  init(_ payload: Event.Payload, seq: Int) {
    self.seq = seq
    // Why is of no interest to a fold.
    if case .accountSignedOut = payload {
      self.payload = .accountSignedOut(AccountSignedOut())
    } else {
      self.payload = payload
    }
  }
}
