import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore

/// `append --stdin`: edits as JSON lines, all or none.
enum AppendBatch {
  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try refuseOthers(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    var generator = BufferedEntropy()
    let input = try parse(console.input) { .make(at: opened.now, using: &generator) }
    let outcome = try append(input, to: opened)
    for (type, name) in input.unknown {
      console.warn(
        "\(quoted(name)) is not a member of \(type): it is kept, and nothing reads it")
    }
    try AppendAnswer(outcome, of: opened, on: console).giveSummary(summary(outcome))
    return .done
  }

  private struct Input {
    let edits = EditBatch()
    /// Line numbers of the edits, from 1.
    var lines: [Int32] = []
    /// Members that nothing reads, each once.
    var unknown: [(type: String, name: String)] = []

    mutating func note(unknownOf edit: Edit, type: String) {
      for member in edit.change.unknown.members
      where member.name != Undoing.member && unknown.count < Self.unknownAtMost
        && !unknown.contains(where: { $0 == (type, member.name) })
      {
        unknown.append((type, member.name))
      }
    }

    /// A batch may have any number of names.
    private static let unknownAtMost = 20
  }

  private static func refuseOthers(_ arguments: ParsedArguments) throws(UsageError) {
    if arguments.argument("METRIC") != nil { throw .conflict("METRIC", "--stdin") }
    for option in ["date", "time", "zone", "notes"] { try arguments.exclude(option, "stdin") }
  }

  /// Holds only the current line and the edits in memory.
  private static func parse(
    _ source: any InputSource, makeEntry: () -> EntryID
  ) throws(CommandFailure) -> Input {
    var lines = InputLines(source)
    var input = Input()
    while let line = try lines.next() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      let (edit, type) = try edit(line, lines.number, makeEntry)
      input.edits.add(edit)
      input.note(unknownOf: edit, type: type)
      input.lines.append(Int32(lines.number))
    }
    return input
  }

  private static func edit(
    _ line: [UInt8], _ number: Int, _ makeEntry: () -> EntryID
  ) throws(CommandFailure) -> (Edit, type: String) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: line, rules: .edit)
    } catch {
      throw refusal(number, "\(error)")
    }
    guard let object = value.object else {
      throw refusal(number, "an edit is an object with 'type' and 'data'")
    }
    let edit: Edit
    do throws(Refusal) {
      edit = try Edit(request: object, makeEntry: makeEntry)
    } catch {
      throw refusal(number, error, meant: meant(by: object))
    }
    // The log refuses it too, but without the line number.
    if let id = edit.id, !isVersion7(id) {
      throw refusal(number, "'id' is \(quoted("\(id)")); it must be a version 7 UUID")
    }
    return (edit, object["type"]?.string ?? "")
  }

  /// By the version and variant digits (RFC 9562).
  private static func isVersion7(_ id: EventID) -> Bool {
    let digits = Array(id.description.utf8)
    return digits[14] == UInt8(ascii: "7") && "89ab".utf8.contains(digits[19])
  }

  private static func append(
    _ input: Input, to opened: OpenedLedger
  ) throws -> LedgerStore.BatchOutcome {
    do {
      return try opened.append(input.edits)
    } catch let error as EditRefusal {
      throw refusal(Int(input.lines[error.index]), error)
    } catch let error as UnwritableEdit {
      throw refusal(Int(input.lines[error.index]), error.error.sentence)
    }
  }

  fileprivate static func refusal(
    _ line: Int, _ sentence: String, meant: [String] = []
  ) -> CommandFailure {
    refusal(line, CommandFailure(.usage, sentence), meant: meant)
  }

  fileprivate static func refusal(
    _ line: Int, _ error: any ReportableError, meant: [String] = []
  ) -> CommandFailure {
    CommandFailure(
      error.exitCode, "line \(line): \(error.sentence)",
      hint: "nothing was written" + (meant.isEmpty ? "" : "; did you mean \(listed(meant))?"),
      cause: error)
  }

  /// Spelling suggestions for the first unrecognized word.
  private static func meant(by edit: JSONObject) -> [String] {
    let data = edit["data"]?.object
    let words: [(typed: JSONValue?, known: [String])] = [
      (edit["type"], EventKind.allCases.filter(\.isMadeByPerson).map(\.rawValue)),
      (data?["metric"], Metric.names),
      (data?["preferred_unit_system"], UnitSystem.allCases.map(\.rawValue)),
      (data?["biological_sex"], BiologicalSex.allCases.map(\.rawValue)),
    ]
    for case (.string(let typed)?, let known) in words where !known.contains(typed) {
      return nearest(to: typed, among: known)
    }
    return []
  }

  private static func summary(_ outcome: LedgerStore.BatchOutcome) -> String {
    let seqs = outcome.appended
    guard let first = seqs.first, let last = seqs.last else {
      return outcome.known.isEmpty ? "nothing to append" : "nothing new"
    }
    return seqs.count == 1
      ? "1 event appended (event \(first))"
      : "\(NumberText.count(seqs.count)) events appended (events \(first) to \(last))"
  }
}

/// Reads the lines of standard input one at a time, within limits.
private struct InputLines {
  /// Limit for the whole input, since a batch is held in memory.
  static let mostBytes = 256 << 20

  private let input: any InputSource
  private var part: ArraySlice<UInt8> = []
  private var readBytes = 0
  /// The current line number, from 1.
  private(set) var number = 0

  init(_ input: any InputSource) { self.input = input }

  /// The next line without its line feed; `nil` at the end of the input.
  ///
  /// - Throws: a failure with exit code 2 for a line too long for an event, before the rest is
  ///   read.
  mutating func next() throws(CommandFailure) -> [UInt8]? {
    var line: [UInt8] = []
    var isEnd = false
    while !isEnd {
      if part.isEmpty {
        try fill()
        if part.isEmpty {
          if line.isEmpty { return nil }
          break
        }
      }
      let end = part.firstIndex(of: UInt8(ascii: "\n"))
      isEnd = end != nil
      let piece = part[..<(end ?? part.endIndex)]
      guard line.count + piece.count <= LogFormat.longestLineBytes else {
        throw AppendBatch.refusal(
          number + 1, "it is longer than \(LogFormat.longestLineBytes) bytes")
      }
      line += piece
      part = part[piece.endIndex...].dropFirst()
    }
    number += 1
    return line
  }

  private mutating func fill() throws(CommandFailure) {
    part = try input.read()[...]
    readBytes += part.count
    guard readBytes <= Self.mostBytes else {
      throw CommandFailure(
        .usage, "standard input holds more than \(Self.mostBytes >> 20) MB; append it in parts")
    }
  }
}
