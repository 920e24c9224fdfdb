public import LedgerLog
import LedgerModel
public import LedgerPlatform

/// A repair that needs no decision and loses nothing.
public enum Repair: Hashable, Sendable {
  /// Removes the access of others to a file or folder, and restores the owner's.
  case setMode(path: String, mode: UInt32)
  /// Opens the log for writing, which moves a torn tail to quarantine and rewrites `head`.
  case openLog
  /// Removes `views.snapshot`, a cache, if it is still this file.
  case removeSnapshot(FileIdentity?)
  /// Removes an incomplete file that no process has locked. Keeps no copy: it may hold a token, or
  /// what is erased later.
  case removeLeftover(path: String)

  /// What a repair did.
  public enum Outcome: Hashable, Sendable {
    /// The permissions of a file were changed.
    case modeSet(from: UInt32, to: UInt32)
    /// - oldHead: the copy of an unreadable `head`, in the ledger's folder.
    case logOpened([LogRepair], oldHead: String?)
    /// The snapshot was removed; the next reader rebuilds it.
    case snapshotRemoved
    /// The snapshot was replaced by a right one.
    case snapshotReplaced
    /// The file was removed.
    case leftoverRemoved
    /// The file no longer exists.
    case missing
  }

  fileprivate var isOfMode: Bool {
    if case .setMode = self { true } else { false }
  }
}

/// Performs the repairs of findings. Of the log itself, only a torn tail is removed.
///
/// Each repair takes the log's lock and checks again: an erasure or an append may have run since.
package struct Repairs {
  private let directory: LedgerDirectory

  package init(_ directory: LedgerDirectory) {
    self.directory = directory
  }

  /// Performs each repair once.
  ///
  /// - Returns: the findings with the outcomes, and the errors.
  package func perform(
    _ findings: [Finding]
  ) -> (findings: [Finding], failures: [any Error]) {
    var findings = findings
    guard !directory.isReadOnly else {
      return (findings, [LogError.readOnly(path: directory.path)])
    }
    var failures: [any Error] = []
    var done: [Repair: Repair.Outcome] = [:]
    // Modes first: a file may need its mode set before it can be repaired.
    let wanted = findings.compactMap(\.repair)
    let ordered = wanted.filter(\.isOfMode) + wanted.filter { !$0.isOfMode }
    for repair in ordered where done[repair] == nil {
      do {
        done[repair] = try perform(repair)
      } catch {
        failures.append(error)
        // Every other one would wait as long for the same lock.
        if case LogError.locked = error { break }
      }
    }
    for index in findings.indices {
      findings[index].repaired = findings[index].repair.flatMap { done[$0] }
    }
    return (findings, failures)
  }

  /// - Returns: `nil` if another process is using the file.
  private func perform(_ repair: Repair) throws -> Repair.Outcome? {
    switch repair {
    case .setMode(let path, let mode): return try setMode(path, mode)
    case .openLog: return try openLog()
    case .removeSnapshot(let identity):
      let isRemoved = try locked {
        try logErrors { () throws(IOFailure) in try directory.removeSnapshot(identity) }
      }
      return isRemoved ? .snapshotRemoved : .snapshotReplaced
    case .removeLeftover(let path): return try locked { try removeLeftover(path) }
    }
  }

  private func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try FileLock(directory.ledgerLock, .exclusive, on: directory.disk)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  private func removeLeftover(_ path: String) throws -> Repair.Outcome? {
    var own: FileLock?
    do throws(LogError) {
      own = try FileLock(path, .shared, waitSeconds: 0, on: directory.disk)
    } catch {
      switch error {
      case .locked: return nil
      case .io(let failure) where failure.isMissing: return .missing
      // Closed to its owner: no process of ours writes it.
      default: break
      }
    }
    defer { withExtendedLifetime(own) {} }
    return try logErrors { () throws(IOFailure) in
      // Another writer's file by now, which is empty until it is locked.
      guard let facts = try FileFacts.of(path), facts.sizeBytes > 0 else { return nil }
      try Folder.remove(path, on: directory.disk)
      return .leftoverRemoved
    }
  }

  private func setMode(_ path: String, _ mode: UInt32) throws -> Repair.Outcome {
    var lock: FileLock?
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .exclusive, on: directory.disk)
    } catch {
      // The mode of the lock file or of the folder may be the wrong one.
      guard case .io = error else { throw error }
    }
    defer { withExtendedLifetime(lock) {} }
    guard let facts = try logErrors({ () throws(IOFailure) in try FileFacts.of(path) }),
      facts.kind == .regular || facts.kind == .folder
    else { return .missing }
    guard chmod(path, mode_t(mode)) == 0 else {
      throw LogError.io(IOFailure("set the mode of", path))
    }
    return .modeSet(from: facts.mode, to: mode)
  }

  /// First copies an unreadable `head`; recovery itself copies a torn tail.
  private func openLog() throws -> Repair.Outcome {
    let copy = try locked {
      let isHeadReadable = try logErrors { () throws(IOFailure) in try Head.read(directory) } != nil
      return isHeadReadable ? nil : try keepCopy(of: directory.head)
    }
    let repairs = try EventLog(directory).withSession { $0.repairs }
    return .logOpened(repairs, oldHead: copy)
  }

  /// Copies a file into `quarantine/`, durably.
  ///
  /// - Returns: the copy's path in the ledger's folder; `nil` if there is no file.
  private func keepCopy(of path: String) throws -> String? {
    let facts = try logErrors { () throws(IOFailure) in try FileFacts.of(path) }
    guard facts != nil else { return nil }
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let copy = "\(name)-\(unique)"
    try logErrors { () throws(IOFailure) in
      let source = try OpenFile(path, .read, on: directory.disk)
      try directory.makeQuarantine()
      let file = try AtomicFile("\(directory.quarantine)/\(copy)", on: directory.disk)
      while case let part = try source.bytes(in: file.bytes..<file.bytes + 1 << 20), !part.isEmpty {
        try file.append(part)
      }
      try file.synchronize()
      try file.commit()
    }
    return "quarantine/\(copy)"
  }
}
