import LedgerJSON
package import LedgerLog
package import LedgerPlatform
import LedgerProjections

package enum SnapshotFinding: FindingDetail, Hashable, Sendable {
  case missing
  case usable(seq: Int)
  /// Incomplete, or of another log or version.
  case unusable(FileIdentity?)
  case answersRight
  /// It contradicts the log.
  case differs(FileIdentity?)

  var code: String {
    switch self {
    case .missing, .usable: "snapshot"
    case .unusable: "snapshot-unusable"
    case .answersRight: "snapshot-answers"
    case .differs: "snapshot-differs"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .missing, .usable, .answersRight: .fine
    case .unusable: .notice
    case .differs: .warning
    }
  }

  var repair: Repair? {
    switch self {
    case .unusable(let file), .differs(let file): .removeSnapshot(file)
    case .missing, .usable, .answersRight: nil
    }
  }
}

enum SnapshotChecks {
  /// Reads only the snapshot's front.
  static func finding(_ view: LogView) -> Finding {
    let identity = view.directory.snapshotIdentity
    return switch SnapshotStatus.of(view) {
    case .missing: Finding(.snapshot(.missing))
    case .usable(let seq): Finding(.snapshot(.usable(seq: seq)))
    case .unusable: Finding(.snapshot(.unusable(identity)))
    }
  }

  /// The result of comparing it with the whole log.
  static func finding(_ audit: SnapshotAudit) -> Finding? {
    switch audit.result {
    case .unused: nil
    case .broken: Finding(.snapshot(.unusable(audit.file)))
    case .right: Finding(.snapshot(.answersRight))
    case .differs: Finding(.snapshot(.differs(audit.file)))
    }
  }
}

/// What a program may find in its `settings.json`.
package enum SettingsFinding: FindingDetail, Hashable, Sendable {
  case fine(chosen: Int)
  case unreadable(reason: String)
  case badValue(key: String, value: String, reason: String)
  case unknownName(String)

  var code: String {
    switch self {
    case .fine: "settings"
    case .unreadable: "settings-unreadable"
    case .badValue: "settings-value"
    case .unknownName: "settings-unknown"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .fine: .fine
    case .unknownName: .notice
    case .unreadable, .badValue: .warning
    }
  }
}

package enum CredentialsFinding: FindingDetail, Hashable, Sendable {
  case missing
  case readable
  case unreadable(IOFailure)
  case malformed

  var code: String {
    switch self {
    case .missing, .readable: "credentials"
    case .unreadable, .malformed: "credentials-unreadable"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .missing, .readable: .fine
    case .unreadable, .malformed: .warning
    }
  }
}

/// Whether `credentials.json` has the form that signing in writes. Findings hold no part of it.
enum CredentialsCheck {
  static func finding(_ directory: LedgerDirectory) -> Finding {
    do throws(IOFailure) {
      let bytes = try AtomicFile.read(directory.credentials)
      return Finding(
        .credentials(bytes.map { isWellFormed($0) ? .readable : .malformed } ?? .missing))
    } catch {
      return Finding(.credentials(.unreadable(error)))
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

package enum LockFinding: FindingDetail, Hashable, Sendable {
  case free
  /// The log's lock was held for as long as writers wait.
  case ledgerHeld
  case syncRunning
  case signInRunning
  case unusable(LogError)

  var code: String {
    switch self {
    case .free: "locks"
    case .ledgerHeld: "ledger-lock-held"
    case .syncRunning: "sync-running"
    case .signInRunning: "sign-in-running"
    case .unusable: "lock-unusable"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .free: .fine
    case .syncRunning, .signInRunning: .notice
    case .ledgerHeld, .unusable: .warning
    }
  }
}

/// Whether the locks can be taken.
enum LockChecks {
  /// - Parameter isLogLocked: whether waiting for the log's lock, normally held only briefly, failed.
  static func findings(_ directory: LedgerDirectory, isLogLocked: Bool) -> [Finding] {
    let found: [LockFinding?] = [
      isLogLocked ? .ledgerHeld : check(directory.ledgerLock, ifHeld: nil),
      check(directory.syncLock, ifHeld: .syncRunning),
      check(directory.authLock, ifHeld: .signInRunning),
    ]
    let problems = found.compactMap(\.self)
    return (problems.isEmpty ? [.free] : problems).map { Finding(.lock($0)) }
  }

  private static func check(_ path: String, ifHeld held: LockFinding?) -> LockFinding? {
    do throws(LogError) {
      _ = try FileLock(path, .shared, waitSeconds: 0)
      return nil
    } catch {
      switch error {
      case .locked: return held
      // Created when it is first needed.
      case .io(let failure) where failure.isMissing: return nil
      default: return .unusable(error)
      }
    }
  }
}
