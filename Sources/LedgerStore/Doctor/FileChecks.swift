import LedgerLog
public import LedgerPlatform

/// About the ledger's folder and the files in it.
public enum FileFinding: FindingDetail, Hashable, Sendable {
  /// Only the owner can read the files.
  case allPrivate(count: Int)
  /// Other users have access.
  case openToOthers(FileFacts, wantedMode: UInt32)
  /// The owner lacks access.
  case closedToOwner(FileFacts, wantedMode: UInt32)
  /// Others can read the tokens.
  case credentialsExposed(FileFacts)
  /// The folder belongs to another user; both are user ids.
  case foreignFolder(owner: UInt32, user: UInt32)
  /// The file belongs to another user than the folder.
  case foreignFile(FileFacts, ledgerOwner: UInt32)
  /// Such as a folder in place of a file.
  case wrongKind(FileFacts, wanted: FileFacts.Kind, isLog: Bool)
  /// A file that no ledger has.
  case unknown(name: String)
  /// An incomplete file whose writer crashed.
  case leftover(FileFacts)
  /// Files that recovery or a repair put aside.
  case quarantine(count: Int, bytes: Int)
  /// The folder of such files cannot be read.
  case quarantineUnreadable(IOFailure)
  /// There is room on the disk.
  case diskFree(bytes: Int)
  /// There is little room on the disk.
  case diskLow(bytes: Int)

  var report: (code: String, severity: Finding.Severity) {
    switch self {
    case .allPrivate: ("files", .fine)
    case .openToOthers: ("open-to-others", .warning)
    case .closedToOwner: ("closed-to-owner", .warning)
    case .credentialsExposed: ("credentials-exposed", .warning)
    case .foreignFolder, .foreignFile: ("foreign-owner", .warning)
    case .wrongKind(_, _, let isLog): ("wrong-kind", isLog ? .damage : .warning)
    case .unknown: ("unknown-file", .notice)
    case .leftover: ("leftover", .notice)
    case .quarantine: ("quarantine", .notice)
    case .quarantineUnreadable: ("quarantine-unreadable", .warning)
    case .diskFree: ("disk", .fine)
    case .diskLow: ("disk-low", .warning)
    }
  }

  var repair: Repair? {
    switch self {
    case .openToOthers(let file, let mode), .closedToOwner(let file, let mode):
      .setMode(path: file.path, mode: mode)
    case .leftover(let file): .removeLeftover(path: file.path)
    case .allPrivate, .credentialsExposed, .foreignFolder, .foreignFile, .wrongKind, .unknown,
      .quarantine, .quarantineUnreadable, .diskFree, .diskLow:
      nil
    }
  }
}

/// A file's metadata.
public struct FileFacts: Hashable, Sendable {
  /// What a path names.
  public enum Kind: Hashable, Sendable {
    /// A regular file.
    case regular
    /// A folder.
    case folder
    /// A symbolic link.
    case link
    /// Such as a device or a socket.
    case other
  }

  /// The path.
  public var path: String
  /// What is at the path.
  public var kind: Kind
  /// The permissions, setuid, setgid and sticky bits.
  public var mode: UInt32
  /// The owner's user id.
  public var owner: UInt32
  package var group: UInt32
  /// The size in bytes.
  public var sizeBytes: Int

  /// The last part of the path.
  public var name: String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// - Returns: `nil` if there is no such file.
  package static func of(
    _ path: String, followsLinks: Bool = false
  ) throws(IOFailure) -> FileFacts? {
    guard
      let status = try Folder.status(of: path, followsLinks: followsLinks, on: SystemDisk.shared)
    else { return nil }
    let kind: Kind =
      switch status.kind {
      case .file: .regular
      case .folder: .folder
      case .link: .link
      case .other: .other
      }
    return FileFacts(
      path: path, kind: kind, mode: status.mode, owner: status.owner, group: status.group,
      sizeBytes: status.size)
  }

  /// False if it is unknown.
  static func isMissing(_ path: String) -> Bool {
    do throws(IOFailure) { return try of(path) == nil } catch { return false }
  }

  /// The content of a folder by name; empty if there is no such folder.
  static func inside(_ folder: String) throws(IOFailure) -> [FileFacts] {
    var found: [FileFacts] = []
    for name in try Folder.names(in: folder, on: SystemDisk.shared) {
      if let facts = try of(folder + "/" + name) { found.append(facts) }
    }
    return found
  }
}

