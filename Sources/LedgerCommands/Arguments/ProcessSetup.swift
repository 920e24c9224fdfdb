#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a program does to itself before it does anything else.
package enum ProcessSetup {
  package static func prepare() {
    // A reader that goes away must not kill us between two writes to the ledger; the write to
    // it fails instead, and the console ends quietly.
    signal(SIGPIPE, SIG_IGN)
    occupyStandardDescriptors()
  }

  /// Opens what the caller closed, so that no ledger file gets the number of standard output and
  /// is written to by accident. The wrong direction makes every use fail, as it should.
  private static func occupyStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
