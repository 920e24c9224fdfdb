import LedgerTestSupport

/// How bad the way to the backend is.
struct NetworkFaults: Hashable, Sendable, CustomStringConvertible {
  /// How many of a hundred calls fail.
  var percent: Int
  var callFaults: [CallFault]
  /// The same of calls that change nothing; `nil` for a fifth, since runs begin by asking: where that
  /// always failed, nothing else would ever happen.
  var asksPercent: Int?

  static let fair = NetworkFaults(percent: 0, callFaults: [])

  static func any(using generator: inout SplitMix) -> NetworkFaults {
    guard generator.chance(2, of: 3) else { return fair }
    let few = (0...generator.below(3)).map { _ in generator.pick(CallFault.allCases) }
    return NetworkFaults(
      percent: generator.pick([5, 20, 50, 100]),
      callFaults: generator.chance(1, of: 3) ? CallFault.allCases : few)
  }

  var description: String {
    guard self != .fair else { return "fair" }
    let asks = asksPercent.map { ", asking \($0) %" } ?? ""
    return "\(percent) %\(asks) \(Set(callFaults.map(\.rawValue)).sorted())"
  }
}
