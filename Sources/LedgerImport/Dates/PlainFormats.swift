/// The spellings that mean one thing to everyone, read when a person names no pattern.
enum PlainFormats {
  /// Dates whose order is the international standard's (ISO 8601), alone or before a time.
  static let dates: [DateFormat] = [
    known("yyyy-MM-dd"), known("yyyy-MM-ddTHH:mm"), known("yyyy-MM-ddTHH:mm:ss"),
    known("yyyy-MM-dd HH:mm"), known("yyyy-MM-dd HH:mm:ss"),
  ]

  /// Times whose half of the day is plain: 24 hours, or 12 with AM or PM.
  static let times: [DateFormat] = [
    known("H:mm:ss"), known("H:mm"), known("h:mm:ss a"), known("h:mm a"),
  ]

  static let isoDate: DateFormat = dates[0]

  /// A pattern of this program's own: a bad one is a bug here, not somebody's mistake.
  static func known(_ pattern: String) -> DateFormat {
    do {
      return try DateFormat(pattern)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// The reading of the first format that fits. No text fits two of them in different ways.
  static func read(_ text: String, as formats: [DateFormat]) -> DateFormat.Reading? {
    for format in formats {
      if let reading = try? format.read(text) { return reading }
    }
    return nil
  }
}
