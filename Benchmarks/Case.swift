/// One thing that is measured, under a name that stays.
struct Case {
  let name: String
  /// What one run of it does, for the table.
  let about: String
  /// How many events one run handles; `nil` where a rate would say nothing.
  let events: Int?
  /// Prepares, measures and checks once; what one run took.
  let measureOnce: () throws -> Duration

  /// - Parameters:
  ///   - repeats: runs per measurement, so that short ones outlast the clock's steps.
  ///   - prepare: not measured; called before every measurement.
  ///   - check: not measured; throws when the last run's answer is wrong. Without it a case could
  ///     go on measuring something that no longer works.
  init<Input, Output>(
    _ name: String, about: String, events: Int? = nil, repeats: Int = 1,
    prepare: @escaping () throws -> Input, run: @escaping (inout Input) throws -> Output,
    check: @escaping (Input, Output) throws -> Void
  ) {
    self.name = name
    self.about = about
    self.events = events
    measureOnce = {
      var input = try prepare()
      let clock = ContinuousClock()
      let start = clock.now
      for _ in 1..<repeats { _ = try run(&input) }
      let output = try run(&input)
      let end = clock.now
      try check(input, output)
      return start.duration(to: end) / repeats
    }
  }

  static let names =
    [
      "scan", "replay", "replay-1", "replay-unverified-1", "advance", "profile", "status", "days",
      "progress page", "sync plan", "opened status", "opened profile", "opened page",
      "opened whole", "snapshot", "verify", "append-1", "append-1000", "open", "tail", "find",
      "since", "as of", "since time", "as of old", "known id", "new id", "report",
    ] + growthSizes.map(growthName) + idleSizes.map(idleName)
}

/// - Throws: a sentence when a case's answer is not the one the drawn events give.
func expect(_ what: String, _ found: Int, toBe wanted: Int, in name: String) throws {
  guard found == wanted else {
    throw Failure(
      description: "the case '\(name)' gave a wrong answer: \(what) is \(found), not \(wanted)")
  }
}
