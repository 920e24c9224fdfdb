import LedgerLog
import LedgerPlatform

#if canImport(Darwin) && !os(macOS)
  import Foundation
#endif

/// Other ways to open a ledger.
extension Ledger {
  /// Opens a ledger only for reading, such as in a widget. Nothing in its folder is created or written: no
  /// snapshot, no lock file, no repair of a torn tail; the folder itself may be read-only. Changes by
  /// other processes are seen.
  ///
  /// Views, ``changes()``, ``plan(asking:options:)``, exports and checks work. Edits, syncs, imports,
  /// repairs and sign-ins throw `LogError.readOnly`; ``connection(trace:)`` throws, because a session
  /// renews its tokens.
  ///
  /// - Parameters:
  ///   - path: the folder of `events.jsonl`.
  ///   - environment: clock, zone, hooks and the like.
  /// - Throws: `LogError.noLedger` if there is none; `LogError.io`.
  public static func open(
    readOnlyAt path: String, environment: LedgerEnvironment = LedgerEnvironment()
  ) throws -> Ledger {
    let directory = LedgerDirectory(path).readOnly
    guard try directory.findsLedger() else { throw LogError.noLedger(path: path) }
    return Ledger(directory, environment)
  }

  /// Continues after a failed sync to disk (`LogError.notKept`, `unsettled`, `poisoned`), or after the log
  /// was replaced by a copy, as if the ledger were opened again.
  ///
  /// A failed sync leaves unknown what the disk contains, so the ledger refuses further edits. This
  /// examines the log's end, makes the whole events there durable and sets aside the rest. Then repeat
  /// the edit that failed, with its ``Edit/id``: if it was kept, it is not written again.
  ///
  /// - Throws: `LogError`; call it again when the disk works.
  public func reopen() async throws {
    local.reopen()
    if !directory.isReadOnly { try await write { try local.transaction(from: .nothing) { _ in } } }
  }
}

/// When a ledger's files can be read on iOS, iPadOS, watchOS, tvOS and visionOS (Apple's data
/// protection); without effect elsewhere.
public enum FileProtection: Hashable, Sendable {
  /// Only while the device is unlocked: background syncs fail while it is locked.
  case complete
  /// As ``complete``, but files opened before stay usable.
  case completeUnlessOpen
  /// From the first unlock after a restart. Recommended: background syncs and widgets work.
  case completeUntilFirstUserAuthentication
  /// Always.
  case unprotected

  /// Protects the folder, which new files inherit, and the files in it.
  func apply(to directory: LedgerDirectory) throws(LogError) {
    #if canImport(Darwin) && !os(macOS)
      let files = FileManager.default
      let paths = files.subpaths(atPath: directory.path) ?? []
      for path in [directory.path] + paths.map({ "\(directory.path)/\($0)" }) {
        do {
          try files.setAttributes([.protectionKey: type], ofItemAtPath: path)
        } catch {
          // Such as a temporary file of another process.
          guard files.fileExists(atPath: path) else { continue }
          throw .io(IOFailure("protect", path, errorNumber: EPERM))
        }
      }
    #endif
  }

  #if canImport(Darwin) && !os(macOS)
    private var type: FileProtectionType {
      switch self {
      case .complete: .complete
      case .completeUnlessOpen: .completeUnlessOpen
      case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
      case .unprotected: .none
      }
    }
  #endif
}
