import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast way into columns: members in the order this program writes them. Whatever stands
/// otherwise, or looks wrong, goes the general way, which gives the same answer for any order.
enum ProgressScanner {
  /// A `progress.logged`.
  @inline(__always)
  static func logged(_ bytes: RawSpan, _ envelope: Envelope) -> EntryRow? {
    let end = envelope.data.upperBound
    var position = envelope.data.lowerBound
    guard let id = entry(bytes, &position), bytes.holds(#","metric":""#, at: position)
    else { return nil }
    position += 11
    guard let metric = FieldScanner.metric(bytes, at: &position),
      bytes.holds(#","quantity":"#, at: position)
    else { return nil }
    position += 12
    guard let quantity = FieldScanner.quantity(bytes, at: &position),
      let day = day(bytes, &position)
    else { return nil }
    guard let (time, zone) = moment(bytes, &position) else { return nil }
    var flags: UInt8 = 0
    if bytes.holds(#","notes":""#, at: position) {
      position += 9
      guard FieldScanner.skipString(bytes, at: &position) else { return nil }
      flags = EntryRow.hasNotes
    }
    if bytes.holds(#","source":""#, at: position) {
      position += 10
      guard FieldScanner.skipString(bytes, at: &position) else { return nil }
    }
    if bytes.holds(#","source_id":""#, at: position) {
      position += 13
      guard FieldScanner.skipString(bytes, at: &position) else { return nil }
    }
    guard bytes.byte(position) == UInt8(ascii: "}"), position + 1 == end else { return nil }
    return EntryRow(
      id: id, metricIndex: metric, quantity: quantity, day: day, time: time, zone: zone,
      seq: envelope.seq, flags: flags)
  }

  /// A `progress.corrected` or `progress.deleted`.
  @inline(__always)
  static func changed(
    _ bytes: RawSpan, _ envelope: Envelope, deletes: Bool
  ) -> EntryChange? {
    var position = envelope.data.lowerBound
    guard let id = entry(bytes, &position) else { return nil }
    var change = EntryChange(id: id, seq: envelope.seq)
    if deletes {
      change.flags = EntryChange.deletes | (envelope.by == .sync ? EntryChange.bySync : 0)
      if bytes.holds(#","reason":""#, at: position) {
        position += 10
        guard FieldScanner.skipString(bytes, at: &position) else { return nil }
      }
    } else {
      guard correction(bytes, &position, &change) else { return nil }
    }
    guard bytes.byte(position) == UInt8(ascii: "}"), position + 1 == envelope.data.upperBound
    else { return nil }
    return change
  }

  @inline(__always)
  private static func correction(
    _ bytes: RawSpan, _ position: inout Int, _ change: inout EntryChange
  ) -> Bool {
    if bytes.holds(#","quantity":"#, at: position) {
      position += 12
      guard let quantity = FieldScanner.quantity(bytes, at: &position) else { return false }
      change.quantity = quantity
    }
    if bytes.holds(#","date":""#, at: position) {
      guard let day = day(bytes, &position) else { return false }
      change.day = day
    }
    guard let (time, zone) = moment(bytes, &position) else { return false }
    (change.time, change.zone) = (time, zone)
    if bytes.holds(#","notes":null"#, at: position) {
      position += 13
      change.flags |= EntryChange.clearsNotes
    } else if bytes.holds(#","notes":""#, at: position) {
      position += 9
      guard FieldScanner.skipString(bytes, at: &position) else { return false }
      change.flags |= EntryChange.setsNotes
    }
    return true
  }

  /// `{"entry":"…"`
  @inline(__always)
  private static func entry(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard bytes.holds(#"{"entry":""#, at: position),
      let id = UUIDText.read(bytes, at: position + 10),
      bytes.byte(position + 46) == UInt8(ascii: "\"")
    else { return nil }
    position += 47
    return id
  }

  /// `,"date":"…"`
  @inline(__always)
  private static func day(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.holds(#","date":""#, at: position),
      let day = FieldScanner.day(bytes, at: position + 9),
      bytes.byte(position + 19) == UInt8(ascii: "\"")
    else { return nil }
    position += 20
    return day
  }

  /// `,"time":"…","zone":"…"`, or nothing: then -1 and no zone.
  @inline(__always)
  private static func moment(
    _ bytes: RawSpan, _ position: inout Int
  ) -> (time: Int32, zone: Int16)? {
    guard bytes.holds(#","time":""#, at: position) else { return (-1, 0) }
    guard let time = FieldScanner.time(bytes, at: position + 9),
      bytes.holds(#"","zone":""#, at: position + 17),
      let zone = FieldScanner.zone(bytes, at: position + 27),
      bytes.byte(position + 33) == UInt8(ascii: "\"")
    else { return nil }
    position += 34
    return (time, zone)
  }
}
