import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast way into columns: members in the order this program writes them, or else in any order.
/// Whatever looks wrong, or has members that nobody knows, goes the general way. Each reader steps
/// from the object's first brace over its last.
extension FieldScanner {
  /// A `progress.logged`, put behind the other rows.
  ///
  /// - Parameter faults: what has been found of the line's hexadecimal digits, to be judged at its
  ///   end; those of the entry's id are added.
  /// - Returns: where it ends.
  mutating func logged(
    _ bytes: RawSpan, at start: Int, seq: Int, _ faults: inout FastHex.Words,
    into rows: inout OutputSpan<EntryRow>
  ) -> Int? {
    var position = start
    let before = faults
    guard let row = loggedInOrder(bytes, at: &position, seq: seq, &faults) else {
      (position, faults) = (start, before)
      guard let row = loggedInAnyOrder(bytes, at: &position, seq: seq) else { return nil }
      rows.append(row)
      return position
    }
    rows.append(row)
    return position
  }

  @inline(__always)
  private mutating func loggedInOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int, _ faults: inout FastHex.Words
  ) -> EntryRow? {
    guard let id = Self.entry(bytes, &position, &faults),
      bytes.uncheckedHolds(#","metric":""#, at: position)
    else { return nil }
    position &+= 11
    guard let metric = metrics.metric(bytes, at: &position),
      let quantity = FastQuantity.read(bytes, at: &position),
      let day = day(bytes, &position), let (time, zone) = moment(bytes, &position)
    else { return nil }
    var flags: UInt8 = 0
    if bytes.uncheckedByte(position) != UInt8(ascii: "}") {
      guard let found = Self.texts(bytes, at: &position) else { return nil }
      flags = found
    }
    position &+= 1
    return EntryRow(
      id: id, metricIndex: metric, quantity: quantity, day: day, time: time, zone: zone, seq: seq,
      flags: flags)
  }

  /// Notes and source, as far as they are there, up to the closing brace.
  @inline(__always)
  private static func texts(_ bytes: RawSpan, at position: inout Int) -> UInt8? {
    var flags: UInt8 = 0
    if bytes.uncheckedHolds(#","notes":""#, at: position) {
      position &+= 10
      guard FastText.skip(bytes, at: &position) else { return nil }
      flags = EntryRow.hasNotes
    }
    if bytes.uncheckedHolds(#","source":""#, at: position) {
      position &+= 11
      guard FastText.skip(bytes, at: &position) else { return nil }
    }
    if bytes.uncheckedHolds(#","source_id":""#, at: position) {
      position &+= 14
      guard FastText.skip(bytes, at: &position) else { return nil }
    }
    return bytes.uncheckedByte(position) == UInt8(ascii: "}") ? flags : nil
  }

  /// A `progress.corrected`.
  @inline(__always)
  mutating func corrected(
    _ bytes: RawSpan, at position: inout Int, seq: Int
  ) -> EntryChange? {
    let start = position
    if let change = correctedInOrder(bytes, at: &position, seq: seq) { return change }
    position = start
    return correctedInAnyOrder(bytes, at: &position, seq: seq)
  }

  @inline(__always)
  private mutating func correctedInOrder(_ bytes: RawSpan, at position: inout Int, seq: Int)
    -> EntryChange?
  {
    guard let id = Self.entry(bytes, &position) else { return nil }
    var change = EntryChange(id: id, seq: seq)
    if bytes.uncheckedHolds(#","quantity":"#, at: position) {
      position &+= 12
      guard let quantity = FastQuantity.read(bytes, at: &position) else { return nil }
      change.quantity = quantity
    }
    if bytes.uncheckedHolds(#","date":""#, at: position) {
      guard let day = day(bytes, &position) else { return nil }
      change.day = day
    }
    guard let (time, zone) = moment(bytes, &position) else { return nil }
    (change.time, change.zone) = (time, zone)
    if bytes.uncheckedHolds(#","notes":null"#, at: position) {
      position &+= 13
      change.flags |= EntryChange.clearsNotes
    } else if bytes.uncheckedHolds(#","notes":""#, at: position) {
      position &+= 10
      guard FastText.skip(bytes, at: &position) else { return nil }
      change.flags |= EntryChange.setsNotes
    }
    return Self.isEnd(bytes, &position) ? change : nil
  }

  /// A `progress.deleted`.
  @inline(__always)
  mutating func deleted(
    _ bytes: RawSpan, at position: inout Int, seq: Int, bySync: Bool
  ) -> EntryChange? {
    let start = position
    if let change = Self.deletedInOrder(bytes, at: &position, seq: seq, bySync: bySync) {
      return change
    }
    position = start
    return deletedInAnyOrder(bytes, at: &position, seq: seq, bySync: bySync)
  }

  @inline(__always)
  private static func deletedInOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int, bySync: Bool
  ) -> EntryChange? {
    guard let id = entry(bytes, &position) else { return nil }
    var change = EntryChange(id: id, seq: seq)
    change.flags = EntryChange.deletes | (bySync ? EntryChange.bySync : 0)
    if bytes.uncheckedHolds(#","reason":""#, at: position) {
      position &+= 11
      guard FastText.skip(bytes, at: &position) else { return nil }
    }
    return isEnd(bytes, &position) ? change : nil
  }

  @inline(__always)
  static func isEnd(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    position &+= 1
    return bytes.uncheckedByte(position &- 1) == UInt8(ascii: "}")
  }
}
