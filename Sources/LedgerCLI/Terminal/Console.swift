import LedgerJSON
package import LedgerLog
package import LedgerModel
import Synchronization

/// A command's output: data to standard output, all else to standard error.
package struct Console: Sendable {
  package let json: Bool
  /// Only the answer and errors.
  package let quiet: Bool
  /// Whether standard output is a terminal.
  package let isTerminal: Bool
  /// Colours for standard output; plain in JSON.
  package let paint: Paint
  package let errorPaint: Paint
  let streams: ConsoleStreams
  let state: ConsoleState

  package init(_ streams: ConsoleStreams = .standard, _ settings: ConsoleSettings = .init()) {
    self.streams = streams
    state = ConsoleState(streams)
    json = settings.json
    quiet = settings.quiet
    isTerminal = streams.outputIsTerminal
    paint =
      json ? .plain : Paint(settings.color, isTerminal: isTerminal, streams.environment)
    errorPaint = Paint(
      settings.color, isTerminal: streams.errorIsTerminal, streams.environment)
  }

  /// Columns to fill: `COLUMNS`, else the terminal's; 80 without a terminal.
  package var width: Int {
    guard isTerminal || streams.errorIsTerminal else { return 80 }
    let wished = streams.environment("COLUMNS").flatMap { Int($0) }
    return max(20, wished.flatMap { $0 > 0 ? $0 : nil } ?? streams.columns() ?? 80)
  }

  package func environment(_ name: String) -> String? {
    streams.environment(name)
  }

  /// Whether the output may contain Unicode drawings: the locale names UTF-8. An unset locale is "C",
  /// which does not.
  package var drawsUnicode: Bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { streams.environment($0) }
    let locale = named.first { !$0.isEmpty }?.lowercased() ?? ""
    return ["utf-8", "utf8"].contains { locale.contains($0) }
  }

  /// Standard input, for arguments that are `-`.
  package var input: any InputSource { streams.input }

  package func now() -> Timestamp { streams.now() }

  /// The zone of a ledger, which becomes the one of the process.
  package func zone(of directory: LedgerDirectory) throws -> LocalZone {
    try streams.zone ?? Settings.read(directory).enterZone()
  }

  // MARK: Standard output

  package func write(_ text: String) throws(OutputFailure) {
    try state.write(text.utf8)
  }

  /// Writes bytes unchanged, for lines of the log.
  package func write(bytes: some Sequence<UInt8>) throws(OutputFailure) {
    try state.write(bytes)
  }

  package func line(_ text: String = "") throws(OutputFailure) {
    try state.write((text + "\n").utf8)
  }

  /// Answers with a line of JSON, or else with text.
  package func answer(
    _ value: @autoclosure () throws -> some MemberValue, or writeText: () throws -> Void
  ) throws {
    if json { try line(value().json.serialized) } else { try writeText() }
  }

  /// Answers with an array as a line of JSON, whose elements are made one by one, or else with text.
  package func answer<Element: MemberValue>(
    each elements: some Sequence<Element>, or writeText: () throws -> Void
  ) throws {
    guard json else { return try writeText() }
    var lead = "["
    for element in elements {
      try write(lead + element.json.serialized)
      lead = ","
    }
    try line(lead == "[" ? "[]" : "]")
  }

  package func write(_ table: Table) throws(OutputFailure) {
    try state.write(table.rendered(paint: paint, width: isTerminal ? width : nil).utf8)
  }

  /// Writes what is buffered, for commands that keep running.
  package func flush() throws(OutputFailure) {
    try state.flush()
  }

  /// Stored text; on a terminal with control characters escaped.
  package func shown(_ text: String) -> String {
    isTerminal ? escapedForTerminal(text) : text
  }

  // MARK: Standard error, one line each

  /// Reports progress, except with `--quiet`.
  package func note(_ sentence: String, _ style: Paint.Style? = nil) {
    if quiet { return }
    for line in lines(escapedForTerminal(sentence)) {
      writeError(errorPaint.apply(style, line) + "\n")
    }
  }

  package func warn(_ sentence: String) {
    writeError(
      paragraph(
        lead: "\(Program.name): warning:",
        painted: "\(Program.name): \(errorPaint.yellow("warning:"))", sentence))
  }

  /// A sentence for standard error after a word in colour.
  private func paragraph(lead: String, painted: String, _ sentence: String) -> String {
    let lines = lines("\(lead) \(escapedForTerminal(sentence))")
    return painted + lines.joined(separator: "\n").dropFirst(lead.count) + "\n"
  }

  /// A sentence broken at words where standard error is a terminal, which would break within them.
  private func lines(_ sentence: String, hanging: Int = 0) -> [String] {
    guard streams.errorIsTerminal, displayWidth(sentence) > width else { return [sentence] }
    return wrapped(sentence, width: width, hanging: hanging)
  }

  /// An item of a list on standard error, even with `--quiet`.
  package func item(_ sentence: String) {
    for line in lines("  " + escapedForTerminal(sentence), hanging: 4) { writeError(line + "\n") }
  }

  /// A sentence on standard output after its sign, broken at words on a terminal.
  ///
  /// - Parameter time: precedes the sign.
  package func done(
    _ sentence: String, sign: String = "✓", _ style: Paint.Style = .green, time: String = ""
  ) throws(OutputFailure) {
    let lead = time + sign
    let text = "\(lead) \(shown(sentence))"
    let isLong = isTerminal && displayWidth(text) > width
    let lines = isLong ? wrapped(text, width: width, hanging: 2) : [text]
    try line(
      time + paint.apply(style, sign) + lines.joined(separator: "\n").dropFirst(lead.count))
  }

  /// Writes what was asked for, such as a trace, even with `--quiet`.
  package func diagnostic(_ line: String, _ style: Paint.Style? = nil) {
    writeError(errorPaint.apply(style, escapedForTerminal(line)) + "\n")
  }

  func writeError(_ text: String) {
    state.writeError(text)
  }

  // MARK: Ending

  /// Reports an error in one sentence; returns its exit code.
  @discardableResult
  package func report(_ error: any Error, command: String = "") -> ExitCode {
    if error as? OutputFailure == .readerGone { return .done }
    let located = (error as? UsageError).map { UsageFailure($0, command: command) }
    let report = FailureReport(located ?? error)
    guard !json else {
      let line = report.json.serialized
      writeError((streams.errorIsTerminal ? escapedForTerminal(line) : line) + "\n")
      return report.exitCode
    }
    // Sentences quote arguments and the content of files.
    let name = "\(Program.name):"
    var text = paragraph(lead: name, painted: errorPaint.red(name), report.sentence)
    if let hint = report.hint {
      text += paragraph(lead: "hint:", painted: errorPaint.yellow("hint:"), hint)
    }
    writeError(text)
    return report.exitCode
  }

  /// Ends a command: reports its error or that its output failed.
  package func finish(_ result: Result<ExitCode, any Error>, command: String = "") -> ExitCode {
    state.clearBar()
    var code: ExitCode
    var outputFailed = false
    switch result {
    case .success(let answer):
      code = answer
    case .failure(let error):
      outputFailed = error is OutputFailure
      code = report(error, command: command)
    }
    do {
      try flush()
    } catch {
      // Report the same failure once, and keep a worse exit code.
      let flushed = outputFailed ? error.exitCode : report(error)
      if code == .done { code = flushed }
    }
    return code
  }
}

