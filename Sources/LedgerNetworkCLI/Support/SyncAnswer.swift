import LedgerCLI
import LedgerJSON
import LedgerKit

/// What a sync came to, for people and for programs.
struct SyncAnswer {
  let report: SyncReport

  func give(_ console: Console) throws {
    if console.json {
      try console.line(json.serialized)
    } else {
      try console.line(summary(console.paint))
    }
    for remark in report.remarks { console.warn(remark) }
    for advice in SyncAdvice(report: report).sentences { console.warn(advice) }
  }

  private var json: JSONObject {
    [
      "sent": JSONValue(report.sent), "acknowledged": JSONValue(report.acknowledged),
      "reconciled": JSONValue(report.reconciled), "elided": JSONValue(report.elided),
      "rejected": JSONValue(report.rejected), "held": JSONValue(report.held),
      "pulled": JSONValue(report.pulled), "deleted": JSONValue(report.deleted),
      "conflicts": JSONValue(report.conflicts), "differs": JSONValue(report.differs),
      "pending": JSONValue(report.pending), "pull": .string(report.pull.rawValue),
    ]
  }

  private func summary(_ paint: Paint) -> String {
    let counts = [
      (report.acknowledged, "acknowledged"), (report.reconciled, "found at the backend"),
      (report.elided, "needed no call"), (report.rejected, "refused"),
      (report.differs, "stored with other values"), (report.held, "held"),
      (report.pending, "still pending"),
    ]
    let edits = counts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    var parts: [String] = []
    if report.sent > 0 { parts.append("\(counted(report.sent, "call")) sent") }
    if !edits.isEmpty { parts.append("edits: " + edits.joined(separator: ", ")) }
    if report.pulled > 0 { parts.append("\(NumberText.count(report.pulled)) pulled") }
    if report.deleted > 0 {
      parts.append("\(NumberText.count(report.deleted)) deleted at the backend")
    }
    if report.sent == 0, edits.isEmpty { parts.append(ending) }
    let isWhole = Self.exitCode(report) == .done
    return (isWhole ? paint.green("✓") : paint.yellow("!")) + " " + parts.joined(separator: "; ")
  }

  /// What is said of a run without calls. Only a full listing shows that the backend has everything.
  private var ending: String {
    if report.hasEverything { return "nothing to send: the backend has everything" }
    return report.stop == nil && report.pull != .failed ? "nothing to send" : "nothing was sent"
  }

  static func sentence(_ stop: SyncReport.Stop) -> String {
    switch stop {
    case .offline(let reason):
      "the backend cannot be reached (\(reason)); nothing is lost, try again"
    case .rateLimited(let seconds): "the backend asks to wait \(seconds) s; try again then"
    case .signedOut(let reason):
      "\(reason); sign in again with 'ledger login', every edit stays pending"
    case .refreshFailed(let reason):
      "the session could not be renewed just now (\(reason)); try again"
    case .cancelled: "stopped; what is left goes with the next sync"
    case .accountReplaced(let change):
      "\(change.reason): the account was created again, or its data is gone; nothing was changed "
        + "here. " + waysOn
    case .massDeletion(let missing, let live):
      "\(missing) of \(live) synced entries are gone at the backend; nothing was changed here. "
        + waysOn
    case .returnedRows(let count):
      "\(count == 1 ? "1 row that was" : "\(count) rows that were") deleted \(count == 1 ? "is" : "are") "
        + "at the backend again, as after a restored backup; nothing was changed here. "
        + returnedWays
    }
  }

  /// What a person can do about rows that came back.
  private static let returnedWays =
    "'ledger sync --resend' makes the backend what the ledger says; 'ledger sync "
    + "--accept-deletions' takes the backend's rows"

  /// What a person can do about an account that was created again, or rows that are gone in numbers.
  static let waysOn =
    "'ledger sync --resend' sends again what the backend lacks; 'ledger sync --accept-deletions' "
    + "deletes here what is gone there"

  /// 5 when a person is needed, 75 when trying again is all there is to do (docs/cli.md).
  static func exitCode(_ report: SyncReport) -> ExitCode {
    switch report.stop {
    case .signedOut, .accountReplaced, .massDeletion, .returnedRows: return .needsPerson
    case .offline, .rateLimited, .refreshFailed, .cancelled: return .temporary
    case nil: break
    }
    if report.needsPerson || report.pull == .failed && !report.mayPass { return .needsPerson }
    if report.pull == .failed { return .temporary }
    return report.pending > 0 ? .temporary : .done
  }
}
