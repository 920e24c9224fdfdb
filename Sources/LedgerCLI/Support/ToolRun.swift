import LedgerPlatform

/// One run of another program, found in PATH, with an argument array and never through a shell. Its
/// streams are files, so that neither side waits for the other.
struct ToolRun {
  /// 128 for a program that a signal ended.
  let exitCode: Int32
  let output: [UInt8]
  /// What it wrote to standard error, without the end of the last line.
  let error: String

  /// Runs it to its end.
  ///
  /// - Parameter why: what it is needed for, for the sentence when it is not installed.
  init(
    _ program: String, _ arguments: [String], input: [UInt8], why: String
  ) throws(CommandFailure) {
    let descriptors = (0..<3).map { _ in Self.temporaryFile() }
    defer { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
    guard descriptors.allSatisfy({ $0 >= 0 }), Self.write(input, to: descriptors[0]) else {
      throw CommandFailure(
        .failed, "cannot write a temporary file for \(program): \(systemError(errno))")
    }
    var actions = Self.noActions
    posix_spawn_file_actions_init(&actions)
    for (place, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
    }
    var pointers = ([program] + arguments).map { strdup($0) } + [nil]
    var child = pid_t()
    let failure = posix_spawnp(&child, program, &actions, nil, &pointers, environ)
    for pointer in pointers { free(pointer) }
    posix_spawn_file_actions_destroy(&actions)
    guard failure == 0 else {
      throw CommandFailure(
        .failed,
        failure == ENOENT
          ? "\(why) needs the program \(program), which is not installed"
          : "cannot run \(program): \(systemError(failure))")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) == -1, errno == EINTR {}
    exitCode = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128
    output = Self.read(descriptors[1])
    let said = Self.read(descriptors[2])
    error = String(decoding: said.last == 0x0A ? said.dropLast() : said[...], as: UTF8.self)
  }

  /// A file without a name. Its descriptor is none of the three that the program will have, so that
  /// each is duplicated and none is closed with the others.
  private static func temporaryFile() -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = Array("\(folder)/ledger-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { return -1 }
    unlink(path)
    defer { close(file) }
    return fcntl(file, F_DUPFD_CLOEXEC, 3)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let offset = off_t(bytes.count - rest.count)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func read(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = piece.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(bytes.count))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  #if canImport(Darwin)
    private static var noActions: posix_spawn_file_actions_t? { nil }
  #else
    private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
  #endif
}
