package import LedgerLog
package import LedgerModel
package import LedgerProjections
package import LedgerStore

/// The argument ENTRY: digits are the number of the event that logged the entry, `@` is the entry
/// that the user edited last and `@2` the one before it; anything else is the entry's id or a prefix.
package enum EntryArgument {
  package static let help =
    "the entry: the number of the event that logged it, a unique start of its id, @ for the one "
    + "that you edited last, @2 for the one before"

  /// What an id or a number names.
  package enum Subject: Sendable {
    case entry(EntryView)
    case session(SleepView)

    package var id: EntryID {
      switch self {
      case .entry(let entry): entry.id
      case .session(let session): session.id
      }
    }

    /// The event that logged it.
    package var seq: Seq {
      switch self {
      case .entry(let entry): entry.seq
      case .session(let session): session.seq
      }
    }
  }

  /// The index of an entry's row or of a session.
  enum Place: Hashable {
    case entry(row: Int)
    case session(Int)
  }

  /// Several entries for a write, each once; `3..9` names those that these events logged.
  package static func find(_ words: [String], of ledger: LedgerStore) throws -> [Subject] {
    let view = try ledger.view()
    let first = { state in words.count == 1 ? logging(words[0], in: state, of: view) : nil }
    return try ledger.askLines(since: first) { try find(words, in: $0, of: view) }
  }

  /// - Parameters:
  ///   - includesDeleted: whether a range names deleted entries, too.
  ///   - view: the log of the state.
  package static func find(
    _ words: [String], includesDeleted: Bool = false, in state: LedgerState, of view: LogView
  ) throws -> [Subject] {
    var seen: Set<Place> = []
    var found: [Subject] = []
    for word in words {
      for place in try places(word, includesDeleted, in: state, of: view)
      where seen.insert(place).inserted {
        found.append(subject(place, in: state))
      }
    }
    return found
  }

  /// An entry for a write.
  package static func find(_ text: String, of ledger: LedgerStore) throws -> Subject {
    let view = try ledger.view()
    let first = { state in logging(text, in: state, of: view) }
    return try ledger.askLines(since: first) { try find(text, in: $0, of: view) }
  }

  /// The event that logged an entry, if the lines since then tell that it is meant: a part of an id may
  /// begin that of an earlier one, too.
  private static func logging(
    _ text: String, in state: LedgerState, of view: LogView
  ) -> Seq? {
    let isWhole =
      text.hasPrefix("@") || text.utf8.allSatisfy(isDigit) || EntryID(text.lowercased()) != nil
    return isWhole ? try? find(text, in: state, of: view).seq : nil
  }

  private static func places(
    _ text: String, _ includesDeleted: Bool, in state: LedgerState, of view: LogView
  ) throws -> [Place] {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count > 1 else { return [try place(text, in: state, of: view)] }
    guard ends.count == 2, let first = ends[0], let last = ends[1], 1 <= first, first <= last
    else {
      throw CommandFailure(.usage, "\(quoted(text)) is not a range of events such as 12..17")
    }
    let seqs = first...max(first, min(last, state.position.seq))
    let found = seqs.compactMap { seq in try? logged(by: "\(seq)", in: state) }
    let wanted = found.filter { includesDeleted || !isDeleted($0, in: state) }
    guard !wanted.isEmpty else {
      throw CommandFailure(
        .notFound, "the events \(text) logged no entry that still exists", code: "unknown-entry")
    }
    return wanted
  }

  private static func isDeleted(_ place: Place, in state: LedgerState) -> Bool {
    switch place {
    case .entry(let row): state.entry(at: row).isDeleted
    case .session(let index): state.session(at: index).isDeleted
    }
  }

  private static func subject(_ place: Place, in state: LedgerState) -> Subject {
    switch place {
    case .entry(let row): .entry(state.entry(at: row))
    case .session(let index): .session(state.session(at: index))
    }
  }

  package static func find(
    _ text: String, in state: LedgerState, of view: LogView
  ) throws -> Subject {
    subject(try place(text, in: state, of: view), in: state)
  }

  static func place(_ text: String, in state: LedgerState, of view: LogView) throws -> Place {
    if text.hasPrefix("@") { return try edited(text, in: state, of: view) }
    let isNumber = !text.isEmpty && text.utf8.allSatisfy(isDigit)
    return isNumber ? try logged(by: text, in: state) : try named(text, in: state)
  }

  private static func edited(
    _ text: String, in state: LedgerState, of view: LogView
  ) throws -> Place {
    let digits = text.dropFirst()
    guard let number = digits.isEmpty ? 1 : Int(digits), number > 0 else {
      throw CommandFailure(
        .usage,
        "\(quoted(text)) names no entry: @ is the one that you edited last, @2 the one before")
    }
    guard let seq = try state.loggingEdited(lastBut: number - 1, in: view) else {
      throw CommandFailure(
        .notFound,
        "\(quoted(text)) names no entry: you have edited \(number == 1 ? "none" : "fewer") here",
        hint: "what was imported or pulled is named by its number, as 'ledger log' lists it",
        code: "unknown-entry")
    }
    return try logged(by: "\(seq)", in: state)
  }

  private static func logged(
    by text: String, in state: LedgerState
  ) throws(CommandFailure) -> Place {
    guard let seq = Int(text), (1...state.position.seq).contains(seq) else {
      throw CommandFailure(
        .notFound, "there is no event \(text); the log ends with event \(state.position.seq)",
        code: "unknown-event")
    }
    let place: Place
    let logging: Int
    if let row = state.edits.row(seq) {
      (place, logging) = (.entry(row: row), Int(state.rows[row].seq))
    } else if let index = state.session(ofEdit: seq) {
      (place, logging) = (.session(index), state.session(at: index).seq.number)
    } else {
      throw CommandFailure(
        .notFound, "event \(seq) is not of an entry",
        hint: "'ledger explain \(seq)' shows what it is", code: "unknown-entry")
    }
    guard logging == seq else {
      throw CommandFailure(
        .notFound, "event \(seq) logged no entry, it changed that of event \(logging)",
        hint: "name the entry by \(logging)", code: "unknown-entry")
    }
    guard state.edits.state(seq) != .undone else {
      throw CommandFailure(
        .notFound, "event \(seq) was undone; if its entry was logged again, it has another number",
        hint: "'ledger explain \(seq)' names the event that made it again, if one did",
        code: "unknown-entry")
    }
    return place
  }

  private static func hint(_ text: String) -> String {
    if text.lowercased() == "goal" {
      return "'ledger append goal METRIC' changes a goal, and --remove removes it"
    }
    if let metric = Metric(spoken: text) {
      let view = metric == .sleepHours ? "show sleep" : "show progress --metric \(metric.name)"
      return "'ledger \(view)' shows the numbers of entries"
    }
    // A date is not three numbers of entries.
    let day = DayAndTime(text)?.day ?? text
    if NamedDay(day) != nil || !NamedDay.dates(in: day).isEmpty {
      let word = NamedDay(day) == nil ? "D" : ShellText.word(day)
      return "'ledger show progress --from \(word) --to \(word)' shows the numbers of that day's "
        + "entries"
    }
    let numbers = text.split { ",;".contains($0) }
    if numbers.count > 1, numbers.allSatisfy({ Int($0) != nil }) {
      return "several are given apart, as \(numbers.joined(separator: " ")); a range is 4..7"
    }
    let ends = text.split(separator: "-").compactMap { Int($0) }
    if ends.count == 2, 0 < ends[0], ends[0] < ends[1] {
      return "a range is written \(ends[0])..\(ends[1])"
    }
    return text.lowercased() == "last"
      ? "@ is the entry that you edited last, @2 the one before"
      : "an entry is named by the number of the event that logged it, or by its id"
  }

  private static func named(
    _ text: String, in state: LedgerState
  ) throws(CommandFailure) -> Place {
    let typed = text.lowercased()
    if let id = EntryID(typed) {
      if let row = state.row(of: id) { return .entry(row: row) }
      if let index = state.session(of: id) { return .session(index) }
    }
    let rows = typed.isEmpty ? [] : state.rows(withPrefix: typed)
    let sessions = typed.isEmpty ? [] : state.sessions(withPrefix: typed)
    guard
      let last = rows.last.map({ .entry(row: $0) }) ?? sessions.last.map({ Place.session($0) })
    else {
      throw CommandFailure(
        .notFound, "there is no entry whose id begins with \(quoted(text))",
        hint: hint(text), code: "unknown-entry")
    }
    let ids = rows.map { EntryID(state.rows[$0].id) } + sessions.map { state.session(at: $0).id }
    let count = Set(ids).count
    guard count == 1 else {
      throw CommandFailure(
        .usage,
        "\(quoted(text)) begins the ids of \(NumberText.count(count)) entries; give more of the id, "
          + "or the number of the event that logged it")
    }
    return last
  }
}
