import LedgerPlatform

/// The system's `unzip`, at work.
final class UnzipProcess {
  /// What it writes.
  let output: Int32
  private let process: pid_t
  private let file: String
  private var hasEnded = false

  /// - Parameters:
  ///   - words: its arguments.
  ///   - file: the zip, for messages.
  init(_ words: [String], file: String) throws(ImportError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ImportError(.unreadable, "cannot make a pipe for unzip: \(systemReason(errno))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = Self.noActions
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var pointers = (["unzip"] + words).map { strdup($0) } + [nil]
    var child = pid_t()
    // Its default options come from the environment; ours are all that counts.
    unsetenv("UNZIP")
    unsetenv("UNZIPOPT")
    unsetenv("ZIPINFO")
    let failure = posix_spawnp(&child, "unzip", &actions, nil, &pointers, environ)
    for pointer in pointers { free(pointer) }
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    guard failure == 0 else {
      close(ends[0])
      throw ImportError(
        .unreadable,
        failure == ENOENT
          ? "\(file) is a zip, and the program unzip, which would open it, is not installed; "
            + "install it (apt install unzip), or unpack the file and import its export.xml"
          : "cannot run unzip: \(systemReason(failure)); unpack \(file) and import its export.xml")
    }
    output = ends[0]
    process = child
    self.file = file
  }

  #if canImport(Darwin)
    private static var noActions: posix_spawn_file_actions_t? { nil }
  #else
    private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
  #endif

  /// Waits for its end.
  ///
  /// - Throws: a sentence, where what it has written is not the whole file as it was packed.
  func finish() throws(ImportError) {
    let status = wait()
    // 1 is a warning: all was written.
    guard status != 0, status != 1 else { return }
    let what: String =
      switch status {
      case 9: "is no whole zip: it was cut off, or is something else"
      case 11: "has no such file in it"
      case 81: "is packed in a way that unzip does not know"
      case 5, 82: "is locked by a password"
      case 126, 127: "cannot be opened: unzip does not run"
      default: "is damaged (unzip says \(status))"
      }
    throw ImportError(
      .unfit,
      "\(file) \(what); nothing was imported. Copy it or export it again, or unpack it and import "
        + "its export.xml")
  }

  /// Takes it away when nobody wants the rest.
  func abandon() {
    guard !hasEnded else { return }
    kill(process, SIGTERM)
    _ = wait()
  }

  private func wait() -> Int32 {
    guard !hasEnded else { return 0 }
    hasEnded = true
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 {
      guard errno == EINTR else { return 0 }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128
  }
}
