import LedgerLog
import LedgerModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Does what findings offer to have done. The log's own lines are never touched, but for a torn tail,
/// which recovery sets aside; what is not made again by itself is copied before it changes.
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
      }
    }
    for index in findings.indices {
      findings[index].repaired = findings[index].repair.flatMap { done[$0] }
    }
    return (findings, failures)
  }

  /// - Returns: what was done, without a full stop.
  private func perform(_ repair: Repair) throws -> String {
    switch repair {
    case .setMode(let path, let mode): return try setMode(path, mode)
    case .openLog: return try openLog()
    case .removeDerived(let path):
      try io { () throws(IOFailure) in try WholeFile.remove(path) }
      return "removed; nothing in it is lost"
    case .removeSecret(let path):
      try io { () throws(IOFailure) in try WholeFile.remove(path) }
      return "removed, and not kept: it may hold a token"
    case .setAside(let path):
      let copy = try keepCopy(of: path)
      try io { () throws(IOFailure) in try WholeFile.remove(path) }
      return copy.map { "moved to \($0)" } ?? "gone by itself"
    }
  }

  private func setMode(_ path: String, _ mode: UInt32) throws -> String {
    guard let facts = try io({ () throws(IOFailure) in try FileFacts.of(path) }),
      facts.kind == .regular || facts.kind == .folder
    else { return "gone by itself" }
    guard chmod(path, mode_t(mode)) == 0 else {
      throw LogError.io(IOFailure("set the mode of", path))
    }
    return "mode \(FileFacts.octal(facts.mode)) → \(FileFacts.octal(mode))"
  }

  /// An unreadable `head` is copied first; a torn tail is copied by the recovery itself.
  private func openLog() throws -> String {
    let isHeadReadable = try io { () throws(IOFailure) in try Head.read(directory) } != nil
    let copy = isHeadReadable ? nil : try keepCopy(of: directory.head)
    let repairs = try EventLog(directory).withSession { $0.repairs }
    var done = repairs.map { repair in
      switch repair {
      case .headWasMissing: "head written anew"
      case .adopted(let events): "\(counted(events, "event")) made durable"
      case .quarantined(let bytes, let file):
        "\(counted(bytes, "byte")) moved to quarantine/\(file)"
      }
    }
    if let copy { done.append("the old head is \(copy)") }
    return done.isEmpty ? "mended by another program meanwhile" : done.joined(separator: "; ")
  }

  /// Copies a file into `quarantine/`, durably.
  ///
  /// - Returns: the copy's path inside the ledger's folder; `nil` when there is nothing to copy.
  private func keepCopy(of path: String) throws -> String? {
    guard let bytes = try io({ () throws(IOFailure) in try WholeFile.read(path) }) else {
      return nil
    }
    guard mkdir(directory.quarantine, 0o700) == 0 || errno == EEXIST else {
      throw LogError.io(IOFailure("make", directory.quarantine))
    }
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let copy = "\(directory.quarantine)/\(name)-\(unique)"
    try io { () throws(IOFailure) in try WholeFile.replace(copy, with: bytes) }
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
