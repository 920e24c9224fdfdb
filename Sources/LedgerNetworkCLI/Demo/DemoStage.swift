import LedgerCLI
import LedgerModel

/// Runs commands as a person would type them, on the demo's own ledger, and shows both.
struct DemoStage {
  let folder: String
  let console: Console
  private let streams: ConsoleStreams
  private let local: CommandTable

  var ledger: String { LedgerLocation.joined(folder, ".ledger") }

  static let email = "ada@example.com"

  init(folder: String, console: Console) {
    self.folder = folder
    self.console = console
    let ledger = LedgerLocation.joined(folder, ".ledger")
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

  /// Shows the words and runs them; a command that fails ends the story.
  func run(_ words: String..., input: String? = nil) async throws {
    try await perform(words, input: input, output: nil)
  }

  /// The same, with only the first lines of the answer shown.
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
