import LedgerJSON
import LedgerLog
import LedgerModel

/// The fast reader for `sleep.logged` with its members in the order of docs/log-format.md. `nil` means
/// an unusual form; the reference reader decides.
struct SleepScanner: Sendable {
  /// The day read last.
  private var dayText: (first: UInt64, rest: UInt64) = (0, .max)
  private var day: Int64 = 0

  /// Reads from the object's opening brace over its closing one.
  mutating func logged(_ bytes: RawSpan, at position: inout Int, seq: Int) -> SleepRecord? {
    guard bytes.uncheckedStep(over: #"{"entry":""#, at: &position),
      let id = FieldScanner.uuid(bytes, &position),
      let start = moment(#","start":""#, bytes, &position),
      let end = moment(#","end":""#, bytes, &position)
    else { return nil }
    var record = SleepRecord(id, seq: seq, flags: SleepRecord.isSession)
    (record.start, record.startZone) = start
    (record.end, record.endZone) = end
    if bytes.uncheckedStep(over: #","stages":["#, at: &position) {
      guard let sums = stages(bytes, &position) else { return nil }
      record.set(sums)
    }
    if bytes.uncheckedStep(over: #","notes":""#, at: &position) {
      guard FastText.skip(bytes, at: &position) else { return nil }
      record.flags |= SleepRecord.setsNotes
    }
    guard Self.mayHave(#","source":""#, bytes, &position),
      Self.mayHave(#","source_id":""#, bytes, &position),
      FieldScanner.isEnd(bytes, &position)
    else { return nil }
    return record
  }

  /// One or more stages, up to and including the closing bracket.
  private mutating func stages(_ bytes: RawSpan, _ position: inout Int) -> StageSums? {
    var sums = StageSums()
    while true {
      guard bytes.uncheckedStep(over: #"{"stage":""#, at: &position),
        let stage = Self.stage(bytes, &position),
        let start = moment(#","start":""#, bytes, &position),
        let end = moment(#","end":""#, bytes, &position),
        FieldScanner.isEnd(bytes, &position)
      else { return nil }
      sums.add(stage, start.seconds, end.seconds)
      let next = bytes.uncheckedByte(position)
      position &+= 1
      if next == UInt8(ascii: "]") { return sums }
      guard next == UInt8(ascii: ",") else { return nil }
    }
  }

  private static func stage(_ bytes: RawSpan, _ position: inout Int) -> SleepStageKind? {
    if bytes.uncheckedStep(over: #"core""#, at: &position) { return .core }
    if bytes.uncheckedStep(over: #"deep""#, at: &position) { return .deep }
    if bytes.uncheckedStep(over: #"rem""#, at: &position) { return .rem }
    if bytes.uncheckedStep(over: #"awake""#, at: &position) { return .awake }
    if bytes.uncheckedStep(over: #"asleep""#, at: &position) { return .asleep }
    if bytes.uncheckedStep(over: #"in_bed""#, at: &position) { return .inBed }
    return nil
  }

  /// A member with the text `YYYY-MM-DDTHH:MM:SS+HH:MM`, as seconds since 1970 and minutes.
  private mutating func moment(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> (seconds: Int64, zone: Int16)? {
    guard bytes.uncheckedStep(over: name, at: &position),
      bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "T"),
      bytes.uncheckedByte(position &+ 25) == UInt8(ascii: "\""),
      knowsDay(bytes, position)
    else { return nil }
    let time = FastNumber.clock(bytes.uncheckedWord(position &+ 11))
    let zone = FastNumber.zone(bytes.uncheckedWord(position &+ 19))
    guard time.faults == 0, zone.faults == 0 else { return nil }
    position &+= 26
    let local = day &* 86_400 &+ Int64(truncatingIfNeeded: time.seconds)
    return (local &- zone.minutes &* 60, Int16(truncatingIfNeeded: zone.minutes))
  }

  private mutating func knowsDay(_ bytes: RawSpan, _ position: Int) -> Bool {
    let text = (bytes.uncheckedWord(position), bytes.uncheckedPair(position &+ 8))
    if text == dayText { return true }
    guard let read = FieldScanner.readDay(bytes, at: position) else { return false }
    (dayText, day) = (text, Int64(read))
    return true
  }

  private static func mayHave(
    _ name: StaticString, _ bytes: RawSpan, _ position: inout Int
  ) -> Bool {
    !bytes.uncheckedStep(over: name, at: &position) || FastText.skip(bytes, at: &position)
  }
}
