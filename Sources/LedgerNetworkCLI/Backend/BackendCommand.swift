import LedgerCLI
import LedgerJSON
import ReferenceBackend

/// `backend`: runs the reference backend on loopback until interrupted.
enum BackendCommand: Command {
  static let spec = CommandSpec(
    "backend", "run the reference backend on this machine", group: .more,
    options: [
      .value("port", "N", "the port to listen on; 0 takes a free one (default: 0)"),
      .value(
        "dialect", "NAME", allowed: BackendConfiguration.Dialect.allCases.map(\.rawValue),
        "the members of a progress POST that carry the moment (default: date-time)"),
      .flag(
        "ignore-other-dialect",
        "ignore the other dialect's members, and store such a POST with the current time"),
      .value(
        "physical", "MODE", allowed: BackendConfiguration.Physical.allCases.map(\.rawValue),
        "how PATCH /api/v1/users/me/physical behaves (default: strict)"),
      .value("access-token-uses", "N", "an access token dies after so many requests"),
      .value("fault", "SPEC", repeatable: true, "METHOD PATH:KIND[:N], a scripted fault"),
    ],
    examples: [
      CommandExample("ledger backend --port 8080"),
      CommandExample(
        "ledger backend --fault 'POST /api/v1/progress:drop-after:2'",
        "loses the answer to the second entry"),
      CommandExample(
        "ledger backend --fault 'POST /api/v1/progress:lie=moment' --fault 'GET /health:forget'",
        "stores every entry with the current time; forgets all data when GET /health is called"),
    ],
    notes: [
      "It answers as FitIQ's REST API does, from memory, on 127.0.0.1 only; everything is gone when "
        + "it stops. Its API key is \(BackendConfiguration.demoAPIKey). GET /health and GET /ready "
        + "need no key.",
      "--physical strict refuses a birth date alone; published accepts any of the three fields; "
        + "three-fields is strict and answers the three fields instead of the profile.",
      "KIND is one of \(Fault.kinds.joined(separator: ", ")). docs/cli.md describes each.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    var configuration = BackendConfiguration()
    configuration.port = UInt16(try arguments.integer("port", in: 0...65_535) ?? 0)
    configuration.accessTokenUses = try arguments.integer("access-token-uses", in: 1...1_000_000)
    if let dialect = arguments.option("dialect").flatMap(BackendConfiguration.Dialect.init) {
      configuration.dialect = dialect
    }
    configuration.ignoresOtherDialect = arguments.flag("ignore-other-dialect")
    if let physical = arguments.option("physical").flatMap(BackendConfiguration.Physical.init) {
      configuration.physical = physical
    }
    for text in arguments.options("fault") { configuration.faults.append(try Fault(text)) }
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
    if console.json {
      let answer: JSONObject = [
        "url": .string(server.baseURL), "api_key": .string(configuration.apiKey),
      ]
      try console.line(answer.serialized)
    } else {
      try console.line("reference backend at \(server.baseURL), API key \(configuration.apiKey)")
    }
    try console.flush()
  }
}
