import LedgerModel

/// `log` for people: a row an event, newest first, written as it is read.
struct LogText {
  private let times: TimeText
  private let words: EventWords
  private let console: Console
  private let numberWidth: Int
  /// The columns that are left for what happened; `nil` where lines may be long.
  private let roomForWords: Int?
  private let isWide: Bool

  private static let timeWidth = 16
  private static let actorWidth = 6
  private static let entryWidth = 13

  init(zone: LocalZone, names: EntryNames, newest: Int, console: Console) {
    times = TimeText(zone: zone)
    words = EventWords(names: names)
    self.console = console
    numberWidth = max(3, String(newest).count)
    let width = console.isTerminal ? console.width : nil
    isWide = width.map { $0 >= 90 } ?? true
    let taken = numberWidth + 2 + Self.timeWidth + 2
    let more = isWide ? Self.actorWidth + 2 + Self.entryWidth + 2 : 0
    roomForWords = width.map { max(16, $0 - taken - more) }
  }

  func writeHeader() throws(OutputFailure) {
    try console.line(
      console.paint.dim(row(number: "seq", time: "time", actor: "by", entry: "entry", "what")))
  }

  func write(_ recorded: RecordedEvent) throws(OutputFailure) {
    let event = recorded.event
    let text = escapedForTerminal(words.sentence(event))
    let paint = console.paint
    try console.line(
      row(
        number: paint.dim(left(recorded.seq.description, numberWidth)),
        time: times.minute(event.at), actor: event.by.rawValue,
        entry: words.entry(event).map { EntryText.short($0) } ?? "",
        paint.apply(
          event.payload.style, roomForWords.map { truncated(text, columns: $0) } ?? text)))
  }

  private func row(
    number: String, time: String, actor: String, entry: String, _ words: String
  ) -> String {
    var cells = [left(number, numberWidth), right(time, Self.timeWidth)]
    if isWide {
      cells.append(right(actor, Self.actorWidth))
      cells.append(console.paint.dim(right(entry, Self.entryWidth)))
    }
    return (cells + [words]).joined(separator: "  ")
  }

  private func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func right(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Event.Payload {
  /// What a person should see first: what went wrong, and what waits for them.
  fileprivate var style: Paint.Style? {
    switch self {
    case .syncRejected, .conflictDetected: .red
    case .syncHeld, .syncDeferred, .duplicateSuspected, .logRepaired: .yellow
    case .syncAttempted, .syncAcknowledged, .unknown, .erased: .dim
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .profilePulled, .progressPulled, .conflictResolved,
      .editUndone, .accountSignedIn, .accountSignedOut, .eventErased:
      nil
    }
  }
}
