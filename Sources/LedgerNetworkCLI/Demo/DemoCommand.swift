import LedgerCLI
import LedgerJSON
import LedgerModel
import LedgerPlatform
import ReferenceBackend

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

/// The demo's folder: LEDGER_DEMO_DIR, or a new temporary folder, which is kept.
private enum DemoFolder {
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
      .failed, "cannot make a folder at \(path): \(SystemError(errno))")
  }
}

private struct DemoStory {
  let stage: DemoStage
  let configuration: BackendConfiguration

  func tell() async throws {
    try stage.say(
      "Ada keeps her weight and her steps in an app. This is what happens to each edit: it becomes "
        + "a line in a log here, and only then is it sent.")
    try await writeOffline()
    try await look()
    try await plan()
    let server = try BackendServer.start(configuration)
    defer { server.stop() }
    try await sync(server)
    try await correct()
    try await audit()
  }

  private func writeOffline() async throws {
    try stage.title(1, "On the train, without a connection")
    try await stage.run("init", "--device", "phone")
    try await stage.run("append", "profile", "--name", "Ada", "--unit-system", "metric")
    try await stage.run(
      "append", "physical", "--born", "1990-07-20", "--height-cm", "168", "--sex", "female")
    try await stage.run("append", "weight", "165lb", "--notes", "after the run")
    try stage.say("A month that another tracker had kept comes in as one durable write:")
    let today = LocalZone.current.today(at: LocalZone.now())
    try await stage.run("append", "--stdin", "--quiet", input: DemoMonth.lines(before: today))
  }

  private func look() async throws {
    try stage.title(2, "What the ledger says now")
    try await stage.run("show", "profile")
    try await stage.run("show", "progress", "--metric", "weight", "--limit", "5")
    try await stage.run("status")
  }

  private func plan() async throws {
    try stage.title(3, "What a sync would send, byte for byte")
    try await stage.runBriefly("sync", "--dry-run", lines: 8)
  }

  private func sync(_ server: BackendServer) async throws {
    try stage.title(4, "A connection at last")
    try stage.say("A backend answers at \(server.baseURL), on this machine alone.")
    try await stage.run("register", "--base-url", server.baseURL, "--email", DemoStage.email)
    try await stage.run("sync")
    try stage.say("Each call was recorded before it left and its answer after. Asked again:")
    try await stage.run("sync")
    try await stage.runBriefly("log", "-n", "4", lines: 5)
    let rows = server.rows(of: DemoStage.email).count
    try stage.say("The backend now holds \(rows) rows: one for each entry, none twice.")
  }

  private func correct() async throws {
    try stage.title(5, "A second thought")
    try stage.say(
      "Event 4 was logged with shoes on. The correction is one more event; the backend has no way "
        + "to change a row, so the new value is sent and the old row deleted.")
    try await stage.run("append", "correction", "4", "--quantity", "74.1")
    try await stage.run("sync")
    try await stage.run("show", "progress", "--metric", "weight", "--limit", "2")
  }

  private func audit() async throws {
    try stage.title(6, "Proof")
    try await stage.run("replay")
    try await stage.run("verify")
    try stage.console.line()
    try stage.say("The ledger stays where you can look at it: \(stage.ledger)")
    try stage.console.line("  ledger log -n 10 --ledger \(stage.ledger)")
    try stage.console.line("  head -3 \(LedgerLocation.joined(stage.ledger, "events.jsonl"))")
  }
}

/// A fixed month of made-up progress: a weight each morning, steps each day.
private enum DemoMonth {
  private static let days = 30

  /// The input of `append --stdin`.
  static func lines(before today: CalendarDate) -> String {
    var text = ""
    for index in 0..<days {
      let date = today.adding(days: index - days)
      let zone = LocalZone.current
      let morning = ClockTime(hour: 7, minute: 15 + index % 20) ?? .midnight
      // A weekly wave around a slow loss, in tenths of a kilogram.
      let weight = 782 - index + [0, 2, 3, 1, -2, -3, -1][index % 7]
      text += line(
        .weight, Double(weight) / 10, date,
        ZonedTime(time: morning, zone: zone.offset(of: morning, on: date)))
      text += line(.steps, Double(6000 + index * 7919 % 5000), date, nil)
    }
    return text
  }

  private static func line(
    _ metric: Metric, _ quantity: Double, _ date: CalendarDate, _ moment: ZonedTime?
  ) -> String {
    let data = JSONObject([
      "metric": metric, "quantity": quantity, "date": date, "time": moment?.time,
      "zone": moment?.zone,
    ])
    let edit: JSONObject = ["type": "progress.logged", "data": .object(data)]
    return edit.serialized + "\n"
  }
}

/// Runs and shows commands on the demo's ledger.
private struct DemoStage {
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
      case "LEDGER_API_KEY": BackendConfiguration.demoAPIKey
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
