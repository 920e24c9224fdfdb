import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast reader for `progress.logged`, `progress.corrected` and `progress.deleted`: members in the
/// order this program writes them, or else in any order. Reads unchecked within a padded window (see
/// ``LineWindows``). `nil` means an unusual form, not an error: the reference reader decides. Readers
/// of events step from the object's opening brace over its closing one.
struct FieldScanner: Sendable {
  fileprivate let metrics = MetricTable.shared
  /// The days read last, by day of the month: consecutive entries share few days.
  private var days = [KnownDay](repeating: KnownDay(), count: 64)
  /// The zone read last: it rarely changes.
  private var zone = KnownZone()

  /// `{"entry":"…"`
  @inline(__always)
  private static func entry(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position) else { return nil }
    position &+= 10
    return uuid(bytes, &position)
  }

  /// The same; its hexadecimal digits are validated with those of the line.
  @inline(__always)
  private static func entry(
    _ bytes: RawSpan, _ position: inout Int, _ faults: inout FastHex.Words
  ) -> LedgerUUID? {
    let digits = UUIDDigits(bytes, at: position &+ 10)
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position), digits.hasHyphens,
      bytes.uncheckedByte(position &+ 46) == UInt8(ascii: "\"")
    else { return nil }
    position &+= 47
    faults |= digits.faults
    return digits.value
  }

  /// `,"date":"YYYY-MM-DD"` as days since 1970.
  @inline(__always)
  private mutating func day(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedHolds(#","date":""#, at: position) else { return nil }
    position &+= 9
    return dayText(bytes, &position)
  }

  /// `,"time":"HH:MM:SS","zone":"+HH:MM"` as seconds since midnight and minutes; (-1, 0) if absent.
  @inline(__always)
  private mutating func moment(
    _ bytes: RawSpan, _ position: inout Int
  ) -> (time: Int32, zone: Int16)? {
    guard bytes.uncheckedHolds(#","time":""#, at: position) else { return (-1, 0) }
    let time = FastNumber.clock(bytes.uncheckedWord(position &+ 9))
    let zoneText = bytes.uncheckedWord(position &+ 27) & KnownZone.mask
    guard bytes.uncheckedHolds(#"","zone":""#, at: position &+ 17), time.faults == 0,
      zoneText == zone.text || remember(zoneText)
    else { return nil }
    position &+= 34
    return (Int32(truncatingIfNeeded: time.seconds), zone.minutes)
  }

  /// Parses and caches a zone with its closing quote.
  private mutating func remember(_ text: UInt64) -> Bool {
    let (minutes, faults) = FastNumber.zone(text)
    guard faults == 0, text >> 48 == UInt64(UInt8(ascii: "\"")) else { return false }
    zone = KnownZone(text: text, minutes: Int16(truncatingIfNeeded: minutes))
    return true
  }

  // MARK: Texts, from after the opening quote to after the closing one

  @inline(__always)
  static func uuid(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard let id = FastHex.uuid(bytes, at: position),
      bytes.uncheckedByte(position &+ 36) == UInt8(ascii: "\"")
    else { return nil }
    position &+= 37
    return id
  }

  /// `YYYY-MM-DD` as days since 1970.
  @inline(__always)
  fileprivate mutating func dayText(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "\"") else { return nil }
    let (first, rest) = (bytes.uncheckedWord(position), bytes.uncheckedPair(position &+ 8))
    // Two bits of the day's first digit, four of its second.
    let place = Int(truncatingIfNeeded: (rest & 3) << 4 | rest >> 8 & 0xF)
    if days[place].first != first || days[place].rest != rest {
      guard let day = Self.readDay(bytes, at: position) else { return nil }
      days[place] = KnownDay(first: first, rest: rest, value: day)
    }
    position &+= 11
    return days[place].value
  }

  /// `HH:MM:SS` as seconds since midnight.
  @inline(__always)
  fileprivate static func timeText(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    let time = FastNumber.time(bytes.uncheckedWord(position))
    guard time >= 0, bytes.uncheckedByte(position &+ 8) == UInt8(ascii: "\"") else { return nil }
    position &+= 9
    return Int32(truncatingIfNeeded: time)
  }

  /// `+HH:MM` as minutes.
  @inline(__always)
  fileprivate static func zoneText(_ bytes: RawSpan, _ position: inout Int) -> Int16? {
    let zone = FastNumber.zone(bytes.uncheckedWord(position))
    guard zone.faults == 0, bytes.uncheckedByte(position &+ 6) == UInt8(ascii: "\"") else {
      return nil
    }
    position &+= 7
    return Int16(truncatingIfNeeded: zone.minutes)
  }

  /// Skips `YYYY-MM-DD` and a quote if the day exists.
  static func skipDay(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "\""),
      readDay(bytes, at: position) != nil
    else { return false }
    position &+= 11
    return true
  }

  /// `YYYY-MM-DD` as days since 1970.
  static func readDay(_ bytes: RawSpan, at offset: Int) -> Int32? {
    guard let year = digits(bytes, offset, 4), bytes.byte(offset + 4) == UInt8(ascii: "-"),
      let month = digits(bytes, offset + 5, 2), bytes.byte(offset + 7) == UInt8(ascii: "-"),
      let day = digits(bytes, offset + 8, 2)
    else { return nil }
    return CalendarDate(year: year, month: month, day: day)?.daysSince1970
  }

  private static func digits(_ bytes: RawSpan, _ offset: Int, _ count: Int) -> Int? {
    var value = 0
    for index in offset..<offset + count {
      let digit = bytes.byte(index) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }
}

private struct KnownZone {
  /// `+HH:MM` and a quote.
  static let mask: UInt64 = 0xFF_FFFF_FFFF_FFFF

  /// Initially a value that no text has.
  var text: UInt64 = .max
  var minutes: Int16 = 0
}

private struct KnownDay {
  var first: UInt64 = 0
  /// The last two characters; initially a value that no text has.
  var rest: UInt64 = .max
  var value: Int32 = 0
}

// MARK: Events in the usual order of members

extension FieldScanner {
  /// Appends the row of a `progress.logged`.
  ///
  /// - Parameter faults: invalid hexadecimal digits of the line, checked at its end; those of the
  ///   entry's id are added.
  /// - Returns: the offset after its data.
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

  /// Optional notes and source, up to the closing brace; returns the row's flags.
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
    if bytes.uncheckedHolds(#","claimed_backend_id":""#, at: position) {
      position &+= 23
      // An empty id is invalid.
      guard bytes.uncheckedByte(position) != UInt8(ascii: "\""),
        FastText.skip(bytes, at: &position)
      else { return nil }
    }
    return bytes.uncheckedByte(position) == UInt8(ascii: "}") ? flags : nil
  }

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

// MARK: Events in any order of members

/// The members of a `progress` event in any order, as other programs write them. Each name must be
/// known and may occur once. `MemberSubsetTests` compares them with those of ``ProgressLogged``,
/// ``ProgressCorrected`` and ``ProgressDeleted``.
private struct ProgressMembers {
  struct Names: OptionSet {
    var rawValue: UInt16

    static let entry = Names(rawValue: 1)
    static let metric = Names(rawValue: 2)
    static let quantity = Names(rawValue: 4)
    static let date = Names(rawValue: 8)
    static let time = Names(rawValue: 16)
    static let zone = Names(rawValue: 32)
    static let notes = Names(rawValue: 64)
    static let noNotes = Names(rawValue: 128)
    static let source = Names(rawValue: 256)
    static let sourceID = Names(rawValue: 512)
    static let reason = Names(rawValue: 1024)
    static let claimedBackendID = Names(rawValue: 2048)
  }

  var names: Names = []
  var id = LedgerUUID(high: 0, low: 0)
  var metric: UInt8 = 0
  var quantity = Double.nan
  var day: Int32 = .min
  var time: Int32 = -1
  var zone: Int16 = 0

  /// Reads a whole object.
  @inline(never)
  init?(_ bytes: RawSpan, at position: inout Int, by fields: inout FieldScanner) {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "{") else { return nil }
    repeat {
      position &+= 1
      guard let name = Self.name(bytes, &position), !names.contains(name),
        read(name, bytes, &position, &fields)
      else { return nil }
      names.insert(name)
    } while bytes.uncheckedByte(position) == UInt8(ascii: ",")
    guard FieldScanner.isEnd(bytes, &position),
      names.contains(.time) == names.contains(.zone), !names.isSuperset(of: [.notes, .noNotes])
    else { return nil }
  }

  /// Whether all required members are present, and no others but optional ones.
  func are(_ required: Names, _ optional: Names) -> Bool {
    names.isSuperset(of: required) && names.isSubset(of: required.union(optional))
  }

  /// Steps over a member's name and the opening quote of its value.
  @inline(__always)
  private static func name(_ bytes: RawSpan, _ position: inout Int) -> Names? {
    if bytes.uncheckedStep(over: #""entry":""#, at: &position) { return .entry }
    if bytes.uncheckedStep(over: #""metric":""#, at: &position) { return .metric }
    if bytes.uncheckedStep(over: #""quantity":"#, at: &position) { return .quantity }
    if bytes.uncheckedStep(over: #""date":""#, at: &position) { return .date }
    if bytes.uncheckedStep(over: #""time":""#, at: &position) { return .time }
    if bytes.uncheckedStep(over: #""zone":""#, at: &position) { return .zone }
    if bytes.uncheckedStep(over: #""source":""#, at: &position) { return .source }
    if bytes.uncheckedStep(over: #""source_id":""#, at: &position) { return .sourceID }
    if bytes.uncheckedStep(over: #""notes":""#, at: &position) { return .notes }
    if bytes.uncheckedStep(over: #""notes":null"#, at: &position) { return .noNotes }
    if bytes.uncheckedStep(over: #""reason":""#, at: &position) { return .reason }
    if bytes.uncheckedStep(over: #""claimed_backend_id":""#, at: &position) {
      return .claimedBackendID
    }
    return nil
  }

  /// - Returns: false if the value is in an unusual form.
  @inline(__always)
  private mutating func read(
    _ name: Names, _ bytes: RawSpan, _ position: inout Int, _ fields: inout FieldScanner
  ) -> Bool {
    switch name {
    case .entry:
      guard let found = FieldScanner.uuid(bytes, &position) else { return false }
      id = found
    case .metric:
      guard let found = fields.metrics.metric(named: bytes, at: &position) else { return false }
      metric = found
    case .quantity:
      guard let found = FastQuantity.read(bytes, at: &position) else { return false }
      quantity = found
    case .date:
      guard let found = fields.dayText(bytes, &position) else { return false }
      day = found
    case .time:
      guard let found = FieldScanner.timeText(bytes, &position) else { return false }
      time = found
    case .zone:
      guard let found = FieldScanner.zoneText(bytes, &position) else { return false }
      zone = found
    case .noNotes: return true
    case .claimedBackendID where bytes.uncheckedByte(position) == UInt8(ascii: "\""): return false
    default: return FastText.skip(bytes, at: &position)
    }
    return true
  }
}

extension FieldScanner {
  /// Internal for tests.
  mutating func loggedInAnyOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int
  ) -> EntryRow? {
    guard let members = ProgressMembers(bytes, at: &position, by: &self),
      members.are(
        [.entry, .metric, .quantity, .date],
        [.time, .zone, .notes, .source, .sourceID, .claimedBackendID])
    else { return nil }
    return EntryRow(
      id: members.id, metricIndex: members.metric, quantity: members.quantity, day: members.day,
      time: members.time, zone: members.zone, seq: seq,
      flags: members.names.contains(.notes) ? EntryRow.hasNotes : 0)
  }

  private mutating func correctedInAnyOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int
  ) -> EntryChange? {
    guard let members = ProgressMembers(bytes, at: &position, by: &self),
      members.are([.entry], [.quantity, .date, .time, .zone, .notes, .noNotes])
    else { return nil }
    var change = EntryChange(id: members.id, seq: seq)
    (change.quantity, change.day) = (members.quantity, members.day)
    (change.time, change.zone) = (members.time, members.zone)
    if members.names.contains(.notes) { change.flags |= EntryChange.setsNotes }
    if members.names.contains(.noNotes) { change.flags |= EntryChange.clearsNotes }
    return change
  }

  private mutating func deletedInAnyOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int, bySync: Bool
  ) -> EntryChange? {
    guard let members = ProgressMembers(bytes, at: &position, by: &self),
      members.are([.entry], [.reason])
    else { return nil }
    var change = EntryChange(id: members.id, seq: seq)
    change.flags = EntryChange.deletes | (bySync ? EntryChange.bySync : 0)
    return change
  }
}
