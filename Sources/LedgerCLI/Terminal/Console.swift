/// Where a command's answer goes: data to standard output, all else to standard error.
package struct Console: Sendable {
  /// Whether the answer is to be JSON.
  package let json: Bool
  /// Whether only the answer and errors are wanted.
  package let quiet: Bool
  /// Whether a person reads standard output.
  package let isTerminal: Bool
  /// Colours for standard output; plain in JSON.
  package let paint: Paint
  /// Colours for standard error.
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

  /// Columns to fill: 80 when nobody looks, `COLUMNS` before what the terminal says.
  package var width: Int {
    guard isTerminal || streams.errorIsTerminal else { return 80 }
    let wished = streams.environment("COLUMNS").flatMap { Int($0) }
    return max(20, wished.flatMap { $0 > 0 ? $0 : nil } ?? streams.columns() ?? 80)
  }

  package func environment(_ name: String) -> String? {
    streams.environment(name)
  }

  /// Whether what reads the output takes UTF-8, so that pictures made of its characters arrive as
  /// they are meant. A locale that nobody named is the C library's «C», which does not.
  package var drawsUnicode: Bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { streams.environment($0) }
    let locale = named.first { !$0.isEmpty }?.lowercased() ?? ""
    return ["utf-8", "utf8"].contains { locale.contains($0) }
  }

  /// Standard input, for arguments that are `-`.
  package var input: any InputSource { streams.input }

  // MARK: Standard output

  package func write(_ text: String) throws(OutputFailure) {
    try state.write(text.utf8)
  }

  /// Writes bytes as they are, for lines that must leave as they are stored.
  package func write(bytes: some Sequence<UInt8>) throws(OutputFailure) {
    try state.write(bytes)
  }

  package func line(_ text: String = "") throws(OutputFailure) {
    try state.write((text + "\n").utf8)
  }

  package func write(_ table: Table) throws(OutputFailure) {
    try state.write(table.rendered(paint: paint, width: isTerminal ? width : nil).utf8)
  }

  /// Sends what is buffered, for commands that stay around.
  package func flush() throws(OutputFailure) {
    try state.flush()
  }

  /// Stored text as it may be shown: on a terminal, what could steer it is escaped.
  package func shown(_ text: String) -> String {
    isTerminal ? escapedForTerminal(text) : text
  }

  // MARK: Standard error, one line each, whatever the text holds

  /// Tells a person what happens, unless they asked for quiet.
  package func note(_ sentence: String, _ style: Paint.Style? = nil) {
    if !quiet { diagnostic(sentence, style) }
  }

  package func warn(_ sentence: String) {
    let lead = "\(Program.name): \(errorPaint.yellow("warning:"))"
    writeError("\(lead) \(escapedForTerminal(sentence))\n")
  }

  /// Tells what was asked for, such as a trace, even under `--quiet`.
  package func diagnostic(_ line: String, _ style: Paint.Style? = nil) {
    writeError(errorPaint.apply(style, escapedForTerminal(line)) + "\n")
  }

  func writeError(_ text: String) {
    state.writeError(text)
  }
}
