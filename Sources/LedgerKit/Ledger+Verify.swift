public import LedgerLog

extension Ledger {
  /// Checks the next part of the log: form, chain and erasures, from where the last check stopped.
  /// Call it when the app has nothing else to do, until the log's end or damage is reached; no edit
  /// and no sync takes longer for it.
  ///
  ///     var part = try await ledger.verify()
  ///     while !part.isComplete, part.damage == nil { part = try await ledger.verify() }
  ///
  /// Where it stopped is kept in the ledger's folder, and shared with `ledger doctor`. After the log's
  /// end the next call begins at line 1 again; after damage, it finds the same damage.
  ///
  /// - Parameter mostBytes: about how much is read: 8 MiB take some ten milliseconds.
  /// - Returns: what was checked, and the damage that was found.
  /// - Throws: `LogError` for what keeps the log from being read.
  public func verify(mostBytes: Int = 8 << 20) throws(LogError) -> PartialVerification {
    try PartialVerification.verify(directory, mostBytes: mostBytes, at: moment())
  }
}
