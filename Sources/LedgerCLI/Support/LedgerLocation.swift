package import LedgerLog
import LedgerPlatform
import LedgerStore

/// Finds the ledger of a command: `--ledger DIR`, else `$LEDGER_DIR`, else the nearest `.ledger`
/// upward (docs/cli.md). DIR contains `events.jsonl`.
package enum LedgerLocation {
  /// - Throws: a failure with exit code 4 if there is no ledger, and with exit code 2 if a ledger
  ///   that was found, not named, is not the user's own.
  package static func find(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandFailure) -> LedgerDirectory {
    if let named = named(arguments, console) {
      let directory = LedgerDirectory(named)
      guard directory.holdsLedger else {
        let inside = LedgerDirectory(joined(named, ".ledger"))
        throw CommandFailure(
          .notFound, "there is no ledger at \(named)",
          hint: inside.holdsLedger ? "did you mean \(inside.path)?" : "'ledger init' makes one",
          code: "no-ledger")
      }
      return directory
    }
    guard let found = upward(from: ".") else {
      let isThere = access(".ledger", F_OK) == 0
      throw CommandFailure(
        .notFound,
        isThere
          ? ".ledger in this folder is no ledger: it has no events.jsonl"
          : "there is no .ledger in this folder or above it",
        hint: "go to your ledger's folder, or name it by --ledger DIR or LEDGER_DIR; "
          + "'ledger init' makes a new one here", code: "no-ledger")
    }
    try found.checkOwner()
    return found.directory
  }

  /// The folder from the command line or the environment.
  package static func named(_ arguments: ParsedArguments, _ console: Console) -> String? {
    if let given = arguments.ledgerFolder { return trimmed(given) }
    guard let given = console.environment("LEDGER_DIR"), !given.isEmpty else { return nil }
    return trimmed(given)
  }

  /// The ledger that commands in this folder would use; the folder itself may be missing.
  static func found(from folder: String) -> LedgerDirectory? {
    var folder = folder
    while realpath(folder, nil).map({ free($0) }) == nil {
      let above = Folder.parent(of: folder)
      guard above != folder else { return nil }
      folder = above
    }
    guard let found = upward(from: folder), (try? found.checkOwner()) != nil else { return nil }
    return found.directory
  }

  private static func upward(from start: String) -> FoundLedger? {
    guard let here = realpath(start, nil) else { return nil }
    defer { free(here) }
    var folder = String(cString: here)
    var folders: [String] = []
    while true {
      folders.append(folder)
      let directory = LedgerDirectory(joined(folder, ".ledger"))
      if directory.holdsLedger {
        return FoundLedger(directory: directory, folders: folders)
      }
      guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }

  package static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

/// A ledger found in a folder rather than named. Another user may have put it there to collect
/// data, or passwords by its `backend.url`, so it must be the user's own (docs/cli.md).
private struct FoundLedger {
  let directory: LedgerDirectory
  /// From the current folder up to the one with the ledger.
  let folders: [String]

  /// Checks three things; root counts as the user:
  ///
  /// - The ledger, its files and every folder belong to the user; for a link, both it and its
  ///   target.
  /// - No other user may write the ledger or its files.
  /// - No other user may replace the ledger's folder. A sticky folder such as `/tmp` prevents that.
  ///
  /// - Throws: a failure with exit code 2 that names the owner.
  func checkOwner() throws(CommandFailure) {
    try checkOwner(of: .existing(directory.path, followsLinks: false))
    try checkPrivate(.existing(directory.path))
    for path in files {
      if let file = try? FileFacts.existing(path) { try checkPrivate(file) }
    }
    for folder in folders { try checkOwner(of: .existing(folder)) }
    let holder = try FileFacts.existing(try holder())
    try checkOwner(of: holder)
    guard holder.isSticky || !holder.isWritableByOthers else { throw shared(holder) }
  }

  private var files: [String] {
    [
      directory.events, directory.head, directory.settings, directory.credentials,
      directory.snapshot, directory.listing, directory.verified, directory.ledgerLock,
      directory.syncLock, directory.authLock,
    ]
  }

  /// The folder that contains the ledger after following links.
  private func holder() throws(CommandFailure) -> String {
    guard let path = realpath(directory.path, nil) else {
      throw FileFacts.failure(IOFailure("inspect", directory.path))
    }
    defer { free(path) }
    let target = String(cString: path)
    guard let slash = target.lastIndex(of: "/"), slash != target.startIndex else { return "/" }
    return String(target[..<slash])
  }

  private func checkPrivate(_ facts: FileFacts) throws(CommandFailure) {
    try checkOwner(of: facts)
    if facts.isWritableByOthers { throw shared(facts) }
  }

  private func checkOwner(of facts: FileFacts) throws(CommandFailure) {
    if facts.isOwn { return }
    let what =
      facts.path == directory.path
      ? "the ledger \(directory.path)"
      : "\(facts.path), where the ledger \(directory.path) was found,"
    throw refusal("\(what) belongs to \(facts.ownerName), not to you")
  }

  private func shared(_ facts: FileFacts) -> CommandFailure {
    refusal(
      "other users may change the ledger \(directory.path): \(facts.path), which belongs to "
        + "\(facts.ownerName), has the mode \(facts.modeText)",
      hint: facts.owner == geteuid()
        ? "only you may change it after: chmod go-w \(ShellText.word(facts.path))" : nil)
  }

  private func refusal(_ sentence: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(sentence); to use it all the same, name it: --ledger \(ShellText.word(directory.path))",
      hint: hint)
  }
}

/// Owner and permissions of a file or folder.
extension FileFacts {
  /// - Throws: a failure with exit code 1 if it cannot be read, or there is none.
  static func existing(
    _ path: String, followsLinks: Bool = true
  ) throws(CommandFailure) -> FileFacts {
    do throws(IOFailure) {
      if let facts = try of(path, followsLinks: followsLinks) { return facts }
    } catch {
      throw failure(error)
    }
    throw failure(IOFailure("inspect", path, errorNumber: ENOENT))
  }

  fileprivate static func failure(_ failure: IOFailure) -> CommandFailure {
    CommandFailure(.failed, failure.description)
  }

  /// Whether it belongs to the user or to root.
  var isOwn: Bool { owner == geteuid() || owner == 0 }

  var ownerName: String { SystemUsers.name(of: owner) ?? "user \(owner)" }

  var modeText: String { "0" + String(mode, radix: 8) }

  /// In a sticky folder only a file's owner may rename or remove it.
  var isSticky: Bool { mode & 0o1000 != 0 }

  var isWritableByOthers: Bool {
    mode & 0o002 != 0 || mode & 0o020 != 0 && !SystemUsers.isPrivate(group)
  }
}

/// Names of users and groups.
///
/// On Linux it reads only `/etc/passwd` and `/etc/group`: in a statically linked program `getpwuid`
/// loads further libraries and can crash. A user from a directory service is shown as a number and
/// has no private group.
private enum SystemUsers {
  static func name(of user: uid_t) -> String? {
    #if canImport(Darwin)
      return getpwuid(user).map { String(cString: $0.pointee.pw_name) }
    #else
      return entry(of: user, in: "/etc/passwd").map { String($0[0]) }
    #endif
  }

  /// Whether a group is the user's own without other members: then a umask of 002 is harmless.
  static func isPrivate(_ group: gid_t) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      guard let user = entry(of: geteuid(), in: "/etc/passwd"), user.count > 3,
        gid_t(user[3]) == group, let entry = entry(of: group, in: "/etc/group"),
        entry[0] == user[0]
      else { return false }
      let members = entry.count > 3 ? entry[3].split(separator: ",") : []
      return members.allSatisfy { $0 == user[0] }
    #endif
  }

  /// The fields of the first line with this number.
  private static func entry(of number: UInt32, in path: String) -> [Substring]? {
    guard let bytes = try? AtomicFile.read(path) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
      .first { $0.count > 2 && UInt32($0[2]) == number }
  }
}
