import LedgerLog
import LedgerModel
import LedgerPlatform

/// Does what findings offer to have done. The log's own lines are never touched, but for a torn tail,
/// which recovery sets aside.
///
/// Each repair takes the log's lock and looks again at what it is about: an erasure or an append may
/// have run since it was found.
struct Repairs {
  let directory: LedgerDirectory

  /// Mends what can be mended, each thing once.
  ///
  /// - Returns: the findings, with what was done about them, and what went wrong on the way.
  func perform(_ findings: [Finding]) -> (findings: [Finding], failures: [any Error]) {
    var findings = findings
    var failures: [any Error] = []
    var done: [Repair: String] = [:]
    // Modes first: what is closed to its owner may be what is to be mended.
    let wanted = findings.compactMap(\.repair)
    let ordered = wanted.filter(\.isOfMode) + wanted.filter { !$0.isOfMode }
    for repair in ordered where done[repair] == nil {
      do {
        done[repair] = try perform(repair)
      } catch {
        failures.append(error)
        // Each one would wait as long for the same lock.
        if case LogError.locked = error { break }
      }
    }
    for index in findings.indices {
      findings[index].repaired = findings[index].repair.flatMap { done[$0] }
    }
    return (findings, failures)
  }

  /// - Returns: what was done, without a full stop; `nil` for nothing.
  private func perform(_ repair: Repair) throws -> String? {
    switch repair {
    case .setMode(let path, let mode): return try setMode(path, mode)
    case .openLog: return try openLog()
    case .removeSnapshot(let identity):
      let isRemoved = try locked {
        try io { () throws(IOFailure) in try directory.removeSnapshot(identity) }
      }
      return isRemoved ? "removed; nothing in it is lost" : "already gone or replaced"
    case .removeLeftover(let path): return try locked { try removeLeftover(path) }
    }
  }

  private func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try FileLock(directory.ledgerLock, .exclusive)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// - Returns: `nil` where another program is writing it.
  private func removeLeftover(_ path: String) throws -> String? {
    var own: FileLock?
    do throws(LogError) {
      own = try FileLock(path, .shared, waitSeconds: 0)
    } catch {
      switch error {
      case .locked: return nil
      case .io(let failure) where failure.isMissing: return "already gone"
      // Closed to its owner: no program of ours writes it.
      default: break
      }
    }
    defer { withExtendedLifetime(own) {} }
    try io { () throws(IOFailure) in try AtomicFile.remove(path) }
    return "removed; nothing in it ever counted"
  }

  private func setMode(_ path: String, _ mode: UInt32) throws -> String {
    var lock: FileLock?
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .exclusive)
    } catch {
      // The mode of the lock's file, or of the folder, may be what is wrong.
      guard case .io = error else { throw error }
    }
    defer { withExtendedLifetime(lock) {} }
    guard let facts = try io({ () throws(IOFailure) in try FileFacts.of(path) }),
      facts.kind == .regular || facts.kind == .folder
    else { return "already gone" }
    guard chmod(path, mode_t(mode)) == 0 else {
      throw LogError.io(IOFailure("set the mode of", path))
    }
    return "mode \(FileFacts.octal(facts.mode)) → \(FileFacts.octal(mode))"
  }

  /// An unreadable `head` is copied first; a torn tail is copied by the recovery itself.
  private func openLog() throws -> String {
    let copy = try locked {
      let isHeadReadable = try io { () throws(IOFailure) in try Head.read(directory) } != nil
      return isHeadReadable ? nil : try keepCopy(of: directory.head)
    }
    let repairs = try EventLog(directory).withSession { $0.repairs }
    var done = repairs.map { repair in
      switch repair {
      case .headWasMissing: "head written again"
      case .adopted(let events): "\(counted(events, "event")) made durable"
      case .quarantined(let bytes, let file):
        "\(counted(bytes, "byte")) moved to quarantine/\(file)"
      }
    }
    if let copy { done.append("the old head is \(copy)") }
    return done.isEmpty ? "already repaired by another program" : done.joined(separator: "; ")
  }

  /// Copies a file into `quarantine/`, durably.
  ///
  /// - Returns: the copy's path inside the ledger's folder; `nil` when there is nothing to copy.
  private func keepCopy(of path: String) throws -> String? {
    guard let bytes = try io({ () throws(IOFailure) in try AtomicFile.read(path) }) else {
      return nil
    }
    guard mkdir(directory.quarantine, 0o700) == 0 || errno == EEXIST else {
      throw LogError.io(IOFailure("make", directory.quarantine))
    }
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let copy = "\(directory.quarantine)/\(name)-\(unique)"
    try io { () throws(IOFailure) in try AtomicFile.replace(copy, with: bytes) }
    return "quarantine/\(name)-\(unique)"
  }

  private func io<Result>(_ body: () throws(IOFailure) -> Result) throws(LogError) -> Result {
    do throws(IOFailure) {
      return try body()
    } catch {
      throw .io(error)
    }
  }
}

extension Repair {
  fileprivate var isOfMode: Bool {
    if case .setMode = self { true } else { false }
  }
}
