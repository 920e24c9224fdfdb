import LedgerModel

/// What somebody most likely meant who named a day in words, or in an order, that are not understood.
/// It is only asked, never taken: `3/4/2026` is two days, and which one only the person knows.
extension NamedDay {
  static func problem(with text: String) -> BadValue {
    let near = nearest(to: text)
    return near.isEmpty ? .expected(examples) : .meant(near)
  }

  /// Texts that name a day, at most three.
  static func nearest(to text: String) -> [String] {
    let dates = dates(in: text)
    if !dates.isEmpty { return dates }
    let words = text.lowercased().split(separator: " ").map(String.init)
    switch words.count {
    case 1: return near(words[0])
    case 2 where RelativeTime(text + " ago") != nil: return ["\(words[0]) \(words[1]) ago"]
    case 2 where LedgerCLI.nearest(to: words[0], among: ["last"]) == ["last"]:
      return lastWeekdays(near: words[1])
    case 3: return spans(words)
    default: return []
    }
  }

  /// The days that three numbers may be: year first, or last with the day or the month before.
  static func dates(in text: String) -> [String] {
    let parts = text.split(omittingEmptySubsequences: false) { "./-".contains($0) }
    guard parts.count == 3,
      parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) })
    else { return [] }
    let numbers = parts.compactMap { Int($0) }
    func day(_ year: Int, _ month: Int, _ day: Int) -> [String] {
      CalendarDate(year: year, month: month, day: day).map { [$0.description] } ?? []
    }
    if parts[0].count == 4 { return day(numbers[0], numbers[1], numbers[2]) }
    guard parts[2].count == 4 else { return [] }
    let dayFirst = day(numbers[2], numbers[1], numbers[0])
    guard text.contains("/") || dayFirst.isEmpty else { return dayFirst }
    let monthFirst = day(numbers[2], numbers[0], numbers[1])
    return dayFirst == monthFirst ? dayFirst : monthFirst + dayFirst
  }

  private static func near(_ word: String) -> [String] {
    if RelativeTime("-" + word) != nil { return ["-" + word] }
    return LedgerCLI.nearest(to: word, among: ["today", "yesterday"] + weekdays).map { name in
      weekdays.contains(name) ? "last \(name)" : name
    }
  }

  private static func lastWeekdays(near word: String) -> [String] {
    LedgerCLI.nearest(to: word, among: weekdays).map { "last \($0)" }
  }

  /// `3 dyas ago`.
  private static func spans(_ words: [String]) -> [String] {
    guard LedgerCLI.nearest(to: words[2], among: ["ago"]) == ["ago"] else { return [] }
    let units = ["days", "weeks", "months", "years", "day", "week", "month", "year"]
    return LedgerCLI.nearest(to: words[1], among: units)
      .map { "\(words[0]) \($0) ago" }
      .filter { RelativeTime($0) != nil }
  }
}
