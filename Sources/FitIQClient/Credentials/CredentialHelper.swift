#if os(macOS) || os(Linux)
  import Dispatch
  import LedgerPlatform

  /// A program that keeps passwords and speaks git's credential protocol (gitcredentials(7),
  /// git-credential(1)): its last argument is `get`, `store` or `erase`, and what it is about are
  /// lines `name=value` on its standard streams. No secret is ever in its arguments.
  struct CredentialHelper: Sendable {
    /// What a password belongs to.
    struct Item: Hashable, Sendable {
      var scheme: String
      /// With the port, if it is not the scheme's own.
      var host: String
      /// Without a slash in front.
      var path: String
      var username: String
    }

    enum Action: String { case get, store, erase }

    /// As the setting `credentials.helper` has it.
    let text: String

    /// Far more than any token pair takes.
    private static let longestAnswerBytes = 65_536
    /// A person may have to unlock a key ring.
    static let patienceSeconds = 120

    func password(of item: Item) throws(ClientError) -> String? {
      let answer = try run(.get, item).split(separator: "\n", omittingEmptySubsequences: false)
      let name = "password="
      return answer.last { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    func store(_ password: String, of item: Item) throws(ClientError) {
      _ = try run(.store, item, password: password)
    }

    func erase(_ item: Item) throws(ClientError) { _ = try run(.erase, item) }

    /// What the shell runs, as git reads such a setting: a command after `!`, a path, or the end of
    /// the name of a program of git's.
    static func command(_ text: String, _ action: Action) -> String {
      if text.hasPrefix("!") { return "\(text.dropFirst()) \(action.rawValue)" }
      if text.hasPrefix("/") { return "\(text) \(action.rawValue)" }
      let words = "\(text) \(action.rawValue)"
      let name = text.prefix { $0 != " " }
      // Those that come with git are not in PATH, but git finds them.
      return "if command -v git-credential-\(name) > /dev/null; then git-credential-\(words); "
        + "else git credential-\(words); fi"
    }

    /// - Returns: what the helper wrote. For `get` that may be nothing, whatever it exits with.
    private func run(
      _ action: Action, _ item: Item, password: String? = nil
    ) throws(ClientError) -> String {
      var lines = [
        "protocol=\(item.scheme)", "host=\(item.host)", "path=\(item.path)",
        "username=\(item.username)",
      ]
      if let password { lines.append("password=\(password)") }
      guard lines.allSatisfy({ !$0.utf8.contains(0) && !$0.utf8.contains(0x0A) }) else {
        throw .credentialHelper(problem: "cannot be asked: a line feed or NUL is in the account")
      }
      let request = lines.map { $0 + "\n" }.joined() + "\n"
      let process = try ShellProcess(Self.command(text, action), input: Array(request.utf8))
      let (answer, status) = try process.finish(
        limitBytes: Self.longestAnswerBytes, patienceSeconds: Self.patienceSeconds)
      // 126 and 127: the shell found no program to run; git says 1 then.
      if status == 126 || status == 127 {
        throw .credentialHelper(problem: "cannot be run: \(text)")
      }
      if action != .get, status != 0 {
        throw .credentialHelper(problem: "failed to \(action.rawValue) the credentials (\(status))")
      }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  /// `sh -c COMMAND`, given a few bytes. What it says on standard error goes where ours goes.
  private struct ShellProcess {
    private let process: pid_t
    private let output: Int32

    /// - Parameter input: less than a pipe holds; it is written before the program runs, so that one
    ///   that does not read it can neither block nor signal us.
    init(_ command: String, input: [UInt8]) throws(ClientError) {
      let (inputEnd, inputStart) = try Self.pipe()
      defer { close(inputEnd) }
      let written = input.withUnsafeBytes { write(inputStart, $0.baseAddress, $0.count) }
      close(inputStart)
      guard written == input.count else {
        throw .credentialHelper(problem: "cannot be asked: \(Self.reason(errno))")
      }
      let (outputEnd, outputStart) = try Self.pipe()
      defer { close(outputStart) }
      var actions = Self.noActions
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, inputEnd, 0)
      posix_spawn_file_actions_adddup2(&actions, outputStart, 1)
      // Nothing blocked or ignored. It stays in our process group, since it may ask on the terminal.
      var attributes = Self.noAttributes
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      var defaults = sigset_t()
      sigemptyset(&defaults)
      sigaddset(&defaults, SIGPIPE)
      posix_spawnattr_setsigdefault(&attributes, &defaults)
      posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
      let texts = ["sh", "-c", command]
      var words = texts.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var child = pid_t()
      let failure = posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, environ)
      guard failure == 0 else {
        close(outputEnd)
        throw .credentialHelper(problem: "cannot be run: \(Self.reason(failure))")
      }
      process = child
      output = outputEnd
    }

    /// Waits for its end, and ends it where it takes too long or says too much.
    func finish(
      limitBytes: Int, patienceSeconds: Int
    ) throws(ClientError) -> (answer: [UInt8], status: Int32) {
      defer { close(output) }
      let end = DispatchTime.now() + .seconds(patienceSeconds)
      var answer: [UInt8] = []
      var problem: String?
      reading: while problem == nil {
        let left = Int32(
          clamping: (Int64(end.uptimeNanoseconds)
            - Int64(DispatchTime.now().uptimeNanoseconds)) / 1_000_000)
        var watched = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        switch poll(&watched, 1, max(0, left)) {
        case 0: problem = "did not answer within \(patienceSeconds) s"
        case ..<0: if errno != EINTR { problem = "cannot be read: \(Self.reason(errno))" }
        default:
          var piece = [UInt8](repeating: 0, count: 4096)
          let count = read(output, &piece, piece.count)
          if count == 0 { break reading }
          if count < 0, errno != EINTR { problem = "cannot be read: \(Self.reason(errno))" }
          answer += piece[..<max(0, count)]
          if answer.count > limitBytes { problem = "wrote more than \(limitBytes) bytes" }
        }
      }
      if problem != nil { kill(process, SIGKILL) }
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      if let problem { throw .credentialHelper(problem: problem) }
      return (answer, status & 0x7F == 0 ? (status >> 8) & 0xFF : 128)
    }

    private static func pipe() throws(ClientError) -> (end: Int32, start: Int32) {
      var ends: [Int32] = [-1, -1]
      guard systemPipe(&ends) == 0 else {
        throw .credentialHelper(problem: "cannot be run: \(reason(errno))")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }

    private static func reason(_ number: Int32) -> String {
      strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }

    #if canImport(Darwin)
      private static var noActions: posix_spawn_file_actions_t? { nil }
      private static var noAttributes: posix_spawnattr_t? { nil }
    #else
      private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
      private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
    #endif
  }

  /// The C library's, whose name the method above hides.
  private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
#endif