/// The global options about output.
package struct ConsoleSettings: Sendable, Equatable {
  package enum Color: String, Sendable {
    case auto
    case always
    case never
  }

  package var json = false
  package var quiet = false
  package var color = Color.auto

  package init(json: Bool = false, quiet: Bool = false, color: Color = .auto) {
    self.json = json
    self.quiet = quiet
    self.color = color
  }

  package init(_ arguments: ParsedArguments) {
    json = arguments.flag("json")
    quiet = arguments.flag("quiet")
    color = arguments.option("color").flatMap(Color.init) ?? .auto
  }

  /// Reads a command line that may be wrong, so that its error is shown in the chosen colours.
  init(scanning words: [String]) {
    let words = words.prefix { $0 != "--" }
    json = words.contains("--json")
    quiet = words.contains("--quiet")
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if word == "--color" { color = Color(rawValue: next) ?? color }
      if word.hasPrefix("--color=") { color = Color(rawValue: String(word.dropFirst(8))) ?? color }
    }
  }
}

/// The buffers of a console, shared by its copies.
final class ConsoleState: Sendable {
  private struct State {
    var pending: [UInt8] = []
    /// The first failure; later ones follow from it.
    var failure: OutputFailure?
    /// Whether the terminal's last line is a progress bar.
    var showsBar = false
  }

  private let state = Mutex(State())
  private let output: any OutputSink
  private let error: any OutputSink
  /// 0 on a terminal, which shows each line at once.
  private let capacityBytes: Int

  init(_ streams: ConsoleStreams) {
    output = streams.output
    error = streams.error
    capacityBytes = streams.outputIsTerminal && !(output is Pager) ? 0 : 65_536
  }

  func write(_ bytes: some Sequence<UInt8>) throws(OutputFailure) {
    try state.withLock { (state) throws(OutputFailure) in
      if let failure = state.failure { throw failure }
      state.pending.append(contentsOf: bytes)
      if state.pending.count > capacityBytes { try flush(&state) }
    }
  }

  func flush() throws(OutputFailure) {
    try state.withLock { (state) throws(OutputFailure) in
      try flush(&state)
      if let failure = state.failure { throw failure }
    }
  }

  /// Failures of standard error are ignored: there is nowhere to report them.
  func writeError(_ text: String) {
    state.withLock { state in
      // Keeps the order of both streams; the next write throws a failure.
      try? flush(&state)
      clearBar(&state)
      try? error.write(Array(text.utf8))
    }
  }

  func drawBar(_ text: String) {
    state.withLock { state in
      state.showsBar = true
      try? error.write(Array("\r\(text)\u{1B}[K".utf8))
    }
  }

  func clearBar() {
    state.withLock { clearBar(&$0) }
  }

  private func flush(_ state: inout State) throws(OutputFailure) {
    if state.pending.isEmpty || state.failure != nil { return }
    clearBar(&state)
    do {
      try output.write(state.pending)
      state.pending.removeAll(keepingCapacity: true)
    } catch {
      state.failure = error
      state.pending = []
      throw error
    }
  }

  private func clearBar(_ state: inout State) {
    guard state.showsBar else { return }
    state.showsBar = false
    try? error.write(Array("\r\u{1B}[K".utf8))
  }
}
