import LedgerLog

/// Does `work` again for as long as somebody holds the lock longer than one wait for it takes. On
/// a busy machine that happens, and who asks who gets the lock does not ask how soon.
func patiently<Result>(_ work: () throws -> Result) rethrows -> Result {
  while true {
    do {
      return try work()
    } catch LogError.locked {
      continue
    }
  }
}
