import LedgerModel

/// A day, with or without a time on it; ordered as a wall clock shows them.
struct Moment: Hashable, Comparable {
  var date: CalendarDate
  var time: ClockTime?

  static func < (left: Moment, right: Moment) -> Bool {
    left.wallSeconds < right.wallSeconds
  }

  /// Seconds on the wall since 1970-01-01 00:00; a day alone is its beginning.
  var wallSeconds: Int64 {
    Int64(date.daysSince1970) * 86_400 + Int64(time?.secondsSinceMidnight ?? 0)
  }
}

/// Which orders of day and month a date can have been written in. A spreadsheet treats cells of one
/// spelling alike, so what it did to one of them it did to all.
enum DateSpelling: Hashable {
  /// Such as `13-04-2016`: there is no month 13.
  case dayFirst
  /// Such as `04-13-2016`.
  case monthFirst
  /// Such as `04-12-2016`.
  case eitherFirst
  case yearFirst
}

/// A date and maybe a time as a row has them, with every reading they allow.
struct WrittenMoment {
  let dateText: String
  let timeText: String
  let spelling: DateSpelling
  /// The days of the calendar that the text can mean: one, or two.
  let dates: [CalendarDate]
  /// One of them, the same for every row with this text and for no other text of this spelling.
  let firstReading: CalendarDate
  let time: ClockTime?
  /// Whether AM or PM stands behind the time, which a spreadsheet can have got wrong.
  let hasHalfOfDay: Bool

  /// - Parameter timeText: empty for rows that belong to the day.
  init(date dateText: String, time timeText: String) throws(RowFault) {
    self.dateText = dateText
    self.timeText = timeText
    let dayFirst = PlainFormats.read(dateText, as: Self.dayFirst)?.date
    let monthFirst = PlainFormats.read(dateText, as: Self.monthFirst)?.date
    switch (dayFirst, monthFirst) {
    case (let date?, nil): (spelling, dates, firstReading) = (.dayFirst, [date], date)
    case (nil, let date?): (spelling, dates, firstReading) = (.monthFirst, [date], date)
    case (let one?, let other?):
      spelling = .eitherFirst
      dates = one == other ? [one] : [one, other].sorted()
      firstReading = one
    case (nil, nil):
      guard let date = PlainFormats.read(dateText, as: [PlainFormats.isoDate])?.date else {
        throw RowFault(
          sentence: "the date is \(quoted(dateText)); it must be a day of the calendar such as "
            + "4/12/2016, 12-04-2016 or 2016-04-12")
      }
      (spelling, dates, firstReading) = (.yearFirst, [date], date)
    }
    time = PlainFormats.read(timeText, as: PlainFormats.times)?.time
    hasHalfOfDay = timeText.utf8.last.map { $0 | 0x20 == UInt8(ascii: "m") } ?? false
    guard time != nil || timeText.isEmpty else {
      throw RowFault(
        sentence: "the time is \(quoted(timeText)); it must be a time of day such as 1:00:00 PM")
    }
  }

  /// The same place on the clock's face in the other half of the day.
  var timeInOtherHalf: ClockTime? {
    guard hasHalfOfDay, let time else { return nil }
    let seconds = (Int(time.secondsSinceMidnight) + 43_200) % 86_400
    return ClockTime(secondsSinceMidnight: seconds)
  }

  private static let dayFirst = [PlainFormats.known("d-M-yyyy"), PlainFormats.known("d/M/yyyy")]
  private static let monthFirst = [PlainFormats.known("M-d-yyyy"), PlainFormats.known("M/d/yyyy")]
}
