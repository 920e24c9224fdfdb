#if os(macOS) || os(Linux)
  public import LedgerLog
  import LedgerPlatform
  import Synchronization

  /// Credentials in a program that speaks git's credential protocol, such as
  /// `git-credential-libsecret`. `credentials.json` then holds the account but no secret.
  ///
  /// The whole credentials are stored as one password, under the backend's scheme and host, the
  /// ledger's folder as path, and the account as user name. The path stays the same when the folder is
  /// moved; a copy of the folder shares the password. Every write is verified by a read: many
  /// helpers silently ignore operations they do not support.
  public final class HelperCredentialStore: CredentialStore {
    private let directory: LedgerDirectory
    private let file: FileCredentialStore
    private let helper: CredentialHelper
    /// The last read, valid while ``file`` is the same: every change replaces the file.
    private let cache = Mutex<(file: FileMark, credentials: Credentials?)?>(nil)

    public var lockPath: String { file.lockPath }

    /// - Parameter helper: as in git's `credential.helper`: `!` and a shell command, a program's
    ///   absolute path, or NAME for `git-credential-NAME`; arguments may follow.
    public init(_ directory: LedgerDirectory, helper: String) {
      self.directory = directory
      file = FileCredentialStore(directory)
      self.helper = CredentialHelper(text: helper)
    }

    public func load() throws(ClientError) -> Credentials? {
      let mark = FileMark(directory.credentials)
      if let last = cache.withLock({ $0 }), last.file == mark { return last.credentials }
      let credentials = try loadLocked()
      if let mark { cache.withLock { $0 = (mark, credentials) } }
      return credentials
    }

    public func loadLocked() throws(ClientError) -> Credentials? {
      guard var known = try file.load() else { return nil }
      let item = item(of: known)
      known.helperPath = nil
      guard let password = try helper.password(of: item),
        let held = Credentials(stored: Array(password.utf8)),
        // A helper that ignores the path returns another ledger's credentials, and one that cannot
        // erase returns those from before a logout.
        held.origin == known.origin, held.email == known.email, held.generation >= known.generation
      else { return known }
      return held
    }

    public func save(_ credentials: Credentials) throws(ClientError) {
      cache.withLock { $0 = nil }
      let before = try? file.load()
      var known = credentials.withoutTokens()
      known.apiKey = nil
      known.helperPath = before?.helperPath ?? folder
      let item = item(of: known)
      if credentials.apiKey == nil, credentials.tokens == nil {
        // Newer than the helper's, so that the logout holds even if the helper fails.
        known.generation += 1
        try file.save(known)
        try erase(item)
      } else {
        let password = String(decoding: credentials.stored.dropLast(), as: UTF8.self)
        try helper.store(password, of: item)
        guard try helper.password(of: item) == password else {
          throw .credentialHelper(problem: "did not keep the credentials")
        }
        try file.save(known)
      }
      if let before, case let old = self.item(of: before), old != item { try erase(old) }
    }

    public func remove() throws(ClientError) {
      cache.withLock { $0 = nil }
      if let known = try? file.load() { try erase(item(of: known)) }
      try file.remove()
    }

    private func erase(_ item: CredentialHelper.Item) throws(ClientError) {
      try helper.erase(item)
      guard try helper.password(of: item) == nil else {
        throw .credentialHelper(problem: "did not erase the credentials; remove them by hand")
      }
    }

    private func item(of credentials: Credentials) -> CredentialHelper.Item {
      let parts = credentials.origin.split(separator: "://", maxSplits: 1)
      return CredentialHelper.Item(
        scheme: String(parts[0]), host: parts.count > 1 ? String(parts[1]) : "",
        path: credentials.helperPath ?? folder, username: credentials.email)
    }

    /// The ledger's folder as the path of a URL.
    private var folder: String {
      let path = realpath(directory.path, nil)
      defer { free(path) }
      let folder = path.map { String(cString: $0) } ?? directory.path
      return folder.split(separator: "/").map { PercentEncoding.encode($0.utf8) }
        .joined(separator: "/")
    }
  }

  /// Identifies a version of a file: differs after every replacement.
  private struct FileMark: Hashable {
    private let words: [Int]

    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
      #else
        let (changed, modified) = (status.st_ctim, status.st_mtim)
      #endif
      words = [
        Int(status.st_dev), Int(status.st_ino), Int(status.st_size), changed.tv_sec,
        changed.tv_nsec, modified.tv_sec, modified.tv_nsec,
      ]
    }
  }

  /// A password program that speaks git's credential protocol (gitcredentials(7),
  /// git-credential(1)): its last argument is `get`, `store` or `erase`, and it reads and writes
  /// lines `name=value`. No secret is ever in its arguments.
  struct CredentialHelper: Sendable {
    /// The key of a password.
    struct Item: Hashable, Sendable {
      var scheme: String
      /// With the port, unless it is the scheme's default.
      var host: String
      /// Without a leading slash.
      var path: String
      var username: String
    }

    enum Action: String { case get, store, erase }

    /// The value of the setting `credentials.helper`.
    let text: String

    /// Far more than a token pair needs.
    private static let longestAnswerBytes = 65_536
    /// Leaves a person time to unlock a key ring.
    private static let limitSeconds = 120

    func password(of item: Item) throws(ClientError) -> String? {
      let answer = try run(.get, item).split(separator: "\n", omittingEmptySubsequences: false)
      let name = "password="
      return answer.last { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    func store(_ password: String, of item: Item) throws(ClientError) {
      _ = try run(.store, item, password: password)
    }

    func erase(_ item: Item) throws(ClientError) { _ = try run(.erase, item) }

    /// The shell command for a setting, which git reads as a command after `!`, a path, or the end
    /// of the name of one of git's own programs.
    static func command(_ text: String, _ action: Action) -> String {
      if text.hasPrefix("!") { return "\(text.dropFirst()) \(action.rawValue)" }
      if text.hasPrefix("/") { return "\(text) \(action.rawValue)" }
      let words = "\(text) \(action.rawValue)"
      let name = text.prefix { $0 != " " }
      // The helpers that come with git are not in PATH, but git finds them.
      return "if command -v git-credential-\(name) > /dev/null; then git-credential-\(words); "
        + "else git credential-\(words); fi"
    }

    /// - Returns: the helper's output. For `get` it may be empty: programs that know no password end with 0 or 1.
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
      let (answer, status) = try Self.runShell(Self.command(text, action), Array(request.utf8))
      // 126 and 127: the shell found no program to run; git reports 1.
      if status == 126 || status == 127 {
        throw .credentialHelper(problem: "cannot be run: \(text)")
      }
      // From 128 on it was ended by a signal, or is git and failed.
      if status != 0, action != .get || status >= ChildProcess.signalledStatus {
        throw .credentialHelper(problem: "failed to \(action.rawValue) the credentials (\(status))")
      }
      return String(decoding: answer, as: UTF8.self)
    }

    /// Runs `sh -c COMMAND` and kills it when it takes too long or writes too much. It stays in this
    /// process group and inherits standard error, since it may ask on the terminal.
    ///
    /// - Parameter input: written before the program runs, so that a program that does not read it can
    ///   neither block nor signal this process. More than a pipe holds is refused.
    private static func runShell(
      _ command: String, _ input: [UInt8]
    ) throws(ClientError) -> (answer: [UInt8], status: Int32) {
      let (child, output) = try start(command, input)
      defer { close(output) }
      var answer: [UInt8] = []
      let problem = readAll(output, into: &answer)
      if problem != nil { child.send(signal: SIGKILL) }
      let status = child.wait()
      if let problem { throw .credentialHelper(problem: problem) }
      return (answer, status)
    }

    private static func start(
      _ command: String, _ input: [UInt8]
    ) throws(ClientError) -> (child: ChildProcess, output: Int32) {
      let request = try pipe()
      defer { close(request.reader) }
      _ = fcntl(request.writer, F_SETFL, O_NONBLOCK)
      let written = input.withUnsafeBytes { write(request.writer, $0.baseAddress, $0.count) }
      let failure = errno
      close(request.writer)
      guard written == input.count else {
        let isTooLong = written > 0 || failure == EAGAIN
        throw .credentialHelper(
          problem: "cannot be asked: "
            + (isTooLong ? "the credentials are too long" : SystemError(failure).description))
      }
      let answer = try pipe()
      defer { close(answer.writer) }
      do throws(SystemError) {
        let child = try ChildProcess(
          "/bin/sh", ["-c", command], input: .descriptor(request.reader),
          output: .descriptor(answer.writer))
        return (child, answer.reader)
      } catch {
        close(answer.reader)
        throw .credentialHelper(problem: "cannot be run: \(error)")
      }
    }

    /// - Returns: why the output is incomplete, if it is.
    private static func readAll(_ output: Int32, into answer: inout [UInt8]) -> String? {
      let end = SuspendingClock.now + .seconds(limitSeconds)
      while true {
        let left = SuspendingClock.now.duration(to: end) / .milliseconds(1)
        var watched = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        switch poll(&watched, 1, Int32(max(0, left))) {
        case 0: return "did not answer within \(limitSeconds) s"
        case ..<0: if errno != EINTR { return "cannot be read: \(SystemError(errno))" }
        default:
          var piece = [UInt8](repeating: 0, count: 4096)
          let count = read(output, &piece, piece.count)
          if count == 0 { return nil }
          if count < 0, errno != EINTR { return "cannot be read: \(SystemError(errno))" }
          answer += piece[..<max(0, count)]
          if answer.count > longestAnswerBytes {
            return "wrote more than \(longestAnswerBytes) bytes"
          }
        }
      }
    }

    private static func pipe() throws(ClientError) -> (reader: Int32, writer: Int32) {
      do throws(SystemError) {
        return try ChildProcess.pipe()
      } catch {
        throw .credentialHelper(problem: "cannot be run: \(error)")
      }
    }
  }
#endif
