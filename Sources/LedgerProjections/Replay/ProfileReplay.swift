package import LedgerLog
import LedgerModel

extension Replay {
  /// The profile at a log's end, with each chain link checked, in memory that does not grow with the
  /// entries: of those that a part of the log holds, none is kept.
  ///
  /// - Parameter partBytes: about how much of the log is read at once.
  /// - Throws: ``LogError``, damage included.
  package static func profile(
    of view: LogView, partBytes: Int = 4 << 20
  ) throws(LogError) -> ProfileView {
    var kept = ProfileBatch()
    var reader = BatchReader(from: .start, offsetBytes: 0, checks: .chain)
    let buffer = WindowBuffer()
    for range in try LogRange.split(view, into: max(1, view.endBytes / partBytes)) {
      try reader.read(view, to: range.bytes.upperBound, through: buffer)
      kept.take(&reader.batch)
      reader.batch.restart(after: reader.scan.position.seq)
    }
    var state = LedgerState()
    state.foldProfile(&kept.profile, kept.marks, kept.others, upTo: reader.scan.position.seq)
    return state.profileView()
  }
}

/// The events of a log that the profile depends on.
private struct ProfileBatch {
  var profile = ProfileEdits()
  var marks: [Mark] = []
  var others: [RareEvent] = []
  /// Edits of the profile, whose answers count.
  private var edits: Set<UInt32> = []

  /// Takes what is of the profile from the next batch.
  mutating func take(_ batch: inout ColumnBatch) {
    for seqs in batch.profile.seqs { edits.formUnion(seqs) }
    for other in batch.others where isOfProfile(other.payload) {
      others.append(other)
      // A decision may be an edit of the profile.
      if case .conflictResolved = other.payload { edits.insert(UInt32(other.seq)) }
    }
    marks += batch.marks.filter { edits.contains($0.target) }
    profile.take(&batch.profile)
  }

  private func isOfProfile(_ payload: Event.Payload) -> Bool {
    switch payload {
    case .profilePulled, .conflictResolved, .accountReplaced: true
    case .conflictDetected(let data): EntryID(data.subject) == nil
    case .syncDiffered(let data): data.entry == nil
    case .syncAcknowledged(let data): data.remote != nil
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .progressPulled, .sleepLogged, .sleepCorrected,
      .sleepDeleted, .sleepPulled, .syncAttempted, .syncDeferred, .syncRejected, .syncHeld,
      .rowSkipped, .duplicateSuspected, .duplicateResolved, .goalSet, .goalRemoved, .editUndone,
      .accountSignedIn, .accountSignedOut, .eventErased, .logRepaired, .unknown, .erased:
      false
    }
  }
}