/// Kind, owner and mode of a ledger's files (docs/log-format.md, Directory).
struct FileChecks {
  let directory: LedgerDirectory
  /// The ledger's folder; `nil` if it is missing.
  let folder: FileFacts?
  let files: [FileFacts]
  /// The user who runs this program.
  let user: UInt32

  func findings() -> [Finding] {
    var found: [FileFinding] = []
    if let folder {
      found += modeProblems(folder, wanted: 0o700)
      if folder.owner != user { found.append(.foreignFolder(owner: folder.owner, user: user)) }
    }
    for file in files { found += problems(of: file) }
    if found.isEmpty {
      found = [.allPrivate(count: files.count { LedgerDirectory.fileNames.contains($0.name) })]
    }
    return found.map { Finding(.file($0)) }
  }

  private func problems(of file: FileFacts) -> [FileFinding] {
    if LedgerDirectory.isTemporary(file.name) { return [] }
    // The person's rules for `import csv --rules`.
    if file.name == "rules", file.kind == .folder { return ownerProblems(file) }
    let isFolder = file.name == "quarantine"
    guard isFolder || LedgerDirectory.fileNames.contains(file.name) else {
      return [.unknown(name: file.name)]
    }
    let kind: FileFacts.Kind = isFolder ? .folder : .regular
    guard file.kind == kind else {
      return [.wrongKind(file, wanted: kind, isLog: file.path == directory.events)]
    }
    return modeProblems(file, wanted: isFolder ? 0o700 : 0o600) + ownerProblems(file)
  }

  private func ownerProblems(_ file: FileFacts) -> [FileFinding] {
    guard let folder, file.owner != folder.owner else { return [] }
    return [.foreignFile(file, ledgerOwner: folder.owner)]
  }

  private func modeProblems(_ file: FileFacts, wanted: UInt32) -> [FileFinding] {
    if file.mode & 0o077 != 0 {
      // No repair: with its mode set it would be used again, although others may have read it.
      return file.path == directory.credentials
        ? [.credentialsExposed(file)] : [.openToOthers(file, wantedMode: wanted)]
    }
    return file.mode & wanted == wanted ? [] : [.closedToOwner(file, wantedMode: wanted)]
  }
}

/// Incomplete files left by a crash. An empty one holds nothing, and its writer may be about to lock it.
struct LeftoverCheck {
  let directory: LedgerDirectory
  let files: [FileFacts]

  func findings() -> [Finding] {
    files
      .filter {
        LedgerDirectory.isTemporary($0.name) && $0.kind == .regular && $0.sizeBytes > 0
          && !isInUse($0)
      }
      .map { Finding(.file(.leftover($0))) }
  }

  /// Whether another process is writing it, or has finished since. Decided by its lock, since process
  /// numbers differ between containers.
  private func isInUse(_ file: FileFacts) -> Bool {
    do throws(LogError) {
      let lock = try FileLock(file.path, .shared, waitSeconds: 0)
      defer { withExtendedLifetime(lock) {} }
      return FileFacts.isMissing(file.path)
    } catch {
      if case .locked = error { return true }
      return FileFacts.isMissing(file.path)
    }
  }
}

/// Files set aside by recovery and repairs.
enum QuarantineCheck {
  static func findings(_ directory: LedgerDirectory) -> [Finding] {
    do throws(IOFailure) {
      let files = try FileFacts.inside(directory.quarantine)
      guard !files.isEmpty else { return [] }
      let bytes = files.reduce(0) { $0 + $1.sizeBytes }
      return [Finding(.file(.quarantine(count: files.count, bytes: bytes)))]
    } catch {
      return [Finding(.file(.quarantineUnreadable(error)))]
    }
  }
}

/// Free space on the ledger's disk.
enum DiskCheck {
  /// Below this, appends still work, but soon no snapshot or import.
  static let lowBytes = 64 << 20

  static func findings(freeBytes: Int?) -> [Finding] {
    guard let freeBytes else { return [] }
    return [
      Finding(
        .file(freeBytes < lowBytes ? .diskLow(bytes: freeBytes) : .diskFree(bytes: freeBytes)))
    ]
  }

  /// What unprivileged programs may still write; `nil` if unknown.
  static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, isMore) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore ? .max : Int(clamping: bytes)
  }
}
