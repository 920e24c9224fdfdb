import LedgerLog
import LedgerModel
import LedgerPlatform

/// How much room there is around a ledger.
enum DiskCheck {
  /// Below this an append is still possible, a snapshot or an import soon is not.
  static let lowBytes = 64 << 20

  /// - Parameter freeBytes: what a person's programs may still write; `nil` where nobody knows.
  static func findings(freeBytes: Int?) -> [Finding] {
    guard let freeBytes else { return [] }
    guard freeBytes < lowBytes else {
      return [.fine("disk", "\(ByteText.of(freeBytes)) free")]
    }
    return [
      Finding(
        "disk-low", .warning,
        "the disk has \(ByteText.of(freeBytes)) left; when it is full, edits are refused",
        advice: "make room")
    ]
  }

  static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, isMore) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore ? .max : Int(clamping: bytes)
  }
}

/// Whether this machine's clock can be right.
enum ClockCheck {
  static let slackMilliseconds: Int64 = 86_400_000

  static func findings(_ view: LogView, now: Timestamp) -> [Finding] {
    // What is wrong with the last line is for others to tell.
    guard let line = try? view.lastLine(), let last = try? line.event().event.at else { return [] }
    guard now.millisecondsSince1970 < last.millisecondsSince1970 - slackMilliseconds else {
      return [.fine("clock", "not behind the last event")]
    }
    return [
      Finding(
        "clock-behind", .warning,
        "this machine's clock says \(now), and the last event was recorded at \(last): edits made "
          + "now would be dated wrong; their order stays right",
        advice: "set the clock")
    ]
  }
}

/// What recovery has set aside.
enum QuarantineCheck {
  static func findings(_ directory: LedgerDirectory) -> [Finding] {
    let files: [FileFacts]
    do throws(IOFailure) {
      files = try FileFacts.inside(directory.quarantine)
    } catch {
      return [Finding("quarantine-unreadable", .warning, error.description)]
    }
    guard !files.isEmpty else { return [] }
    let bytes = files.reduce(0) { $0 + $1.sizeBytes }
    return [
      Finding(
        "quarantine", .notice,
        "quarantine/ holds \(counted(files.count, "file")) (\(ByteText.of(bytes))) that repairs "
          + "have set aside; no view uses them",
        advice: "look at them, and delete what you do not need",
        command: "ls -l \(ShellText.word(directory.quarantine))")
    ]
  }
}
