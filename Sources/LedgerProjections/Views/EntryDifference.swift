public import LedgerModel

/// An entry that is not at one moment what it was at another.
public struct EntryDifference: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Logged or pulled in between.
    case added
    /// Logged and deleted again in between.
    case cameAndWent = "came_and_went"
    /// Another quantity, date, time or notes.
    case corrected
    case deleted
    /// Its deletion was undone.
    case restored
    /// Its logging was undone, so that it counts as never made.
    case unmade = "undone"
    /// The same entry, which the backend now has, has refused or no longer answers for.
    case standing
  }

  public var kind: Kind
  /// `nil` for an entry that there was not yet.
  public var before: EntryView?
  /// `nil` for one that counts as never made.
  public var after: EntryView?
  /// Its edits that were made in between and count, oldest first.
  public var edits: [Seq]

  /// - Returns: `nil` where nothing changed.
  init?(before: EntryView?, after: EntryView?, edits: @autoclosure () -> [Seq]) {
    guard before != after, let kind = Kind(before, after) else { return nil }
    self.kind = kind
    self.before = before
    self.after = after
    self.edits = edits()
  }
}

extension EntryDifference.Kind {
  init?(_ before: EntryView?, _ after: EntryView?) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, let after?): self = after.isDeleted ? .cameAndWent : .added
    case (_?, nil): self = .unmade
    case (let before?, let after?):
      if before.isDeleted != after.isDeleted {
        self = after.isDeleted ? .deleted : .restored
      } else {
        self = before.says(sameAs: after) ? .standing : .corrected
      }
    }
  }
}

extension EntryView {
  /// Whether a person would see the same in both, whatever the backend has.
  fileprivate func says(sameAs other: EntryView) -> Bool {
    quantity == other.quantity && date == other.date && moment == other.moment
      && notesIn == other.notesIn
  }
}
