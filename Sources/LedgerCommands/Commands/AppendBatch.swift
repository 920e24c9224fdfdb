import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `append --stdin`: edits as JSON lines, all of them or none.
enum AppendBatch {
  static let mostBytes = 256 << 20

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try refuseOthers(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    let edits = try parse(read(console.input)) { opened.makeEntry() }
    let outcome = try append(edits, to: opened)
    try AppendAnswer(outcome, of: opened, on: console).giveSummary(summary(outcome))
    return .done
  }

  /// One edit and the line it stood on, counted from 1.
  struct LineEdit {
    var line: Int
    var edit: Edit
  }

  private static func refuseOthers(_ arguments: ParsedArguments) throws(UsageError) {
    if arguments.argument("METRIC") != nil { throw .conflict("METRIC", "--stdin") }
    for option in ["date", "time", "zone", "notes"] { try arguments.exclude(option, "stdin") }
  }

  private static func read(_ input: any InputSource) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try input.read()
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= mostBytes else {
        throw CommandFailure(
          .usage, "standard input holds more than \(mostBytes >> 20) MB; append it in parts")
      }
    }
  }

  static func parse(
    _ bytes: [UInt8], makeEntry: () -> EntryID
  ) throws(CommandFailure) -> [LineEdit] {
    var edits: [LineEdit] = []
    var number = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      number += 1
      let line = bytes[start..<end]
      start = end + 1
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      edits.append(LineEdit(line: number, edit: try edit(line, number, makeEntry)))
    }
    return edits
  }

  private static func edit(
    _ line: ArraySlice<UInt8>, _ number: Int, _ makeEntry: () -> EntryID
  ) throws(CommandFailure) -> Edit {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: Array(line), rules: .edit)
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
      throw refusal(number, "\(error)", error.exitCode, meant: meant(by: object))
    }
    // The log refuses it too, but cannot say on which line of the input it stands.
    if let id = edit.id, !isVersion7(id) {
      throw refusal(number, "'id' is \(quoted("\(id)")); it must be a version 7 UUID")
    }
    return edit
  }

  /// By the digits for version and variant (RFC 9562).
  private static func isVersion7(_ id: EventID) -> Bool {
    let digits = Array(id.description.utf8)
    return digits[14] == UInt8(ascii: "7") && "89ab".utf8.contains(digits[19])
  }

  private static func append(
    _ edits: [LineEdit], to opened: OpenedLedger
  ) throws -> LocalLedger.Outcome {
    do {
      return try opened.append(edits.map(\.edit))
    } catch let error as EditRefusal {
      throw refusal(edits[error.index].line, error.sentence, error.exitCode)
    } catch LogError.lineTooLong(let bytes) {
      let error = LogError.lineTooLong(bytes: bytes)
      let culprit = edits.first { isStored($0.edit, inLineOf: bytes) }
      throw culprit.map { refusal($0.line, error.sentence) } ?? error
    }
  }

  /// Whether an edit's line has this length: around `data` stand between 230 and 330 bytes.
  private static func isStored(_ edit: Edit, inLineOf bytes: Int) -> Bool {
    (230...330).contains(bytes - edit.change.payload.data.serialized.utf8.count)
  }

  private static func refusal(
    _ line: Int, _ sentence: String, _ code: ExitCode = .usage, meant: [String] = []
  ) -> CommandFailure {
    CommandFailure(
      code, "line \(line): \(sentence)",
      hint: "nothing was written" + (meant.isEmpty ? "" : "; did you mean \(listed(meant))?"))
  }

  /// What the first word of an edit that is none of those it can be may have been meant to be.
  private static func meant(by edit: JSONObject) -> [String] {
    let data = edit["data"]?.object
    let words: [(typed: JSONValue?, known: [String])] = [
      (edit["type"], EventKind.allCases.filter(\.isEdit).map(\.rawValue)),
      (data?["metric"], Metric.names),
      (data?["preferred_unit_system"], UnitSystem.allCases.map(\.rawValue)),
      (data?["biological_sex"], BiologicalSex.allCases.map(\.rawValue)),
    ]
    for case (.string(let typed)?, let known) in words where !known.contains(typed) {
      return nearest(to: typed, among: known)
    }
    return []
  }

  private static func summary(_ outcome: LocalLedger.Outcome) -> String {
    let seqs = outcome.edits.compactMap { edit in
      switch edit {
      case .appended(let event): event.seq
      case .known: nil
      }
    }
    guard let first = seqs.first, let last = seqs.last else {
      return outcome.edits.isEmpty ? "nothing to append" : "nothing new"
    }
    return seqs.count == 1
      ? "1 event appended (event \(first))"
      : "\(NumberText.count(seqs.count)) events appended (events \(first) to \(last))"
  }
}
