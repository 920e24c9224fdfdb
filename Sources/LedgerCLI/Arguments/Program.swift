import LedgerPlatform

/// What a person types; also the name that the helper programs use, which are not called directly.
package enum Program {
  package static let name = "ledger"
  package static let version = "0.1.0"
  /// The day of that version, shown by the manual page.
  package static let released = "2026-11-21"
  package static let summary = "records your health data in an append-only log"
}

/// What a program does to its process before anything else.
package enum ProcessSetup {
  package static func prepare() {
    // A closed pipe must not kill the process between two writes to the ledger: the write fails
    // instead, and the console ends quietly.
    signal(SIGPIPE, SIG_IGN)
    // Likewise a file size limit: the write fails, and its partial line is truncated.
    signal(SIGXFSZ, SIG_IGN)
    // Where the starting program ignored it, the ends of programs could not be learned.
    signal(SIGCHLD, SIG_DFL)
    occupyStandardDescriptors()
  }

  /// Keeps this process's memory, which is about to hold tokens, out of core dumps. `ledger-sync` also
  /// hides it from other processes.
  static func forbidCoreDumps() {
    #if canImport(Darwin)
      let resource = RLIMIT_CORE
    #else
      let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = 0
    setrlimit(resource, &limit)
  }

  /// The words after the program's name.
  ///
  /// Exits where a word is not valid UTF-8: the standard library would replace the bytes, and the
  /// log would keep other notes, and `init` create another folder, than those given.
  package static func words() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let bytes = CommandLine.unsafeArgv[index] else { return nil }
      if let word = String(validatingCString: bytes) { return word }
      let failure = CommandFailure(
        .usage,
        "word \(index) of the command line, '\(String(cString: bytes))', is not valid UTF-8",
        hint: "write it in UTF-8; for many edits there is 'ledger append --stdin'")
      exit(Console().report(failure).rawValue)
    }
  }

  /// Opens closed standard descriptors, so that no ledger file gets the number of standard output
  /// and is written to by accident. Opened in the wrong direction, so that every use fails.
  private static func occupyStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// A program in the folder of this one, which holds the commands that would slow down its start.
package enum HelperProgram {
  /// Replaces this process by the helper. Returns only by throwing.
  package static func exec(
    name: String, arguments: [String]
  ) throws(CommandFailure) -> Never {
    try exec(name: name, arguments: arguments, folder: folder())
  }

  static func exec(
    name: String, arguments: [String], folder: String
  ) throws(CommandFailure) -> Never {
    let path = "\(folder)/\(name)"
    var pointers = ([name] + arguments).map { strdup($0) } + [nil]
    execv(path, &pointers)
    let code = errno
    for pointer in pointers { free(pointer) }
    if code == ENOENT {
      throw CommandFailure(
        .failed,
        "the helper '\(name)' is missing from \(folder), where '\(Program.name)' is; "
          + "install both programs there")
    }
    throw CommandFailure(.failed, "cannot run \(path): \(SystemError(code)); check the file")
  }

  /// The folder of this program's file, symbolic links resolved: one link in `bin` is enough.
  static func folder() throws(CommandFailure) -> String {
    guard let path = executablePath(), let slash = path.lastIndex(of: "/") else {
      throw CommandFailure(
        .failed,
        "cannot tell where '\(Program.name)' is installed, which is where its helpers are; "
          + "call it by its full path")
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func executablePath() -> String? {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size) + 1)
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
      return resolved(buffer)
    #else
      // Without /proc, the name by which this program was called is the best available.
      return resolved("/proc/self/exe") ?? CommandLine.arguments.first.flatMap(resolvedIfPath)
    #endif
  }

  private static func resolvedIfPath(_ name: String) -> String? {
    name.utf8.contains(UInt8(ascii: "/")) ? resolved(name) : nil
  }

  private static func resolved(_ path: UnsafePointer<CChar>) -> String? {
    guard let absolute = realpath(path, nil) else { return nil }
    defer { free(absolute) }
    return String(cString: absolute)
  }
}
