import LedgerPlatform

/// What a program does to itself before it does anything else.
package enum ProcessSetup {
  package static func prepare() {
    // A reader that goes away must not kill us between two writes to the ledger; the write to
    // it fails instead, and the console ends quietly.
    signal(SIGPIPE, SIG_IGN)
    // Nor must a limit on the size of files: the write fails, and what it left is cut off again.
    signal(SIGXFSZ, SIG_IGN)
    occupyStandardDescriptors()
  }

  /// What was typed behind the program's name.
  ///
  /// Ends the program where a word is no UTF-8: the library would mend it, and then the log would
  /// keep other notes, and `init` make another folder, than those that were meant.
  package static func words() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let bytes = CommandLine.unsafeArgv[index] else { return nil }
      if let word = String(validatingCString: bytes) { return word }
      let failure = CommandFailure(
        .usage, "word \(index) of the command line, '\(String(cString: bytes))', is no valid UTF-8",
        hint: "write it in UTF-8; for many edits there is 'ledger append --stdin'")
      exit(Console().report(failure).rawValue)
    }
  }

  /// Opens what the caller closed, so that no ledger file gets the number of standard output and
  /// is written to by accident. The wrong direction makes every use fail, as it should.
  private static func occupyStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
