import LedgerJSON
import LedgerLog
import LedgerModel

/// Which events `log` is asked for.
struct LogFilter {
  var since: Moment?
  var until: Moment?
  /// A type, or the part of it before the point.
  var type: String?
  var entry: EntryID?
  /// The events that were found to be about the entry: answers name them by their seq.
  private var ofEntry: Set<Int> = []

  var takesAll: Bool { since == nil && until == nil && type == nil && entry == nil }

  /// Whether a line matches whatever stands before it. An entry's answers name it only by the seqs
  /// of its edits.
  var judgesEachLineAlone: Bool { entry == nil }

  /// The last seq that can match.
  var lastSeq: Int? { if case .seq(let seq) = until { seq.number } else { nil } }

  /// Where to begin; an entry's answers can be told only by its edits, which stand before them.
  var firstSeq: Seq? {
    if entry == nil, case .seq(let seq) = since { seq } else { nil }
  }

  mutating func matches(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault) -> Bool {
    // First, so that the entry's edits are known whatever else is asked.
    if let entry, try !concerns(entry, envelope, in: bytes) { return false }
    if let since, !isReached(since, envelope, in: bytes) { return false }
    if let until, isPast(until, envelope, in: bytes) { return false }
    if let type, !isOfType(type, envelope, in: bytes) { return false }
    return true
  }

  private func isReached(_ moment: Moment, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch moment {
    case .seq(let seq): envelope.seq >= seq.number
    case .time(let time): envelope.milliseconds(in: bytes) >= time.millisecondsSince1970
    }
  }

  private func isPast(_ moment: Moment, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch moment {
    case .seq(let seq): envelope.seq > seq.number
    case .time(let time): envelope.milliseconds(in: bytes) > time.millisecondsSince1970
    }
  }

  private func isOfType(_ type: String, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    bytes.extracting(envelope.type).withUnsafeBytes { name in
      name.starts(with: type.utf8)
        && (name.count == type.utf8.count || name[type.utf8.count] == UInt8(ascii: "."))
    }
  }

  private mutating func concerns(
    _ entry: EntryID, _ envelope: Envelope, in bytes: RawSpan
  ) throws(LineFault) -> Bool {
    // Most lines name some other entry in their first member, as this program writes them.
    if bytes.holds(#"{"entry":""#, at: envelope.data.lowerBound),
      let other = UUIDText.read(bytes, at: envelope.data.lowerBound + 10), other != entry.uuid
    {
      return false
    }
    guard !envelope.isErased, mayConcern(entry, envelope, in: bytes) else { return false }
    let payload = try EventReader.event(envelope, in: bytes).event.payload
    guard payload.concerns(entry, or: ofEntry) else { return false }
    ofEntry.insert(envelope.seq)
    return true
  }

  /// Whether a line is worth decoding. Calls and their answers are half of a log, and a look at
  /// what they name tells most of them apart.
  private func mayConcern(_ entry: EntryID, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    guard bytes.holds("sync.", at: envelope.type.lowerBound) else { return true }
    return EventsMember.mayName(ofEntry, envelope.data, in: bytes)
      || names(entry, envelope.data, in: bytes)
  }

  /// For lines without an escape; in others every event may be named.
  private func names(_ entry: EntryID, _ data: Range<Int>, in bytes: RawSpan) -> Bool {
    // `"entry":"`, the id, `"}`.
    data.count >= 47
      && (data.lowerBound...data.upperBound - 47).contains { place in
        bytes.byte(place) == UInt8(ascii: "\"") && bytes.holds(#""entry":""#, at: place)
          && UUIDText.read(bytes, at: place + 9) == entry.uuid
      }
  }

  /// What a person may have meant who found nothing.
  var hint: String? {
    guard let type else { return nil }
    let families = Set(EventKind.allCases.map { String($0.rawValue.prefix { $0 != "." }) })
    let known = EventKind.allCases.map(\.rawValue) + families.sorted()
    guard !known.contains(type) else { return nil }
    let near = nearest(to: type, among: known)
    return "no event type is known as \(quoted(type))"
      + (near.isEmpty ? "" : "; did you mean \(listed(near))?")
  }
}

extension Event.Payload {
  /// Whether an event is about an entry: names it, or one of the events that are.
  fileprivate func concerns(_ entry: EntryID, or events: Set<Int>) -> Bool {
    switch self {
    case .progressLogged(let data): data.entry == entry
    case .progressPulled(let data): data.entry == entry
    case .progressCorrected(let data): data.entry == entry
    case .progressDeleted(let data): data.entry == entry
    case .duplicateSuspected(let data): data.entry == entry
    case .syncAcknowledged(let data): data.entry == entry || data.events.touch(events)
    case .syncAttempted(let data): data.events.touch(events)
    case .syncDeferred(let data): data.events.touch(events)
    case .syncRejected(let data): data.events.touch(events)
    case .syncHeld(let data): data.events.touch(events)
    case .editUndone(let data): [data.event].touch(events)
    case .eventErased(let data): [data.event].touch(events)
    case .conflictDetected(let data): data.subject == entry.description
    case .conflictResolved(let data): [data.conflict].touch(events)
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .profilePulled,
      .accountSignedIn, .accountSignedOut, .logRepaired, .unknown, .erased:
      false
    }
  }
}

extension [Seq] {
  fileprivate func touch(_ events: Set<Int>) -> Bool { contains { events.contains($0.number) } }
}
