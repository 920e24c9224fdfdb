import LedgerModel
import Testing

@testable import LedgerReport

/// The answers of the person's view, and the audit view.
@Suite struct ReportViewsTests {
  private let head = String(repeating: "0123456789abcdef", count: 4)

  @Test("A goal shows how far it is, the last seven days and the streak")
  func goals() {
    let goal = GoalProgress(
      quantity: 8400, isDaily: true, target: "8,400 a day", progress: "reached today",
      streakDays: 3)
    let page = ReportPage.html(.sample(days: 10, goals: [.steps: goal]))
    #expect(page.contains("<dd class=\"note goal-of\">Goal: 8,400 a day</dd>"))
    #expect(page.contains("<dd class=\"note\">Reached today</dd>"))
    #expect(page.contains("<span>3-day streak</span>"))
    #expect(page.contains("aria-label=\"Reached on 3 of the 7 days to 7 Mar 2024\""))
    #expect(Markup(page).values("class").count { $0 == "met" } == 3)
    #expect(Markup(page).values("class").count { $0 == "missed" } == 4)
    var dated = goal
    (dated.isDaily, dated.streakDays) = (false, 0)
    #expect(!ReportPage.html(.sample(days: 10, goals: [.steps: dated])).contains("streak\">"))
  }

  @Test("A goal is shown before the first entry of its metric")
  func goalWithoutEntries() {
    let goal = GoalProgress(
      quantity: 8400, isDaily: true, target: "8,400 a day", progress: "nothing today",
      streakDays: 0)
    var content = ReportContent.sample(days: 10, goals: [.steps: goal])
    content.series = [MetricSeries(.weight, days: []), MetricSeries(.steps, days: [])]
    let page = ReportPage.html(content)
    #expect(page.contains("<dt>Steps</dt>") && page.contains("Goal: 8,400 a day"))
    #expect(page.contains("Nothing today") && page.contains("There are no entries"))
    #expect(!page.contains("<dt>Weight</dt>"))
  }

  @Test("A daily goal of a metric that does not add up has its last seven days, by the last value")
  func dailyGoalOfMeasurements() {
    let goal = GoalProgress(
      quantity: 75, isDaily: true, isAtMost: true, target: "at most 75 kg a day",
      progress: "reached today", streakDays: 1)
    var content = ReportContent.sample(goals: [.weight: goal])
    let day = DayValue(date: content.today, value: 75.5, low: 75, high: 76, latest: 75)
    content.series = [MetricSeries(.weight, days: [day])]
    #expect(ReportPage.html(content).contains("aria-label=\"Reached on 1 of the 7 days"))
  }

  @Test("A page of earlier days has no progress and no streak of today")
  func earlierDays() {
    let goal = GoalProgress(
      quantity: 8400, isDaily: true, target: "8,400 a day", progress: "reached today",
      streakDays: 3)
    var content = ReportContent.sample(days: 10, goals: [.steps: goal])
    content.madeOn = content.today.adding(days: 1)
    let page = ReportPage.html(content)
    #expect(page.contains("Goal: 8,400 a day") && page.contains("Reached on 3 of the 7 days"))
    #expect(!page.contains("Reached today") && !page.contains("day streak"))
  }

  @Test("Days of another year than the page have their year")
  func years() {
    var content = ReportContent.sample(days: 28, from: ReportContent.day)
    let page = ReportPage.html(content)
    #expect(page.contains(">25 Mar<") && !page.contains("<dd class=\"note\">25 Mar 2024<"))
    content.madeOn = content.today.adding(days: 365)
    let later = ReportPage.html(content)
    #expect(later.contains("<dd class=\"note\">25 Mar 2024<"))
    #expect(later.contains("<span>27 Feb 2024 to 25 Mar 2024</span>"))
    #expect(later.contains("aria-label=\"25 Mar 2024: "))
  }

