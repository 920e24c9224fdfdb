import LedgerModel

/// Backend rows that entries have left behind.
struct BindingTable: Sendable {
  /// For an entry row, the answers that bound the ids it no longer uses, oldest first.
  private(set) var superseded: [Int: [Int]] = [:]
  /// Ids whose rows the backend has deleted.
  var gone: Set<String> = []
  var suspected: [DuplicateSuspected] = []
  /// The answers that bound ids to entries whose logging has been erased since, oldest first.
  private(set) var ofErased: [Int] = []

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

  /// The backend refused to delete what the entry left behind: that stays, and a person was told.
  mutating func refuse(row: Int) {
    superseded[row] = nil
  }
}
