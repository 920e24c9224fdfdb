import LedgerModel

extension BackendConfiguration.Dialect {
  /// The members that carry the moment.
  var momentMembers: [String] {
    switch self {
    case .dateTime: ["date", "time"]
    case .loggedAt: ["logged_at"]
    }
  }

  /// Whether the body says anything about the moment in this dialect.
  func hasMoment(_ members: BodyMembers) -> Bool {
    momentMembers.contains { members.has($0) }
  }

  /// The moment in the body, to the second.
  func moment(_ members: BodyMembers) throws(APIError) -> Timestamp {
    switch self {
    case .dateTime:
      guard let date = try members.date("date") else { throw members.missing("date") }
      var time = ClockTime.midnight
      if let text = try members.text("time") {
        guard let given = ClockTime(text) else {
          throw .invalid("time must be a time in the form HH:MM:SS")
        }
        time = given
      }
      return ZonedTime(time: time, zone: .utc).instant(on: date)
    case .loggedAt:
      let text = try members.requiredText("logged_at")
      guard let moment = Timestamp(rfc3339: text), moment.utc != nil else {
        throw .invalid("logged_at must be a time in the form of RFC 3339")
      }
      return moment.wholeSeconds
    }
  }
}

extension Timestamp {
  /// Without fractions of a second, which the wire does not carry.
  var wholeSeconds: Timestamp {
    guard let (date, time, _) = utc else { return self }
    return ZonedTime(time: time, zone: .utc).instant(on: date)
  }
}
