import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerModel
import ReferenceBackend

/// `backend`: runs the reference backend on loopback until interrupted.
enum BackendCommand: Command {
  static let spec = NetworkCommandSpecs.backend

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    var configuration = BackendConfiguration()
    configuration.port = UInt16(try arguments.integer("port", in: 0...65_535) ?? 0)
    configuration.accessTokenUses = try arguments.integer("access-token-uses", in: 1...1_000_000)
    if let dialect = arguments.option("dialect").flatMap(BackendConfiguration.MomentFormat.init) {
      configuration.dialect = dialect
    }
    configuration.ignoresOtherDialect = arguments.flag("ignore-other-dialect")
    if let physical = arguments.option("physical").flatMap(BackendConfiguration.Physical.init) {
      configuration.physical = physical
    }
    for text in arguments.options("fault") { configuration.faults.append(try ScriptedFault(text)) }
    configuration.onRequest = { entry in
      console.note("\(entry.method) \(entry.path) \(entry.status.map(String.init) ?? "–")")
    }
    let signals = EndSignals()
    let server = try BackendServer.start(configuration)
    try announce(server, configuration, console)
    signals.wait()
    server.stop()
    console.note("stopped")
    return .done
  }

  private static func announce(
    _ server: BackendServer, _ configuration: BackendConfiguration, _ console: Console
  ) throws {
    let answer = JSONObject(["url": server.baseURL, "api_key": configuration.apiKey])
    try console.answer(answer) {
      try console.line("reference backend at \(server.baseURL), API key \(configuration.apiKey)")
    }
    try console.flush()
  }
}

/// `verify --backend`: compares the backend's data with what it acknowledged. `ledger` runs `verify`
/// without `--backend`.
enum VerifyBackendCommand: AsyncCommand {
  static let spec = VerifyCommand.spec.withoutHelpers

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    guard arguments.flag("backend") else { return try VerifyCommand.run(arguments, console) }
    if let other = arguments.givenOptions.first(where: { $0 != "backend" }) {
      throw UsageFailure(.conflict("--backend", "--\(other)"), command: spec.name)
    }
    guard arguments.rest("DIR").isEmpty else {
      throw CommandFailure(
        .usage, "--backend compares one ledger with its account; choose it with --ledger DIR")
    }
    let target = try NetworkLedger(arguments, console)
    let connection = try await target.connection()
    let ledger = target.ledger
    let configuration = target.syncOptions.configuration
    let audit = try await EndSignals().run {
      try await ledger.verifyBackend(over: connection, configuration: configuration)
    }
    try console.answer(audit.json) { try AuditText(audit: audit).write(to: console) }
    return audit.isOK ? .done : .needsUser
  }
}

extension BackendAudit {
  /// See docs/cli.md.
  fileprivate var json: JSONObject {
    JSONObject([
      "ok": isOK, "checked": checked, "differences": differences.map(\.json),
      "unreadable": unreadable.map(\.rawValue),
    ])
  }
}

extension BackendAudit.Difference {
  fileprivate var json: JSONObject {
    JSONObject([
      "entry": entry, "backend_id": backendID, "field": field, "here": here, "there": there,
    ])
  }
}

/// The text of `verify --backend`: a line for each difference, then a summary.
private struct AuditText {
  let audit: BackendAudit

  func write(to console: Console) throws {
    for difference in audit.differences {
      try console.line(console.shown(Self.line(difference)))
    }
    let compared = "\(NumberText.count(audit.checked)) entries and fields compared"
    if audit.isOK {
      try console.done("\(compared): the backend has what it acknowledged")
    } else {
      try console.done(
        "\(compared): \(counted(audit.differences.count, "difference"))", sign: "!", .yellow)
    }
    if !audit.unreadable.isEmpty {
      let names = audit.unreadable.map(\.rawValue).joined(separator: ", ")
      console.note("the API cannot read back: \(names)")
    }
    if audit.unsentEdits > 0 {
      let edits = counted(audit.unsentEdits, "edit")
      console.note("not compared: \(edits) that the backend does not have")
    }
  }

  private static func line(_ difference: BackendAudit.Difference) -> String {
    let names = [
      difference.entry.map { "entry \($0)" }, difference.backendID.map { "row \($0)" },
    ]
    let subject = names.compactMap(\.self).joined(separator: ", ")
    let (here, there) = (difference.here.serialized, difference.there.serialized)
    switch difference.kind {
    case .value(let field):
      return (subject.isEmpty ? "" : "\(subject): ") + "\(field): here \(here), there \(there)"
    case .missingRow: return "\(subject): row missing: here \(here), there nothing"
    case .unknownRow: return "\(subject): unknown row: here nothing, there \(there)"
    case .suspectedDuplicate: return "\(subject): suspected duplicate: there \(there)"
    case .unreadableRow:
      return (subject.isEmpty ? "" : "\(subject): ") + "row cannot be read: \(there)"
    }
  }
}
