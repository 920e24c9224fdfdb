#if os(macOS) || os(Linux)
  public import LedgerLog
  import LedgerPlatform
  import Synchronization

  /// Credentials in a program that speaks git's credential protocol, such as
  /// `git-credential-libsecret`. `credentials.json` has no secret then, only whose they are.
  ///
  /// The program keeps the whole of the credentials as one password, under the backend's scheme and
  /// host, the ledger's folder as the path, and the account as the user name. It is asked again after
  /// it has stored: many such programs ignore what they cannot do.
  public final class HelperCredentialStore: CredentialStore {
    private let directory: LedgerDirectory
    private let file: FileCredentialStore
    private let helper: CredentialHelper
    /// What was read last, for as long as ``file`` is the same: every change replaces it.
    private let remembered = Mutex<(file: FileMark, credentials: Credentials?)?>(nil)

    public var lockPath: String { file.lockPath }

    /// - Parameter helper: as git has it in `credential.helper`: `!` and a shell command, a program's
    ///   absolute path, or NAME for `git-credential-NAME`; arguments may follow.
    public init(_ directory: LedgerDirectory, helper: String) {
      self.directory = directory
      file = FileCredentialStore(directory)
      self.helper = CredentialHelper(text: helper)
    }

    public func load() throws(ClientError) -> Credentials? {
      let mark = FileMark(directory.credentials)
      if let last = remembered.withLock({ $0 }), last.file == mark { return last.credentials }
      let credentials = try loadLocked()
      if let mark { remembered.withLock { $0 = (mark, credentials) } }
      return credentials
    }

    public func loadLocked() throws(ClientError) -> Credentials? {
      guard let known = try file.load() else { return nil }
      guard let password = try helper.password(of: item(of: known)),
        let held = Credentials(stored: Array(password.utf8)),
        // A helper may ignore the path and give another ledger's; one that cannot erase gives what
        // was signed out of.
        held.origin == known.origin, held.email == known.email, held.generation >= known.generation
      else { return known }
      return held
    }

    public func save(_ credentials: Credentials) throws(ClientError) {
      remembered.withLock { $0 = nil }
      let before = try? file.load()
      let item = item(of: credentials)
      var known = credentials.withoutTokens()
      known.apiKey = nil
      if credentials.apiKey == nil, credentials.tokens == nil {
        // Newer than what the helper has, so that it is signed out even if the helper fails.
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
      remembered.withLock { $0 = nil }
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
        scheme: String(parts[0]), host: parts.count > 1 ? String(parts[1]) : "", path: folder,
        username: credentials.email)
    }

    /// The ledger's folder as a path in a URL.
    private var folder: String {
      let path = realpath(directory.path, nil)
      defer { free(path) }
      let folder = path.map { String(cString: $0) } ?? directory.path
      return folder.split(separator: "/").map { RequestPath.escaped($0.utf8) }
        .joined(separator: "/")
    }
  }

  /// Which file is at a path: another one after every replacement.
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
#endif
