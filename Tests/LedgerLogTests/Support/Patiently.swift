import LedgerLog

/// Repeats `work` while acquiring the lock times out, as it may on a busy machine.
func patiently<Result>(_ work: () throws -> Result) rethrows -> Result {
  while true {
    do {
      return try work()
    } catch LogError.locked {
      continue
    }
  }
}
