/// What can go wrong with one call on its way.
enum Mishap: String, CaseIterable, Sendable {
  /// Nothing left.
  case notSent
  /// It left, had no effect, and no answer came.
  case lostBefore
  /// It had its effect, and no answer came.
  case lostAfter
  /// It has its effect a while after it was given up on.
  case late
  /// It is delivered twice, and answered once.
  case twice
  case serverErrorBefore, serverErrorAfter
  case rateLimited
  case garbage, noID, unwrapped, redirected
  /// Somebody else answers, such as a hotel's network: it has no effect.
  case portal
  /// The session could not be renewed.
  case refreshFailed
  /// The backend does not take it.
  case refused
}

/// How bad the way to the backend is.
struct Weather: Hashable, Sendable, CustomStringConvertible {
  /// Of a hundred calls, so many meet with a mishap.
  var percent: Int
  var mishaps: [Mishap]

  static let fair = Weather(percent: 0, mishaps: [])

  static func any(using generator: inout SplitMix) -> Weather {
    guard generator.chance(2, of: 3) else { return fair }
    let few = (0...generator.below(3)).map { _ in generator.pick(Mishap.allCases) }
    return Weather(
      percent: generator.pick([5, 20, 50, 100]),
      mishaps: generator.chance(1, of: 3) ? Mishap.allCases : few)
  }

  var description: String {
    percent == 0 ? "fair" : "\(percent) % \(Set(mishaps.map(\.rawValue)).sorted())"
  }
}
