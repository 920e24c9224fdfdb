import CSHA256
public import LedgerModel
package import LedgerPlatform

/// The paths of a ledger's files (docs/log-format.md, Directory). Everything but `events` can be
/// rebuilt.
public struct LedgerDirectory: Hashable, Sendable {
  /// The folder of `events.jsonl`, usually named `.ledger`.
  public let path: String
  /// Tests replace it to inject faults.
  package let disk: any Disk
  /// Whether nothing in the folder may be created, written or locked exclusively.
  package let isReadOnly: Bool

  /// The ledger in this folder; accesses no file.
  public init(_ path: String) {
    self.init(path, on: SystemDisk.shared)
  }

  /// The folder of an account's ledger in a common folder: a ledger belongs to one account, so an app
  /// with several accounts needs one for each. The name is a hash, so any text is allowed and the path
  /// does not reveal it.
  ///
  /// - Parameters:
  ///   - account: what identifies the account and never changes, byte for byte: the user id, or the
  ///     address in lower case.
  ///   - folder: the folder of all ledgers.
  public static func path(ofAccount account: String, in folder: String) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    var hex = [UInt8](repeating: 0, count: 64)
    let bytes = Array(account.utf8)
    csha256_digest(bytes, bytes.count, &digest)
    csha256_hex(digest, &hex)
    return "\(folder)/ledger-\(String(decoding: hex.prefix(32), as: UTF8.self))"
  }

  package init(_ path: String, on disk: any Disk, isReadOnly: Bool = false) {
    self.path = path
    self.disk = disk
    self.isReadOnly = isReadOnly
  }

  /// The same ledger, only for reading: edits and other writes throw ``LogError/readOnly(path:)``, and
  /// caches are not written.
  package var readOnly: LedgerDirectory { LedgerDirectory(path, on: disk, isReadOnly: true) }

  /// - Throws: ``LogError/readOnly(path:)``.
  package func requireWritable() throws(LogError) {
    guard !isReadOnly else { throw .readOnly(path: path) }
  }

  public static func == (left: LedgerDirectory, right: LedgerDirectory) -> Bool {
    left.path == right.path && left.disk === right.disk && left.isReadOnly == right.isReadOnly
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(path) }

  /// The log.
  package var events: String { path + "/events.jsonl" }
  /// The temporary file of an erasure's new log, written under the log's lock.
  package var replacement: String { events + ".new" }
  /// The log's end after the last write.
  package var head: String { path + "/head" }
  /// The user's settings for the commands.
  package var settings: String { path + "/settings.json" }
  /// Tokens and API keys; readable only by the owner.
  package var credentials: String { path + "/credentials.json" }
  /// The folded state, for a fast start.
  package var snapshot: String { path + "/views.snapshot" }
  /// The backend's rows as listed by the last sync.
  package var listing: String { path + "/listing.json" }
  /// Locked while a process writes the log.
  package var ledgerLock: String { path + "/ledger.lock" }
  /// Locked while a sync runs.
  package var syncLock: String { path + "/sync.lock" }
  /// Locked while tokens are refreshed.
  package var authLock: String { path + "/auth.lock" }
  /// The folder for incomplete lines after a crash.
  package var quarantine: String { path + "/quarantine" }

  /// Whether there is a log or a `head`; also true if that cannot be determined: opening it reports
  /// the error.
  public var holdsLedger: Bool { (try? findsLedger()) ?? true }

  /// As ``holdsLedger``.
  ///
  /// - Throws: ``LogError/io(_:)`` if that cannot be determined.
  package func findsLedger() throws(LogError) -> Bool {
    try logErrors { () throws(IOFailure) in
      if try OpenFile.identity(of: events, on: disk) != nil { return true }
      return try OpenFile.identity(of: head, on: disk) != nil
    }
  }

  /// The ledger's id, from the log's first line. Unlike the path it stays the same when the folder moves,
  /// as the container of an iOS app does at an update.
  ///
  /// - Throws: ``LogError``; damage to the rest of the log does not matter.
  public func ledgerID() throws(LogError) -> LedgerID {
    if let id = try LogView.openDamaged(self).view.ledger() { return id }
    throw .damaged(Damage(line: 1, byte: 0, problem: "line 1 does not name the ledger"))
  }

  /// Whether there is a credentials file.
  package var hasCredentials: Bool { identity(of: credentials) != nil }

  /// Which file `views.snapshot` is now.
  package var snapshotIdentity: FileIdentity? { identity(of: snapshot) }

  /// - Returns: `nil` for a missing or inaccessible file.
  private func identity(of path: String) -> FileIdentity? {
    let identity: FileIdentity?? = try? OpenFile.identity(of: path, on: disk)
    return identity ?? nil
  }

  /// Removes `views.snapshot` if it is still this file. The caller holds the log's lock exclusively.
  ///
  /// - Returns: false if the file was missing or had been replaced.
  @discardableResult
  package func removeSnapshot(_ identity: FileIdentity?) throws(IOFailure) -> Bool {
    let current = try OpenFile.identity(of: snapshot, on: disk)
    guard let current, current == identity else { return false }
    try Folder.remove(snapshot, on: disk)
    return true
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
