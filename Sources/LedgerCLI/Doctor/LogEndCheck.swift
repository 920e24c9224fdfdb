import LedgerLog
import LedgerPlatform

/// Whether the log is there and ends as `head` remembers it.
struct LogEndCheck {
  let findings: [Finding]
  /// The log as readers see it, or what is left of it; `nil` when it cannot be read.
  let view: LogView?
  /// Whether `head` and log contradict each other.
  let isDamaged: Bool
  /// Whether a writer held the log for as long as one waits, so that its end is not known.
  let isLocked: Bool

  static let keepWhole =
    "see what is still whole, and restore events.jsonl from a copy that 'ledger verify' finds right"
  static let upToBreak = "ledger replay --up-to-break"

  /// Holds the log's lock, shared, while it looks: an append that is under way is no crash's remains.
  init(_ directory: LedgerDirectory) {
    var lock: FileLock?
    var isLocked = false
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .shared)
    } catch {
      // Where the file is missing, nobody appends; what else is wrong is told of by `LockChecks`.
      if case .locked = error { isLocked = true }
    }
    defer { withExtendedLifetime(lock) {} }
    var view: LogView?
    var isDamaged = true
    var findings: [Finding]
    do throws(LogError) {
      let (opened, damage) = try LogView.openDamaged(directory)
      view = opened
      isDamaged = damage != nil
      if let damage {
        findings = [Self.disagreement(damage, in: opened)]
      } else {
        // An erasure that is under way has removed head.
        findings = isLocked ? [] : try Self.headFindings(opened) + Self.endFindings(opened)
      }
    } catch {
      if case .locked = error {
        (isLocked, isDamaged, findings) = (true, false, [])
      } else {
        findings = [Self.unreadable(error)]
      }
    }
    (self.view, self.isDamaged, self.isLocked, self.findings) = (
      view, isDamaged, isLocked, findings
    )
  }

  private static func unreadable(_ error: LogError) -> Finding {
    guard case .damaged = error else {
      return Finding("log-unreadable", .damage, error.description)
    }
    return Finding(
      "log-missing", .damage, error.description,
      advice: "restore events.jsonl from a copy that 'ledger verify' finds right")
  }

  private static func disagreement(_ damage: Damage, in view: LogView) -> Finding {
    let head: Head?? = try? Head.read(view.directory)
    let isShort = head.flatMap(\.self).map { $0.offsetBytes > view.endBytes + view.tornTailBytes }
    return Finding(
      isShort == true ? "log-cut-short" : "head-disagrees", .damage, damage.description,
      advice: keepWhole, command: upToBreak)
  }

  private static func headFindings(_ view: LogView) throws(LogError) -> [Finding] {
    guard view.head == nil else { return [] }
    let facts: FileFacts?
    do throws(IOFailure) {
      facts = try FileFacts.of(view.directory.head)
    } catch {
      throw .io(error)
    }
    let what = facts == nil ? "missing" : "not readable"
    return [
      Finding(
        facts == nil ? "head-missing" : "head-unreadable", .warning,
        "head is \(what), so nobody could tell if the log were cut short; the events are all here",
        advice: "have it written anew from the log", repair: .openLog)
    ]
  }

  private static func endFindings(_ view: LogView) -> [Finding] {
    do throws(LogError) {
      switch try LogEnd.look(at: view) {
      case .whole:
        guard let head = view.head else { return [] }
        return [.fine("log", "ends whole at event \(NumberText.count(head.seq)), as head says")]
      case .adoptable(let events):
        return [
          Finding(
            "head-behind", .notice,
            "\(counted(events, "whole event")) \(events == 1 ? "stands" : "stand") behind head, as "
              + "a crash right after writing leaves them; the next append makes them durable",
            repair: .openLog)
        ]
      case .torn(let bytes):
        return [
          Finding(
            "torn-tail", .warning,
            "the log's last \(counted(bytes, "byte")) are no whole event, as a crash leaves them; "
              + "nothing that was acknowledged is lost",
            advice: "have them set aside in quarantine/, as the next append does too",
            repair: .openLog)
        ]
      }
    } catch {
      guard case .damaged = error else {
        return [Finding("log-unreadable", .damage, error.description)]
      }
      return [
        Finding(
          "tail-damaged", .damage, error.description, advice: keepWhole, command: upToBreak)
      ]
    }
  }
}
