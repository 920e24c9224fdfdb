import LedgerCLI
import LedgerPlatform
import ReferenceBackend

/// Runs and shows commands on the demo's ledger.
struct DemoStage {
  let ledger: String
  let console: Console
  private let streams: ConsoleStreams
  private let local: CommandTable

  static let email = "ada@example.com"

  init(folder: String, console: Console) {
    self.console = console
    let ledger = LedgerLocation.joined(folder, ".ledger")
    self.ledger = ledger
    var streams = ConsoleStreams.standard
    let outside = streams.environment
    streams.environment = { name in
      switch name {
      case "LEDGER_DIR": ledger
      case "LEDGER_PASSWORD": "correct horse battery staple"
      case "LEDGER_API_KEY": demoKey
      default: outside(name)
      }
    }
    self.streams = streams
    local = CommandTable(LocalCommands.all)
  }

  func title(_ number: Int, _ text: String) throws {
    try console.line()
    try console.line(console.paint.bold("\(number). \(text)"))
  }

  func say(_ text: String) throws {
    for line in wrapped(text, width: 78, hanging: 0) { try console.line(line) }
  }

  /// Shows a command and runs it. A command that fails ends the demo.
  func run(_ words: String..., input: String? = nil) async throws {
    try await perform(words, input: input, output: nil)
  }

  /// As ``run(_:input:)``, but shows only the first lines of the output.
  func runBriefly(_ words: String..., lines: Int) async throws {
    let sink = MemorySink()
    try await perform(words, input: nil, output: sink)
    let all = sink.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in all.prefix(lines) { try console.line(String(line)) }
    if all.count > lines {
      try console.line(console.paint.dim("… and \(all.count - lines) lines more"))
    }
  }

  private func perform(_ words: [String], input: String?, output: MemorySink?) async throws {
    let typed = words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    try console.line(console.paint.cyan("$ ledger \(typed)"))
    try console.flush()
    var streams = streams
    if let output { streams.output = output }
    if let input { streams.input = MemoryInput(input) }
    let isLocal = local.catalog.specs.contains { $0.words.starts(with: words.prefix(1)) }
    let code =
      isLocal
      ? local.run(words, streams: streams)
      : await NetworkCommands.table.run(words, streams: streams)
    guard code == .done else {
      throw CommandFailure(code, "the demo ended early: 'ledger \(typed)' did not succeed")
    }
  }
}

/// The demo's folder: LEDGER_DEMO_DIR, or a new temporary folder, which is kept.
enum DemoFolder {
  static func make(_ console: Console) throws(CommandFailure) -> String {
    if let chosen = console.environment("LEDGER_DEMO_DIR"), !chosen.isEmpty {
      guard mkdir(chosen, 0o700) == 0 || errno == EEXIST else { throw failure(chosen) }
      return chosen
    }
    let temporary = console.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array((LedgerLocation.joined(temporary, "ledger-demo-XXXXXX")).utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw failure(temporary) }
    return made
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(
      .failed, "cannot make a folder at \(path): \(String(cString: strerror(errno)))")
  }
}

enum DemoCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.demo

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var configuration = BackendConfiguration()
    configuration.accessTokenUses = try arguments.integer("access-token-uses", in: 1...1_000_000)
    let folder = try DemoFolder.make(console)
    let stage = DemoStage(folder: folder, console: console)
    try await DemoStory(stage: stage, configuration: configuration).tell()
    return .done
  }
}
