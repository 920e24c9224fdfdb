import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum ExplainCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "explain", "show every event of an edit or an entry, and its status",
    group: .look,
    arguments: [
      .required("SEQ|ENTRY", "an event by its number, or an entry by a unique start of its id")
    ],
    examples: [
      CommandExample("ledger explain 17"),
      CommandExample("ledger explain 019b6fbd-1c2a", "an entry, with its corrections"),
      CommandExample("ledger explain 17 --json", "its events as they are stored"),
    ],
    notes: [
      "An edit of an entry is shown with the entry; a call or an answer with its edits; an undo or an "
        + "erasure with the events that it removed."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let times = TimeText(zone: try ledger.zone())
    let explanation = try ledger.ask { state in
      let seq = try seq(arguments.required("SEQ|ENTRY"), in: state, of: ledger.view)
      return try Explanation(of: seq, state, in: ledger.view)
    }
    if console.json {
      try console.write(bytes: json(explanation))
      return .done
    }
    let text = ExplainText(explanation, names: EntryNames(ledger), times: times, console: console)
    try console.write(text.lines.map { $0 + "\n" }.joined())
    return .done
  }

  /// - Parameter text: an event's seq, if all are digits; else an entry's id or a prefix of it.
  /// - Throws: a failure with exit code 4 for an unknown event or entry.
  private static func seq(
    _ text: String, in state: LedgerState, of view: LogView
  ) throws -> Seq {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else {
      return try EntryArgument.find(text, in: state, of: view).seq
    }
    guard let seq = Int(text), (1...max(1, state.position.seq)).contains(seq) else {
      throw CommandFailure(
        .notFound, "there is no event \(text); the log ends with event \(state.position.seq)",
        code: "unknown-event")
    }
    return Seq(seq)
  }

  /// Contains the lines as stored, byte for byte.
  private static func json(_ explanation: Explanation) -> [UInt8] {
    let status = EditStatusText(explanation)
    let head = JSONObject([
      "entry": explanation.entry?.entry.id ?? explanation.session?.session.id,
      "backend_id": explanation.entry?.backendID ?? explanation.session?.backendID,
      "status": explanation.status.code.rawValue, "why": status.cause,
    ])
    var bytes = Array(head.serialized.utf8.dropLast()) + Array(#","events":["#.utf8)
    bytes += explanation.history.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
    return bytes + Array("]}\n".utf8)
  }
}

/// The answer to `explain` as text: the entry, a dated line for each event, the status.
private struct ExplainText {
  private let explanation: Explanation
  private let names: EntryNames
  private let times: TimeText
  private let console: Console
  private let width: Int?

  init(_ explanation: Explanation, names: EntryNames, times: TimeText, console: Console) {
    (self.explanation, self.names, self.times) = (explanation, names, times)
    self.console = console
    width = console.isTerminal ? console.width : nil
  }

  var lines: [String] { header + history + status }

  private var header: [String] {
    if case .session = explanation.subject, let session = explanation.session?.session {
      guard explanation.status.code != .undone else { return [] }
      let text =
        "sleep \(SleepText.period(session.start, session.end))"
        + (session.isDeleted ? ", deleted" : "")
      return [console.paint.bold(text), console.paint.dim("entry \(session.id)")]
    }
    guard case .entry = explanation.subject, explanation.status.code != .undone,
      let entry = explanation.entry?.entry
    else { return [] }
    let text =
      EntrySentence(units: names.units, home: times.zone).sentence(entry)
      + (entry.isDeleted ? ", deleted" : "")
    return [console.paint.bold(text), console.paint.dim("entry \(entry.id)")]
  }

  private var history: [String] {
    let sentences = HistoryText(explanation, EventText(names: names, home: times.zone), times)
    let numbers = explanation.history.map { "\($0.recorded.seq)" }
    let numberWidth = max(3, numbers.map(\.count).max() ?? 0)
    var shown: [String] = []
    for (number, line) in zip(numbers, explanation.history) {
      let event = line.recorded.event
      let (text, style) = sentences.sentence(line.recorded)
      let when = times.second(event.at)
      // On a narrow terminal the text follows in its own lines.
      let isNarrow = width.map { $0 < 60 } ?? false
      let taken = numberWidth + 2 + (isNarrow ? 0 : when.count + 2)
      let margin = String(repeating: " ", count: taken)
      let lead =
        String(repeating: " ", count: numberWidth - number.count)
        + "\(console.paint.dim(number))  \(when)"
      if isNarrow { shown.append(lead) }
      for (index, row) in wrapped(text, at: width.map { $0 - taken }).enumerated() {
        let start = index == 0 && !isNarrow ? lead + "  " : margin
        shown.append(start + console.paint.apply(style, row))
      }
      if case .syncRejected(let data) = event.payload, let body = data.body {
        // What was sent, to compare with the backend's message.
        shown += PrettyJSON.lines(body).map { margin + escapedForTerminal($0) }
      }
    }
    return shown
  }

