import LedgerJSON
import LedgerModel
import LedgerProjections

enum ShowSyncCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show sync", "show which edits wait for the backend, and why",
    group: .look,
    options: [
      .value("limit", "N", aliases: ["count"], short: "n", "at most N rows, those that wait first"),
      ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show sync"),
      CommandExample("ledger show sync --at yesterday", "what was waiting then"),
    ],
    notes: [
      "Pending edits leave with the next 'ledger sync'. One in doubt was sent and its answer lost; "
        + "the next sync finds out. One that is held waits for another edit, one that was rejected "
        + "for a correction, one in conflict for 'ledger resolve'."
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let given = try arguments.integer("limit", in: 0 ... .max)
    let limit = given ?? (console.json ? .max : defaultLimit)
    let (outbox, counts) = try ledger.ask(arguments) { state in
      let outbox = try Outbox(
        state, in: ledger.view, limit: limit, editsPerItem: console.json ? .max : countedAtMost)
      return (outbox, state.syncCounts())
    }
    try console.answer(each: outbox.items.lazy.map(\.json)) {
      try OutboxText(outbox: outbox, counts: counts).write(to: console)
    }
    return .done
  }

  /// As many rows as a screen has, of which one may be an import's thousands.
  private static let defaultLimit = 30
  /// The edits of a row that are counted, not only shown.
  fileprivate static let countedAtMost = 100
}

private struct OutboxText {
  let outbox: Outbox
  let counts: SyncCounts

  func write(to console: Console) throws(OutputFailure) {
    guard !outbox.items.isEmpty else {
      return try console.line("Nothing waits for the backend.")
    }
    var table = Table([
      .left("what", shrinks: true), .left("state"), .left("events", shrinks: true),
      .wrapping("why"),
    ])
    for item in outbox.items {
      table.add(
        .init(item.words), .init(item.state.words, item.state.style),
        .init(Self.numbers(item.events), .dim),
        .init(item.cause ?? ""))
    }
    try console.write(table)
    if others > 0 {
      try console.line("and \(counted(others, "more edit"))")
      console.note("see more: ledger show sync -n \(10 * outbox.items.count); all: --json", .dim)
    }
    try writeRefused(to: console)
    for advice in advice { try console.line(console.paint.dim(console.shown(advice))) }
  }

  /// The number of edits beyond the limit.
  private var others: Int {
    let shown = outbox.items.reduce(0) { sum, item in
      if case .formerRow = item.subject { sum } else { sum + item.events.count }
    }
    let waiting =
      counts.pending + counts.inDoubt + counts.held + counts.rejected + counts.conflicts
    return waiting - shown
  }

  private static let shownAtMost = 5

  /// The bodies of refused calls.
  private func writeRefused(to console: Console) throws(OutputFailure) {
    let refused = outbox.items.filter { $0.body != nil }
    for item in refused.prefix(Self.shownAtMost) {
      guard let body = item.body else { continue }
      try console.line()
      try console.line("\(item.words) \(Self.numbers(item.events)) was sent as")
      for line in PrettyJSON.lines(body) { try console.line(console.shown(line)) }
    }
    let more = refused.count - Self.shownAtMost
    if more > 0 { console.note("\(NumberText.count(more)) more were refused; see --json") }
  }

  /// At most twelve numbers: an item may have thousands of edits, and the widest cell sets the
  /// column's width.
  private static func numbers(_ events: [Seq]) -> String {
    let shown = events.prefix(12).map { "#\($0)" }.joined(separator: " ")
    let more = events.count - 12
    guard more > 0 else { return shown }
    let isAll = events.count < ShowSyncCommand.countedAtMost
    return isAll ? "\(shown) and \(NumberText.count(more)) more" : "\(shown) and many more"
  }

  private var advice: [String] {
    let states = Set(outbox.items.map(\.state))
    var advice: [String] = []
    if states.contains(.pending) || states.contains(.inDoubt) {
      advice.append("send them: ledger sync")
    }
    var remedies: [String] = []
    for item in outbox.items where item.state != .pending && item.state != .inDoubt {
      guard let remedy = item.remedy else { continue }
      let line = "\(item.words) \(item.state.words): \(remedy)"
      if !remedies.contains(line) { remedies.append(line) }
    }
    advice += remedies.prefix(Self.shownAtMost)
    if remedies.count > Self.shownAtMost {
      advice.append("and \(NumberText.count(remedies.count - Self.shownAtMost)) more; see --json")
    }
    return advice
  }
}

extension Outbox.State {
  var words: String {
    switch self {
    case .inDoubt: "in doubt"
    case .pending, .held, .rejected, .conflict: rawValue
    }
  }

  var style: Paint.Style {
    switch self {
    case .pending: .dim
    case .inDoubt, .held: .yellow
    case .rejected, .conflict: .red
    }
  }
}

extension Outbox.Item {
  var words: String {
    switch subject {
    case .profile(let subject): subject.rawValue
    case .entry(_, let metric): metric.words
    case .session: "sleep session"
    case .erasedEntry: "erased entry"
    case .erasedSession: "erased sleep session"
    case .duplicates: "duplicate rows"
    case .formerRow: "old row of an entry"
    }
  }

  var cause: String? {
    switch state {
    case .held: text.map { HoldReason(rawValue: $0)?.cause ?? $0 }
    case .rejected: text.map { text in status.map { "\(text) (\($0))" } ?? text }
    case .conflict: "a person has to decide"
    case .pending where needsNoCall: "deleted before it was sent: no call is needed"
    case .pending, .inDoubt: nil
    }
  }

  /// The command that unblocks them; `nil` if there is none.
  var remedy: String? {
    switch state {
    case .held: return text.flatMap { HoldReason(rawValue: $0)?.remedy }
    case .rejected:
      switch subject {
      case .profile(let subject): return "ledger append \(subject.rawValue) …"
      case .entry, .session: return logged.map { "ledger append correction \($0) …" }
      case .erasedEntry, .erasedSession, .duplicates, .formerRow: return nil
      }
    case .conflict:
      guard let first = conflicts.first else { return "ledger conflicts" }
      let others = conflicts.dropFirst().map(\.seq)
      return first.remedy + (others.isEmpty ? "" : ", and \(SyncText.list(others))")
    case .pending, .inDoubt: return "ledger sync"
    }
  }

  var json: JSONObject {
    let (subject, entry): (String, EntryID?) =
      switch subject {
      case .profile(let subject): (subject.rawValue, nil)
      case .session(let id), .erasedSession(let id): ("sleep", id)
      case .entry(let id, _), .erasedEntry(let id), .duplicates(let id), .formerRow(let id):
        ("progress", id)
      }
    return JSONObject([
      "subject": subject, "entry": entry, "events": events, "state": state.rawValue,
      state == .held ? "reason" : "message": text, "status": status, "body": body,
      "cause": state == .held ? cause : nil,
      "conflicts": conflicts.isEmpty ? nil : conflicts.map(\.seq), "remedy": remedy,
    ])
  }
}
