import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program that was started.
///
/// Not Foundation's `Process`: in the toolchain for Linux it reads past the end of what it learns from
/// `/proc/self/fd`, which now and then ends the whole test run.
final class ChildProcess: Sendable {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  let identifier: pid_t
  /// What `waitpid` said, once it has.
  private let ending = Mutex<Int32?>(nil)

  /// - Parameters:
  ///   - environment: all of it.
  ///   - input, output, error: files, opened as the program's standard streams.
  init(
    _ path: String, _ arguments: [String], environment: [String: String], in directory: String,
    input: String, output: String, error: String
  ) throws {
    var actions = Self.noActions
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, error, O_WRONLY, 0)
    // A shell goes to the folder and becomes the program, under the same number.
    let shell = "/bin/sh"
    let words = CStrings(
      [shell, "-c", #"cd "$1" && shift && exec "$@""#, "sh", directory, path] + arguments)
    let variables = CStrings(environment.map { "\($0.key)=\($0.value)" }.sorted())
    var child = pid_t()
    let failure = posix_spawn(&child, shell, &actions, nil, words.pointers, variables.pointers)
    withExtendedLifetime((words, variables)) {}
    guard failure == 0 else {
      throw Problem(description: "\(path) cannot be started: \(String(cString: strerror(failure)))")
    }
    identifier = child
  }

  #if canImport(Darwin)
    private static var noActions: posix_spawn_file_actions_t? { nil }
  #else
    private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
  #endif

  deinit {
    // Nobody waits for it any more; without this it would stay in the system's table.
    if ending.withLock({ $0 }) == nil { _ = waitpid(identifier, nil, WNOHANG) }
  }

  var isRunning: Bool { look(WNOHANG) == nil }

  /// - Returns: the exit status; -1 when a signal ended it.
  func wait() -> Int32 {
    // Looked at again and again, so that whoever else asks meanwhile is not kept waiting.
    while true {
      if let status = look(WNOHANG) {
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
      }
      usleep(2_000)
    }
  }

  func send(_ signal: Int32) {
    // After its end the number may belong to another process.
    if isRunning { kill(identifier, signal) }
  }

  private func look(_ options: Int32) -> Int32? {
    ending.withLock { ending in
      if ending == nil {
        var status: Int32 = 0
        if waitpid(identifier, &status, options) == identifier { ending = status }
      }
      return ending
    }
  }
}

/// Words as C takes them: pointers, and a null behind the last.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ words: [String]) {
    pointers = words.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}
