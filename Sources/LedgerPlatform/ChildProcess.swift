#if os(Linux)
  import func CProcess.cprocess_pipe
#endif

/// A program started with an argument array, without a shell. It starts with no signal blocked and
/// the default action for SIGPIPE.
package struct ChildProcess: Sendable {
  /// What one of its standard streams is connected to.
  package enum Stream: Sendable {
    case inherited
    case null
    case descriptor(Int32)
  }

  /// The exit status reported for a process that a signal ended, or whose end could not be learned.
  package static let signalledStatus: Int32 = 128

  private let identifier: pid_t

  /// - Parameters:
  ///   - program: a path, or a name that is looked up in PATH.
  ///   - arguments: without the program's name.
  /// - Throws: `SystemError`, ENOENT where there is no such program.
  package init(
    _ program: String, _ arguments: [String], input: Stream = .inherited,
    output: Stream = .inherited, error: Stream = .inherited
  ) throws(SystemError) {
    var actions = Self.noActions
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (place, stream) in [input, output, error].enumerated() {
      switch stream {
      case .inherited: break
      case .null:
        posix_spawn_file_actions_addopen(&actions, Int32(place), "/dev/null", O_RDWR, 0)
      case .descriptor(let descriptor):
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
      }
    }
    var attributes = Self.noAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    let failure = posix_spawnp(&child, program, &actions, &attributes, &words, environ)
    guard failure == 0 else { throw SystemError(failure) }
    identifier = child
  }

  package func send(signal: Int32) { kill(identifier, signal) }

  /// Waits for its end. Call it once.
  ///
  /// - Parameter usage: receives what it used.
  /// - Returns: its exit status, ``signalledStatus`` if a signal ended it, or if it cannot be learned,
  ///   such as where SIGCHLD is ignored.
  package func wait(_ usage: UnsafeMutablePointer<rusage>? = nil) -> Int32 {
    var status: Int32 = 0
    while wait4(identifier, &status, 0, usage) == -1 {
      guard errno == EINTR else { return Self.signalledStatus }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : Self.signalledStatus
  }

  /// A pipe whose ends no child inherits; on Darwin but for one that another thread starts meanwhile.
  package static func pipe() throws(SystemError) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard systemPipe(&ends) == 0 else { throw SystemError(errno) }
    return (ends[0], ends[1])
  }

  #if canImport(Darwin)
    private static var noActions: posix_spawn_file_actions_t? { nil }
    private static var noAttributes: posix_spawnattr_t? { nil }
  #else
    private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
  #endif
}

/// The C library's `pipe`, which the method hides; its ends are closed in programs that are started.
private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
  #if os(Linux)
    return cprocess_pipe(ends)
  #else
    guard pipe(ends) == 0 else { return -1 }
    for place in 0...1 { _ = fcntl(ends[place], F_SETFD, FD_CLOEXEC) }
    return 0
  #endif
}
