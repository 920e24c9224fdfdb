import LedgerModel

/// A zone of the system's database, such as `Europe/Madrid`, read from its file (RFC 9636): the C
/// library has one zone a process.
struct NamedZone {
  private var transitions: [Int64] = []
  /// The offset after each transition, in seconds east.
  private var offsets: [Int] = []
  private var first = 0
  /// For instants after the last transition.
  private var rule: ZoneRule?

  /// - Returns: `nil` for a name that the database does not have.
  init?(_ name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), name.utf8.count <= 64,
      parts.allSatisfy({ part in
        part.first?.isLetter == true
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
      })
    else { return nil }
    for folder in LocalZone.zoneFolders {
      let source = ImportSource.file("\(folder)/\(name)")
      guard source.exists, !source.isFolder, let bytes = try? Self.bytes(of: source) else {
        continue
      }
      guard read(bytes) else { return nil }
      return
    }
    return nil
  }

  private static func bytes(of source: ImportSource) throws(ImportError) -> [UInt8] {
    let stream = try ByteStream(opening: source)
    var bytes: [UInt8] = []
    while case let piece = try stream.next(), !piece.isEmpty, bytes.count < 1 << 20 {
      bytes += piece
    }
    return bytes
  }

  /// Reads the second block, whose instants have 64 bits, and the rule after it.
  private mutating func read(_ bytes: [UInt8]) -> Bool {
    func number(_ place: Int, _ count: Int) -> Int64 {
      let raw = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return count == 8 ? Int64(bitPattern: raw) : Int64(Int32(truncatingIfNeeded: raw))
    }
    func counts(_ start: Int) -> [Int]? {
      guard start + 44 <= bytes.count, bytes[start...].starts(with: "TZif".utf8) else { return nil }
      return (0..<6).map { Int(number(start + 20 + $0 * 4, 4)) }
    }
    // The counts are of: isutc, isstd, leap seconds, transitions, types, characters of names.
    guard let old = counts(0), old.allSatisfy({ (0...100_000).contains($0) }), bytes[4] >= 0x32
    else { return false }
    let second = 44 + old[3] * 5 + old[4] * 6 + old[5] + old[2] * 8 + old[1] + old[0]
    guard let new = counts(second), new.allSatisfy({ (0...100_000).contains($0) }), new[4] > 0
    else { return false }
    let times = second + 44
    let indices = times + new[3] * 8
    let types = indices + new[3]
    let end = types + new[4] * 6 + new[5] + new[2] * 12 + new[1] + new[0]
    guard end <= bytes.count else { return false }
    func offset(_ type: Int) -> Int { type < new[4] ? Int(number(types + type * 6, 4)) : 0 }
    first = offset(0)
    for index in 0..<new[3] {
      transitions.append(number(times + index * 8, 8))
      offsets.append(offset(Int(bytes[indices + index])))
    }
    let footer = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    rule = ZoneRule(String(decoding: footer, as: UTF8.self))
    return true
  }

  private func secondsEast(at instant: Int64) -> Int {
    guard let last = transitions.last else { return rule?.secondsEast(at: instant) ?? first }
    if instant >= last, let rule { return rule.secondsEast(at: instant) }
    let index = transitions.lastIndex { $0 <= instant }
    return index.map { offsets[$0] } ?? first
  }

  /// The offset in effect at an instant.
  func offset(at instant: Timestamp) -> ZoneOffset {
    Self.offset(secondsEast(at: instant.wholeSeconds.millisecondsSince1970 / 1000))
  }

  /// The offset of a local time, as ``LocalZone/offset(of:on:)`` has it.
  func offset(of time: ClockTime, on date: CalendarDate) -> ZoneOffset {
    let wall = Int64(date.daysSince1970) * 86_400 + Int64(time.secondsSinceMidnight)
    let before = secondsEast(at: wall - 86_400)
    let after = secondsEast(at: wall + 86_400)
    if after != before, secondsEast(at: wall - Int64(before)) != before,
      secondsEast(at: wall - Int64(after)) == after
    {
      return Self.offset(after)
    }
    return Self.offset(before)
  }

  private static func offset(_ seconds: Int) -> ZoneOffset {
    ZoneOffset(minutes: Int((Double(seconds) / 60).rounded())) ?? .utc
  }
}

/// The rule for all later years, as `CET-1CEST,M3.5.0,M10.5.0/3`.
private struct ZoneRule {
  /// The weekday of a week of a month, and the local time in seconds.
  private struct Change {
    var month: Int
    var week: Int
    var weekday: Int
    var second = 7200

    init?(_ text: Substring) {
      let parts = text.split(separator: "/")
      let numbers = parts.first?.dropFirst().split(separator: ".").compactMap { Int($0) } ?? []
      guard text.first == "M", numbers.count == 3, (1...12).contains(numbers[0]) else { return nil }
      (month, week, weekday) = (numbers[0], numbers[1], numbers[2])
      guard parts.count == 2 else { return }
      var rest = parts[1]
      guard let seconds = ZoneRule.seconds(&rest) else { return nil }
      second = seconds
    }

    /// The local second of the change, as if in UTC.
    func local(in year: Int) -> Int64? {
      guard let start = CalendarDate(year: year, month: month, day: 1) else { return nil }
      // 1 January 1970 was a Thursday.
      let day = ((Int(start.daysSince1970) + 4) % 7 + 7) % 7
      var date = start.adding(days: (weekday - day + 7) % 7 + (week - 1) * 7)
      let next = CalendarDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
      while let next, date >= next { date = date.adding(days: -7) }
      return Int64(date.daysSince1970) * 86_400 + Int64(second)
    }
  }

  private let standard: Int
  private var summer: (offset: Int, start: Change, end: Change)?

  init?(_ text: String) {
    let parts = text.split(separator: ",")
    guard var rest = parts.first, Self.dropName(&rest), let west = Self.seconds(&rest) else {
      return nil
    }
    standard = -west
    guard !rest.isEmpty else { return }
    guard parts.count == 3, Self.dropName(&rest), let start = Change(parts[1]),
      let end = Change(parts[2])
    else { return nil }
    summer = (rest.isEmpty ? standard + 3600 : -(Self.seconds(&rest) ?? 0), start, end)
  }

  /// Letters, or anything in angle brackets.
  private static func dropName(_ rest: inout Substring) -> Bool {
    let before = rest.count
    if rest.first == "<" {
      rest = rest.drop { $0 != ">" }.dropFirst()
    } else {
      rest = rest.drop(while: \.isLetter)
    }
    return rest.count < before
  }

  /// `-1`, `5:30` or `+24:00:00`, in seconds.
  private static func seconds(_ rest: inout Substring) -> Int? {
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    let text = rest.prefix { $0.isNumber || $0 == ":" }
    rest = rest.dropFirst(text.count)
    let numbers = text.split(separator: ":").compactMap { Int($0) }
    guard (1...3).contains(numbers.count), numbers.allSatisfy({ $0 < 200 }) else { return nil }
    let seconds = zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    return isNegative ? -seconds : seconds
  }

  func secondsEast(at instant: Int64) -> Int {
    guard let summer,
      let date = Timestamp(millisecondsSince1970: instant * 1000).localTime(at: .utc)?.date,
      let year = Int("\(date)".prefix(4)), let start = summer.start.local(in: year),
      let end = summer.end.local(in: year)
    else { return standard }
    let (begins, ends) = (start - Int64(standard), end - Int64(summer.offset))
    // South of the equator, summer is around New Year.
    let isSummer =
      begins < ends ? instant >= begins && instant < ends : instant >= begins || instant < ends
    return isSummer ? summer.offset : standard
  }
}
