public import LedgerModel

/// Backend rows besides the one that each entry is bound to: rows that entries no longer use, rows
/// that are gone, and suspected duplicates.
struct BindingTable: Sendable {
  /// Rows that may be duplicates of an entry's row.
  struct Suspicion: Hashable, Sendable {
    /// The event that recorded it.
    var seq: Int
    var entry: EntryID
    var backendIDs: [BackendID]
    /// What a person decided, and by which event.
    var resolution: (seq: Int, decision: DuplicateDecision)?

    static func == (left: Suspicion, right: Suspicion) -> Bool {
      left.seq == right.seq && left.resolution?.seq == right.resolution?.seq
    }

    func hash(into hasher: inout Hasher) { hasher.combine(seq) }
  }

  /// For an entry row, the answers that bound the ids it no longer uses, oldest first.
  private(set) var superseded: [Int: [Int]] = [:]
  /// Ids whose rows the backend has deleted.
  var gone: Set<String> = []
  /// In the order of seq.
  private(set) var suspicions: [Suspicion] = []
  /// The answers that bound ids to entries whose logging has been erased since, oldest first.
  private(set) var ofErased: [Int] = []
  /// How often the account was found to be created again.
  var replacements = 0

  mutating func noteErased(boundBy seq: Int) {
    if ofErased.last != seq { ofErased.append(seq) }
  }

  mutating func supersede(row: Int, boundBy: Int) {
    superseded[row, default: []].append(boundBy)
  }

  /// A left-behind row is gone. Which of several is known only by its id; those are looked up when
  /// they are asked for.
  mutating func tidy(row: Int) {
    if superseded[row]?.count == 1 { superseded[row] = nil }
  }

  mutating func suspect(_ suspicion: Suspicion) { suspicions.append(suspicion) }

  /// A suspected row became an entry's own or is gone: no decision about it is needed any more.
  mutating func clear(_ id: BackendID) {
    for place in suspicions.indices.reversed() where suspicions[place].resolution == nil {
      suspicions[place].backendIDs.removeAll { $0 == id }
      if suspicions[place].backendIDs.isEmpty { suspicions.remove(at: place) }
    }
  }

  /// - Returns: whether there is such a suspicion.
  mutating func resolve(_ data: DuplicateResolved, by seq: Int) -> Bool {
    guard let place = suspicions.firstIndex(where: { $0.seq == data.suspicion.number }) else {
      return false
    }
    suspicions[place].resolution = (seq, data.decision)
    return true
  }

  /// The rows of the account before are gone with it.
  mutating func replaceAccount() {
    superseded = [:]
    gone = []
    replacements += 1
  }
}

/// Whose ledger this is, and who is signed in.
public struct AccountTable: Sendable {
  public internal(set) var ledger: LedgerID?
  /// The account of the first sign-in, to which the ledger belongs for good.
  public internal(set) var owner: AccountSignedIn?
  /// Who is signed in, as far as the log knows.
  public internal(set) var current: AccountSignedIn?

  mutating func signIn(_ data: AccountSignedIn, at seq: Seq) {
    if let first = owner {
      // The user id may become known later than the account.
      if first.userID == nil, first.account == data.account, first.origin == data.origin {
        owner?.userID = data.userID
      }
    } else {
      owner = data
    }
    current = data
  }

  /// The account was created again. Its `user_id` may become known later, too: until then the old one
  /// must not be taken for it.
  mutating func belong(to userID: String?) {
    owner?.userID = userID
    current?.userID = userID
  }
}
