import LedgerCommands
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
    if report.suspected > 0 {
      console.warn(
        "\(Self.count(report.suspected, "row")) at the backend may be there twice; "
          + "'ledger log --type duplicate.suspected' names them")
    }
    if report.needsPerson, report.rejected == 0 || report.conflicts > 0 {
      console.warn(
        report.conflicts > 0
          ? "a conflict waits for you: 'ledger conflicts' shows it, 'ledger resolve' decides it"
          : "an edit was refused earlier: 'ledger show sync' names it, a correction sends it again")
    }
    if let stop = report.stop {
      console.warn(Self.sentence(stop))
    } else if report.inDoubt > 0 {
      console.warn(
        "\(Self.count(report.inDoubt, "edit")) in doubt: the answer was lost, and the next sync "
          + "finds out what became of it")
    }
  }

  private var json: JSONObject {
    [
      "sent": JSONValue(report.sent), "acknowledged": JSONValue(report.acknowledged),
      "reconciled": JSONValue(report.reconciled), "elided": JSONValue(report.elided),
      "rejected": JSONValue(report.rejected), "held": JSONValue(report.held),
      "pulled": JSONValue(report.pulled), "conflicts": JSONValue(report.conflicts),
      "pending": JSONValue(report.pending),
    ]
  }

  private func summary(_ paint: Paint) -> String {
    let counts = [
      (report.acknowledged, "acknowledged"), (report.reconciled, "found to have arrived"),
      (report.elided, "with nothing left to say"), (report.rejected, "refused"),
      (report.held, "held"), (report.pending, "still pending"),
    ]
    let said = counts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    let isWhole = Self.exitCode(report) == .done
    let mark = isWhole ? paint.green("✓") : paint.yellow("!")
    let pulled = report.pulled > 0 ? "\(NumberText.count(report.pulled)) pulled" : nil
    guard report.sent > 0 || !said.isEmpty else {
      let hasAll = report.stop == nil && !report.needsPerson
      let sent = hasAll ? "nothing to send: the backend has everything" : "nothing to send now"
      return "\(mark) " + [pulled, sent].compactMap(\.self).joined(separator: "; ")
    }
    let calls = report.sent > 0 ? "\(Self.count(report.sent, "call")) sent" : nil
    let edits = said.isEmpty ? nil : "edits: " + said.joined(separator: ", ")
    return "\(mark) " + [calls, edits, pulled].compactMap(\.self).joined(separator: "; ")
  }

  private static func count(_ number: Int, _ what: String) -> String {
    "\(NumberText.count(number)) \(what)\(number == 1 ? "" : "s")"
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
    }
  }

  /// 5 when a person is needed, 75 when trying again is all there is to do (cli.md).
  static func exitCode(_ report: SyncReport) -> ExitCode {
    switch report.stop {
    case .signedOut: return .needsPerson
    case .offline, .rateLimited, .refreshFailed, .cancelled: return .temporary
    case nil: break
    }
    if report.needsPerson { return .needsPerson }
    return report.pending > 0 ? .temporary : .done
  }
}