  private var status: [String] {
    let text = EditStatusText(explanation)
    let rows = wrapped("\(text.status): \(text.cause)", at: width)
    let first = rows.first?.dropFirst(text.status.count) ?? ""
    return [console.paint.apply(explanation.status.code.style, text.status) + first]
      + rows.dropFirst()
  }

  private func wrapped(_ text: String, at width: Int?) -> [String] {
    let shown = escapedForTerminal(text)
    guard let width else { return [shown] }
    return LedgerCLI.wrapped(shown, width: max(12, width))
  }
}

/// Sentences for the events of one subject.
private struct HistoryText {
  private let events: EventText
  private let times: TimeText
  /// Whether every call and answer must name its edits.
  private let hasManyEdits: Bool
  private let answered: Set<CallID>
  /// Edits that were answered, and suspected duplicates that were decided or whose rows are gone.
  private let decided: Set<Seq>

  init(_ explanation: Explanation, _ events: EventText, _ times: TimeText) {
    (self.events, self.times) = (events, times)
    hasManyEdits = explanation.edits.count > 1
    answered = Set(
      explanation.history.compactMap { line in
        switch line.recorded.event.payload {
        case .syncDeferred(let data): data.call
        case .syncRejected(let data): data.call
        case .syncDiffered(let data): data.call
        case .syncAcknowledged(let data) where data.via == .response: data.call
        default: nil
        }
      })
    decided = Set(
      explanation.history.flatMap { line -> [Seq] in
        switch line.recorded.event.payload {
        case .duplicateResolved(let data): [data.suspicion]
        case .syncAcknowledged(let data): data.events
        default: []
        }
      })
  }

  func sentence(_ recorded: RecordedEvent) -> (text: String, style: Paint.Style?) {
    switch recorded.event.payload {
    case .progressLogged: ("logged \(events.sentence(recorded))", nil)
    case .syncAttempted(let data): attempted(data)
    case .syncDeferred(let data): (deferred(data), .yellow)
    case .syncAcknowledged(let data): (acknowledged(data), .green)
    case .syncRejected(let data):
      ("rejected\(list(data.events)) (\(data.status)): \(data.message)", .red)
    case .syncHeld(let data):
      (
        "held\(list(data.events)) (\(data.reason)): \(SyncText.advice(onHold: data.reason))",
        .yellow
      )
    case .duplicateSuspected(let data):
      (
        "more rows at the backend may be this entry: "
          + data.backendIDs.map(\.text).joined(separator: ", ")
          + (decided.contains(recorded.seq)
            ? "" : "; decide by 'ledger resolve \(recorded.seq) --take one', or both"),
        .yellow
      )
    case .conflictDetected: (events.sentence(recorded), .red)
    case .erased(let type, _): ("\(type), its content erased", .dim)
    default: (events.sentence(recorded), nil)
    }
  }

  private func attempted(_ data: SyncAttempted) -> (String, Paint.Style?) {
    let isAnswered = answered.contains(data.call)
    let text =
      "\(data.method) \(data.path)\(list(data.events))"
      + (data.attempt > 1 ? ", attempt \(data.attempt)" : "")
    return (text + (isAnswered ? "" : "; no answer came"), isAnswered ? nil : .yellow)
  }

  private func deferred(_ data: SyncDeferred) -> String {
    SyncText.words(data.reason) + (data.status.map { " (\($0))" } ?? "") + list(data.events)
      + (data.notBefore.map { ", not before \(times.second($0))" } ?? "")
  }

  private func acknowledged(_ data: SyncAcknowledged) -> String {
    let status = data.status.map { " (\($0))" } ?? ""
    let row = data.backendID.map { " as \($0)" } ?? ""
    let deleted = data.backendID.map { "\($0)" } ?? "its row"
    let list = list(data.events)
    return switch (data.via, data.status) {
    case (.elided, _): "nothing left to send\(list)"
    case (.reconciled, _): "found at the backend\(list)\(row)"
    case (.response, 204): "the backend deleted \(deleted)\(list)\(status)"
    case (.response, 404): "the backend no longer had \(deleted)\(list)\(status)"
    case (.response, _): "acknowledged\(list)\(status)\(row)"
    }
  }

  private func list(_ events: [Seq]) -> String {
    hasManyEdits || events.count > 1 ? " for \(SyncText.list(events))" : ""
  }
}

/// Words for a sync status and its cause.
private struct EditStatusText {
  private let explanation: Explanation

  init(_ explanation: Explanation) { self.explanation = explanation }

