public import LedgerLog

extension Ledger {
  /// Checks the next part of the log: form, chain and erasures, from where the last check stopped.
  /// For moments in which an app has nothing else to do; no edit and no sync pays for it.
  ///
  ///     while try await !ledger.verify().isComplete { await Task.yield() }
  ///
  /// Where it stopped is kept in the ledger's folder, and shared with `ledger doctor`. After the log's
  /// end the next call begins at line 1 again.
  ///
  /// - Parameter mostBytes: about how much is read: 8 MiB take some ten milliseconds.
  /// - Returns: what was checked, and the damage that was found.
  /// - Throws: `LogError` for what keeps the log from being read.
  public func verify(mostBytes: Int = 8 << 20) throws(LogError) -> PartialVerification {
    try PartialVerification.verify(directory, mostBytes: mostBytes, at: moment())
  }
}
