package import LedgerPlatform

/// Where a ledger's files lie (docs/log-format.md, Directory). Only `events` is the truth; all else can
/// be made again.
public struct LedgerDirectory: Hashable, Sendable {
  /// The folder that holds `events.jsonl`, usually called `.ledger`.
  public let path: String
  /// Where its files are; another one in tests that need a whole disk to fail.
  package let disk: any Disk

  /// The ledger in this folder; nothing is looked at yet.
  public init(_ path: String) {
    self.init(path, on: SystemDisk.shared)
  }

  package init(_ path: String, on disk: any Disk) {
    self.path = path
    self.disk = disk
  }

  public static func == (left: LedgerDirectory, right: LedgerDirectory) -> Bool {
    left.path == right.path && left.disk === right.disk
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(path) }

  /// The log itself, the only truth here.
  public var events: String { path + "/events.jsonl" }
  /// The log in the making that an erasure replaces it by, under the log's lock.
  package var replacement: String { events + ".new" }
  /// The log's end, as the last writer left it.
  public var head: String { path + "/head" }
  /// What the person has chosen for the commands.
  public var settings: String { path + "/settings.json" }
  /// Who is signed in, for its owner's eyes only.
  public var credentials: String { path + "/credentials.json" }
  /// The folded views, so that opening is quick.
  public var snapshot: String { path + "/views.snapshot" }
  /// What the last sync knew of the backend's rows.
  public var listing: String { path + "/listing.json" }
  /// Locked while somebody writes.
  public var ledgerLock: String { path + "/ledger.lock" }
  /// Locked while a sync runs.
  public var syncLock: String { path + "/sync.lock" }
  /// Locked while a session is renewed.
  public var authLock: String { path + "/auth.lock" }
  /// The folder for what was no whole line after a crash.
  public var quarantine: String { path + "/quarantine" }

  /// Whether there is something here that once was a ledger: a log or the memory of one.
  ///
  /// Where nobody can tell, there is: what is wrong shows when it is opened.
  public var holdsLedger: Bool { (try? findsLedger()) ?? true }

  /// The same for those who are about to make one.
  ///
  /// - Throws: ``LogError/io(_:)`` where the system does not let one look.
  package func findsLedger() throws(LogError) -> Bool {
    try logErrors { () throws(IOFailure) in
      if try OpenFile.identity(of: events, on: disk) != nil { return true }
      return try OpenFile.identity(of: head, on: disk) != nil
    }
  }

  /// Whether there are credentials; what is in them is no reader's business.
  public var hasCredentials: Bool {
    let identity: FileIdentity?? = try? OpenFile.identity(of: credentials, on: disk)
    return (identity ?? nil) != nil
  }
}
extension LogView {
  /// Whether the log's path still names the file that this view reads.
  package func isCurrent() throws(LogError) -> Bool {
    try logErrors { () throws(IOFailure) in
      try file.identity() == OpenFile.identity(of: directory.events, on: directory.disk)
    }
  }
}

extension LedgerDirectory {
  /// Which file `views.snapshot` is now.
  package var snapshotIdentity: FileIdentity? {
    let identity: FileIdentity?? = try? OpenFile.identity(of: snapshot, on: disk)
    return identity ?? nil
  }

  /// Removes `views.snapshot` if it is still this file. The caller holds the log's lock exclusively.
  ///
  /// - Returns: false if it was already gone, or another file has replaced it.
  @discardableResult
  package func removeSnapshot(_ identity: FileIdentity?) throws(IOFailure) -> Bool {
    let current = try OpenFile.identity(of: snapshot, on: disk)
    guard let current, current == identity else { return false }
    try Folder.remove(snapshot, on: disk)
    return true
  }
}
