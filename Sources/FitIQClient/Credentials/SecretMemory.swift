import LedgerPlatform

#if os(Linux)
  import CProcess
#endif

/// The memory of a process that holds tokens and keys.
public enum SecretMemory {
  /// Keeps it out of core dumps, and on Linux also from debuggers and other processes of the same
  /// user. `ledger-sync` calls it when it starts; an app calls it before it opens a ledger, if it
  /// wants that for its whole process: crash reporters that read the memory of the process then fail.
  public static func protect() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
    #if os(Linux)
      // A core dump that goes to a program, as to systemd-coredump, heeds no limit.
      _ = cprocess_set_dumpable(0)
    #endif
  }
}
