import LedgerJSON
public import LedgerLog
public import LedgerModel
public import LedgerPlatform
import LedgerProjections

/// About the files besides the log: snapshot, settings, credentials, locks.
public enum StateFinding: FindingDetail, Hashable, Sendable {
  /// There is no snapshot.
  case noSnapshot
  /// The snapshot belongs to the log, up to this event.
  case snapshotUsable(seq: Seq)
  /// Incomplete, or of another log or version.
  case snapshotUnusable(FileIdentity?)
  /// The snapshot gives the same views as the log.
  case snapshotRight
  /// It contradicts the log, or a part of it is broken.
  case snapshotDiffers(FileIdentity?)
  /// The number of settings that differ from the defaults.
  case settings(chosen: Int)
  /// The settings cannot be read.
  case settingsUnreadable(reason: String)
  /// A setting has an invalid value.
  case settingInvalid(key: String, value: String, reason: String)
  /// A setting that this version does not know.
  case settingUnknown(name: String)
  /// No account is signed in.
  case noCredentials
  /// Credentials are stored.
  case credentials
  /// The credentials cannot be read.
  case credentialsUnreadable(IOFailure)
  /// The credentials are not in their format.
  case credentialsMalformed
  /// No lock is held.
  case locksFree
  /// The log's lock was held for as long as writers wait.
  case ledgerLockHeld
  /// A sync runs.
  case syncRunning
  /// A sign-in or a renewal of tokens runs.
  case signInRunning
  /// A lock cannot be taken.
  case lockUnusable(LogError)

  var report: (code: String, severity: Finding.Severity) {
    switch self {
    case .noSnapshot, .snapshotUsable: ("snapshot", .fine)
    case .snapshotUnusable: ("snapshot-unusable", .notice)
    case .snapshotRight: ("snapshot-answers", .fine)
    case .snapshotDiffers: ("snapshot-differs", .warning)
    case .settings: ("settings", .fine)
    case .settingsUnreadable: ("settings-unreadable", .warning)
    case .settingInvalid: ("settings-value", .warning)
    case .settingUnknown: ("settings-unknown", .notice)
    case .noCredentials, .credentials: ("credentials", .fine)
    case .credentialsUnreadable, .credentialsMalformed: ("credentials-unreadable", .warning)
    case .locksFree: ("locks", .fine)
    case .ledgerLockHeld: ("ledger-lock-held", .warning)
    case .syncRunning: ("sync-running", .notice)
    case .signInRunning: ("sign-in-running", .notice)
    case .lockUnusable: ("lock-unusable", .warning)
    }
  }

  var repair: Repair? {
    switch self {
    case .snapshotUnusable(let file), .snapshotDiffers(let file): .removeSnapshot(file)
    case .noSnapshot, .snapshotUsable, .snapshotRight, .settings, .settingsUnreadable,
      .settingInvalid, .settingUnknown, .noCredentials, .credentials, .credentialsUnreadable,
      .credentialsMalformed, .locksFree, .ledgerLockHeld, .syncRunning, .signInRunning,
      .lockUnusable:
      nil
    }
  }
}

enum SnapshotChecks {
  /// Reads only the snapshot's front.
  static func finding(_ view: LogView) -> Finding {
    let identity = view.directory.snapshotIdentity
    return switch SnapshotStatus.of(view) {
    case .missing: Finding(.state(.noSnapshot))
    case .usable(let seq): Finding(.state(.snapshotUsable(seq: seq)))
    case .unusable: Finding(.state(.snapshotUnusable(identity)))
    }
  }

  /// The result of comparing it with the whole log.
  static func finding(_ audit: SnapshotAudit) -> Finding? {
    switch audit.result {
    case .unused: nil
    case .outdated: Finding(.state(.snapshotUnusable(audit.file)))
    case .right: Finding(.state(.snapshotRight))
    // Readers use the other parts of a broken one, which may be wrong too.
    case .broken, .differs: Finding(.state(.snapshotDiffers(audit.file)))
    }
  }
}

/// Whether `credentials.json` has the form that signing in writes. Findings hold no part of it.
enum CredentialsCheck {
  static func finding(_ directory: LedgerDirectory) -> Finding {
    do throws(IOFailure) {
      let bytes = try AtomicFile.read(directory.credentials, on: directory.disk)
      guard let bytes else { return Finding(.state(.noCredentials)) }
      return Finding(.state(isWellFormed(bytes) ? .credentials : .credentialsMalformed))
    } catch {
      return Finding(.state(.credentialsUnreadable(error)))
    }
  }

  private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    guard let object = (try? JSONValue(parsing: bytes))?.object,
      object["origin"]?.string != nil, object["email"]?.string != nil,
      object["generation"]?.integer != nil
    else { return false }
    return (object["access_token"]?.string != nil) == (object["refresh_token"]?.string != nil)
  }
}

/// Whether the locks can be taken.
enum LockChecks {
  /// - Parameter isLogLocked: whether waiting for the log's lock, normally held only briefly, failed.
  static func findings(_ directory: LedgerDirectory, isLogLocked: Bool) -> [Finding] {
    let found: [StateFinding?] = [
      isLogLocked ? .ledgerLockHeld : check(directory.ledgerLock, ifHeld: nil),
      check(directory.syncLock, ifHeld: .syncRunning),
      check(directory.authLock, ifHeld: .signInRunning),
    ]
    let problems = found.compactMap(\.self)
    return (problems.isEmpty ? [.locksFree] : problems).map { Finding(.state($0)) }
  }

  private static func check(_ path: String, ifHeld held: StateFinding?) -> StateFinding? {
    do throws(LogError) {
      _ = try FileLock(path, .shared, waitSeconds: 0)
      return nil
    } catch {
      switch error {
      case .locked: return held
      // Created when it is first needed.
      case .io(let failure) where failure.isMissing: return nil
      default: return .lockUnusable(error)
      }
    }
  }
}
