package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// An entry with the texts that only the log's lines contain.
public struct DetailedEntry: Hashable, Sendable {
  /// The entry.
  public let entry: EntryView
  /// `nil` for none.
  public let notes: String?
  /// The backend's row; `nil` if it has none.
  public let backendID: BackendID?

  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(_ entry: EntryView, in view: LogView) throws(LogError) {
    self.entry = entry
    notes = try entry.notesIn.flatMap { seq throws(LogError) in try view.notes(setBy: seq) }
    backendID = try entry.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
  }
}

/// A sleep session with what only the log's lines contain.
public struct DetailedSession: Hashable, Sendable {
  /// The session.
  public let session: SleepView
  /// Its stages, notes and source.
  public let texts: SleepTexts
  /// The backend's row; `nil` if it has none.
  public let backendID: BackendID?

  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(_ session: SleepView, in view: LogView) throws(LogError) {
    self.session = session
    texts = try view.texts(of: session)
    backendID = try session.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
  }
}
