import LedgerModel

/// What a whole file shows about itself, gathered from the rows of everybody in it: whether its
/// rows ascend, and whether its AM and PM can be believed.
///
/// - A person's rows *ascend* unless two dates that have one reading each step back, or the times
///   of a day step back though AM and PM there can be believed.
/// - AM and PM *cannot be believed* in a spelling of dates once a person has two different values
///   at one time in that spelling, or a weight's id agrees with the other half of the day.
///   Copies that a spreadsheet split say 12 PM for midnight and 1 AM for 13:00 in just those rows
///   whose dates it could not read, so one spelling is doubted and the others are not.
struct FitbitEvidence {
  private struct Person {
    var lastDate: CalendarDate?
    /// The row above, as written.
    var last: Moment?
    /// What stood first at each moment, as written.
    var values: [Moment: String] = [:]
  }

  let window: ClosedRange<CalendarDate>
  private(set) var doubted: Set<DateSpelling> = []
  private var people: [String: Person] = [:]
  private var datesStepBack = false
  private var timesStepBack: Set<DateSpelling> = []

  init(window: ClosedRange<CalendarDate>) { self.window = window }

  var isAscending: Bool { !datesStepBack && timesStepBack.isSubset(of: doubted) }

  /// - Parameter values: the cells that were measured; a row that repeats them all is a copy.
  mutating func see(
    _ written: WrittenMoment, values: String, of id: String, logID: WeightLogID?
  ) {
    var person = people[id] ?? Person()
    // Emptied first, so that the person's dictionary is changed in place and not copied.
    people[id] = nil
    seeDate(written, &person)
    if written.time != nil { seeTime(written, values, &person) }
    people[id] = person
    if let logID, isOtherHalf(logID, written) { doubted.insert(written.spelling) }
  }

  private mutating func seeDate(_ written: WrittenMoment, _ person: inout Person) {
    let dates = written.dates.filter(window.contains)
    guard dates.count == 1 else { return }
    if let last = person.lastDate, dates[0] < last { datesStepBack = true }
    person.lastDate = dates[0]
  }

  private mutating func seeTime(
    _ written: WrittenMoment, _ values: String, _ person: inout Person
  ) {
    let moment = Moment(date: written.firstReading, time: written.time)
    if let last = person.last, last.date == moment.date, moment < last {
      timesStepBack.insert(written.spelling)
    }
    person.last = moment
    guard let earlier = person.values[moment] else {
      person.values[moment] = values
      return
    }
    if earlier != values, written.hasHalfOfDay { doubted.insert(written.spelling) }
  }

  private func isOtherHalf(_ logID: WeightLogID, _ written: WrittenMoment) -> Bool {
    func agrees(_ time: ClockTime?) -> Bool {
      written.dates.contains { logID.agrees(with: Moment(date: $0, time: time)) }
    }
    guard let other = written.timeInOtherHalf else { return false }
    return agrees(other) && !agrees(written.time)
  }
}
