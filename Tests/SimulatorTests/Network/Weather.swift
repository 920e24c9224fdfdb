import LedgerTestSupport

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
