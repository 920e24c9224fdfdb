import LedgerLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A ledger that was found in a folder, not named. Another user may have put it there to collect
/// what is appended, or to be sent a password by its `backend.url`; so it is used only if it is the
/// user's own (cli.md).
struct FoundLedger {
  let directory: LedgerDirectory
  /// From the current folder up to the one that holds the ledger.
  let folders: [String]

  /// Checks three things, of which root may own any:
  ///
  /// - The ledger, its files and every folder belong to the user; of a link both it and its target.
  /// - No other user may write the ledger or its files.
  /// - No other user may put another folder in the ledger's place. A sticky folder such as `/tmp`
  ///   does not allow that.
  ///
  /// - Throws: a failure with exit code 2 that names the owner.
  func checkOwner() throws(CommandFailure) {
    try checkOwner(of: PathFacts(directory.path, followsLink: false))
    try checkPrivate(PathFacts(directory.path))
    for path in files {
      if let file = try? PathFacts(path) { try checkPrivate(file) }
    }
    for folder in folders { try checkOwner(of: PathFacts(folder)) }
    let holder = try PathFacts(try holder())
    try checkOwner(of: holder)
    guard holder.isSticky || !holder.isWritableByOthers else { throw shared(holder) }
  }

  private var files: [String] {
    [
      directory.events, directory.head, directory.settings, directory.credentials,
      directory.snapshot,
    ]
  }

  /// The folder in which the ledger really is, which is another one where `.ledger` is a link.
  private func holder() throws(CommandFailure) -> String {
    guard let path = realpath(directory.path, nil) else { throw PathFacts.failure(directory.path) }
    defer { free(path) }
    let target = String(cString: path)
    guard let slash = target.lastIndex(of: "/"), slash != target.startIndex else { return "/" }
    return String(target[..<slash])
  }

  private func checkPrivate(_ facts: PathFacts) throws(CommandFailure) {
    try checkOwner(of: facts)
    if facts.isWritableByOthers { throw shared(facts) }
  }

  private func checkOwner(of facts: PathFacts) throws(CommandFailure) {
    if facts.isOwn { return }
    let what =
      facts.path == directory.path
      ? "the ledger \(directory.path)"
      : "\(facts.path), where the ledger \(directory.path) was found,"
    throw refusal("\(what) belongs to \(facts.ownerName), not to you")
  }

  private func shared(_ facts: PathFacts) -> CommandFailure {
    refusal(
      "other users may change the ledger \(directory.path): \(facts.path), which belongs to "
        + "\(facts.ownerName), has the mode \(facts.modeText)")
  }

  private func refusal(_ sentence: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(sentence); to use it all the same, name it: --ledger \(ShellText.word(directory.path))")
  }
}

/// Who owns a file or folder, and who else may write it.
struct PathFacts {
  let path: String
  private let owner: uid_t
  private let group: gid_t
  private let mode: mode_t

  init(_ path: String, followsLink: Bool = true) throws(CommandFailure) {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
      throw Self.failure(path)
    }
    self.path = path
    owner = status.st_uid
    group = status.st_gid
    mode = status.st_mode
  }

  static func failure(_ path: String) -> CommandFailure {
    CommandFailure(.failed, IOFailure("look at", path).description)
  }

  /// Whether it belongs to the user or to root.
  var isOwn: Bool { owner == geteuid() || owner == 0 }

  var ownerName: String {
    getpwuid(owner).map { String(cString: $0.pointee.pw_name) } ?? "user \(owner)"
  }

  var modeText: String { "0" + String(mode & 0o7777, radix: 8) }

  /// In a sticky folder only the owner of a file may rename or remove it.
  var isSticky: Bool { mode & S_ISVTX != 0 }

  var isWritableByOthers: Bool {
    mode & S_IWOTH != 0 || mode & S_IWGRP != 0 && !Self.isPrivate(group)
  }

  /// Whether a group is the user's own, as many systems make one for each user: then a umask of 002
  /// opens nothing to anyone.
  private static func isPrivate(_ group: gid_t) -> Bool {
    guard let user = getpwuid(geteuid())?.pointee, user.pw_gid == group,
      let entry = getgrgid(group)?.pointee
    else { return false }
    let name = String(cString: user.pw_name)
    guard String(cString: entry.gr_name) == name else { return false }
    var member = entry.gr_mem
    while let next = member?.pointee {
      if String(cString: next) != name { return false }
      member = member?.successor()
    }
    return true
  }
}