  var status: String { words(explanation.status.code) }

  /// Starts in lower case, without a full stop.
  var cause: String { cause(of: explanation.status) }

  private func words(_ code: EditStatus.Code) -> String {
    code == .inDoubt ? "in doubt" : code.rawValue
  }

  private func cause(of status: EditStatus) -> String {
    switch status {
    case .unsent where isDeletedUnsent:
      "it was deleted before it was sent, so the next 'ledger sync' settles it without a call"
    case .unsent: "send it: ledger sync"
    case .deferred(let reason): "\(SyncText.words(reason)); try again: ledger sync"
    case .inDoubt: "it was sent and no answer is known; the next 'ledger sync' finds out"
    case .held(let reason): SyncText.advice(onHold: reason)
    case .rejected(let status, let message):
      "the backend refused it (\(status)), \(message); "
        + "correct it with '\(correction) …', and sync again"
    case .differing(let conflict):
      (explanation.entry == nil && explanation.session == nil
        ? "the backend changed it too: " : "the backend has other values: ")
        + (conflict?.remedy ?? "ledger conflicts")
    case .synced(let row): row.map { "the backend has it as \($0)" } ?? "nothing is to be sent"
    case .acknowledged(let neededCall, let later):
      later.isEmpty
        ? (!neededCall
          ? "there was nothing left to send of it"
          : explanation.canBeReadBack
            ? "the backend has it"
            : "the backend took it; another device may have changed it since, which the API does not tell")
        : (neededCall ? "the backend took it" : "there was nothing left to send of it")
          + "; since replaced by \(SyncText.list(later))"
    case .deleted(wasSent: true): "it was deleted here, and the backend no longer has it"
    case .deleted(wasSent: false):
      "it was deleted here, and the backend does not have it"
    case .undone:
      "it was undone, and is not sent"
        + (explanation.redoneBy.map { "; event \($0) made it again: ledger explain \($0)" } ?? "")
    case .openConflict(let conflict): "decide it: \(conflict.remedy)"
    case .replacedConflict(let later): "conflict \(later) over the same field took its place"
    case .decidedConflict(let conflict, let resolution): decided(conflict, resolution)
    case .several(let counts): several(counts)
    case .erased: "its content was removed; its place in the log and its proof stay"
    case .notEdit(.unknownType):
      "this version does not know its type; it is kept, and shows in no view"
    case .notEdit(.pulled): "it says what the backend had; nothing is to be sent"
    case .notEdit(.noEntry):
      "the ledger has no such entry, which may be erased, so it is not sent"
    case .notEdit(.other): "it is not an edit, so it is not sent"
    }
  }

  private var isDeletedUnsent: Bool {
    explanation.entry.map { $0.entry.isDeleted && $0.backendID == nil }
      ?? explanation.session.map { $0.session.isDeleted && $0.backendID == nil } ?? false
  }

  /// The command that corrects a refused edit.
  private var correction: String {
    "ledger append "
      + ((explanation.entry?.entry.seq ?? explanation.session?.session.seq).map {
        "correction \($0)"
      }
        ?? "profile, physical or preferences")
  }

  private func decided(_ conflict: ConflictView, _ resolution: EditStatus?) -> String {
    let (whose, other) =
      conflict.decision == .local ? ("your value", "remote") : ("the backend's value", "local")
    let choice = "\(conflict.resolution == nil ? "the policy chose" : "you chose") \(whose); "
    // Only a field of the profile can be decided again.
    let again =
      conflict.field == nil
      ? "a correction changes the entry"
      : "the other way: ledger resolve \(conflict.seq) --take \(other)"
    return choice + (resolution.map { cause(of: $0) } ?? again)
  }

  private func several(_ counts: [EditStatus.Code: Int]) -> String {
    guard !counts.isEmpty else { return "none of what it names is an edit" }
    let parts = EditStatus.Code.byUrgency.compactMap { code in
      counts[code].map { "\(NumberText.count($0)) \(words(code))" }
    }
    return "of the edits that it was about, \(parts.joined(separator: ", "))"
  }
}

extension EditStatus.Code {
  fileprivate var style: Paint.Style {
    switch self {
    case .synced, .decided: .green
    case .pending, .inDoubt, .held: .yellow
    case .rejected, .conflict: .red
    case .undone, .erased, .deleted, .recorded: .dim
    }
  }
}

extension Explanation {
  /// Whether the API gives back what the edits set: it gives neither height nor sex.
  fileprivate var canBeReadBack: Bool {
    !history.contains { line in
      guard edits.contains(line.recorded.seq),
        case .physicalUpdated(let data) = line.recorded.event.payload
      else { return false }
      return data.heightCM != nil || data.biologicalSex != nil
    }
  }
}
