package import LedgerModel

/// Backend rows other than those that entries are bound to: replaced rows, deleted rows, and suspected
/// duplicates.
package struct BindingTable: Sendable {
  /// Rows that may be duplicates of an entry's row.
  struct Suspicion: Hashable, Sendable {
    /// The event that recorded it.
    var seq: Int
    var entry: EntryID
    var backendIDs: [BackendID]
    /// A person's decision and its event.
    var resolution: (seq: Int, decision: DuplicateDecision)?

    static func == (left: Suspicion, right: Suspicion) -> Bool {
      left.seq == right.seq && left.resolution?.seq == right.resolution?.seq
    }

    func hash(into hasher: inout Hasher) { hasher.combine(seq) }
  }

  /// By entry row, the answers that bound ids it no longer uses, oldest first.
  private(set) var superseded: [Int: [Int]] = [:]
  /// By id of a row, the last event that reported it deleted. A restored backup may have it again.
  package var deletions: [String: Int] = [:]
  /// In the order of seq.
  private(set) var suspicions: [Suspicion] = []
  /// The answers that bound ids to entries erased later, oldest first.
  package private(set) var ofErased: [Int] = []
  /// The last `account.replaced`; 0 for none.
  package var replacedAt = 0
  /// The last `account.replaced` by another account; 0 for none.
  package var newAccountAt = 0

  mutating func noteErased(boundBy seq: Int) {
    if ofErased.last != seq { ofErased.append(seq) }
  }

  mutating func supersede(row: Int, boundBy: Int) {
    superseded[row, default: []].append(boundBy)
  }

  /// Removes a deleted row from ``superseded``. If there are several, only the ids in the log
  /// distinguish them, so none is removed.
  mutating func forgetReplaced(row: Int) {
    if superseded[row]?.count == 1 { superseded[row] = nil }
  }

  mutating func suspect(_ suspicion: Suspicion) { suspicions.append(suspicion) }

  /// Withdraws the suspicion of a row that was bound to an entry or deleted.
  mutating func clear(_ id: BackendID) {
    for place in suspicions.indices.reversed() where suspicions[place].resolution == nil {
      suspicions[place].backendIDs.removeAll { $0 == id }
      if suspicions[place].backendIDs.isEmpty { suspicions.remove(at: place) }
    }
  }

  /// - Returns: whether the suspicion exists.
  mutating func resolve(_ data: DuplicateResolved, by seq: Int) -> Bool {
    guard let place = suspicions.firstIndex(where: { $0.seq == data.suspicion.number }) else {
      return false
    }
    suspicions[place].resolution = (seq, data.decision)
    return true
  }

  /// The account was created again, or lost its rows.
  ///
  /// - Parameter isNew: whether it is another account. It needs no deletion of a row of the earlier one,
  ///   unless it lists that row: then an event of the same run binds it again.
  mutating func replaceAccount(at seq: Int, isNew: Bool) {
    superseded = [:]
    replacedAt = seq
    guard isNew else { return }
    newAccountAt = seq
    ofErased = []
  }
}

/// The owner of the ledger and the account that is signed in.
package struct AccountTable: Sendable {
  package internal(set) var ledger: LedgerID?
  /// The account of the first sign-in, which owns the ledger, with the address of its last one.
  package internal(set) var owner: AccountSignedIn?
  /// The account that is signed in according to the log.
  package internal(set) var current: AccountSignedIn?

  mutating func signIn(_ data: AccountSignedIn) {
    if let first = owner {
      // The user id may become known after the account.
      if first.userID == nil, first.account == data.account, first.origin == data.origin {
        owner?.userID = data.userID
      } else if first.userID != nil, first.userID == data.userID {
        owner = data
      }
    } else {
      owner = data
    }
    current = data
  }

  /// The account was created again. Its new `user_id` may become known later; the old one is invalid.
  mutating func replaceUserID(with userID: String?) {
    owner?.userID = userID
    current?.userID = userID
  }
}
