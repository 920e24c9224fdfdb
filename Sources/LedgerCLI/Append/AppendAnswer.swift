package import LedgerLog
package import LedgerModel
package import LedgerStore

/// Reports an append: stored lines as JSON, otherwise a sentence per event.
package struct AppendAnswer {
  private let outcome: LedgerStore.Outcome
  private let directory: LedgerDirectory
  private let console: Console

  package init(_ outcome: LedgerStore.Outcome, of opened: OpenedLedger, on console: Console) {
    self.outcome = outcome
    directory = opened.directory
    self.console = console
  }

  /// - Parameter sentence: describes an appended event.
  package func give(_ sentence: (RecordedEvent) -> String) throws {
    tellRepairs()
    tellKnown()
    try write {
      guard !console.json else { return try writeLines() }
      for case .appended(let event) in outcome.edits { try tell(sentence(event)) }
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
    try console.line("\(console.paint.green("✓")) \(console.shown(sentence))")
  }

  private func tellRepairs() {
    for repair in outcome.repairs { console.tell(repair) }
  }

  private func tellKnown() {
    let known = outcome.edits.compactMap { edit in
      switch edit {
      case .appended: nil as Seq?
      case .known(let seq): seq
      }
    }
    guard let first = known.first else { return }
    console.note(
      known.count == 1
        ? "event \(first) has this id already; it was not written again"
        : "\(NumberText.count(known.count)) events have these ids already; "
          + "they were not written again")
  }

  /// Writes each edit's stored line in the edits' order, including those that already existed.
  private func writeLines() throws {
    let hasKnown = outcome.edits.count > outcome.lines.count { $0 == UInt8(ascii: "\n") }
    guard hasKnown else { return try console.write(bytes: outcome.lines) }
    let view = try LogView.open(directory)
    var appended = outcome.lines.split(separator: UInt8(ascii: "\n")).makeIterator()
    for edit in outcome.edits {
      switch edit {
      case .appended:
        if let line = appended.next() { try console.write(bytes: line) }
      case .known(let seq):
        try console.write(bytes: view.line(seq).bytes)
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
