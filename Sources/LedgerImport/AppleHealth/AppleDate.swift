import LedgerModel

/// A moment as exports have it: `2016-04-12 07:30:15 +0200`, always a wall time, mostly with its
/// offset.
struct AppleDate {
  /// Seconds since 1970 on the wall.
  let wallSeconds: Int
  /// Minutes ahead of UTC; `nil` where the file does not say.
  let offsetMinutes: Int?

  /// Reads the spelling of today's systems, ISO 8601, the spelling without marks of the oldest
  /// systems, and times of 12 hours, which some phones have written.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    guard let year = Self.digits(4, &rest) else { return nil }
    let isMarked = Self.take(UInt8(ascii: "-"), &rest)
    guard let month = Self.digits(2, &rest),
      !isMarked || Self.take(UInt8(ascii: "-"), &rest), let day = Self.digits(2, &rest)
    else { return nil }
    if isMarked {
      guard Self.take(UInt8(ascii: " "), &rest) || Self.take(UInt8(ascii: "T"), &rest) else {
        return nil
      }
    }
    guard let clock = Self.clock(isMarked, &rest),
      let date = CalendarDate(year: year, month: month, day: day)
    else { return nil }
    wallSeconds = Int(date.daysSince1970) * 86_400 + Int(clock.secondsSinceMidnight)
    switch Self.offset(rest) {
    case .none: offsetMinutes = nil
    case .minutes(let minutes): offsetMinutes = minutes
    case .wrong: return nil
    }
  }

  private static func clock(_ isMarked: Bool, _ rest: inout ArraySlice<UInt8>) -> ClockTime? {
    guard var hour = digits(2, &rest) ?? (isMarked ? digits(1, &rest) : nil) else { return nil }
    guard !isMarked || take(UInt8(ascii: ":"), &rest), let minute = digits(2, &rest),
      !isMarked || take(UInt8(ascii: ":"), &rest), let second = digits(2, &rest)
    else { return nil }
    if take(UInt8(ascii: "."), &rest) {
      let fraction = rest.prefix(while: isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count)
    }
    // The space before AM may be the narrow one that does not break.
    let narrow: [UInt8] = [0xE2, 0x80, 0xAF]
    var half = rest.starts(with: narrow) ? rest.dropFirst(3) : rest.drop { $0 == 0x20 }
    if let first = half.first.map({ $0 | 0x20 }), half.dropFirst().first.map({ $0 | 0x20 }) == 0x6D,
      first == UInt8(ascii: "a") || first == UInt8(ascii: "p")
    {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (first == UInt8(ascii: "p") ? 12 : 0)
      half = half.dropFirst(2)
      rest = half
    }
    return ClockTime(hour: hour, minute: minute, second: second)
  }

  private enum Offset {
    case none
    case minutes(Int)
    case wrong
  }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Offset {
    var rest = bytes.drop { $0 == UInt8(ascii: " ") }
    if rest.isEmpty { return .none }
    if rest.elementsEqual([UInt8(ascii: "Z")]) { return .minutes(0) }
    let isWest = rest.first == UInt8(ascii: "-")
    guard take(UInt8(ascii: "+"), &rest) || take(UInt8(ascii: "-"), &rest),
      let hours = digits(2, &rest)
    else { return .wrong }
    _ = take(UInt8(ascii: ":"), &rest)
    guard let minutes = digits(2, &rest), rest.isEmpty, minutes < 60 else { return .wrong }
    let total = hours * 60 + minutes
    return ZoneOffset(minutes: total) == nil ? .wrong : .minutes(isWest ? -total : total)
  }

  private static func take(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
    guard rest.count >= count else { return nil }
    var value = 0
    for byte in rest.prefix(count) {
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    rest.removeFirst(count)
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