  @Test("A change is that of the mean of all days, as in show trends")
  func changes() throws {
    let first = ReportContent.day
    var content = ReportContent.sample()
    content.series = [
      MetricSeries(
        .weight,
        days: (0..<40).map { day in
          let value = day == 35 ? 82.0 : 75
          return DayValue(date: first.adding(days: day), value: value, low: value, high: value)
        })
    ]
    let page = ReportPage.html(content)
    #expect(
      page.contains(
        "<span>+1.0 on the week before</span> <span>+0.2 on the 30 days before</span>"))
  }

  @Test(
    "A change rests on one day of seven in both spans, and on three of a metric that adds up",
    arguments: [
      (MetricDisplay.weight, 7, [true, true]), (.weight, 10, [true, false]),
      (.weight, 14, [false, false]),
      (.steps, 2, [true, true]), (.steps, 3, [false, false]),
    ])
  func sparseChanges(_ display: MetricDisplay, _ everyDays: Int, _ areShown: [Bool]) {
    var content = ReportContent.sample()
    let days = (0..<90 / everyDays).map { index in
      DayValue(
        date: content.today.adding(days: -index * everyDays), value: 900, low: 900, high: 900)
    }
    content.series = [MetricSeries(display, days: days.reversed())]
    let page = ReportPage.html(content)
    let changes = ["week", "30 days"].map { page.contains("on the \($0) before") }
    #expect(changes == areShown)
  }

  @Test("A page of chosen days names them")
  func chosenDays() {
    var content = ReportContent.sample(days: 28, from: ReportContent.day)
    #expect(ReportPage.html(content).contains("The charts are of 27 Feb 2024 to 25 Mar 2024."))
    content.from = nil
    #expect(!ReportPage.html(content).contains("The charts are of"))
    content.madeOn = content.today.adding(days: 1)
    #expect(ReportPage.html(content).contains("The charts are of the days to 25 Mar 2024."))
  }

  @Test(
    "The last week ends today, as in show trends, or with the last entry if that is older",
    arguments: [(1, 1), (7, 7)])
  func weekEnds(_ daysSinceEntry: Int, _ shown: Int) {
    let first = ReportContent.day
    var content = ReportContent.sample()
    let last = content.today.adding(days: -daysSinceEntry)
    let days = Int(last.daysSince1970 - first.daysSince1970)
    content.series = [
      MetricSeries(
        .steps,
        days: (0...days).map { day in
          DayValue(date: first.adding(days: day), value: 900, low: 900, high: 900)
        })
    ]
    let end = shown < 7 ? content.today : last
    let logged = shown < 7 ? "6 of the 7" : "7"
    #expect(
      ReportPage.html(content).contains(
        "mean of \(logged) days to \(DateText.day(end, near: content.today))"))
  }

  @Test("A latest value that is not the day's mean says so, since the chart shows the mean")
  func latestOfDay() {
    var content = ReportContent.sample()
    func page(latest: Double) -> String {
      let day = DayValue(
        date: ReportContent.day, value: 75.5, low: 75, high: 76, latest: latest)
      content.series = [MetricSeries(.weight, days: [day])]
      return ReportPage.html(content)
    }
    #expect(page(latest: 76).contains(", the latest of that day; its mean is 75.5<"))
    #expect(!page(latest: 75.5).contains("the latest of that day"))
  }

  @Test("A score has no unit, and a whole one no decimals", arguments: [(7.0, "7"), (6.5, "6.5")])
  func scores(_ value: Double, _ shown: String) {
    var content = ReportContent.sample()
    let day = DayValue(date: ReportContent.day, value: value, low: value, high: value)
    content.series = [MetricSeries(.mood, days: [day])]
    #expect(ReportPage.html(content).contains("<dd class=\"value\">\(shown)</dd>"))
  }

  @Test("A chosen first day makes a period of all days, with the days before")
  func chosenFirstDay() {
    #expect(!ReportPage.html(.sample(days: 28)).contains("days before"))
    let page = ReportPage.html(.sample(days: 28, from: ReportContent.day.adding(days: 14)))
    #expect(page.contains("against the 14 days before"))
    #expect(page.contains("</svg>14 days before</li>"))
    #expect(!page.contains("name=\"period\""))
  }

  @Test("The audit view has a checkpoint of the head, and the check before")
  func checkpoint() {
    var content = ReportContent.sample()
    content.audit.checkpoint = "ledger checkpoint v1\nid\n1\n\(head)\n-\nmoment\n"
    content.audit.checkedBefore = .init(time: "2025-03-01 10:00", seq: 1234)
    let page = ReportPage.html(content)
    #expect(page.contains("<pre>ledger checkpoint v1\nid\n1\n\(head)\n-\nmoment</pre>"))
    #expect(page.contains("The check before that was on 2025-03-01 10:00, up to event 1,234."))
    #expect(!ReportPage.html(.empty).contains("ledger checkpoint v1"))
  }

  @Test("Events of one import share a row with their first and last hash")
  func sharedRow() {
    var content = ReportContent.sample(words: ["a", "b", "c", "d"])
    for place in 1...3 {
      content.audit.newest[place].actor = "import"
      content.audit.newest[place].hash = String(repeating: "\(place)", count: 64)
    }
    content.audit.newest.reverse()
    let page = ReportPage.html(content)
    #expect(page.contains("<td class=\"hash\">111111111111 –<br>333333333333</td>"))
    #expect(page.contains("2–4</th>"))
    #expect(page.contains("share a row, with the hashes of the first and the last"))
    #expect(!ReportPage.html(.sample()).contains("share a row"))
  }

  @Test("Each day of sync says what was recorded, with a bar of the answers")
  func days() {
    var content = ReportContent.sample()
    var busy = SyncDay(date: ReportContent.day)
    busy.add(.sent, 4)
    busy.add(.acknowledged, 3)
    busy.add(.refused, 1)
    var quiet = SyncDay(date: ReportContent.day.adding(days: 1))
    quiet.add(.signIns, 1)
    content.sync.days = [quiet, busy]
    let page = ReportPage.html(content)
    #expect(page.contains(">4 calls sent, 3 acknowledged, 1 refused</td>"))
    #expect(page.contains("<th scope=\"row\">28 Feb 2024</th><td>1 sign-in</td>"))
    #expect(page.contains("<rect class=\"bar rejected\" x=\"75%\" width=\"25%\" height=\"8\"/>"))
    #expect(page.contains("<caption>Days on which sync recorded anything, newest first.</caption>"))
    for outcome in SyncDay.Outcome.allCases {
      #expect(outcome.words(1).hasPrefix("1 ") && outcome.words(2).hasPrefix("2 "))
    }
  }
}
