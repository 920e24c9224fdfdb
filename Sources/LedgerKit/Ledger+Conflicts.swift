public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// What a person has to decide.
extension Ledger {
  /// Fields that both sides changed differently and that nobody has decided yet, oldest first. There
  /// are none unless ``SyncWishes/conflicts`` leaves them open.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func openConflicts() throws(LogError) -> [ConflictView] {
    try state().conflicts().filter(\.isOpen)
  }

  /// Records a person's decision. It can be made again, the other way.
  ///
  /// - Parameters:
  ///   - conflict: ``ConflictView/seq``.
  ///   - side: whose value is to stay; that of ``ConflictSide/local`` is sent by the next sync.
  /// - Throws: ``ConflictRefusal`` with nothing written; `LogError`.
  public func resolve(_ conflict: Seq, taking side: ConflictSide) throws {
    var generator = generator()
    _ = try local.resolve(conflict, taking: side, at: moment(), using: &generator)
  }
}
