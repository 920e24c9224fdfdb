import LedgerJSON
import LedgerLog
import LedgerModel

/// The members of a progress entry's event, in whatever order they stand: as other programs write
/// them. Each name is known by its characters and may be there once.
struct ProgressMembers {
  struct Names: OptionSet {
    var rawValue: UInt16

    static let entry = Names(rawValue: 1)
    static let metric = Names(rawValue: 2)
    package static let quantity = Names(rawValue: 4)
    static let date = Names(rawValue: 8)
    static let time = Names(rawValue: 16)
    static let zone = Names(rawValue: 32)
    static let notes = Names(rawValue: 64)
    static let noNotes = Names(rawValue: 128)
    static let source = Names(rawValue: 256)
    static let sourceID = Names(rawValue: 512)
    static let reason = Names(rawValue: 1024)
  }

  var names: Names = []
  var id = LedgerUUID(high: 0, low: 0)
  var metric: UInt8 = 0
  var quantity = Double.nan
  var day: Int32 = .min
  var time: Int32 = -1
  var zone: Int16 = 0

  /// Reads an object from its first brace over its last.
  ///
  /// - Returns: `nil` where anything is unusual.
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

  /// Whether the members are these, and perhaps some of those.
  func are(_ required: Names, _ optional: Names) -> Bool {
    names.isSuperset(of: required) && names.isSubset(of: required.union(optional))
  }

  /// A member's name, and the opening quote of its value where that is text; steps over both.
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
    return nil
  }

  /// - Returns: false where the value is unusual.
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
    default: return FastText.skip(bytes, at: &position)
    }
    return true
  }
}

extension FieldScanner {
  /// A `progress.logged`.
  mutating func loggedInAnyOrder(
    _ bytes: RawSpan, at position: inout Int, seq: Int
  ) -> EntryRow? {
    guard let members = ProgressMembers(bytes, at: &position, by: &self),
      members.are(
        [.entry, .metric, .quantity, .date], [.time, .zone, .notes, .source, .sourceID])
    else { return nil }
    return EntryRow(
      id: members.id, metricIndex: members.metric, quantity: members.quantity, day: members.day,
      time: members.time, zone: members.zone, seq: seq,
      flags: members.names.contains(.notes) ? EntryRow.hasNotes : 0)
  }

  /// A `progress.corrected`.
  mutating func correctedInAnyOrder(
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

  /// A `progress.deleted`.
  mutating func deletedInAnyOrder(
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
