import LedgerModel

@testable import LedgerReport

extension MetricDisplay {
  static let weight = MetricDisplay(
    metric: .weight, name: "weight", unit: "kg", decimals: 1, addsUp: false)
  static let steps = MetricDisplay(
    metric: .steps, name: "steps", unit: "", decimals: 0, addsUp: true)
  static let sleep = MetricDisplay(
    metric: .sleepHours, name: "sleep", unit: "h", decimals: 1, addsUp: true)
  static let mood = MetricDisplay(
    metric: .moodScore, name: "mood", unit: "", decimals: 1, addsUp: false)
}

extension MetricSeries {
  /// So many days of values that go up and down, some days left out.
  static func sample(_ display: MetricDisplay, days: Int, around middle: Double) -> MetricSeries {
    let first = ReportContent.day
    return MetricSeries(
      display,
      days: (0..<days).filter { $0 % 11 != 7 }.map { day in
        let value = middle * (1 + Double((day * 37) % 19 - 9) / 100)
        let spread = display.addsUp ? 0 : middle / 200
        return DayValue(
          date: first.adding(days: day), value: value, low: value - spread, high: value + spread)
      })
  }
}

extension ReportContent {
  static func sample(
    days: Int = 40, person: String? = "Ada", words: [String] = ["logged weight 75.5 kg"],
    counts: [SyncHistory.Counts] = [.init(acknowledged: 3, pending: 2, rejected: 1)],
    erased: Int = 0, goals: [Metric: GoalProgress] = [:], from: CalendarDate? = nil
  ) -> ReportContent {
    let head = String(repeating: "0123456789abcdef", count: 4)
    return ReportContent(
      person: person, device: "laptop", madeAt: "2025-03-03 08:00:00 +01:00",
      series: [
        .sample(.weight, days: days, around: 75), .sample(.steps, days: days, around: 8000),
        .sample(.sleep, days: days, around: 7.5), .sample(.mood, days: days, around: 6),
      ],
      sync: SyncHistory(
        axis: .events(1...max(1, words.count)), counts: counts,
        lastSync: "2025-03-02 20:00", hasAccount: true),
      audit: AuditTrail(
        newest: words.enumerated().map { index, words in
          AuditTrail.Event(
            seq: index + 1, time: "2025-03-03 07:59:00", actor: "user", words: words, hash: head)
        },
        byType: [.init(type: "progress.logged", count: words.count)], events: words.count,
        erased: erased, head: head,
        span: ("2024-02-27 08:00", "2025-03-03 07:59")),
      goals: goals, from: from, today: day.adding(days: days - 1),
      madeOn: day.adding(days: days - 1))
  }

  /// The first day of the samples.
  static let day = CalendarDate(year: 2024, month: 2, day: 27) ?? .first

  static let empty = ReportContent(
    person: nil, device: nil, madeAt: "2025-03-03 08:00:00 +01:00",
    series: [MetricSeries(.weight, days: [])],
    sync: SyncHistory(axis: .events(1...1), counts: [.init()], lastSync: nil, hasAccount: false),
    audit: AuditTrail(
      newest: [], byType: [], events: 1, erased: 0,
      head: String(repeating: "0", count: 64), span: nil),
    today: .first, madeOn: .first)
}

/// A page taken apart far enough to ask what it consists of.
struct Markup {
  struct Tag {
    var name: String
    var attributes: String
    var isClosing: Bool

    func value(_ attribute: String) -> String? {
      guard let start = attributes.range(of: "\(attribute)=\"") else { return nil }
      let rest = attributes[start.upperBound...]
      return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
    }
  }

  let text: String
  private(set) var tags: [Tag] = []

  /// Everything between `<` and `>`: this page's text holds neither.
  init(_ text: String) {
    self.text = text
    let style = text.range(of: "</style>")?.lowerBound ?? text.startIndex
    for half in [text.range(of: "<style>").map { text[..<$0.upperBound] } ?? "", text[style...]] {
      for piece in half.split(separator: "<").dropFirst(half.hasPrefix("<") ? 0 : 1) {
        guard let end = piece.firstIndex(of: ">") else { continue }
        let inside = piece[..<end]
        let isClosing = inside.hasPrefix("/")
        let name = inside.drop { $0 == "/" }.prefix { $0 != " " && $0 != "/" }
        tags.append(
          Tag(name: String(name), attributes: String(inside), isClosing: isClosing))
      }
    }
  }

  /// Every attribute of this name, quoted or not.
  func values(_ attribute: String) -> [String] { tags.compactMap { $0.value(attribute) } }

  func count(_ name: String) -> Int { tags.count { $0.name == name && !$0.isClosing } }
}

extension String {
  fileprivate func range(of other: String) -> Range<String.Index>? { self.firstRange(of: other) }
}
