import LedgerJSON
import LedgerLog

/// Where an export goes: to a file, which appears once it is complete, or to standard output.
struct ExportTarget {
  private let file: OutputFile?
  private let console: Console

  init(_ arguments: ParsedArguments, besides ledger: LedgerDirectory, _ console: Console) throws {
    let path = arguments.option("output") ?? "-"
    if path == "-", console.json {
      throw UsageError.badValue(
        option: "--output", value: path,
        why: .expected("a file next to --json: the data itself would go to standard output"))
    }
    file = path == "-" ? nil : try OutputFile(path, besides: ledger)
    self.console = console
  }

  /// Stored text as it may go there: on a terminal, what could steer it is escaped.
  func shown(_ text: String) -> String { file == nil ? console.shown(text) : text }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if let file { try file.write(bytes) } else { try console.write(bytes: bytes) }
  }

  func write(_ text: String) throws {
    if let file { try file.write(text) } else { try console.write(text) }
  }

  /// Gives the file its name, and says what is in it.
  ///
  /// - Parameters:
  ///   - what: `events`, `entries`: the member of the answer that counts them.
  ///   - words: the count in words.
  func finish(_ what: String, _ count: Int, _ words: String) throws {
    guard let file else { return }
    try file.commit()
    if console.json {
      let answer: JSONObject = [
        "path": .string(file.path), "bytes": JSONValue(file.bytes), what: JSONValue(count),
      ]
      try console.line(answer.serialized)
    } else {
      try console.line(
        "\(console.paint.green("✓")) \(console.shown(file.path)): \(SizeText.bytes(file.bytes)), "
          + words)
    }
  }
}
