import LedgerModel

/// Reads a row's date and time as a mapping says, or says why it cannot.
struct CSVMoment {
  let mapping: CSVMapping

  func read(
    date dateText: String, time timeText: String?
  ) throws(RowFault) -> (date: CalendarDate, time: ClockTime?) {
    let (date, timeOfDate) = try readDate(dateText)
    guard let column = mapping.time, let timeText else { return (date, timeOfDate) }
    guard timeOfDate == nil else {
      throw RowFault(
        sentence: "\(mapping.date) is \(quoted(dateText)), which has a time, and \(column) is "
          + "\(quoted(timeText)); leave out one of the two")
    }
    return (date, try readTime(timeText, column))
  }

  private func readDate(_ text: String) throws(RowFault) -> (CalendarDate, ClockTime?) {
    let reading: DateFormat.Reading?
    if let format = mapping.dateFormat {
      reading = try fitted(text, format, mapping.date)
    } else {
      reading = PlainFormats.read(text, as: PlainFormats.dates)
    }
    guard let reading, let date = reading.date else {
      throw RowFault(
        sentence: "\(mapping.date) is \(quoted(text)); without --date-format only days of the "
          + "calendar spelt YYYY-MM-DD are read, with HH:MM:SS behind them at most, because others "
          + "can be read in two ways: give --date-format, such as MM-dd-yyyy or dd-MM-yyyy")
    }
    return (date, reading.time)
  }

  private func readTime(_ text: String, _ column: String) throws(RowFault) -> ClockTime {
    let reading: DateFormat.Reading?
    if let format = mapping.timeFormat {
      reading = try fitted(text, format, column)
    } else {
      reading = PlainFormats.read(text, as: PlainFormats.times)
    }
    guard let time = reading?.time else {
      throw RowFault(
        sentence: "\(column) is \(quoted(text)); without --time-format only times of day such as "
          + "17:30, 17:30:00 and 5:30:00 PM are read")
    }
    return time
  }

  private func fitted(
    _ text: String, _ format: DateFormat, _ column: String
  ) throws(RowFault) -> DateFormat.Reading {
    do {
      return try format.read(text)
    } catch {
      throw RowFault(sentence: "\(column) is \(quoted(text)); it \(error.sentence)")
    }
  }
}
