package import LedgerLog
package import LedgerModel
package import LedgerStore

/// Reports an append: stored lines as JSON, otherwise a sentence per event.
package struct AppendAnswer {
  private let events: [RecordedEvent]
  /// By edit, the event of the log that has its id already; `nil` for a new one.
  private let known: [Seq?]
  /// The new lines in pieces of whole lines.
  private let lines: [[UInt8]]
  private let repairs: [LogRepair]
  private let directory: LedgerDirectory
  private let console: Console

  package init(_ outcome: LedgerStore.Outcome, of opened: OpenedLedger, on console: Console) {
    var (events, known): ([RecordedEvent], [Seq?]) = ([], [])
    for edit in outcome.edits {
      switch edit {
      case .appended(let event):
        events.append(event)
        known.append(nil)
      case .known(let seq): known.append(seq)
      }
    }
    (self.events, self.known, lines) = (events, known, [outcome.lines])
    (repairs, directory, self.console) = (outcome.repairs, opened.directory, console)
  }

  /// Only for a summary: a batch keeps no events.
  package init(
    _ outcome: LedgerStore.BatchOutcome, of opened: OpenedLedger, on console: Console
  ) {
    (events, known, lines) = ([], outcome.known, outcome.lines)
    (repairs, directory, self.console) = (outcome.repairs, opened.directory, console)
  }

  /// - Parameter sentence: describes an appended event.
  package func give(_ sentence: (RecordedEvent) -> String) throws {
    tellRepairs()
    tellKnown()
    try write {
      guard !console.json else { return try writeLines() }
      for event in events { try tell(sentence(event)) }
    }
  }

  /// Reports several events with one sentence.
  package func giveSummary(_ sentence: String) throws {
    tellRepairs()
    tellKnown()
    try write {
      guard !console.json else { return try writeLines() }
      try tell(sentence)
    }
  }

  /// If only the output fails, says that the edits are in the log, so that they are not appended
  /// twice.
  private func write(_ answer: () throws -> Void) throws {
    do {
      try answer()
      try console.flush()
    } catch let failure as OutputFailure where failure != .readerGone {
      console.warn("the edits are in the log; only the answer could not be given")
      throw failure
    }
  }

  private func tell(_ sentence: String) throws {
    try console.done(sentence)
  }

  private func tellRepairs() {
    for repair in repairs { console.tell(repair) }
    if VerificationRecord(directory).broken != nil {
      console.warn(
        "the log was found damaged when it was last checked; 'ledger doctor' says what to do")
    }
  }

  private func tellKnown() {
    let known = known.compactMap(\.self)
    guard let first = known.first else { return }
    console.note(
      known.count == 1
        ? "event \(first) has this id already; it was not written again"
        : "\(NumberText.count(known.count)) events have these ids already; "
          + "they were not written again")
  }

  /// Writes each edit's stored line in the edits' order, including those that already existed.
  private func writeLines() throws {
    guard known.contains(where: { $0 != nil }) else {
      for piece in lines { try console.write(bytes: piece) }
      return
    }
    let view = try LogView.open(directory)
    var appended = lines.lazy.flatMap { $0.split(separator: UInt8(ascii: "\n")) }.makeIterator()
    for seq in known {
      if let seq {
        try console.write(bytes: view.line(seq).bytes)
      } else if let line = appended.next() {
        try console.write(bytes: line)
      }
      try console.line()
    }
  }
}

extension Console {
  /// Reports what was repaired before the append.
  package func tell(_ repair: LogRepair) {
    switch repair {
    case .headWasMissing:
      warn(
        "the file 'head' was missing or unreadable and was written again; "
          + "had the log's end been cut off, this would hide it")
    case .adopted(let events):
      let what = events == 1 ? "1 event was" : "\(NumberText.count(events)) events were"
      note("\(what) left whole by an interrupted write, and kept")
    case .quarantined(let bytes, let file):
      let what = bytes == 1 ? "1 byte" : "\(NumberText.count(bytes)) bytes"
      warn("an interrupted write had left \(what) of no event; they are in quarantine/\(file)")
    }
  }
}
