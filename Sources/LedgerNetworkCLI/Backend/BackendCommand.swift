import LedgerCLI
import LedgerJSON
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
