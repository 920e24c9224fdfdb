import Foundation
import Synchronization

/// A program that was started.
///
/// Not Foundation's `Process`: in the toolchain for Linux it reads past the end of what it learns from
/// `/proc/self/fd`, which now and then ends the whole test run.
final class RunningProgram: Sendable {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  let identifier: pid_t
  private let ending = Ending()

  /// What `waitpid` said, once it has.
  private final class Ending: Sendable {
    let status = Mutex<Int32?>(nil)
    /// Left once there is a status.
    let group = DispatchGroup()
  }

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
    guard let change = Self.addChange, change(&actions, directory) == 0 else {
      throw Problem(description: "\(path) cannot be started in \(directory)")
    }
    // As a shell starts it: the threads of tests block most signals, and a child would inherit that.
    var attributes = Self.noAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let words = CStrings([path] + arguments)
    let variables = CStrings(environment.map { "\($0.key)=\($0.value)" }.sorted())
    var child = pid_t()
    let failure = posix_spawn(
      &child, path, &actions, &attributes, words.pointers, variables.pointers)
    withExtendedLifetime((words, variables)) {}
    guard failure == 0 else {
      throw Problem(description: "\(path) cannot be started: \(String(cString: strerror(failure)))")
    }
    identifier = child
    // Taken away at once when it ends: exit tests watch for the first child that has ended, and one
    // that stays would hide theirs.
    ending.group.enter()
    Thread.detachNewThread { [ending, identifier] in
      var status: Int32 = -1
      while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
      ending.status.withLock { [status] in $0 = status }
      ending.group.leave()
    }
  }

  /// `posix_spawn_file_actions_addchdir_np`, which Glibc's headers keep from Swift.
  private static let addChange = unsafeBitCast(
    dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addchdir_np"),
    to: (@convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Int32)?.self)

  #if canImport(Darwin)
    private static var noActions: posix_spawn_file_actions_t? { nil }
    private static var noAttributes: posix_spawnattr_t? { nil }
  #else
    private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
  #endif

  var isRunning: Bool { ending.status.withLock { $0 } == nil }

  /// - Returns: the exit status; -1 when a signal ended it.
  func wait() -> Int32 {
    ending.group.wait()
    let status = ending.status.withLock { $0 } ?? -1
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }

  func send(_ signal: Int32) {
    // After its end the number may belong to another process.
    if isRunning { kill(identifier, signal) }
  }
}

/// Words as C takes them: pointers, and a null after the last.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ words: [String]) {
    pointers = words.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}
